/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_SNAPSHOT_H
#define TRM_SERVER_SANDBOXES_SNAPSHOT_H

/* The files of a stopped sandbox. The contents of /workspace, of the home directory, of /tmp and of a
 * separate working directory are copied to a directory of the host, and back before the next start.
 * terrarium/copy.h does the copying, with its checks: whatever the sandbox sends, nothing is written
 * outside of that directory, no link in it is followed, and sizes and counts are limited. Mounts belong
 * to somebody else and are left out.
 *
 * A new copy replaces the older one when it is complete. One of the two always exists. */

#include <stdbool.h>
#include <stdint.h>

struct keep;
struct trm_error;
struct trm_loop;
struct trm_sandbox;

enum { SNAPSHOT_MAX_FILES = 200000 };

/* Called once, perhaps before the call that started it returns, but after *ret is set. The handle is
 * freed when this returns. why->code TRM_OK: everything that can be copied was; `n_refused` files could
 * not be. Devices, sockets and links that lead out do not count, because they are never saved. */
typedef void snapshot_done_fn(void *user, const struct trm_error *why, uint64_t n_refused);

/* Save from the sandbox to `path`. If the sandbox has no files, nothing is left there. `workdir` is one
 * more directory to save (borrowed until the end); NULL: only those above. */
int snapshot_save(struct trm_loop *loop, struct trm_sandbox *sandbox, const char *workdir, const char *path,
		uint64_t max_bytes, snapshot_done_fn *fn, void *user, struct keep **ret,
		struct trm_error *reterr);
/* Restore from `path`, if it exists, into the sandbox. */
int snapshot_restore(struct trm_loop *loop, struct trm_sandbox *sandbox, const char *workdir,
		const char *path, snapshot_done_fn *fn, void *user, struct keep **ret,
		struct trm_error *reterr);
/* The end follows, with TRM_ECANCELED unless the work was already done. Accepts NULL. */
void snapshot_cancel(struct keep *keep);

/* Is there a saved tree? Incomplete work of a killed server does not count. */
bool snapshot_has(const char *path);
/* Remove a saved tree, in a separate process. */
void snapshot_remove(struct trm_loop *loop, const char *path);

#endif
