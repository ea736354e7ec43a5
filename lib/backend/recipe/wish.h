/* SPDX-License-Identifier: MIT */
#ifndef TRM_RECIPE_WISH_H
#define TRM_RECIPE_WISH_H

/* What a sandbox of a recipe is asked to be: the caller's options, which are his own again as soon as the
 * opening has returned, copied for all the steps that come later; and whether the recipe can do it. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/sandbox.h>

#include "backend/kept/mounts.h"
#include "recipe/recipe.h"

struct trm_error;

enum { WISH_NAME = 96, WISH_IMAGE = 256 };

struct wish {
	struct trm_sandbox_opts opts;                          /* texts are in `texts` */
	char name[WISH_NAME];                                  /* of what is made: "terrarium-NAME-8hex" */
	char key[33];                                          /* of the agent, 32 hex digits */
	char image[WISH_IMAGE];                                /* the name it has, or gets by being built */
	char dockerfile[TRM_HOST_PATH], folder[TRM_HOST_PATH]; /* "" without */
	struct mounts mounts;
	char mount_text[TRM_MOUNTS_BYTES + TRM_MOUNTS_MAX]; /* the next ones' */
	struct recipe_mount recipe_mounts[TRM_MOUNTS_MAX];
	size_t n_mounts;
	char *texts[TRM_ENV_MAX + 16];
	size_t n_texts;
};

#define WISH_COMMITS_OVER \
	"--commit %.100s would replace the image that the sandbox is made from: choose another tag, or add " \
	"--commit-over"

/* TRM_EINVAL, TRM_ENOTSUP, TRM_ENOENT … with a sentence; wish_finish() is to be called in any case. */
int wish_init(struct wish *wish, const struct trm_recipe *recipe, const struct trm_sandbox_opts *opts,
		struct trm_error *reterr);
void wish_finish(struct wish *wish); /* takes a zeroed object */

#endif
