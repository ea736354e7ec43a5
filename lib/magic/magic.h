/* SPDX-License-Identifier: MIT */
#ifndef TRM_MAGIC_H
#define TRM_MAGIC_H

/* The parts of terrarium/magic.h: statements of Python, and what each of its lines becomes. */

#include <terrarium/magic.h>

#include "base/buf.h"

struct magic_text {
	const char *at;
	size_t n;
};

enum { MAGIC_MAX = 96 << 20 };

/* The beginning of the statement behind the one at `at`, or `n`. */
size_t magic_next_statement(const char *code, size_t n, size_t at);
/* The end of a line with what "\" at its end joins to it; the newline does not count. */
size_t magic_line_end(const char *code, size_t n, size_t at);
struct magic_text magic_trim(struct magic_text text);
/* Does the text begin with this word? Gives what stands behind it. */
bool magic_takes(struct magic_text text, const char *word, struct magic_text *ret_rest);
/* What a line of Python becomes. Returns false if it is none of ours. */
enum magic_kind { MAGIC_NONE, MAGIC_SHELL, MAGIC_LINES, MAGIC_CALL, MAGIC_CODE, MAGIC_PIP, MAGIC_NOTHING };
struct magic_line {
	enum magic_kind kind;
	const char *call;         /* MAGIC_CALL and MAGIC_CODE: the function of our driver */
	struct magic_text before; /* MAGIC_LINES: "x = " */
	struct magic_text rest;
};
struct magic_line magic_line_read(struct magic_text line);
/* A string of Python. */
int magic_quote(struct buf *out, struct magic_text text);
/* Add the packages of "install …". */
int magic_pip(char ***list, const struct trm_lang *lang, struct magic_text words, struct trm_error *reterr);
bool magic_pip_installs(struct magic_text words);

#endif
