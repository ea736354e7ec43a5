/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_SHELL_UPLOAD_H
#define TRM_BACKEND_MICROSANDBOX_SHELL_UPLOAD_H

/* A tree of files, or one file, as lines of shell that make it. Pure. */

#include "base/buf.h"
#include "wire/entry.h"

enum {
	PUT_PATH_BYTES = 4096,
	PUT_LINE_BYTES = 60 << 10, /* of a file, in one line */
};

/* What the lines need in front: functions. They go by two arguments: where all goes (T), and a letter for
 * each directory that is open (N), n if the lines have made it. What comes of the latter is printed by
 * PUT_TAIL, for the lines that follow. A file has another name until it is complete, and none when they fail.
 */
extern const char PUT_HEAD[], PUT_TAIL[];

struct put_time {
	uint32_t mode;
	int64_t s;   /* of change */
	uint32_t ns; /* a whole second: no time is known */
};

/* Instead of a line with that letter there are the name and the bytes, for servers that take files as such.
 */
enum { PUT_PIECE = '=' };

struct put_lines {
	struct buf text;  /* each ended by a NUL, as names may have newlines in them */
	struct buf piece; /* of the file that is open: bytes that have no line yet */
	bool is_over;     /* the root is complete */
	bool has_file;
	uint64_t file_bytes;        /* of the file that is open */
	bool has_piece;             /* … there was a PUT_PIECE */
	bool is_short;              /* of memory: not all is in `text` */
	char below[PUT_PATH_BYTES]; /* path of the directory that is open, below T; "" or "/a/b" */
	char file[PUT_PATH_BYTES];  /* of the file that is open, likewise */
	struct put_time file_time;
	struct put_time dirs[ENTRY_DEPTH_MAX]; /* that are open */
	unsigned depth;
	struct tree_sum sum;
};

/* What there is of a file in pieces of so many bytes; those of more than PUT_LINE_BYTES are no lines but
 * PUT_PIECE, its path below T, NUL, the bytes as base64, NUL. */
void put_lines_init(struct put_lines *l, size_t max_bytes, size_t piece_bytes);
void put_lines_finish(struct put_lines *l);
/* One file, which is T itself, and nothing else. */
void put_lines_begin(struct put_lines *l, uint32_t mode);
void put_lines_end(struct put_lines *l);
void put_lines_bytes(struct put_lines *l, const char *bytes, size_t n);
/* The next node of a tree. 0; TRM_EPERM: it is not taken, and `why` says which one below T, and the reason;
 * TRM_EPROTO: no tree goes on like that; TRM_EINVAL: a path is too long. */
int put_lines_entry(struct put_lines *l, const struct entry *e, struct trm_error *why);

#endif
