/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_RECIPE_ENGINE_ARGS_H
#define TRM_BACKEND_RECIPE_ENGINE_ARGS_H

/* Options that the caller passes on to the engine's command that creates a container. */

#include <terrarium/sandbox.h>

struct trm_error;
struct trm_recipe;

/* TRM_EINVAL, TRM_ETOOBIG, TRM_ENOTSUP (the recipe has no place for them) with a sentence. */
int engine_args_check(const struct trm_container_opts *opts, const struct trm_recipe *recipe,
		struct trm_error *reterr);
/* One per line, as trm_requested has them. */
void engine_args_list(const struct trm_container_opts *opts, char out[TRM_ENGINE_ARGS_BYTES]);

#endif
