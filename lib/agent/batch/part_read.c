/* SPDX-License-Identifier: MIT */
#include "agent/batch/part_read.h"

#include <string.h>

static bool add_token(struct tokens *t, const struct c_token *token)
{
	if (t->n == TOKENS) /* the first tokens of a long part are enough to find its kind */
		t->list[TOKENS - 1] = *token;
	else
		t->list[t->n++] = *token;
	t->end = token->at + token->n;
	return true;
}

/* True for a brace after `extern "C"`, after `namespace`, or after a list of parameters and its suffixes. */
static bool ends_at_brace(const struct tokens *t, size_t brace)
{
	const struct c_token *list = t->list;
	bool has_parens = false;
	int depth = 0, angle = 0;
	if (c_token_is_among(&list[0], C_STATEMENTS) || c_token_is_sign(&list[0], "{")
			|| c_token_is_among(&list[0], "namespace")
			|| (c_token_is_among(&list[0], "inline") && c_token_is_among(&list[1], "namespace")))
		return true;
	if (c_token_is_among(&list[0], "extern") && list[1].kind == TOKEN_TEXT)
		return brace == 2;
	for (size_t i = 0; i < brace; i++) {
		depth += c_token_is_sign(&list[i], "([{");
		has_parens |= i && depth == 1 && c_token_is_sign(&list[i], "(");
		depth -= c_token_is_sign(&list[i], ")]}");
		angle += !depth && c_token_is_sign(&list[i], "<");
		angle -= !depth && c_token_is_sign(&list[i], ">");
		if (!depth && angle <= 0 && c_token_is_sign(&list[i], "=")
				&& !c_token_is_among(&list[i ? i - 1 : 0], "operator"))
			return false;
	}
	return has_parens && !c_token_is_sign(&list[0], "[");
}

/* True if the part continues after a closing brace at the top level. */
static bool goes_on(const struct tokens *t, size_t brace, struct c_cursor c)
{
	struct c_token next = c_token_next(&c);
	if (next.kind == TOKEN_END)
		return false;
	if (c_token_is_among(&t->list[0], "do"))
		return c_token_is_among(&next, "while");
	if (c_token_is_among(&t->list[0], "if try") || c_token_is_among(&t->list[0], "for while"))
		return c_token_is_among(&next, "else catch");
	if (c_token_is_sign(&t->list[0], "{") && brace == 0)
		return false;
	if (!ends_at_brace(t, brace))
		return true;
	return c_token_is_sign(&next, ",{") && !c_token_is_among(&t->list[0], C_STATEMENTS)
	       && !c_token_is_among(&t->list[0], "namespace");
}

size_t part_directive_size(struct c_cursor *c, struct c_token t)
{
	int depth = 0;
	const char *from = t.at;
	for (; t.kind != TOKEN_END; t = c_token_next(c)) {
		const char *word = t.at + 1;
		if (t.kind != TOKEN_LINE)
			continue;
		word += strspn(word, " \t");
		depth += !strncmp(word, "if", 2);
		depth -= !strncmp(word, "endif", 5);
		if (depth <= 0)
			break;
	}
	return (size_t)(t.at + t.n - from);
}

void part_read(struct c_cursor *c, struct tokens *t)
{
	int depth = 0;
	size_t brace = 0;
	t->n = 0;
	t->has_ended = t->is_open = t->is_unpaired = false;
	for (;;) {
		struct c_cursor before = *c;
		struct c_token token = c_token_next(c);
		t->is_open |= token.is_open;
		if (token.kind == TOKEN_END || (token.kind == TOKEN_LINE && t->n == 0))
			break;
		if (token.kind == TOKEN_LINE && depth == 0) {
			*c = before; /* a directive is a part of its own, except inside braces */
			c->is_line_start = true;
			break;
		}
		add_token(t, &token);
		if (c_token_is_sign(&token, "{") && depth == 0)
			brace = t->n - 1;
		depth += c_token_is_sign(&token, "([{");
		depth -= c_token_is_sign(&token, ")]}");
		t->is_unpaired |= depth < 0;
		if (depth == 0 && c_token_is_sign(&token, ";")) {
			struct c_cursor ahead = *c;
			struct c_token next = c_token_next(&ahead);
			t->has_ended = !(c_token_is_among(&t->list[0], "if")
					 && c_token_is_among(&next, "else"));
			if (t->has_ended)
				break;
		}
		if (depth == 0 && c_token_is_sign(&token, "}") && !goes_on(t, brace, *c)) {
			t->has_ended = ends_at_brace(t, brace) && !c_token_is_among(&t->list[0], "do");
			break;
		}
	}
	t->is_open |= depth > 0;
}
