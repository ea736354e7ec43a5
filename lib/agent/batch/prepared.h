/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PREPARED_H
#define TRM_AGENT_PREPARED_H

/* What `terrarium langs --prepare` has made, once for all sandboxes, in a folder that is read-only inside. */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* For pieces of C and C++: front.h, its precompiled header, and the program "host". For those of Go:
 * carry.go, its compiled package, and the list of the others. */
struct prepared {
	char folder[PATH_MAX]; /* "": there is none that fits */
	struct buf front;      /* the text that all was made with */
};

/* The path of a file or folder there. False: it is too long. */
bool prepared_path(char out[PATH_MAX], const char *name);

/* Read a file of a folder. False: it cannot be read. Free the buffer in any case. */
bool prepared_read(const char *folder, const char *name, size_t max, struct buf *out);

/* Find what was made for the language by this very compiler, with these options. `front` is the file there
 * that begins with `native`. */
void prepared_find(struct prepared *ret, const char *language, const char *front, const char *const *compiler,
		const char *native, size_t n);
/* Whether this very compiler made the folder, with these options. */
bool prepared_is_made_with(const char *folder, const char *const *compiler);
void prepared_finish(struct prepared *p);
/* Does front.h have all headers that these lines include? */
bool prepared_has_all(const struct prepared *p, const struct buf *includes);

#endif
