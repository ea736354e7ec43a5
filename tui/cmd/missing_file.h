/* SPDX-License-Identifier: MIT */
#ifndef TRM_CMD_MISSING_FILE_H
#define TRM_CMD_MISSING_FILE_H

/* Only the file that is run goes into a sandbox. If it asks for a module that lies beside it on this machine,
 * whoever wrote it wonders why that is not found. */

#include <stdbool.h>
#include <stddef.h>

enum { MISSING_FILE_HINT = 800 };

/* `words` is the end of what the program said on standard error, or its error. False: no module is missing
 * that lies beside `file`. Else `out` is one line that says so, and what to do. */
bool missing_file_hint(const char *file, const char *words, char out[MISSING_FILE_HINT]);

#endif
