/* SPDX-License-Identifier: MIT */
#include "backend/backend.h"

#include <string.h>

#include "base/err.h"

static const struct backend_ops *const BACKENDS[] = {
		&backend_fake,
};

int backend_find(const char *name, const struct backend_ops **ret, struct trm_error *reterr)
{
	if (!name)
		name = "local";
	for (size_t i = 0; i < sizeof BACKENDS / sizeof *BACKENDS; i++) {
		if (strcmp(name, BACKENDS[i]->name))
			continue;
		*ret = BACKENDS[i];
		return 0;
	}
	return err_fail(reterr, TRM_EINVAL, "there is no backend '%s': known are local and fake", name);
}
