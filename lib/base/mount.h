/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_MOUNT_H
#define TRM_BASE_MOUNT_H

/* Words for what a sandbox sees of its host, judged without looking at either: mount points, directories,
 * variables. trm_mount_parse() of <terrarium/sandbox.h> is here, too. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/sandbox.h>

struct trm_error;

/* Can it be a mount point? From the root, without "." and "..", and nowhere near what the sandbox itself has
 * at that place. TRM_EINVAL. */
int mount_check_guest(const char *guest, struct trm_error *reterr);
int mount_check_host(const char *host, struct trm_error *reterr);
/* Can it be a working directory? `what` begins the sentence. */
int mount_check_path(const char *what, const char *path, struct trm_error *reterr);

/* Is `path` the same as `above`, or below it? Both from the root, without "." and "..". */
bool mount_is_below(const char *path, const char *above);

/* Mounts out of lines as trm_mount_print() writes them; the text is cut into pieces, from which they borrow.
 * What is no mount is left out. Their number. */
size_t mount_read_lines(char *text, struct trm_mount ret[TRM_MOUNTS_MAX]);

/* Is it "NAME=value"? Or NAME alone, with `is_name`. */
int mount_check_env(const char *text, bool is_name, struct trm_error *reterr);

#endif
