/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_H
#define TUI_REPL_H

/* `terrarium repl`: lines of code, run in a sandbox, one after the other. On a terminal with prompts, history
 * and completion; in a pipe without any of these, so that what comes out can be compared. */

#include <stdbool.h>

#include "stream/cli_session.h"

struct trm_config;

struct policy_gate;

struct repl_opts {
	const struct trm_config *config;       /* borrowed; its name is the sandbox's, if it has one */
	const struct policy_gate *policy_gate; /* borrowed */
	struct cli_session_asked asked;
	bool attach;         /* that sandbox must be running already */
	const char *figures; /* directory to save images in; NULL: nowhere */
};

/* Blocks until it is left. Returns the exit code: 0, or in a pipe that of the first thing that failed; 125
 * terrarium's own failure; 128+n ended by signal n. *ret_is_pipe_broken: nobody reads stdout any more. */
int repl_main(const struct repl_opts *opts, bool *ret_is_pipe_broken);

#endif
