/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_RECIPE_CONTAINER_SPEC_H
#define TRM_BACKEND_RECIPE_CONTAINER_SPEC_H

/* The caller's options for a sandbox of a recipe, copied because later steps need them after the caller
 * has got them back; and the check whether the recipe supports them. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/sandbox.h>

#include "backend/host/mounts.h"
#include "recipe/recipe.h"

struct trm_error;

enum { CONTAINER_SPEC_NAME = 96, CONTAINER_SPEC_IMAGE = 256 };

struct container_spec {
	struct trm_sandbox_opts opts;     /* texts are in `texts` */
	char name[CONTAINER_SPEC_NAME];   /* of the new container: "terrarium-NAME-8hex" */
	char key[33];                     /* of the agent, 32 hex digits */
	char image[CONTAINER_SPEC_IMAGE]; /* its name, now or after the build */
	char dockerfile[TRM_HOST_PATH], folder[TRM_HOST_PATH]; /* "" without */
	/* Of Kubernetes: as asked, else as found (STEP_PIN, STEP_ADOPT); "": kubectl chooses. */
	char kube_context[256], kube_namespace[64];
	char pod[256], pod_container[64]; /* of an existing container POD/CONTAINER */
	struct trm_kube_left left;        /* opts.container.kube.left points to it, or is NULL */
	char shutdown_time[32];           /* RFC 3339, UTC */
	struct mounts mounts;
	char mount_text[TRM_MOUNTS_BYTES + TRM_MOUNTS_MAX]; /* texts of recipe_mounts */
	struct recipe_mount recipe_mounts[TRM_MOUNTS_MAX];
	size_t n_mounts;
	char *texts[TRM_ENV_MAX + TRM_ENGINE_ARGS_MAX + 24];
	size_t n_texts;
	/* what `opts` points to */
	const char *env[TRM_ENV_MAX];
	const char *engine_args[TRM_ENGINE_ARGS_MAX];
};

#define CONTAINER_SPEC_COMMITS_OVER \
	"the commit as %.100s would replace the image that the sandbox is made from: choose another tag, or " \
	"allow it to overwrite (commit_over)"

/* TRM_EINVAL, TRM_ENOTSUP, TRM_ENOENT … with a sentence. Call container_spec_finish() in any case. */
int container_spec_init(struct container_spec *container_spec, const struct trm_recipe *recipe,
		const struct trm_sandbox_opts *opts, struct trm_error *reterr);
void container_spec_finish(struct container_spec *container_spec); /* accepts a zeroed object */

#endif
