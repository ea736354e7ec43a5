/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_PASTE_H
#define TUI_REPL_PASTE_H

/* Takes bracketed pastes out of the terminal's input. Source: "XTerm Control Sequences", mode 2004. */

#include <stdbool.h>
#include <stddef.h>

struct paste {
	bool is_open; /* the start mark was seen */
	char *text;   /* NUL-terminated; the only control characters are newline and tab */
	size_t n, cap;
	bool is_cut; /* the paste was longer than LINE_MAX_BYTES */
	char last;   /* previous byte */
};

enum paste_result {
	PASTE_NONE, /* the next bytes are no paste */
	PASTE_MORE, /* bytes were taken, or may begin a paste: call again with more */
	PASTE_DONE, /* `text` is complete, until the next call; a final newline was removed */
};

enum paste_result paste_feed(struct paste *p, const char *bytes, size_t n, size_t *ret_used);
void paste_finish(struct paste *p); /* takes a zeroed object */

#endif
