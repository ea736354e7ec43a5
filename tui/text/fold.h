/* SPDX-License-Identifier: MIT */
#ifndef TUI_TEXT_FOLD_H
#define TUI_TEXT_FOLD_H

#include <stddef.h>

/* Break lines at blanks, so that none is wider than `cols` where a word permits it. Lines that continue begin
 * with `indent` blanks. To be freed; NULL: out of memory. */
char *text_fold(const char *text, size_t cols, size_t indent);

#endif
