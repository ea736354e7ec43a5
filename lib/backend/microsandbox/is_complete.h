/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_IS_COMPLETE_H
#define TRM_BACKEND_MICROSANDBOX_IS_COMPLETE_H

/* Is typed code complete, or must more lines follow? Interpreters know best, but those of a plain server
 * cannot be asked without typing into them. So this looks at quotes, brackets and words. If it is wrong,
 * the interpreter reports a syntax error. */

#include <stdbool.h>
#include <stddef.h>

#include "backend/microsandbox/feed.h"

/* `code`: lines separated by \n, with one at the end only after an empty line. `indent`: white space with
 * which the next line should begin; "" when the code is complete. */
bool is_complete_is(enum dialect lang, const char *code, char *indent, size_t cap);

#endif
