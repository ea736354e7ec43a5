/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PROCESS_EXEC_H
#define TRM_AGENT_PROCESS_EXEC_H

/* The second exec: between the agent and a user's program lies a fresh image
 * of the agent, started with posix_spawn as
 *     terrarium-agent exec FLAGS NPROC MARK CWD -- ARGV…
 * It does to itself what posix_spawn cannot and becomes the program. What goes
 * wrong it writes to descriptor EXEC_REPORT_FD, which is close-on-exec: the
 * agent reads a report, or the end of file when the program runs.
 *
 * FLAGS is a string of letters: t descriptor 0 shall be the controlling
 * terminal; e start in / if CWD cannot be entered, and say so; s the agent can be signaled from inside (it
 * is not PID 1), so put the program in a Landlock domain that keeps signals in, and let it die with the
 * agent. (All programs started so are in domains of their own: one cannot signal another. PID 1 needs no such
 * guard, and its programs can.) d: let it die with the agent, no more. l: that, and descriptor EXEC_RULES_FD
 * holds a Landlock ruleset, to which what a process may read of itself in /proc is added before it enters it.
 */

#include <stdint.h>

#include <terrarium/error.h>

enum { EXEC_RULES_FD = 8, EXEC_REPORT_FD = 9 };

enum exec_step { EXEC_CWD, EXEC_TTY, EXEC_PROGRAM, EXEC_INTERPRETER, EXEC_LOADER, EXEC_RULES };

struct exec_report {
	int32_t step;  /* enum exec_step */
	int32_t error; /* errno */
};

/* A sentence for a client about `name`, argv[0] of the program. */
void exec_sentence(const struct exec_report *report, const char *name, struct trm_error *ret);

#endif
