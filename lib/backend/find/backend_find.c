/* SPDX-License-Identifier: MIT */
#include "backend/backend.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <terrarium/recipe.h>

#include "backend/recipe/box.h"
#include "base/err.h"

static const struct backend_ops *const BACKENDS[] = {&backend_local, &backend_microsandbox, &backend_fake};
enum { N_BACKENDS = sizeof BACKENDS / sizeof *BACKENDS };

static const struct backend_ops *with_ops(const struct backend_ops *ops)
{
	assert(ops->name && ops->probe && ops->start && ops->stop && ops->guards && ops->nproc);
	assert(!(ops->caps & BACKEND_STATS) == !ops->stats);
	assert(!(ops->caps & BACKEND_END) == !ops->end);
	assert(!(ops->caps & BACKEND_KEEP) == !(ops->leave && ops->keep));
	return ops;
}

int backend_find(const char *name, const struct backend_ops **ret, struct trm_error *reterr)
{
	(void)reterr;
	*ret = with_ops(&backend_recipe);
	for (size_t i = 0; i < N_BACKENDS; i++)
		if (!name || !strcmp(name, BACKENDS[i]->name)) {
			*ret = with_ops(BACKENDS[i]);
			break;
		}
	return 0;
}

const char *trm_backend_name(const char *name, const char *config_path, char out[TRM_RECIPE_NAME])
{
	static const char *const built_in[] = {"docker", "podman", "msb"};
	struct trm_recipe *recipe = NULL;
	const char *found = NULL;
	for (size_t i = 0; i < N_BACKENDS; i++)
		if (!strcmp(name, BACKENDS[i]->name))
			found = BACKENDS[i]->name;
	for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
		if (!strcmp(name, built_in[i]))
			found = built_in[i];
	if (!found && trm_recipe_load(name, config_path, &recipe, NULL) == 0
			&& !strcmp(trm_recipe_name(recipe), name))
		found = name;
	for (size_t i = 0; !found && i < N_BACKENDS; i++)
		if (!strcasecmp(name, BACKENDS[i]->name))
			found = BACKENDS[i]->name;
	snprintf(out, TRM_RECIPE_NAME, "%s", found ? found : recipe ? trm_recipe_name(recipe) : name);
	trm_recipe_free(recipe);
	return out;
}

int backend_check(const char *name, const char *config, struct trm_error *reterr)
{
	const struct backend_ops *ops;
	struct trm_recipe *recipe;
	int r = backend_find(name, &ops, reterr);
	if (r < 0 || !(ops->caps & BACKEND_RECIPE))
		return r;
	r = box_find_recipe(name, config, &recipe, reterr);
	if (r == 0)
		trm_recipe_free(recipe);
	return r;
}
