/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_ANSWER_H
#define TUI_REPL_ANSWER_H

/* Looking into what a kernel has answered, which code in the sandbox may have made up. */

#include <stddef.h>

struct cJSON;

/* The text of a member; "" if there is none. Borrowed. */
const char *answer_text(const struct cJSON *answer, const char *key);

/* Code points in n bytes of text: kernels count in these. */
size_t answer_points(const char *text, size_t n);

#endif
