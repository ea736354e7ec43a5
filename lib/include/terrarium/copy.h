/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_COPY_H
#define TERRARIUM_COPY_H

/* Copying files and directories into sandboxes, out of them, and between them.
 *
 * A location is written as a person types it:
 *   PATH        on this machine (even with a ':' after a '/': ./a:b)
 *   NAME:PATH   in the running sandbox NAME; relative to its working directory (trm_sandbox_workdir())
 *   :PATH       in `own`
 *   -           the descriptor in_fd, or out_fd, which gets a directory as a tar stream
 *
 * Copying works like `cp -r`. If the target is an existing directory, the source goes into it under its own
 * name (`DIR/.` means the contents of DIR); otherwise the source becomes the target. Permission bits (never
 * set-id bits), modification times, holes, and links that stay within the copied tree are kept. Owners are
 * not.
 *
 * Directories above a target in a sandbox are made, and its path may not contain "..", because where that
 * leads depends on links.
 *
 * A file appears complete or not at all, and replaces an older one. Links are not followed, except in the
 * typed paths. Devices, FIFOs, sockets and links that lead outside are reported and counted, and not
 * copied. Data from a sandbox is hostile: nothing is written outside of the target, and the amount is
 * limited. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_copy;
struct trm_error;
struct trm_file;
struct trm_loop;
struct trm_sandbox;
struct trm_sandbox_opts;

#define TRM_COPY_MAX_BYTES (UINT64_C(4) << 30)
#define TRM_COPY_MAX_FILES UINT64_C(1000000)

struct trm_copy_opts {
	size_t size;                /* sizeof(struct trm_copy_opts), as TRM_COPY_OPTS_INIT sets it */
	const char *const *sources; /* NULL-terminated; with several, the target must be a directory */
	const char *target;
	/* If set, NAME is a sandbox at this server, and is left running there. NULL: NAME is on this
	 * machine. Borrowed until `done`, including the strings. */
	const struct trm_sandbox_opts *far;
	/* the sandbox of ":PATH"; it must outlive the copy, or close during it; may be NULL */
	struct trm_sandbox *own;
	/* the descriptors of "-"; -1: not allowed. Borrowed; out_fd should not block */
	int in_fd, out_fd;
	uint64_t max_bytes; /* of each source; 0: TRM_COPY_MAX_BYTES */
	uint64_t max_files; /* files, directories and links of each source; 0: TRM_COPY_MAX_FILES */
	bool wants_total;   /* count first, so that a progress bar knows its end */
	bool is_archive;    /* with the target "-": a tar stream also of a single file */
	bool one_system;    /* leave out everything that is mounted below a source in a sandbox */
	/* To this machine: also make links that lead outside of the copied tree. Only for a tree in which
	 * nobody here follows links, such as one that goes into a sandbox again. */
	bool keeps_links;
	/* To this machine: is this copied? `file` is an item of a source in a sandbox, its name the path
	 * below that source, borrowed; `user` is that of trm_copy_start(). A directory for which the answer
	 * is no is made only if something in it is copied. What cannot be sent is TRM_FILE_OTHER, and
	 * reported if the answer is yes. NULL: everything is copied. */
	bool (*wants)(void *user, const struct trm_file *file);
	/* To this machine: what has changed here since this time stays, and is reported as refused.
	 * Nanoseconds of CLOCK_REALTIME; 0: everything is replaced. */
	int64_t unless_changed_since_ns;
};

#define TRM_COPY_OPTS_INIT \
	{ \
		.size = sizeof(struct trm_copy_opts), .in_fd = -1, .out_fd = -1 \
	}

struct trm_copy_progress {
	uint64_t bytes, files, dirs, links;
	uint64_t refused;                  /* items that were not copied */
	uint64_t total_bytes, total_files; /* 0: unknown, or not known yet */
	const char *path;                  /* the current file: raw bytes; borrowed */
};

struct trm_copy_cb {
	/* Progress, at most ten times a second. */
	void (*progress)(void *user, const struct trm_copy_progress *progress);
	/* An item was not copied; the copy continues. */
	void (*refused)(void *user, const struct trm_error *why);
	/* The last callback, exactly once, never before trm_copy_start() returns. TRM_OK: everything except
	 * the refused items was copied. Otherwise `why` is the reason, and `progress` still says how much
	 * was copied. The handle becomes invalid when this returns. */
	void (*done)(void *user, const struct trm_error *why, const struct trm_copy_progress *progress);
};

/* Start a copy. Copies the strings of `opts`; borrows `loop` and `cb`.
 * Errors: TRM_EINVAL locations that do not go together (none or all on this machine, "-" among several …). */
int trm_copy_start(struct trm_loop *loop, const struct trm_copy_opts *opts, const struct trm_copy_cb *cb,
		void *user, struct trm_copy **ret_copy, struct trm_error *reterr);
/* Stop the copy. `done` follows with TRM_ECANCELED; complete files stay. May be called twice. */
void trm_copy_cancel(struct trm_copy *copy);
/* The current progress; borrowed until the next call. */
const struct trm_copy_progress *trm_copy_progress(struct trm_copy *copy);

TRM_END_API

#endif
