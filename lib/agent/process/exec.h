/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PROCESS_EXEC_H
#define TRM_AGENT_PROCESS_EXEC_H

/* The second exec. The agent does not start a user's program directly. It starts a fresh image of itself
 * with posix_spawn:
 *
 *     terrarium-agent exec FLAGS NPROC MARK CWD ROOTS -- ARGV…
 *
 * The new image does to itself what posix_spawn cannot do, and then becomes the program. It writes
 * failures to descriptor EXEC_REPORT_FD, which is close-on-exec. So the agent reads a report, or the end
 * of file once the program runs.
 *
 * FLAGS is a string of letters:
 *     t   descriptor 0 becomes the controlling terminal
 *     e   start in / if CWD cannot be entered, and report that
 *     s   put the program in a Landlock domain that keeps signals in, and let it die with the agent.
 *         Used when processes in the sandbox could signal the agent (it is not PID 1). Each program gets
 *         its own domain, so one program cannot signal another. PID 1 needs no such protection, and its
 *         programs can signal each other.
 *     d   only let it die with the agent
 *     l   as d, and descriptor EXEC_RULES_FD holds a Landlock ruleset for the program. The program also gets
 *         one of its own, which narrows the first: of /proc it allows what reveals no process, and what the
 *         program may read about itself; of the rest, what lies below ROOTS, entries of "/" with a slash
 *         after each. */

#include <stdint.h>

#include <terrarium/error.h>

enum { EXEC_RULES_FD = 8, EXEC_REPORT_FD = 9 };

enum exec_step { EXEC_CWD, EXEC_TTY, EXEC_LIMIT, EXEC_PROGRAM, EXEC_INTERPRETER, EXEC_LOADER, EXEC_RULES };

struct exec_report {
	int32_t step;  /* enum exec_step */
	int32_t error; /* errno */
};

/* A sentence for a client about `name`, argv[0] of the program. */
void exec_sentence(const struct exec_report *report, const char *name, struct trm_error *ret);

#endif
