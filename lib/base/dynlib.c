/* SPDX-License-Identifier: MIT */
#include <terrarium/dynlib.h>

#include <dlfcn.h>
#include <string.h>

#include "base/err.h"

int trm_dynlib_load(const struct trm_dynlib *library, void *ret, struct trm_error *reterr)
{
	void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!handle)
		return trm_error_set(reterr, TRM_ENOTSUP, "%s %s: install the package %s", library->needs,
				library->file, library->package);
	for (size_t i = 0; i < library->n_symbols; i++)
		if (!dlsym(handle, library->symbols[i]))
			return trm_error_set(reterr, TRM_ENOTSUP, "%s a newer %s: this one has no %s",
					library->needs, library->file, library->symbols[i]);
	for (size_t i = 0; i < library->n_symbols; i++) {
		void *symbol = dlsym(handle, library->symbols[i]);
		/* A copy, because ISO C has no cast from an object pointer to a function pointer. */
		memcpy((char *)ret + i * sizeof symbol, &symbol, sizeof symbol);
	}
	return 0;
}
