/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_IS_COMPLETE_H
#define TRM_BACKEND_MICROSANDBOX_IS_COMPLETE_H

/* Whether lines that a person has typed are whole, or more must follow. Interpreters answer that best, but
 * those of a plain server cannot be asked without typing into them; so this looks at quotes, brackets and
 * words. What it takes wrong is told by the interpreter, as an error of syntax. */

#include <stdbool.h>
#include <stddef.h>

#include "backend/microsandbox/feed.h"

/* `code`: lines apart by \n, without one at the end but where an empty line was typed. `indent`: white space
 * that the next line shall begin with; "" when it is whole. */
bool is_complete_is(enum dialect lang, const char *code, char *indent, size_t cap);

#endif
