/* SPDX-License-Identifier: MIT */
#ifndef TRM_RECIPE_BOX_H
#define TRM_RECIPE_BOX_H

/* The client's side of a sandbox that a recipe makes. What is needed first is seen to here, on the loop: the
 * image, or the existing container. Then a supervisor is started with a plan of all the rest (wire/plan.h),
 * and from then on this is a carrier like the local one (backend/supervised/supervised.h).
 *
 *   image ──┬─ here ──────────────────────────────┐
 *           └─ missing ── probe ── pull ── image ──┤
 *   build ── image ─────────────────────────────────┼── supervisor ── connected
 *   adopt ──┬─ running ─────────────────────────────┤
 *           └─ stopped ── wake ── adopt ────────────┘
 *
 * Where the engine is (STEP_WHERE) is asked at the same time as the first of these. */

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
	struct rundir_entry entry; /* the name is ours from the beginning; the supervisor's in the end */
	/* until the supervisor runs */
	enum recipe_step step;
	struct command *command, *where; /* NULL: none runs */
	struct trm_timer *tick;
	uint64_t since_ns;          /* the step's start */
	char doing[320], line[200]; /* what is done, and the last that it said */
	unsigned n_wakes;
	bool has_asked_tag; /* whether the image that is to be saved is the one that it comes from, … */
	bool asks_tag;      /* … which STEP_IMAGE is asked for now */
	bool is_found;      /* the image or container is there, and all is known of it */
	bool is_remote;     /* the engine is another machine's */
	bool is_made;       /* the image was pulled or built for this sandbox */
	bool is_closing;    /* closed() is due when nothing runs any more */
	struct trm_error why;
	char id[160], image_user[128]; /* of the image or container */
	char image_id[160];            /* of an existing container's image */
	char image_workdir[TRM_INSIDE_PATH], image_entrypoint[2048], image_cmd[2048];
	char origin[320];
	struct netenv netenv; /* with a network of its own; else empty */
};

/* As trm_recipe_load(), but TRM_EINVAL if there is none of that name. */
int box_find_recipe(const char *name, const char *config, struct trm_recipe **ret, struct trm_error *reterr);

/* ---- the beginning (prepare.c) ---------------------------------------------------------- */

/* Start with the first step. */
int prepare_start(struct box *box, struct trm_error *reterr);
/* Stop what runs; box_over() follows. */
void prepare_stop(struct box *box);
void prepare_finish(struct box *box);

/* ---- what prepare.c calls (recipe.c) ------------------------------------------------------- */

void box_tell(struct box *box, const char *words); /* progress */
/* All is there: start the supervisor. */
void box_launch(struct box *box);
/* It has come to nothing: box->why says why, unless we were told to stop. Frees the box. */
void box_over(struct box *box);

/* ---- the supervisor (launch.c) -------------------------------------------------------------------- */

/* 0, or a code with nothing started and nothing left behind. */
int launch_supervisor(const struct box *box, struct started *ret, struct trm_error *reterr);
/* Facts for a step of the beginning: what is known without a supervisor. */
void launch_facts(const struct box *box, struct recipe_facts *ret);

/* ---- words (words.c) ------------------------------------------------------------------------------ */

/* Why a step has failed, in a sentence with the command's own words in it and, where the recipe has a hint,
 * what to do. Returns the code. */
int words_of_step(const struct box *box, enum recipe_step step, const struct command_result *result,
		struct trm_error *ret);
/* Append what the recipe advises for such a sentence, if it advises anything. */
void words_advise(const struct trm_recipe *recipe, struct trm_error *why);
/* "amd64" for "x86_64", and so on: as images name what this program was compiled for. */
const char *words_machine(void);

#endif
