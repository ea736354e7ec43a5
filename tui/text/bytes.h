/* SPDX-License-Identifier: MIT */
#ifndef TUI_BYTES_H
#define TUI_BYTES_H

/* Bytes on their way out: into descriptors, into new files and the folders of these, and as base64
 * (RFC 4648). */

#include <stddef.h>
#include <sys/types.h>

/* Write all of it, however many calls that takes. Safe in a signal handler. 0, or a negative errno. */
int write_fully(int fd, const void *bytes, size_t n);

/* Create the file and write all of it. `flags` is O_EXCL (the file must not exist) or O_TRUNC. An incomplete
 * new file is removed, one that replaces another stays. 0, or a negative errno. */
int write_file(const char *path, int flags, const void *bytes, size_t n);

/* Make the folder and those above it that are missing, as `mkdir -p` does. 0, or a negative errno. */
int make_dirs(const char *path, mode_t mode);

/* Write the digits of `n` bytes, (n + 2) / 3 * 4 of them, without a NUL. Returns their number. Of a longer
 * text, pass multiples of three bytes. */
size_t base64_digits(char *out, const void *bytes, size_t n);

#endif
