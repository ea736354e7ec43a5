/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_MOUNT_H
#define TRM_BASE_MOUNT_H

/* Checks of strings that say what a sandbox sees of its host: mount points, directories, variables. They
 * look neither at the host nor at the sandbox. trm_mount_parse() of <terrarium/sandbox.h> is here, too. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/sandbox.h>

struct trm_error;

/* Can it be a mount point? It must be absolute, without "." and "..", and must not hide anything that the
 * sandbox itself has there. TRM_EINVAL. */
int mount_check_guest(const char *guest, struct trm_error *reterr);
int mount_check_host(const char *host, struct trm_error *reterr);
/* Can it be a working directory? `what` begins the sentence. */
int mount_check_path(const char *what, const char *path, struct trm_error *reterr);

/* Is `path` the same as `above`, or below it? Both are absolute, without "." and "..". */
bool mount_is_below(const char *path, const char *above);

/* Read mounts from lines as trm_mount_format() writes them. The text is cut into pieces, which the mounts
 * borrow. Lines that are no mounts are skipped. Returns the number of mounts. */
size_t mount_read_lines(char *text, struct trm_mount ret[TRM_MOUNTS_MAX]);

/* Is it "NAME=value", or with `is_name` possibly only NAME? */
int mount_check_env(const char *text, bool is_name, struct trm_error *reterr);

#endif
