/* SPDX-License-Identifier: MIT */
#ifndef TRM_RECIPE_BOX_H
#define TRM_RECIPE_BOX_H

/* The client's side of a sandbox that a recipe makes. The first steps run here, on the loop: they prepare
 * the image, or the existing container. Then a supervisor is started with a plan of all later steps
 * (wire/plan.h), and from then on this is a carrier like the local one (backend/supervised/supervised.h).
 *
 *   image ──┬─ here ──────────────────────────────┐
 *           └─ missing ── probe ── pull ── image ──┤
 *   build ── image ─────────────────────────────────┼── supervisor ── connected
 *   adopt ──┬─ running ─────────────────────────────┤
 *           └─ stopped ── wake ── adopt ────────────┘
 *
 * STEP_WHERE, which asks where the engine is, runs at the same time as the first of these. */

#include <stdbool.h>
#include <stdint.h>

#include "backend/host/netenv.h"
#include "backend/host/rundir.h"
#include "backend/recipe/command.h"
#include "backend/recipe/container_spec.h"
#include "backend/supervised/supervised.h"
#include "recipe/recipe.h"

struct box {
	struct supervised supervised; /* first */
	struct trm_recipe *recipe;
	struct container_spec container_spec;
	struct rundir_entry entry; /* the name is reserved from the beginning; later the supervisor owns the
				      entry */
	/* until the supervisor runs */
	enum recipe_step step;
	struct command *command, *where; /* NULL: none runs */
	struct trm_timer *tick;
	uint64_t since_ns;          /* the step's start */
	char doing[320], line[200]; /* the current operation, and the last line of its output */
	char *untold;    /* commands that started before the opening returned, one per line; NULL: none */
	bool is_opening; /* the opening has not returned */
	unsigned n_wakes;
	bool has_asked_tag; /* whether the image to be saved is the original image, … */
	bool asks_tag;      /* … which STEP_IMAGE is being asked */
	bool is_found;      /* the image or container exists, and everything about it is known */
	bool is_remote;     /* the engine is on another machine */
	bool is_made;       /* the image was pulled or built for this sandbox */
	bool is_closing;    /* closed() is due once nothing runs any more */
	struct trm_error why;
	char id[160], image_user[128]; /* of the image or container */
	char image_id[160];            /* of an existing container's image */
	char image_workdir[TRM_INSIDE_PATH], image_entrypoint[2048], image_cmd[2048];
	struct cJSON *manifest;              /* the user's, of a pod; NULL: none */
	char changes[TRM_ENGINE_ARGS_BYTES]; /* what it changes, one per line */
	char origin[320];
	struct netenv netenv; /* with a network of its own; else empty */
};

/* As trm_recipe_load(), but TRM_EINVAL if there is none of that name. */
int box_find_recipe(const char *name, const char *config, struct trm_recipe **ret, struct trm_error *reterr);

/* ---- the beginning (prepare.c) ---------------------------------------------------------- */

/* Start with the first step. */
int prepare_start(struct box *box, struct trm_error *reterr);
/* Stop the current step; box_over() follows. */
void prepare_stop(struct box *box);
void prepare_finish(struct box *box);

/* ---- what prepare.c calls (recipe.c) ------------------------------------------------------- */

void box_report_progress(struct box *box, const char *words); /* progress */
/* Everything is ready: start the supervisor. */
void box_launch(struct box *box);
/* The sandbox was not made: box->why says why, unless we were told to stop. Frees the box. */
void box_over(struct box *box);

/* ---- its plan (plan.c) ---------------------------------------------------------------------------- */

/* Facts for the first steps: those that are known without a supervisor. */
void box_facts(const struct box *box, struct recipe_facts *ret);
/* The user that code runs as: the requested one, otherwise the image's own, but root only on request. "":
 * the user that the recipe's commands run as. */
const char *box_user(const struct box *box);
/* Whether the sandbox is a new pod, which is made from a manifest. */
bool box_is_pod(const struct box *box);
/* Make a file in memory with the plan of the later steps: a descriptor, or a negative code. */
int box_plan_open(const struct box *box, const struct rundir_entry *entry, struct trm_error *reterr);

/* ---- the supervisor (launch.c) -------------------------------------------------------------------- */

/* 0, or a code; then nothing was started and nothing is left behind. */
int launch_supervisor(const struct box *box, struct started *ret, struct trm_error *reterr);

/* ---- a pod (pod_file.c) ---------------------------------------------------------------------------- */

/* Take the output of STEP_MANIFEST. TRM_EINVAL if it cannot be merged. */
int pod_file_take_manifest(struct box *box, const char *json, struct trm_error *reterr);
void pod_file_finish(struct box *box);
/* Make a file in memory with the manifests of a new pod: a descriptor, or a negative code. */
int pod_file_open(const struct box *box, const char *user, struct trm_error *reterr);

/* ---- words (words.c) ------------------------------------------------------------------------------ */

/* Why a step failed: a sentence with the command's own words and, if the recipe has a hint, with advice.
 * Returns the code. */
int step_failure_text(const struct box *box, enum recipe_step step, const struct command_result *result,
		struct trm_error *ret);
/* Append the recipe's advice for such a sentence, if there is any. */
void advice_append(const struct trm_recipe *recipe, struct trm_error *why);
/* The architecture of this program in the words of images: "amd64" for "x86_64", and so on. */
const char *words_machine(void);

#endif
