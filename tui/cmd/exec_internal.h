/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_EXEC_INTERNAL_H
#define TUI_CMD_EXEC_INTERNAL_H

/* Private to exec.c, which reads the command line, and exec_process.c, which runs the command. */

#include <stdbool.h>
#include <termios.h>

#include <terrarium/terrarium.h>

#include "cmd/source.h"
#include "stream/cli_session.h"
#include "stream/sink.h"
#include "stream/stdin_feed.h"
#include "stream/tail.h"

/* One process in a new or running sandbox. If stdin and stdout are terminals, the process gets a terminal of
 * its own and keys are passed on unchanged; otherwise it gets pipes. */

struct exec {
	struct trm_config config;
	enum cli_session_how how;
	struct cli_session_asked asked;
	struct cli_session cli_session;
	struct trm_proc *proc; /* NULL: it has ended */
	struct sink out, err;
	struct stdin_feed stdin_feed;
	struct tail tail; /* the end of its stderr, or of all that it has shown on a terminal */
	bool has_terminal;
	struct termios cooked; /* original mode of the terminal */
	struct trm_signal *winch, *signals;
	bool has_timeout; /* only if the option was given */
	char **command;
	struct source script;      /* name NULL: no script */
	char **script_command;     /* malloc'd */
	bool has_env, has_workdir; /* for the command, if the sandbox runs already */
	bool is_timed_out, is_stdin_broken;
	struct trm_timer *timer;
	int exit_code;
	bool is_over;
	bool is_pipe_broken;
};

/* Execute the command. Returns the exit code; if e->is_pipe_broken is set, the program ends by SIGPIPE. */
int exec_execute(struct exec *e, char **argv);

#endif
