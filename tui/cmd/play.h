/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_PLAY_H
#define TUI_CMD_PLAY_H

/* Runs in turn in a sandbox, a new one or that of the config's name, between our stdin, stdout and stderr. */

#include <stdbool.h>
#include <stddef.h>

#include "stream/stage.h"

struct source;
struct trm_config;

struct play_opts {
	const struct trm_config *config;
	struct stage_asked asked;
	const struct source *sources; /* read, and their languages settled */
	size_t n_sources;
	struct trm_policy *policy; /* to be enforced; NULL: none. Borrowed */
	const char *figures;       /* directory to save images in; NULL: nowhere */
	bool is_json;              /* results as JSON on stdout, instead of what the code prints */
};

/* Blocks until the sandbox is gone. Returns the exit code of the program. *ret_is_pipe_broken:
 * nobody reads stdout any more. */
int play(const struct play_opts *opts, bool *ret_is_pipe_broken);

#endif
