/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_FEED_H
#define TRM_BACKEND_MICROSANDBOX_FEED_H

/* Code for interpreters that are fed lines. A plain server types its input into `python3 -i` and into
 * Node's REPL, and waits for a line of its own after it. So a blank line ends a block. A block that ends
 * without one swallows the server's line, as does an open bracket, and output without a newline stands
 * before that line. Such runs fail, or never end. Code with any of these properties is therefore wrapped
 * into one line that runs it as a whole, shows values as the prompt would, and prints a tag at its end.
 * Other code is sent unchanged. (Observed with CPython 3.11 and Node 20, started as
 * portal/lib/portal/repl of 0.2.6 does it.) */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/lang.h>

#include "backend/microsandbox/traceback_parse.h"

/* The languages that a plain server runs. */
enum dialect { DIALECT_PYTHON, DIALECT_JAVASCRIPT, DIALECT_BASH, DIALECT_NONE };
enum dialect dialect_of(const struct trm_lang *lang);

/* The line to send, malloc'd; *ret_code is NULL if the code can be sent unchanged. `tag`: letters and
 * digits that occur in no output. TRM_ENOMEM. */
int feed_wrap(enum dialect lang, const char *code, const char *tag, char **ret_code);

/* Remove the tag's line, and the newline before it, from the output; *n lines are left. Returns the exit
 * code that the code asked for (sys.exit(3)), or -1 if it asked for none. */
int feed_unwrap(enum dialect lang, const char *tag, struct traceback_line *lines, size_t *n);

#endif
