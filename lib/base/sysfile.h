/* SPDX-License-Identifier: MIT */
#ifndef TRM_SYSFILE_H
#define TRM_SYSFILE_H

/* Small files of /proc and /sys, read and written as a whole. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read at most cap - 1 bytes and append a NUL. Returns the length, or -errno (then out is ""). */
ssize_t sysfile_read(const char *path, char *out, size_t cap);
ssize_t sysfile_read_at(int dir_fd, const char *path, char *out, size_t cap);
/* Write once to an existing file. 0 or -errno. */
int sysfile_write(const char *path, const char *text);
int sysfile_write_u64(const char *path, uint64_t value);
/* The number at the beginning of a file. */
bool sysfile_read_u64(const char *path, uint64_t *ret);
/* Is `word` one of the words of `text`, which are separated by blanks or newlines? */
bool text_has_word(const char *text, const char *word);

#endif
