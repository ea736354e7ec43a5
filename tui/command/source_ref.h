/* SPDX-License-Identifier: MIT */
#ifndef TUI_COMMAND_SOURCE_REF_H
#define TUI_COMMAND_SOURCE_REF_H

/* Places that messages name: `File "notes.py", line 3` (Python), `at f (notes.js:2:9)` (Node), `notes.sh:
 * line 2:` (Bash), `notes.c:2:9: error:` (compilers), `notes.rb:2:in` (Ruby). Pure. */

#include <stdbool.h>
#include <stddef.h>

struct source_ref {
	const char *name; /* of the file, in the text */
	size_t name_len;
	size_t line, column; /* from 1; column 0: not said */
	size_t from, to;     /* bytes of the text that name it */
	bool is_first_inner; /* in such messages the innermost place comes first, else last */
	bool is_head;        /* all of the line, as above a message of Node, which names the place again */
};

/* The first place named in one line of text. */
bool source_ref_find(const char *text, struct source_ref *ret);

#endif
