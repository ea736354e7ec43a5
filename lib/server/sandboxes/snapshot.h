/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_SNAPSHOT_H
#define TRM_SERVER_SANDBOXES_SNAPSHOT_H

/* The files of a sandbox that is stopped: what lies in /workspace, in the home, in /tmp and in a working
 * directory elsewhere is copied to a directory of
 * the host, and back before the next start. It is the copying of terrarium/copy.h, with its checks: whatever
 * the sandbox sends, nothing is written but below that directory, no link of it is followed, and sizes and
 * counts are capped. What is mounted in there belongs to somebody else and is left out.
 *
 * An older copy is replaced when the new one is whole; whatever happens, one of the two is there. */

#include <stdbool.h>
#include <stdint.h>

struct keep;
struct trm_error;
struct trm_loop;
struct trm_sandbox;

enum { SNAPSHOT_MAX_FILES = 200000 };

/* Once, perhaps from inside, when *ret has been set; the handle dies when this returns. why->code TRM_OK: all
 * is there that can be copied; `n_refused` things cannot be. Devices, sockets and links that lead out do not
 * count: they are never saved. */
typedef void snapshot_done_fn(void *user, const struct trm_error *why, uint64_t n_refused);

/* From the sandbox to `path`, of which nothing is left if the sandbox holds no file. `workdir` is one more
 * directory to be saved (borrowed until the end); NULL: there is none beside those above. */
int snapshot_save(struct trm_loop *loop, struct trm_sandbox *sandbox, const char *workdir, const char *path,
		uint64_t max_bytes, snapshot_done_fn *fn, void *user, struct keep **ret,
		struct trm_error *reterr);
/* From `path`, if there is anything, into the sandbox. */
int snapshot_restore(struct trm_loop *loop, struct trm_sandbox *sandbox, const char *workdir,
		const char *path, snapshot_done_fn *fn, void *user, struct keep **ret,
		struct trm_error *reterr);
/* Its end follows, with TRM_ECANCELED unless it was already there. Takes NULL. */
void snapshot_cancel(struct keep *keep);

/* Is there a saved tree? Not changed by what a killed server may have left half done. */
bool snapshot_has(const char *path);
/* Remove a saved tree, in a process of its own. */
void snapshot_remove(struct trm_loop *loop, const char *path);

#endif
