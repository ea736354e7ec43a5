/* SPDX-License-Identifier: MIT */
#include "base/opts.h"

#include <stdbool.h>
#include <string.h>

#include <terrarium/version.h>

#include "base/err.h"

enum { OPTS_SIZE_MAX = 64 * 1024 }; /* a size beyond this is garbage */

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool is_unset(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i])
			return false;
	return true;
}

int opts_take(void *own, size_t n, const void *given, struct trm_error *reterr)
{
	size_t size;
	if (!given)
		return 0;
	memcpy(&size, given, sizeof size);
	if (size < sizeof size || size > OPTS_SIZE_MAX)
		return trm_error_set(reterr, TRM_EINVAL,
				"the size of the options is not set: begin with the macro TRM_..._INIT of their struct");
	if (size > n && !is_unset((const char *)given + n, size - n))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"an option is set that this libterrarium (%s) is too old to know",
				trm_version());
	memcpy(own, given, smaller(size, n));
	memcpy(own, &n, sizeof n);
	return 0;
}

void opts_fill(void *opts, size_t size, const void *defaults, size_t n)
{
	memset(opts, 0, size);
	memcpy(opts, defaults, smaller(size, n));
	memcpy(opts, &size, smaller(size, sizeof size));
}
