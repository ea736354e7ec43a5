/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_CAMEL_H
#define TUI_CMD_CAMEL_H

/* `terrarium run --camel`: connects CAMEL's interpreter (terrarium/interpreter.h) with stdin, stdout and
 * stderr. */

#include <stdbool.h>
#include <stddef.h>

struct source;
struct trm_config;

struct camel_opts {
	const struct trm_config *config;
	const struct source *sources; /* their text was read, and their languages are known */
	size_t n_sources;
	struct trm_policy *policy; /* policy to enforce; NULL: none */
	const char *code_type;     /* of all sources; NULL: from their languages */
};

/* Blocks until the sandbox has ended or was detached. Returns the exit code of the program.
 * *ret_is_pipe_broken: stdout has no reader any more. */
int camel(const struct camel_opts *opts, bool *ret_is_pipe_broken);

#endif
