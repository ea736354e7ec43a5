/* SPDX-License-Identifier: MIT */
#ifndef TUI_INDENT_H
#define TUI_INDENT_H

/* The meaning of a line of code for the indentation of other lines. Pure. It recognizes strings and comments
 * within the line. */

#include <stdbool.h>
#include <stddef.h>

struct trm_lang;

struct line_shape {
	size_t blank;     /* bytes of white space at its start */
	size_t ink;       /* end of its last character that is neither white space nor in a comment */
	bool is_quoted;   /* it ends inside of a string */
	size_t n_open;    /* brackets that are opened and not closed in this line */
	size_t open_at;   /* position of the last of these */
	bool has_closer;  /* it closes a bracket that an earlier line opened */
	size_t closer_at; /* position of the last of these */
};

/* line[0..n) is a line without its newline that does not begin inside of a string. `lang` may be NULL. */
struct line_shape line_shape(const struct trm_lang *lang, const char *line, size_t n);

/* Do the lines below belong to this line, as in "if x:", "for i in a; do", "case 1:"? Brackets do not count.
 */
bool line_opens_block(const struct trm_lang *lang, const char *line, const struct line_shape *s);
/* Does this line end its block, as "return x" does, or in Bash ";;" after the commands of a pattern? */
bool line_leaves_block(const struct trm_lang *lang, const char *line, const struct line_shape *s);

/* A line that continues or ends a block that another line began: "else:", "fi". The lists have the first
 * words of the lines that begin such a block, and of the lines that end it, each word with a blank before
 * and after it. word = NULL: the line is no such line. The line is only read up to its ink. */
struct line_partner {
	const char *word;    /* " fi " */
	const char *openers; /* " if "; NULL: the nearest less indented line above that opens a block */
	/* " fi ": ends inner blocks, which are skipped with their openers; NULL: indentation decides */
	const char *closers;
};
const struct line_partner *line_partner(
		const struct trm_lang *lang, const char *line, const struct line_shape *s);

/* Is the first word of the line (with `is_last` the last word) in this list? */
bool line_has_word(const char *words, const char *line, const struct line_shape *s, bool is_last);

#endif
