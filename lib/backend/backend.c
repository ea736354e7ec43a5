/* SPDX-License-Identifier: MIT */
#include "backend/backend.h"

#include <assert.h>
#include <string.h>

#include "base/err.h"

static const struct backend_ops *const BACKENDS[] = {&backend_local, &backend_microsandbox, &backend_fake};
enum { N_BACKENDS = sizeof BACKENDS / sizeof *BACKENDS };

static const struct backend_ops *complete(const struct backend_ops *ops)
{
	assert(ops->name && ops->probe && ops->start && ops->stop && ops->guards && ops->nproc);
	assert(!(ops->caps & BACKEND_STATS) == !ops->stats);
	assert(!(ops->caps & BACKEND_END) == !ops->end);
	assert(!(ops->caps & BACKEND_KEEP) == !(ops->leave && ops->keep));
	return ops;
}

int backend_find(const char *name, const struct backend_ops **ret, struct trm_error *reterr)
{
	for (size_t i = 0; i < N_BACKENDS; i++) {
		if (name && strcmp(name, BACKENDS[i]->name))
			continue;
		*ret = complete(BACKENDS[i]);
		return 0;
	}
	return trm_error_set(reterr, TRM_EINVAL,
			"there is no backend '%s': known are local, microsandbox and fake", name);
}
