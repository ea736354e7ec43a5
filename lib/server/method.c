/* SPDX-License-Identifier: MIT */
#include "server/method.h"

#include <stddef.h>
#include <string.h>

/* Ended by a row without name. */
static const struct method methods[] = {
		{0},
};

const struct method *method_find(const char *name)
{
	for (const struct method *m = methods; m->name; m++)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}
