/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_MOUNTS_H
#define TERRARIUM_MOUNTS_H

/* What a sandbox sees of the host: files and directories that are mounted in it. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_error;

enum {
	TRM_MOUNTS_MAX = 16,     /* mounts per sandbox */
	TRM_MOUNTS_BYTES = 8192, /* all of them as text, including their NULs */
	TRM_HOST_PATH = 1024,    /* longest path on the host, including the NUL */
	TRM_INSIDE_PATH = 256,   /* longest mount point or working directory, including the NUL */
};

/* A file or directory of the host that is visible inside. `host` is resolved when the sandbox is opened;
 * later changes of the path have no effect. Submounts are included. Setuid programs and devices never take
 * effect. Inside, files of the owner of `host` belong to the sandbox's user. */
struct trm_mount {
	const char *host; /* absolute, or relative to the current directory; "~/" is the home directory */
	/* absolute; not "/", and not a place where the sandbox has its own programs or devices */
	const char *guest;
	bool is_writable; /* if false, nothing can write there, submounts included */
};

/* Parse "HOST:GUEST", "HOST:GUEST:ro" (the same) or "HOST:GUEST:rw". The last colon that is followed by a
 * slash ends HOST. The function cuts `text` into pieces, from which `ret` borrows. TRM_EINVAL with a
 * sentence. */
int trm_mount_parse(char *text, struct trm_mount *ret, struct trm_error *reterr);
/* A mount in that form: "HOST:GUEST:ro". Returns `out`. */
const char *trm_mount_format(const struct trm_mount *mount, char *out, size_t cap);
/* Describe a mount for questions and lists, as clean text: "./data → /data read-only". Returns `out`. */
const char *trm_mount_describe(const struct trm_mount *mount, char *out, size_t cap);
/* True if the mount gives the code more than expected, such as keys, or programs that you start. `out` is
 * then a sentence about it. */
bool trm_mount_hint(const struct trm_mount *mount, char *out, size_t cap);

TRM_END_API

#endif
