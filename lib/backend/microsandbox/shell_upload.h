/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_SHELL_UPLOAD_H
#define TRM_BACKEND_MICROSANDBOX_SHELL_UPLOAD_H

/* A tree of files, or one file, as lines of shell that create it. Pure. */

#include "base/buf.h"
#include "wire/entry.h"

enum {
	PUT_PATH_BYTES = 4096,
	PUT_LINE_BYTES = 60 << 10, /* bytes of a file in one line */
};

/* Functions that must precede the lines. They use two arguments: the target path (T), and a letter for
 * each open directory (N), n if the lines have created it. PUT_TAIL prints the new letters for later
 * lines. A file has a different name until it is complete, and is removed on a failure. */
extern const char PUT_HEAD[], PUT_TAIL[];

struct put_time {
	uint32_t mode;
	int64_t s;   /* of change */
	uint32_t ns; /* a whole second: no time is known */
};

/* For servers that take files directly: begins a name and its bytes instead of a line. */
enum { PUT_PIECE = '=' };

struct put_lines {
	struct buf text;  /* each ended by a NUL, because names may contain newlines */
	struct buf piece; /* bytes of the open file that are in no line yet */
	bool is_over;     /* the root is complete */
	bool has_file;
	uint64_t file_bytes;        /* of the open file */
	bool has_piece;             /* the open file has had a PUT_PIECE */
	bool is_short;              /* out of memory: `text` is incomplete */
	char below[PUT_PATH_BYTES]; /* path of the open directory, below T; "" or "/a/b" */
	char file[PUT_PATH_BYTES];  /* path of the open file, below T */
	struct put_time file_time;
	struct put_time dirs[ENTRY_DEPTH_MAX]; /* of open directories */
	unsigned depth;
	struct tree_sum sum;
};

/* Files come in pieces of this size. A piece of more than PUT_LINE_BYTES does not become a line but
 * PUT_PIECE, the path below T, NUL, the bytes as base64, NUL. */
void put_lines_init(struct put_lines *l, size_t max_bytes, size_t piece_bytes);
void put_lines_finish(struct put_lines *l);
/* Begin a single file, which is T itself. */
void put_lines_begin(struct put_lines *l, uint32_t mode);
void put_lines_end(struct put_lines *l);
void put_lines_bytes(struct put_lines *l, const char *bytes, size_t n);
/* Add the next node of a tree. 0; TRM_EPERM: it is not accepted, and `why` names it (below T) and the
 * reason; TRM_EPROTO: it cannot come next; TRM_EINVAL: a path is too long. */
int put_lines_entry(struct put_lines *l, const struct entry *e, struct trm_error *why);

#endif
