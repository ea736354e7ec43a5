/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_RECIPE_CONTAINER_SPEC_H
#define TRM_BACKEND_RECIPE_CONTAINER_SPEC_H

/* What a sandbox of a recipe is asked to be: the caller's options, which are his own again as soon as the
 * opening has returned, copied for all the steps that come later; and whether the recipe can do it. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/sandbox.h>

#include "backend/host/mounts.h"
#include "recipe/recipe.h"

struct trm_error;

enum { CONTAINER_SPEC_NAME = 96, CONTAINER_SPEC_IMAGE = 256 };

struct container_spec {
	struct trm_sandbox_opts opts;                          /* texts are in `texts` */
	char name[CONTAINER_SPEC_NAME];                        /* of what is made: "terrarium-NAME-8hex" */
	char key[33];                                          /* of the agent, 32 hex digits */
	char image[CONTAINER_SPEC_IMAGE];                      /* the name it has, or gets by being built */
	char dockerfile[TRM_HOST_PATH], folder[TRM_HOST_PATH]; /* "" without */
	struct mounts mounts;
	char mount_text[TRM_MOUNTS_BYTES + TRM_MOUNTS_MAX]; /* the next ones' */
	struct recipe_mount recipe_mounts[TRM_MOUNTS_MAX];
	size_t n_mounts;
	char *texts[TRM_ENV_MAX + 16];
	size_t n_texts;
};

#define CONTAINER_SPEC_COMMITS_OVER \
	"--commit %.100s would replace the image that the sandbox is made from: choose another tag, or add " \
	"--commit-over"

/* TRM_EINVAL, TRM_ENOTSUP, TRM_ENOENT … with a sentence; container_spec_finish() is to be called in any case.
 */
int container_spec_init(struct container_spec *container_spec, const struct trm_recipe *recipe,
		const struct trm_sandbox_opts *opts, struct trm_error *reterr);
void container_spec_finish(struct container_spec *container_spec); /* takes a zeroed object */

#endif
