/* SPDX-License-Identifier: MIT */
#ifndef TRM_SNAPSHOT_ROOM_H
#define TRM_SNAPSHOT_ROOM_H

/* The inside of this room. snapshot.c makes a snapshot of the files of a local sandbox, or has image.c make
 * an image of a container. scan.c looks at the files that have come. lib/store keeps the result. */

#include <terrarium/error.h>
#include <terrarium/loop.h>
#include <terrarium/snapshot.h>

#include "store/store.h"

/* ---- image.c: commands of a recipe's engine ---------------------------------------------- */

struct image_job;
typedef void image_done_fn(void *user, const struct trm_error *why);

/* Save the container `id`, which was made from `image`, as `tag`; it goes on running. The image gets the
 * user, directory and commands that `image` has. `done` exactly once, later. TRM_ENOTSUP: the recipe cannot.
 */
int image_save(struct trm_loop *loop, const char *backend, const char *config, const char *id,
		const char *image, const char *tag, image_done_fn *done, void *user, struct image_job **ret,
		struct trm_error *reterr);
/* Remove an image; it is no error if it is gone already. Likewise. */
int image_remove(struct trm_loop *loop, const char *backend, const char *config, const char *image,
		image_done_fn *done, void *user, struct image_job **ret, struct trm_error *reterr);
void image_cancel(struct image_job *job); /* `done` follows */

/* ---- scan.c --------------------------------------------------------------------------------- */

/* What lies in the folder: its size on the disk, the number of files, and which folders of the cache links
 * and Python's path files refer to. TRM_ETOOBIG: to too many; TRM_EIO. */
int scan_files(const char *path, struct store_about *about, struct trm_error *reterr);

#endif
