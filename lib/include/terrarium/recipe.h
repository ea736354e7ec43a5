/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_RECIPE_H
#define TERRARIUM_RECIPE_H

/* Recipes: backends that are data. A recipe lists the commands that create a sandbox, that connect to the
 * agent in it, and that remove it. `docker`, `podman`,
 * `kubernetes` and `msb` are recipes. Users add others in the
 * section "backends" of the config file (terrarium-backends(5) describes the format):
 *
 *   "backends": { "box": { "like": "docker", "program": ["docker", "--context", "box"] } }
 *
 * A recipe is checked completely when it is loaded. Commands are argument vectors, and each value stays
 * within one argument, so no shell on this machine ever sees them. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_error;
struct trm_limits;
struct trm_recipe;

enum {
	TRM_RECIPE_NAME = 32,  /* longest name of a recipe, including the NUL */
	TRM_RECIPE_BYTES = 200 /* enough for trm_recipe_describe_limits() */
};

/* How a backend of that name is spelled, for a name in any case of letters: "docker" for "Docker". A backend
 * with exactly this name comes first. A name that is unknown is copied. Returns `out`. */
const char *trm_backend_name(const char *name, const char *config_path, char *out, size_t cap);

/* Load a recipe by name, in any case of letters if none has exactly this name: from the section "backends" of
 * the config file `config_path` (as in trm_config_load()), else a built-in one. TRM_EINVAL with file, line,
 * key and reason if it has a mistake; TRM_ENOENT: there is none (the sentence lists those that exist). */
int trm_recipe_load(
		const char *name, const char *config_path, struct trm_recipe **ret, struct trm_error *reterr);

/* Parse a recipe from the text of one JSON object, as in the config file but without comments. `like` finds
 * built-in recipes. `filename` is for messages. */
int trm_recipe_parse(const char *name, const char *json, size_t n, const char *filename,
		struct trm_recipe **ret, struct trm_error *reterr);

void trm_recipe_free(struct trm_recipe *recipe); /* takes NULL */

const char *trm_recipe_name(const struct trm_recipe *recipe);
const char *trm_recipe_about(const struct trm_recipe *recipe); /* one line; "" */

/* Describe the limits of a new sandbox, for the question before code runs: "512 MiB memory, 1 core, 128
 * processes, no limit for files, no network". A limit that no command of the recipe uses is described as
 * not limited. Returns `out`. */
const char *trm_recipe_describe_limits(
		const struct trm_recipe *recipe, const struct trm_limits *limits, char *out, size_t cap);
/* True if the option of that name ("--memory") changes how its sandboxes are created, with a root that is
 * read-only or without. */
bool trm_recipe_takes(const struct trm_recipe *recipe, const char *option, bool is_read_only);
/* true if its sandboxes can be suspended (trm_registry_suspend()) */
bool trm_recipe_suspends(const struct trm_recipe *recipe);
/* true if its sandboxes are made from an image */
bool trm_recipe_takes_image(const struct trm_recipe *recipe);
/* The image of sandboxes that name none; NULL: that of the language (trm_container_image()). */
const char *trm_recipe_image(const struct trm_recipe *recipe);
/* True if code runs as the user that the commands run as, unless the options name another user. */
bool trm_recipe_keeps_user(const struct trm_recipe *recipe);

/* A row of the list of all recipes that trm_recipe_load() knows: the built-in ones, then those of the
 * config file, which replace built-in ones of the same name. Borrowed during the call. */
struct trm_recipe_entry {
	const char *name;
	const char *about;               /* one line; "" */
	const char *like;                /* the recipe that it starts from; "": none */
	const char *where;               /* "FILE:LINE"; "": built in */
	const char *problem;             /* its mistake; "": none */
	const struct trm_recipe *recipe; /* NULL: there is a problem */
};
typedef void trm_recipe_fn(void *user, const struct trm_recipe_entry *entry);
/* List all recipes. A recipe with a mistake is listed with it, and does not affect the others. TRM_EINVAL:
 * the config file itself cannot be read; TRM_ENOMEM: the list may be incomplete. */
int trm_recipe_list(const char *config_path, trm_recipe_fn *fn, void *user, struct trm_error *reterr);

TRM_END_API

#endif
