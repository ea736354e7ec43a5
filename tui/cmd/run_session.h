/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_RUN_SESSION_H
#define TUI_CMD_RUN_SESSION_H

/* Runs in turn in a sandbox, a new one or that of the config's name, between our stdin, stdout and stderr. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/result.h>

#include "stream/cli_session.h"

struct source;
struct trm_config;

struct run_session_opts {
	const struct trm_config *config;
	struct cli_session_asked asked;
	const struct source *sources; /* read, and their languages settled */
	size_t n_sources;
	struct trm_policy *policy; /* to be enforced; NULL: none. Borrowed */
	const char *const *args;   /* of the programs, NULL-terminated; NULL: none. Borrowed */
	const char *dir;           /* folder whose contents are put in before the first run; NULL: none */
	/* The config's variables and directory are of these runs, if the sandbox runs already. */
	bool has_env, has_workdir;
	const char *figures; /* directory to save figures in; NULL: nowhere */
	bool saves_all;      /* in it, and whatever else is more than text */
	const char *collect; /* as in collect.h; NULL: nothing */
	bool no_plots;
	bool is_json; /* results as JSON on stdout, instead of what the code prints */
};

/* Blocks until the sandbox is gone. Returns the exit code of the program. *ret_is_pipe_broken:
 * nobody reads stdout any more. */
int run_session(const struct run_session_opts *opts, bool *ret_is_pipe_broken);

/* The result of code that was not run, for --json. Borrows `why`. */
struct trm_result run_refusal(const char *why);
/* Print it on stdout, where nothing else has been printed, and what a policy found if it was that. */
struct trm_findings;
void run_print_refusal(const char *why, const struct trm_findings *findings);

#endif
