/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_ANSWER_H
#define TUI_REPL_ANSWER_H

/* Reading the answers of a kernel, which code in the sandbox may have forged. */

#include <stddef.h>

struct cJSON;

/* The text of a member; "" if there is none. Borrowed. */
const char *answer_text(const struct cJSON *answer, const char *key);

/* Number of code points in n bytes of text: the unit of kernels. */
size_t answer_points(const char *text, size_t n);

#endif
