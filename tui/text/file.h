/* SPDX-License-Identifier: MIT */
#ifndef TUI_FILE_H
#define TUI_FILE_H

/* A text from and to a file. Bytes are kept as they are; a file whose every line ends
 * with CR LF is held with LF alone and written back with CR LF. */

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

/* What a file was when it was read or written, to notice that somebody else changed it. */
struct file_stamp {
	bool exists;
	int64_t mtime_ns;
	uint64_t bytes;
};

/* Read a file. Errors, each with a sentence: not found, a directory or another special
 * thing, no permission, a NUL byte (a binary file), more than FILE_MAX_BYTES. */
int file_load(const char *path, struct text **ret, struct file_format *ret_format,
		struct file_stamp *ret_stamp, struct trm_error *reterr);

/* Write atomically: a temporary file beside it, then rename. Keeps the mode (and, where
 * permitted, the owner) of an existing file; follows symbolic links. Where the folder
 * does not let a file be made, and where it has more names than this one, the file is written in place, once
 * there is room for all of it: a full disk leaves the old file as it was. */
int file_save(const char *path, const struct text *t, struct file_format format, struct file_stamp *ret_stamp,
		struct trm_error *reterr);

/* The same in two goes: the second waits for the disk, needs the text no more and may be called by another
 * thread. It frees `s`. */
struct file_saving;
int file_save_begin(const char *path, const struct text *t, struct file_format format,
		struct file_saving **ret, struct trm_error *reterr);
int file_save_end(struct file_saving *s, struct file_stamp *ret_stamp, struct trm_error *reterr);

struct file_stamp file_stamp(const char *path); /* as it is now; zeroed if it can't be seen */

#endif
