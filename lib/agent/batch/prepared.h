/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PREPARED_H
#define TRM_AGENT_PREPARED_H

/* What `terrarium langs --prepare` has made, once for all sandboxes, in a folder that is read-only inside. */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* For pieces of C and C++: front.h, its precompiled header, and the program "host". */
struct prepared {
	char folder[PATH_MAX]; /* "": there is none that fits */
	struct buf front;      /* the text of front.h */
};

/* The path of a file or folder there. False: it is too long. */
bool prepared_path(char out[PATH_MAX], const char *name);

/* Find what was made for the language by this very compiler, with these options, for this native.inc. */
void prepared_find(struct prepared *ret, const char *language, const char *const *compiler,
		const char *native, size_t n);
void prepared_finish(struct prepared *p);
/* Does front.h have all headers that these lines include? */
bool prepared_has_all(const struct prepared *p, const struct buf *includes);

#endif
