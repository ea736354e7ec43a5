/* SPDX-License-Identifier: MIT */
#include "backend/backend.h"

#include <assert.h>
#include <string.h>

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
