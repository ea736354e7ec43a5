/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_DOCTEST_H
#define TUI_REPL_DOCTEST_H

/* Python examples in the style of documentation: ">>> " before the first line of an input, "... " before
 * the following lines, and answers in between. */

#include <stdbool.h>
#include <stddef.h>

enum doctest_line { DOCTEST_FIRST, DOCTEST_MORE, DOCTEST_ANSWER };

/* The kind of a line of n bytes, and the length of its prompt. */
enum doctest_line doctest_line(const char *text, size_t n, size_t *ret_prompt);

/* Remove the prompts and the answers from several lines, in place. False: the first line has no prompt,
 * and the text is unchanged. */
bool doctest_strip(char *text);

#endif
