/* SPDX-License-Identifier: MIT */
#ifndef TUI_FILE_H
#define TUI_FILE_H

/* A text from and to a file. Bytes are kept unchanged, except that a file with CR LF at every line end is
 * held with LF only, and written back with CR LF. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;
struct trm_error;

#ifndef FILE_MAX_BYTES
#define FILE_MAX_BYTES ((size_t)512 << 20)
#endif

struct file_format {
	bool has_crlf; /* all line ends are CR LF */
};

/* The state of a file when it was read or written, to notice changes by others. */
struct file_stamp {
	bool exists;
	int64_t mtime_ns;
	uint64_t bytes;
};

/* Read a file. Errors, each with a sentence: not found, a directory or another special file, no
 * permission, a NUL byte (a binary file), more than FILE_MAX_BYTES. */
int file_load(const char *path, struct text **ret, struct file_format *ret_format,
		struct file_stamp *ret_stamp, struct trm_error *reterr);

/* Write atomically: a temporary file beside it, then rename. Keeps the mode (and, if permitted, the
 * owner) of an existing file; follows symbolic links. If no file can be made in the folder, or the file
 * has several names, it is written in place, after space for all of it has been reserved: a full disk
 * leaves the old file unchanged. */
int file_save(const char *path, const struct text *t, struct file_format format, struct file_stamp *ret_stamp,
		struct trm_error *reterr);

/* The same in two steps. The second one waits for the disk, no longer needs the text, and may be called
 * by another thread. It frees `s`. */
struct file_saving;
int file_save_begin(const char *path, const struct text *t, struct file_format format,
		struct file_saving **ret, struct trm_error *reterr);
int file_save_end(struct file_saving *s, struct file_stamp *ret_stamp, struct trm_error *reterr);

struct file_stamp file_stamp(const char *path); /* the current state; zeroed if it cannot be determined */

#endif
