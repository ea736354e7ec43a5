/* SPDX-License-Identifier: MIT */
#ifndef TRM_SANDBOX_PLACE_H
#define TRM_SANDBOX_PLACE_H

/* Where something is copied from or to, as a person types it: <terrarium/copy.h>. */

#include <terrarium/error.h>

#include "wire/entry.h"

enum place_kind { PLACE_HERE, PLACE_SANDBOX, PLACE_STREAM };

struct place {
	enum place_kind kind;
	char name[65];    /* of the sandbox; "": our own */
	const char *path; /* borrowed from the text; never "" */
};

int place_parse(const char *text, struct place *ret, struct trm_error *reterr);
/* The name that a source has in a directory: its last component; "" for `.`, `..`, `/` and a stream, which
 * stand for what lies in them. */
void place_base(const struct place *place, char base[ENTRY_NAME_MAX + 1]);

#endif
