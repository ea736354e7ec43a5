/* SPDX-License-Identifier: MIT */
#ifndef TUI_INDENT_H
#define TUI_INDENT_H

/* What a line of code means for the indentation of others. Pure: bytes in, facts out; it knows strings and
 * comments within the line. */

#include <stdbool.h>
#include <stddef.h>

struct trm_lang;

struct line_shape {
	size_t blank;     /* bytes of white space that it begins with */
	size_t ink;       /* where its last character ends that is neither white space nor comment */
	bool is_quoted;   /* it ends inside a string */
	size_t n_open;    /* brackets that are opened and not closed */
	size_t open_at;   /* the last of these */
	bool has_closer;  /* a bracket is closed that was opened before */
	size_t closer_at; /* the last of these */
};

/* line[0..n) without its newline; does not begin inside a string. `lang` may be NULL. */
struct line_shape line_shape(const struct trm_lang *lang, const char *line, size_t n);

/* The lines after it belong to it: "if x:", "for i in a; do", "case 1:". Brackets do not count. */
bool line_opens_block(const struct trm_lang *lang, const char *line, const struct line_shape *s);
/* Nothing follows it in its block: "return x"; in Bash ";;" behind a pattern's commands. */
bool line_leaves_block(const struct trm_lang *lang, const char *line, const struct line_shape *s);

/* A line that goes on with, or ends, what another one began: "else:", "fi". Names the first words of lines
 * that begin such a thing, and of those that end it, each with a blank before and behind; NULL: it is no such
 * line. The line is looked at up to its ink. */
struct line_partner {
	const char *word;    /* " fi " */
	const char *openers; /* " if "; NULL: the nearest line above that opens a block and is indented less
			      */
	const char *closers; /* " fi ": of others inside, to be passed over with their openers; NULL: by
				indentation */
};
const struct line_partner *line_partner(
		const struct trm_lang *lang, const char *line, const struct line_shape *s);

/* Is the line's first word (or, if `is_last`, its last) among these? */
bool line_has_word(const char *words, const char *line, const struct line_shape *s, bool is_last);

#endif
