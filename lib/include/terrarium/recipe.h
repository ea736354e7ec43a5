/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_RECIPE_H
#define TERRARIUM_RECIPE_H

/* Recipes: backends that are data. A recipe says with which commands a sandbox is made somewhere, how one
 * comes to speak with the agent in it, and how it is removed: `docker`, `podman` and `msb` are such, and a
 * user adds others in the section "backends" of the config file (terrarium-backends(5) has the whole form):
 *
 *   "backends": { "box": { "like": "docker", "program": ["docker", "--context", "box"] } }
 *
 * A recipe is checked whole when it is loaded. Commands are argument vectors, and what is put into them stays
 * within one argument: no shell ever sees them on this machine. */

#include <stdbool.h>
#include <stddef.h>

struct trm_error;
struct trm_limits;
struct trm_recipe;

enum {
	TRM_RECIPE_NAME = 32,  /* longest name of a recipe, with its NUL */
	TRM_RECIPE_WORDS = 200 /* of trm_recipe_tell_limits() */
};

/* By name: one of the section "backends" of the config file `config_path` (as in trm_config_load()), else a
 * built-in one. TRM_EINVAL with file, line, key and reason if it has a mistake; TRM_ENOENT: there is none
 * (the sentence lists those that there are). */
int trm_recipe_load(
		const char *name, const char *config_path, struct trm_recipe **ret, struct trm_error *reterr);

/* From the text of one JSON object, as in the config file but without comments. `like` finds built-in ones.
 * `filename` is for messages. */
int trm_recipe_parse(const char *name, const char *json, size_t n, const char *filename,
		struct trm_recipe **ret, struct trm_error *reterr);

void trm_recipe_free(struct trm_recipe *recipe); /* takes NULL */

const char *trm_recipe_name(const struct trm_recipe *recipe);
const char *trm_recipe_about(const struct trm_recipe *recipe); /* one line; "" */

/* What a new sandbox is asked to be limited to, for a question before code is run, written into `out`
 * (TRM_RECIPE_WORDS bytes), which is returned: "512 MiB memory, 1 core, 128 processes, no limit for files, no
 * network". What the recipe tells none of its commands is told as not limited. */
const char *trm_recipe_tell_limits(
		const struct trm_recipe *recipe, const struct trm_limits *limits, char *out);
bool trm_recipe_takes_image(const struct trm_recipe *recipe); /* is it made from an image at all? */
/* Does code run as whoever the commands get there as, unless somebody else is asked for? */
bool trm_recipe_keeps_user(const struct trm_recipe *recipe);

/* All that trm_recipe_load() knows: built-in ones, then those of the config file, which hide built-in ones of
 * their names. Borrowed during the call. */
struct trm_recipe_entry {
	const char *name;
	const char *about;               /* one line; "" */
	const char *like;                /* what it starts from; "": nothing */
	const char *where;               /* "FILE:LINE"; "": built in */
	const char *problem;             /* what is wrong with it; "": nothing */
	const struct trm_recipe *recipe; /* NULL: there is a problem */
};
typedef void trm_recipe_fn(void *user, const struct trm_recipe_entry *entry);
/* One that has a mistake is told with it, and does not keep the others from being told. TRM_EINVAL: the
 * config file itself cannot be read; TRM_ENOMEM: some may have been told. */
int trm_recipe_list(const char *config_path, trm_recipe_fn *fn, void *user, struct trm_error *reterr);

#endif
