/* SPDX-License-Identifier: MIT */
/* Describes what a recipe requests, for the person who must agree before there is a sandbox. */
#include <stdio.h>
#include <string.h>

#include <terrarium/sandbox.h>

#include "recipe/recipe.h"
#include "recipe/recipe_internal.h"

enum { LIMITS = 4 };

struct limit {
	bool is_asked;
	char much[40];
	const char *name;
};

static bool is_asked(const struct trm_recipe *recipe, const char *word)
{
	return recipe_uses(recipe, STEP_CREATE, word);
}

/* The separator in front of an item of a list. */
static const char *joint(size_t at, size_t n)
{
	return at == 0 ? "" : at + 1 == n ? " and " : ", ";
}

static size_t tell_asked(const struct limit *limits, char *out, size_t cap)
{
	size_t used = 0;
	for (size_t i = 0; i < LIMITS; i++)
		if (limits[i].is_asked)
			used += (size_t)snprintf(out + used, cap - used, "%s, ", limits[i].much);
	return used;
}

static size_t tell_free(const struct limit *limits, char *out, size_t cap)
{
	size_t used = 0, n = 0, at = 0;
	for (size_t i = 0; i < LIMITS; i++)
		n += !limits[i].is_asked;
	for (size_t i = 0; i < LIMITS; i++) {
		if (limits[i].is_asked)
			continue;
		used += (size_t)snprintf(out + used, cap - used, "%s%s%s", at ? "" : "no limit for ",
				joint(at, n), limits[i].name);
		at++;
	}
	return used;
}

const char *trm_recipe_describe_limits(
		const struct trm_recipe *recipe, const struct trm_limits *l, char *out, size_t cap)
{
	struct limit limits[LIMITS] = {
			{is_asked(recipe, "memory_mb") || is_asked(recipe, "memory_bytes"), "", "memory"},
			{is_asked(recipe, "cpus"), "", "cores"},
			{is_asked(recipe, "procs"), "", "processes"},
			{false, "", "files"},
	};
	snprintf(limits[0].much, sizeof limits[0].much, "%.4g MiB memory", (double)l->mem_bytes / (1 << 20));
	snprintf(limits[1].much, sizeof limits[1].much, "%.3g core%s", l->cpus, l->cpus == 1 ? "" : "s");
	snprintf(limits[2].much, sizeof limits[2].much, "%u processes", l->procs);
	size_t used = tell_asked(limits, out, cap);
	used += tell_free(limits, out + used, cap - used);
	snprintf(out + used, cap - used, ", %s",
			!is_asked(recipe, "net") ? "the backend's own network"
			: l->net                 ? "network ON (the engine's, perhaps also to this machine)"
						 : "no network");
	return out;
}

bool trm_recipe_takes(const struct trm_recipe *recipe, const char *option, bool is_read_only)
{
	const char *untrue = is_read_only ? NULL : "read_only";
	const struct word *word;
	if (!strcmp(option, "--kube-transport")) /* no command has it: it says who runs them */
		return recipe_is_of_cluster(recipe);
	for (size_t i = 0; (word = word_at(i)); i++)
		if (word->option && !strcmp(word->option, option)
				&& recipe_uses_without(recipe, STEP_CREATE, word->name, untrue))
			return true;
	return false;
}

bool trm_recipe_suspends(const struct trm_recipe *recipe)
{
	return recipe_has(recipe, STEP_SUSPEND);
}

bool trm_recipe_takes_image(const struct trm_recipe *recipe)
{
	return is_asked(recipe, "image");
}

bool trm_recipe_keeps_user(const struct trm_recipe *recipe)
{
	return recipe_keeps_user(recipe);
}
