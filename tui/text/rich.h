/* SPDX-License-Identifier: MIT */
#ifndef TUI_RICH_H
#define TUI_RICH_H

/* HTML and Markdown as text for a terminal: approximate, safe, and without any library. Tables (such as
 * those of pandas) become columns. Headings and <b> become bold, which is written as SGR. Only the text
 * of other elements is kept. Nothing is fetched or run, and scripts and styles are left out. Only
 * printable bytes of the input get through. */

#include <stddef.h>

#define RICH_MAX ((size_t)1 << 20) /* bytes of the result; the rest is left out, with a note */

/* malloc'd, NUL-terminated. Lines end with a newline, except the last one. "": no text; NULL: no memory. */
/* `cols`: wider tables are folded between columns, with the first column repeated; 0: not folded. */
char *rich_from_html(const char *html, size_t n, size_t cols, size_t *ret_len);
char *rich_from_markdown(const char *markdown, size_t n, size_t *ret_len);

/* Remove the SGR, for output without bold. */
void rich_strip(char *text);

#endif
