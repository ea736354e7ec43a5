/* SPDX-License-Identifier: MIT */
#ifndef TRM_MAGIC_REWRITE_H
#define TRM_MAGIC_REWRITE_H

/* A text that is being rewritten: what becomes of the lines of notebooks in it. The functions return 0,
 * TRM_ENOMEM or TRM_ETOOBIG; those that read code may also fail with a message in `reterr`. */

#include "magic/magic.h"

struct rewrite {
	const struct trm_lang *lang;
	struct buf code, plain, shell;
	char **libraries;
	bool is_timed, has_shell;
	size_t n_lines, n_other; /* of ours, and statements that are not !commands */
	size_t last_shell;       /* where the call of the last one ends in `code`: in front of its ")" */
	struct trm_error *reterr;
};

int rewrite_put(struct buf *out, const char *text);
/* A newline for each line of the text, so that what follows stays on its line. */
int rewrite_put_newlines(struct buf *out, struct magic_text line);
/* A part of the line, among blanks. */
int rewrite_put_part(struct buf *out, struct magic_text line, struct magic_text part);
/* A call of a function of our driver, with the argument as text. */
int rewrite_put_call(struct rewrite *w, const char *function, struct magic_text argument);
/* Statements of Python, with lines of notebooks among them. */
int rewrite_statements(struct rewrite *w, const char *code, size_t n);

#endif
