/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_MISSING_FILE_H
#define TUI_STREAM_MISSING_FILE_H

/* A sandbox has none of this machine's files but those that it was given. If code does not find a module or
 * a file that lies here, the error is hard to understand, and this hint explains it. */

#include <stdbool.h>
#include <stddef.h>

#include "stream/install_hint.h"

struct trm_sandbox;

enum { MISSING_FILE_HINT = 800 };

/* `output` is the end of the program's stderr, or its error: hostile. If it names a module or a file that
 * lies beside `file`, the program, or in the current folder, set `out` to one line that says so, and what to
 * do, and return true. `file` NULL: the code came from no file. `sandbox` is that of the code; it is not
 * needed for INSTALL_HINT_RUN and _REPL. */
bool missing_file_hint(const struct trm_sandbox *sandbox, enum install_hint_kind kind, const char *file,
		const char *output, char out[MISSING_FILE_HINT]);

#endif
