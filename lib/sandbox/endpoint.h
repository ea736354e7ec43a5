/* SPDX-License-Identifier: MIT */
#ifndef TRM_SANDBOX_ENDPOINT_H
#define TRM_SANDBOX_ENDPOINT_H

/* The source or target of a copy, as a person types it: <terrarium/copy.h>. */

#include <terrarium/error.h>

#include "wire/entry.h"

enum endpoint_kind { ENDPOINT_HERE, ENDPOINT_SANDBOX, ENDPOINT_STREAM };

struct endpoint {
	enum endpoint_kind kind;
	char name[65];    /* of the sandbox; "": our own */
	const char *path; /* borrowed from the text; never "" */
};

int endpoint_parse(const char *text, struct endpoint *ret, struct trm_error *reterr);
/* The name of a source within a directory: its last component. It is "" for `.`, `..`, `/` and a stream,
 * whose contents are copied instead. */
void endpoint_base(const struct endpoint *endpoint, char base[ENTRY_NAME_MAX + 1]);

#endif
