/* SPDX-License-Identifier: MIT */
#ifndef TRM_SANDBOX_COPY_H
#define TRM_SANDBOX_COPY_H

/* The inside of a copy. It handles its sources one after another. Each is a job, which joins two halves:
 *
 *   from here        source ──► TREE_PUT      from a descriptor   bytes ──► TREE_PUT
 *   to here        TREE_GET ──► sink          to a descriptor  TREE_GET ──► bytes
 *   sandbox to sandbox          TREE_GET ──► TREE_PUT
 *
 * A finished job is removed from a timer, never from inside a callback of its halves. */

#include <terrarium/copy.h>

#include "sandbox/endpoint.h"
#include "sandbox/tree.h"
#include "tree/sink.h"
#include "tree/source.h"

/* A sandbox that takes part. */
struct box {
	struct box *next;
	struct trm_copy *copy;
	char name[65];
	struct trm_sandbox *sandbox;      /* NULL: gone */
	struct sandbox_observer observer; /* of a sandbox that is not ours to close */
	bool is_own, has_opened;
};

/* copy_tar.c: a tree as a tar stream. */
enum { COPY_TAR_PATH = 4096, COPY_TAR_REFUSED = 1 };
struct copy_tar {
	char path[COPY_TAR_PATH]; /* of the folder in hand */
	unsigned depth;           /* folders that are open */
	uint64_t left, padding;   /* of the file in hand: bytes that are still to come; its size */
	unsigned n_skipped;       /* folders that are open and not in the archive, for their path */
	bool is_in_file, skips_file;
};
/* `base`: the name of the root; "": ".". */
void copy_tar_init(struct copy_tar *tar, const char *base);
/* What follows in the stream goes onto `out`. COPY_TAR_REFUSED: nothing does, for `why`. */
int copy_tar_entry(struct copy_tar *tar, struct buf *out, const struct entry *entry, struct trm_error *why);
int copy_tar_data(struct copy_tar *tar, struct buf *out, const void *bytes, size_t n, struct trm_error *why);

/* copy_choice.c: which items of a source are copied: `wants` of the options. */
struct copy_choice {
	struct buf path;
	struct entry *held; /* directories that are made once something in them is copied */
	size_t n_held, cap_held;
	bool is_in_file, skips_file;
};

struct job {
	const struct endpoint *source;
	struct box *from_box, *to_box; /* NULL: this machine */
	struct tree *from, *to;        /* NULL: none, or it has ended */
	struct source *reader;
	struct sink *writer;
	struct trm_watch *watch; /* of a descriptor that can be watched */
	struct buf backlog;      /* for out_fd */
	struct copy_tar tar;     /* likewise, with is_tar */
	bool is_tar;
	bool is_complete; /* everything has come */
	bool is_over;
	bool has_no_target; /* its sandbox cannot be used */
	struct copy_choice choice;
	struct tree_sum whole; /* as `sum`, without the current file */
	struct tree_sum sum;   /* what has been sent or received so far */
	char name[ENTRY_NAME_MAX + 1];
	struct trm_error why; /* when over */
};

struct trm_copy {
	struct trm_loop *loop;
	const struct trm_copy_cb *cb;
	void *user;
	struct trm_copy_opts opts;
	char *texts; /* of the places */
	struct endpoint *sources, target;
	size_t n_sources, next;
	struct box *boxes;
	struct job job;
	bool has_job, is_ending;
	struct trm_timer *soon, *tick;
	struct tree_sum sum; /* of the finished jobs */
	uint64_t total_bytes, total_files;
	struct trm_copy_progress progress;
	struct trm_error why;
};

/* copy_job.c: begin the prepared job. On an error it may be half made. */
int job_start(struct trm_copy *copy, struct trm_error *why);
void job_finish(struct trm_copy *copy);
/* End the job; `why` NULL: success. Only the first call counts. */
void job_over(struct trm_copy *copy, const struct trm_error *why);
/* Tell the user that something was not copied. `box`: the sandbox whose path begins the message; NULL: a
 * path of this machine. */
void copy_report_skipped(struct trm_copy *copy, const struct box *box, const struct trm_error *why);

/* Hand an item to the other half. */
int job_put_entry(struct trm_copy *copy, const struct entry *entry, struct trm_error *why);
/* The same, if it is wanted. */
int copy_choice_entry(struct trm_copy *copy, const struct entry *entry, struct trm_error *why);
void copy_choice_finish(struct copy_choice *choice);

/* copy_stream.c: "-". */
int stream_in_start(struct trm_copy *copy, struct trm_error *why);
int stream_out_start(struct trm_copy *copy, struct trm_error *why);
/* Data of a GET for out_fd. */
int stream_out_entry(struct trm_copy *copy, const struct entry *entry, struct trm_error *why);
int stream_out_data(struct trm_copy *copy, const void *bytes, size_t n, struct trm_error *why);
/* There is room for data from in_fd. */
int stream_in_pump(struct trm_copy *copy, struct trm_error *why);

#endif
