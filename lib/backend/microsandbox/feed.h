/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_FEED_H
#define TRM_BACKEND_MICROSANDBOX_FEED_H

/* Code for interpreters that are fed lines. A plain server types what it gets into `python3 -i` and into
 * Node's REPL, and waits for a line of its own behind it. So a blank line ends a block, a block that ends
 * without one swallows that line, as an open bracket does, and what is printed without a newline stands
 * before it: such runs fail, or never end. Code in which there is anything of the kind is wrapped into one
 * line that runs it as a whole, shows values as the prompt would, and prints a tag at its end; other code is
 * sent as it is. (Seen with CPython 3.11 and Node 20, started as portal/lib/portal/repl of 0.2.6 does it.) */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/lang.h>

#include "backend/microsandbox/traceback_parse.h"

/* The languages that a plain server runs. */
enum dialect { DIALECT_PYTHON, DIALECT_JAVASCRIPT, DIALECT_BASH, DIALECT_NONE };
enum dialect dialect_of(const struct trm_lang *lang);

/* The line to send, malloc'd; *ret_code NULL: the code as it is. `tag`: letters and digits that are in no
 * output. TRM_ENOMEM. */
int feed_wrap(enum dialect lang, const char *code, const char *tag, char **ret_code);

/* Take the tag's line, and the newline before it, out of what came; *n lines are left. Returns the exit code
 * that the code asked for (sys.exit(3)), or -1: none. */
int feed_unwrap(enum dialect lang, const char *tag, struct traceback_line *lines, size_t *n);

#endif
