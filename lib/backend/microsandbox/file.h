/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_FILE_H
#define TRM_BACKEND_MICROSANDBOX_FILE_H

/* Files by way of commands: a server of 0.2.x has no methods for files, but it runs sh, and images have
 * find, base64, tail and head. Output is base64, so that names and contents survive as lines of JSON. A
 * server with our extension takes big files by its own method.
 *
 *   file.c      one job: its commands, one after the other; and jobs of a single command
 *   file_get.c  a file, a tree or its list out of the sandbox; nodes.c, the list of nodes (pure)
 *   file_put.c  a file or a tree into it; shell_upload.c, the lines of shell that make it (pure) */

#include "backend/microsandbox/msb.h"
#include "wire/entry.h"

struct msb_file;

/* The output of a command. */
struct file_said {
	const char *out; /* stdout without newlines */
	size_t n;
	const char *wrong; /* the first line of stderr; "" */
	int exit_code;
};

struct file_ops {
	/* A command has ended. */
	void (*said)(struct msb_file *f, const struct file_said *said);
	/* DATA or ENTRY for it; NULL: none is expected. */
	void (*frame)(struct msb_file *f, const struct frame *frame);
	/* More credit; NULL: none is needed. */
	void (*credit)(struct msb_file *f);
	/* The client no longer wants it, or the sandbox is being left: undo incomplete work, then drop
	 * the job. NULL: nothing needs undoing. */
	void (*give_up)(struct msb_file *f);
	void (*finish)(struct msb_file *f); /* frees f->own */
};

struct msb_file {
	struct msb_file *next;
	struct msb *msb;
	const struct file_ops *ops;
	uint32_t stream; /* 0: the client no longer knows it */
	char *path;
	uint64_t credit;
	struct msb_call *call;
	bool is_full; /* so much waits to be sent that the client must wait, too */
	void *own;
};

/* Make a job and add it to the list of its msb. NULL: no memory, and the client has been told. Takes
 * `path`. */
struct msb_file *file_new(struct msb *msb, uint32_t stream, char *path, const struct file_ops *ops);
/* Run a script with sh; `args` (NULL-terminated) are its $1, $2, …. ops->said() follows. */
void file_run(struct msb_file *f, const char *script, const char *const *args);
/* End the job without an answer. */
void file_drop(struct msb_file *f);
/* The code for what a program in the sandbox says of a file. */
int file_code_of(const char *words, size_t n);
/* The end: ERROR. */
void file_fail(struct msb_file *f, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* End the job: send the answer that has been put into msb->out. */
void file_end(struct msb_file *f);

void file_get_begin(struct msb *msb, const struct frame *frame); /* GET, TREE_GET */
void file_put_begin(struct msb *msb, const struct frame *frame); /* PUT, TREE_PUT */

#endif
