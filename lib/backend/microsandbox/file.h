/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_FILE_H
#define TRM_BACKEND_MICROSANDBOX_FILE_H

/* Files by way of commands: a server of 0.2.x has no methods for them, but it runs sh, and images have find,
 * base64, tail and head. What comes out is base64, so that names and contents survive lines of JSON. One that
 * offers our extension takes what is big as such.
 *
 *   file.c      one piece of work: its commands, one after the other; and what needs but one
 *   file_get.c  a file, a tree or its list out of the sandbox; nodes.c, the list of what there is (pure)
 *   file_put.c  a file or a tree into it; shell_upload.c, the lines of shell that make it (pure)
 */

#include "backend/microsandbox/msb.h"
#include "wire/entry.h"

struct msb_file;

/* What a command said. */
struct file_said {
	const char *out; /* stdout without newlines */
	size_t n;
	const char *wrong; /* the first line of stderr; "" */
	int exit_code;
};

struct file_ops {
	/* A command is done. */
	void (*said)(struct msb_file *f, const struct file_said *said);
	/* DATA or ENTRY for it; NULL: none is expected. */
	void (*frame)(struct msb_file *f, const struct frame *frame);
	/* More credit; NULL: none is needed. */
	void (*credit)(struct msb_file *f);
	/* Nobody wants it any more, or the sandbox is being left: undo what is half done, and drop it then.
	 * NULL: there is nothing to be undone. */
	void (*give_up)(struct msb_file *f);
	void (*finish)(struct msb_file *f); /* frees f->own */
};

struct msb_file {
	struct msb_file *next;
	struct msb *msb;
	const struct file_ops *ops;
	uint32_t stream; /* 0: the client knows of it no more */
	char *path;
	uint64_t credit;
	struct msb_call *call;
	bool is_full; /* so much waits to be sent that the client had better wait, too */
	void *own;
};

/* A new one, in the list of its msb; NULL: out of memory, and the client has been told. Owns `path`. */
struct msb_file *file_new(struct msb *msb, uint32_t stream, char *path, const struct file_ops *ops);
/* Run a script with sh; `args` (NULL-terminated) are its $1, $2, …. ops->said() follows. */
void file_run(struct msb_file *f, const char *script, const char *const *args);
/* The end, without a word. */
void file_drop(struct msb_file *f);
/* The end: ERROR. */
void file_fail(struct msb_file *f, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The end: whatever answer has been put into msb->out is sent. */
void file_end(struct msb_file *f);

void file_get_begin(struct msb *msb, const struct frame *frame); /* GET, TREE_GET */
void file_put_begin(struct msb *msb, const struct frame *frame); /* PUT, TREE_PUT */

#endif
