/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_RECIPE_ENGINE_ARGS_H
#define TRM_BACKEND_RECIPE_ENGINE_ARGS_H

/* Options of the caller for the engine's command that creates a container. */

#include <terrarium/sandbox.h>

struct trm_error;
struct trm_recipe;

/* Errors: TRM_EINVAL, TRM_ETOOBIG, TRM_ENOTSUP (the recipe has no place for options), with a sentence. */
int engine_args_check(const struct trm_container_opts *opts, const struct trm_recipe *recipe,
		struct trm_error *reterr);
/* Write one option per line, as in trm_requested. */
void engine_args_list(const struct trm_container_opts *opts, char out[TRM_ENGINE_ARGS_BYTES]);

#endif
