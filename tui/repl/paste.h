/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_PASTE_H
#define TUI_REPL_PASTE_H

/* Bracketed paste, taken out of what comes from the terminal. Source: "XTerm Control Sequences", mode 2004.
 */

#include <stdbool.h>
#include <stddef.h>

struct paste {
	bool is_open; /* the beginning was seen */
	char *text; /* NUL-terminated; lines end with a newline, without control characters but that and tabs
		     */
	size_t n, cap;
	bool is_cut; /* it was longer than LINE_MAX_BYTES */
	char last;   /* byte that came */
};

enum paste_result {
	PASTE_NONE, /* what comes next is no paste */
	PASTE_MORE, /* bytes were taken, or may be the beginning of one: come again with more */
	PASTE_DONE, /* `text`, until the next call; a newline at its end has been left out */
};

enum paste_result paste_feed(struct paste *p, const char *bytes, size_t n, size_t *ret_used);
void paste_finish(struct paste *p); /* takes a zeroed object */

#endif
