/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_CAMEL_H
#define TUI_CMD_CAMEL_H

/* `terrarium run --camel`: CAMEL's interpreter (terrarium/interpreter.h) between our stdin, stdout and
 * stderr. */

#include <stdbool.h>
#include <stddef.h>

struct source;
struct trm_config;

struct camel_opts {
	const struct trm_config *config;
	const struct source *sources; /* read, and their languages settled */
	size_t n_sources;
	struct trm_policy *policy; /* to be enforced; NULL: none */
	const char *code_type;     /* of all of them; NULL: by their languages */
};

/* Blocks until the sandbox is gone, or left. Returns the exit code of the program. *ret_is_pipe_broken:
 * nobody reads stdout any more. */
int camel(const struct camel_opts *opts, bool *ret_is_pipe_broken);

#endif
