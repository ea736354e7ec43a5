/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_ENTRY_H
#define TRM_WIRE_ENTRY_H

/* A tree of files as a sequence of ENTRY and DATA frames on one stream. It is the same for both
 * directions. A name is always a single component of a path, so no sequence can refer to anything outside
 * of the tree.
 *
 *   tree  = [TOTAL] node
 *   node  = DIR node* UP | FILE (DATA | HOLE)* (END | FAIL) | LINK | OTHER | FAIL
 *
 * The first node is the root. Its name is "", because the receiver decides what the root is called. In a
 * list (TREE_LIST) a FILE has no content and no END.
 *
 * Payload of an ENTRY: u8 kind, then by kind
 *   DIR, FILE, LINK, OTHER   str name, u32 mode, i64 mtime_s, u32 mtime_ns, u64 size, str target
 *   HOLE, END                u64 bytes: zeros in the file; the size of the whole file
 *   FAIL                     str name, i32 code, str reason: it exists and cannot be sent
 *   TOTAL                    u64 files, u64 bytes that are expected: only for display
 *   NOTE                     i32 code, str sentence: from the receiver: it did not accept something
 *
 * The agent answers a PUT with NOTEs. Before an ERROR it sends a TOTAL of what it has written.
 *
 * This file does no I/O. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>

#include "base/buf.h"
#include "wire/frame.h"

enum {
	ENTRY_NAME_MAX = 255,
	ENTRY_TARGET_MAX = 4095,
	ENTRY_TEXT_MAX = 480,     /* of a reason or a sentence */
	ENTRY_PAYLOAD_MAX = 5000, /* largest payload of an ENTRY frame */
	ENTRY_DEPTH_MAX = 512,    /* nesting of directories */
	ENTRY_MODE_MASK = 0777,   /* never set-id bits */
};

enum entry_kind {
	ENTRY_DIR = 1,
	ENTRY_UP,
	ENTRY_FILE,
	ENTRY_HOLE,
	ENTRY_END,
	ENTRY_LINK,
	ENTRY_OTHER, /* device, FIFO, socket: only in lists */
	ENTRY_FAIL,
	ENTRY_TOTAL,
	ENTRY_NOTE,
};

struct entry {
	enum entry_kind kind;
	char name[ENTRY_NAME_MAX + 1]; /* "": the root */
	uint32_t mode;
	int64_t mtime_s;
	uint32_t mtime_ns;
	uint64_t size;                   /* FILE: a hint. HOLE, END, TOTAL: bytes */
	uint64_t files;                  /* TOTAL */
	int code;                        /* FAIL, NOTE */
	char text[ENTRY_TARGET_MAX + 1]; /* LINK: target; FAIL, NOTE: the text, cleaned by the reader */
};

/* The whole frame. TRM_ETOOBIG, TRM_ENOMEM: nothing is appended. */
int entry_put(struct buf *out, uint32_t stream, const struct entry *entry);
/* TRM_EPROTO with a sentence: this is not an entry, or its name is not valid for a node. */
int entry_get(const struct frame *frame, struct entry *ret, struct trm_error *why);

/* Is this a valid name of a node? It has no '/', and is neither "." nor "..". The caller checks for NUL. */
bool entry_is_name(const char *name);
/* Does a link `depth` directories below the root stay inside the tree, whatever other such links exist?
 * '..' is therefore allowed only at the front, at most once per directory above: behind a name, '..'
 * would count from wherever that name leads. */
bool entry_link_is_inside(const char *target, unsigned depth);

/* Checks the order and the size of a tree. */
struct entry_check {
	uint64_t max_bytes, max_files; /* in: limits for the bytes of all files together and for the number of
					  nodes */
	bool is_list;                  /* in */
	uint64_t bytes, files;         /* so far; files counts every node */
	uint64_t file_bytes;           /* of the open file */
	unsigned depth;                /* open directories */
	bool is_in_file, has_root, is_over;
};

/* Account for the next frame. TRM_EPROTO: the frame is out of order. TRM_ETOOBIG: a limit is exceeded. */
int entry_check(struct entry_check *check, const struct entry *entry, struct trm_error *why);
int entry_check_data(struct entry_check *check, size_t n, struct trm_error *why);

/* Requests: TREE_GET, TREE_PUT and FILE_OP of frame.h. */
enum tree_flag {
	TREE_LIST = 1,        /* GET: send no contents, only `depth` levels */
	TREE_WANTS_TOTAL = 2, /* GET: count first */
	TREE_MUST_BE_DIR = 4, /* PUT: the target must be a directory already */
	TREE_DENSE = 16,      /* GET: send holes as zeros */
	TREE_NO_FOLLOW = 8, /* GET: report a link at the path instead of following it (only with TREE_LIST) */
	TREE_ONE_SYSTEM = 32, /* GET: omit what is mounted below the path */
};

struct tree_msg {
	char *path;
	char *base; /* PUT: name to use when the target is a directory; "": the directory itself */
	uint32_t flags, depth, window;
	uint64_t max_bytes, max_files;
};
int tree_msg_put(struct buf *out, uint32_t stream, enum frame_type type, const struct tree_msg *msg);
int tree_msg_get(const struct frame *frame,
		struct tree_msg *ret); /* TRM_EPROTO, TRM_ENOMEM: nothing to free */
void tree_msg_finish(struct tree_msg *msg);

enum file_op { FILE_OP_MKDIR = 1, FILE_OP_REMOVE, FILE_OP_REMOVE_TREE };

/* The outcome of a tree: the payload of the DONE that answers TREE_GET and TREE_PUT. Its `size` is in bytes.
 */
struct tree_sum {
	uint64_t bytes, files, dirs, links, refused;
	uint32_t mode; /* only in other answers than these; 0 */
};
int tree_sum_put(struct buf *out, uint32_t stream, const struct tree_sum *sum);
int tree_sum_get(const struct frame *frame, struct tree_sum *ret);

#endif
