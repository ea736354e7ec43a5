/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_DOCTEST_H
#define TUI_REPL_DOCTEST_H

/* Python as documentation shows it: ">>> " before the first line of an input, "... " before those that
 * follow, and answers between them. */

#include <stdbool.h>
#include <stddef.h>

enum doctest_line { DOCTEST_FIRST, DOCTEST_MORE, DOCTEST_ANSWER };

/* What a line of n bytes is, and how many bytes of it are the prompt. */
enum doctest_line doctest_line(const char *text, size_t n, size_t *ret_prompt);

/* Several lines: the prompts and the answers are taken out, in place. False: the first line has no prompt,
 * and nothing was changed. */
bool doctest_strip(char *text);

#endif
