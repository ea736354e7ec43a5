/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_C_TOKEN_H
#define TRM_AGENT_C_TOKEN_H

/* The tokens of C and C++, as far as part.h needs them: comments are white space, and a preprocessor line is
 * one token. */

#include <stdbool.h>
#include <stddef.h>

enum c_token_kind { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_SIGN, TOKEN_LINE };

/* Signs are single characters, except "::" and "->". */
struct c_token {
	enum c_token_kind kind;
	const char *at;
	size_t n;
	bool is_open; /* a string or a comment without an end */
};

struct c_cursor {
	const char *at, *end;
	bool is_line_start;
};

/* The next token; TOKEN_END at the end, for ever. */
struct c_token c_token_next(struct c_cursor *cursor);
bool c_token_is(const struct c_token *token, const char *text);
/* Is it one of these words, which have blanks between them? */
bool c_token_is_among(const struct c_token *token, const char *words);
/* Is it one of these signs of a single character? */
bool c_token_is_sign(const struct c_token *token, const char *signs);

#endif
