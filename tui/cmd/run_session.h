/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_RUN_SESSION_H
#define TUI_CMD_RUN_SESSION_H

/* Executes runs one after the other in a new sandbox, or in the one with the config's name, with stdin,
 * stdout and stderr of this program. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/result.h>

#include "stream/cli_session.h"

struct source;
struct trm_config;

struct run_session_opts {
	const struct trm_config *config;
	struct cli_session_asked asked;
	const struct source *sources; /* their text was read, and their languages are known */
	size_t n_sources;
	struct trm_policy *policy; /* policy to enforce; NULL: none. Borrowed */
	const char *const *args;   /* arguments of the programs, NULL-terminated; NULL: none. Borrowed */
	const char *dir;           /* folder whose content is copied before the first run; NULL: none */
	/* If the sandbox runs already, these runs get the variables and the folder of the config. */
	bool has_env, has_workdir;
	const char *out;     /* folder for the files that the code writes; NULL: they stay in the sandbox */
	const char *figures; /* folder for figures; NULL: they are not saved */
	bool clears;         /* … after those of earlier runs were removed from it */
	bool saves_all;      /* also save all other displays that are not just text there */
	const char *collect; /* as in collect.h; NULL: nothing */
	bool no_plots;
	bool is_json; /* print results as JSON on stdout instead of the output of the code */
};

/* Blocks until the sandbox has ended. Returns the exit code of the program. *ret_is_pipe_broken: stdout has
 * no reader any more. */
int run_session(const struct run_session_opts *opts, bool *ret_is_pipe_broken);

/* The result for --json of code that was not run. Borrows `why`. */
struct trm_result run_refusal(const char *why);
/* Print this result on stdout, which must still be empty, and the findings of a policy, if there are any. */
struct trm_findings;
void run_print_refusal(const char *why, const struct trm_findings *findings);

#endif
