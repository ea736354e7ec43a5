/* SPDX-License-Identifier: MIT */
#ifndef TUI_RICH_H
#define TUI_RICH_H

/* HTML and Markdown as text that can be read in a terminal: roughly, safely, and without any library. Tables
 * (as those of pandas) become columns, headings and <b> bold, which is written as SGR; of all else only
 * the text is kept. Nothing is fetched or run, what scripts and styles hold is left out. No bytes of the
 * input but printable ones get through. */

#include <stddef.h>

#define RICH_MAX \
	((size_t)1 << 20) /* bytes of the result; what would come after is left out, and that is said */

/* malloc'd, NUL-terminated; lines end with a newline but the last. "" when there is no text in it; NULL: out
 * of memory. */
/* `cols`: tables that are wider are folded between columns, the first column repeated; 0: they are not. */
char *rich_from_html(const char *html, size_t n, size_t cols, size_t *ret_len);
char *rich_from_markdown(const char *markdown, size_t n, size_t *ret_len);

/* Take the SGR out again, for where nothing is bold. */
void rich_strip(char *text);

#endif
