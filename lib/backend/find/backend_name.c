/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <terrarium/recipe.h>

/* The backends of backend_find.c that are not recipes, followed by the built-in recipes. */
static const char *const BUILT_IN[] = {"local", "microsandbox", "fake", "docker", "podman", "msb"};
enum { N_BUILT_IN = sizeof BUILT_IN / sizeof *BUILT_IN, N_NO_RECIPES = 3 };

const char *trm_backend_name(const char *name, const char *config_path, char *out, size_t cap)
{
	struct trm_recipe *recipe = NULL;
	const char *found = NULL;
	for (size_t i = 0; i < N_BUILT_IN; i++)
		if (!strcmp(name, BUILT_IN[i]))
			found = BUILT_IN[i];
	if (!found && trm_recipe_load(name, config_path, &recipe, NULL) == 0
			&& !strcmp(trm_recipe_name(recipe), name))
		found = name;
	for (size_t i = 0; !found && i < N_NO_RECIPES; i++)
		if (!strcasecmp(name, BUILT_IN[i]))
			found = BUILT_IN[i];
	snprintf(out, cap, "%s", found ? found : recipe ? trm_recipe_name(recipe) : name);
	trm_recipe_free(recipe);
	return out;
}
