/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_H
#define TUI_REPL_H

/* `terrarium repl`: lines of code that run one after the other in a sandbox. On a terminal the REPL has
 * prompts, history and completion. In a pipe it has none of these, so that its output can be compared. */

#include <stdbool.h>

#include "stream/cli_session.h"

struct settings;

struct policy_gate;

struct repl_opts {
	const struct settings *settings;       /* borrowed; its name, if set, names the sandbox */
	const struct policy_gate *policy_gate; /* borrowed */
	struct cli_session_asked asked;
	bool attach;         /* the sandbox must already be running */
	const char *figures; /* directory to save images in; NULL: nowhere */
	char *const *with; /* packages that are installed before the first input, NULL-terminated; NULL: none
			    */
};

/* Blocks until the REPL ends. Returns the exit code: 0, or in a pipe the code of the first failure; 125
 * for terrarium's own failure; 128+n when signal n ended the REPL. *ret_is_pipe_broken: nobody reads
 * stdout any more. */
int repl_main(const struct repl_opts *opts, bool *ret_is_pipe_broken);

#endif
