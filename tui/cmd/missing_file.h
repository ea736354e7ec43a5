/* SPDX-License-Identifier: MIT */
#ifndef TRM_CMD_MISSING_FILE_H
#define TRM_CMD_MISSING_FILE_H

/* Only the file that runs is copied into a sandbox. If it imports a module from a file next to it on this
 * machine, the error is hard to understand, and this hint explains it. */

#include <stdbool.h>
#include <stddef.h>

enum { MISSING_FILE_HINT = 800 };

/* `output` is the end of the program's stderr, or its error. If a missing module is a file next to `file`,
 * set `out` to one line that says so, and what to do, and return true. */
bool missing_file_hint(const char *file, const char *output, char out[MISSING_FILE_HINT]);

#endif
