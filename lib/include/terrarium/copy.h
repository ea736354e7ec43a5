/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_COPY_H
#define TERRARIUM_COPY_H

/* Copying files and directories into sandboxes, out of them, and from one to another.
 *
 * A place is written as a person types it:
 *   PATH        on this machine (also when it holds a ':' behind a '/': ./a:b)
 *   NAME:PATH   in the running sandbox NAME; relative to its working directory (trm_sandbox_workdir())
 *   :PATH       in `own`
 *   -           the descriptor in_fd, or out_fd
 *
 * Where things go is as with `cp -r`: into a directory that is there, under the source's name (`DIR/.` names
 * what lies in DIR); else the source becomes what the target names. Kept are permission bits (never set-id
 * bits), times of change, holes, and links that stay within what is copied. Owners are not.
 *
 * A file appears whole or not at all, in place of an older one. Links are not followed, but for those in the
 * typed paths. Devices, FIFOs, sockets and links that lead out are not copied but told, and counted. What a
 * sandbox sends is hostile: nothing of it lands outside of the target, and how much it may be is capped. */

#include <stdbool.h>
#include <stdint.h>

struct trm_copy;
struct trm_error;
struct trm_loop;
struct trm_sandbox;
struct trm_sandbox_opts;

#define TRM_COPY_MAX_BYTES (UINT64_C(4) << 30)
#define TRM_COPY_MAX_FILES UINT64_C(1000000)

struct trm_copy_opts {
	const char *const *sources; /* NULL-terminated; with several, the target must be a directory */
	const char *target;
	/* NAME is a sandbox at that server, and is left running there. NULL: one of this machine. Borrowed
	 * until `done`, strings included. */
	const struct trm_sandbox_opts *far;
	struct trm_sandbox *own; /* what ":PATH" means; it must outlive the copy, or close during it; may be
				    NULL */
	int in_fd, out_fd;       /* what "-" means; -1: not allowed. Borrowed; out_fd had better not block */
	uint64_t max_bytes;      /* of each source; 0: TRM_COPY_MAX_BYTES */
	uint64_t max_files;      /* files, directories and links of each source; 0: TRM_COPY_MAX_FILES */
	bool wants_total;        /* count before: for a bar that knows its end */
	bool one_system;         /* what is mounted below a source in a sandbox is left out */
};

struct trm_copy_progress {
	uint64_t bytes, files, dirs, links;
	uint64_t refused;                  /* not copied */
	uint64_t total_bytes, total_files; /* 0: not known (yet) */
	const char *path;                  /* in hand: raw bytes; borrowed */
};

struct trm_copy_cb {
	/* Now and then, at most ten times a second. */
	void (*progress)(void *user, const struct trm_copy_progress *progress);
	/* Something was not copied, and the rest goes on. */
	void (*refused)(void *user, const struct trm_error *why);
	/* Last, exactly once, never before trm_copy_start() returns. TRM_OK: everything that was not refused
	 * is copied. Else why not; `progress` still tells what was. The handle dies when this returns. */
	void (*done)(void *user, const struct trm_error *why, const struct trm_copy_progress *progress);
};

/* Start. Copies the texts of `opts`; borrows `loop` and `cb`.
 * Errors: TRM_EINVAL places that do not go together (none or all on this machine, "-" among several …). */
int trm_copy_start(struct trm_loop *loop, const struct trm_copy_opts *opts, const struct trm_copy_cb *cb,
		void *user, struct trm_copy **ret_copy, struct trm_error *reterr);
/* `done` follows with TRM_ECANCELED; what is complete stays. May be called twice. */
void trm_copy_cancel(struct trm_copy *copy);
const struct trm_copy_progress *trm_copy_progress(
		struct trm_copy *copy); /* now; borrowed until the next call */

#endif
