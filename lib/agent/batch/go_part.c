/* SPDX-License-Identifier: MIT */
#include "agent/batch/go_part.h"

#include <stdio.h>
#include <string.h>

struct go_token {
	const char *at;
	size_t n;
	bool is_word, is_text;
	bool ends_line;  /* a newline stands before it */
	bool is_nothing; /* the end */
};

struct go_scan {
	const char *at, *end;
};

static bool is_go_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_go_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t go_text_size(const char *at, const char *end)
{
	size_t i = 1, left = (size_t)(end - at);
	while (i < left && at[i] != *at && (*at == '`' || at[i] != '\n'))
		i += 1 + (at[i] == '\\' && *at != '`');
	return i < left ? i + 1 : left;
}

/* Bytes of the comment at `at`; 0: none. */
static size_t go_comment_size(const char *at, const char *end)
{
	size_t left = (size_t)(end - at);
	if (left < 2 || *at != '/' || (at[1] != '/' && at[1] != '*'))
		return 0;
	const char *close = at[1] == '/' ? memchr(at, '\n', left) : memmem(at + 2, left - 2, "*/", 2);
	return close ? (size_t)(close - at) + (at[1] == '*' ? 2 : 0) : left;
}

static struct go_token next_go_token(struct go_scan *s)
{
	static const char *const signs[] = {"<<=", ">>=", "&^=", "...", ":=", "++", "--", "<-",
			"==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "&&", "||",
			"<<", ">>"};
	struct go_token t = {.n = 1};
	for (; s->at < s->end; s->at++) {
		size_t comment = go_comment_size(s->at, s->end);
		if (comment) {
			t.ends_line |= memchr(s->at, '\n', comment) != NULL;
			s->at += comment - 1;
		} else if (*s->at == '\n') {
			t.ends_line = true;
		} else if (!strchr(" \t\r", *s->at) || !*s->at) {
			break;
		}
	}
	t.at = s->at;
	size_t left = (size_t)(s->end - s->at);
	if (!left) {
		t.n = 0;
		t.is_nothing = true;
		return t;
	}
	if (is_go_letter(*t.at) || is_go_digit(*t.at)) {
		t.is_word = true;
		while (t.n < left
				&& (is_go_letter(t.at[t.n]) || is_go_digit(t.at[t.n])
						|| (is_go_digit(*t.at) && t.at[t.n] == '.')))
			t.n++;
	} else if (strchr("\"'`", *t.at)) {
		t.is_text = true;
		t.n = go_text_size(t.at, s->end);
	} else {
		for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
			if (left >= strlen(signs[i]) && !memcmp(t.at, signs[i], strlen(signs[i]))) {
				t.n = strlen(signs[i]);
				break;
			}
	}
	s->at += t.n;
	return t;
}

static bool go_token_is(const struct go_token *t, const char *text)
{
	return t->n == strlen(text) && !memcmp(t->at, text, t->n);
}

static bool go_token_among(const struct go_token *t, const char *words)
{
	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");
		if (n == t->n && !memcmp(at, t->at, n))
			return true;
		at += n;
	}
	return false;
}

/* Does a newline behind it end the statement? */
static bool ends_statement(const struct go_token *t)
{
	if (t->is_word)
		return !go_token_among(t,
				"func if for switch select case default go defer else var const type import "
				"struct interface map chan range package goto");
	return t->is_text || go_token_among(t, ") ] } ++ --");
}

static bool opens(const struct go_token *t)
{
	return t->n == 1 && strchr("([{", *t->at) && !t->is_text;
}

static bool closes(const struct go_token *t)
{
	return t->n == 1 && strchr(")]}", *t->at) && !t->is_text;
}

static void add_go_name(struct go_part *p, const char *at, size_t n)
{
	if (p->n_names < GO_NAMES && n < GO_NAME_SIZE)
		snprintf(p->names[p->n_names++], GO_NAME_SIZE, "%.*s", (int)n, at);
}

/* ---- what a part is ---- */

/* "func name(", "func (r *T) name("; a function without a name is an expression. */
static void read_func(struct go_part *p, struct go_scan s)
{
	struct go_token t = next_go_token(&s), type = {0};
	if (t.is_word) {
		add_go_name(p, t.at, t.n);
		p->kind = GO_FUNC;
		return;
	}
	int depth = 0;
	bool is_in_brackets = false;
	do {
		depth += opens(&t) && !go_token_is(&t, "[");
		depth -= closes(&t) && !go_token_is(&t, "]");
		is_in_brackets |= go_token_is(&t, "[");
		if (t.is_word && !is_in_brackets)
			type = t;
		t = next_go_token(&s);
	} while (depth > 0 && !t.is_nothing);
	struct go_token next = next_go_token(&s);
	if (!t.is_word || !go_token_is(&next, "(") || !type.n)
		return;
	char name[GO_NAME_SIZE * 2 + 20];
	int n = snprintf(name, sizeof name, "%.*s.%.*s",
			(int)type.n < GO_NAME_SIZE ? (int)type.n : GO_NAME_SIZE, type.at,
			(int)t.n < GO_NAME_SIZE ? (int)t.n : GO_NAME_SIZE, t.at);
	add_go_name(p, name, n > 0 ? (size_t)n : 0);
	p->kind = GO_FUNC;
}

/* a, b Type = value, value */
static void read_spec(struct go_part *p, struct go_scan s)
{
	const char *end = p->at + p->n;
	struct go_token t = next_go_token(&s);
	for (; t.is_word; t = next_go_token(&s)) {
		add_go_name(p, t.at, t.n);
		t = next_go_token(&s);
		if (!go_token_is(&t, ","))
			break;
	}
	if (!t.is_nothing && !go_token_is(&t, "=")) {
		p->type = t.at;
		p->type_end = end;
	}
	for (int depth = 0; !t.is_nothing; t = next_go_token(&s)) {
		if (depth == 0 && go_token_is(&t, "=")) {
			p->value = t.at + 1;
			p->value_end = end;
			p->type_end = p->type ? t.at : NULL;
			break;
		}
		depth += opens(&t);
		depth -= closes(&t);
	}
}

static void read_define(struct go_part *p, const char *sign)
{
	struct go_scan s = {p->at, sign};
	for (struct go_token t = next_go_token(&s); !t.is_nothing; t = next_go_token(&s))
		if (t.is_word)
			add_go_name(p, t.at, t.n);
	p->kind = GO_DEFINE;
	p->value = sign + 2;
	p->value_end = p->at + p->n;
}

static void tell_go_kind(struct go_part *p, const char *define, bool assigns)
{
	struct go_scan s = {p->at, p->at + p->n};
	struct go_token first = next_go_token(&s);
	struct go_scan behind = s;
	struct go_token second = next_go_token(&s);
	const struct {
		const char *word;
		enum go_kind kind;
	} kinds[] = {{"import", GO_IMPORT}, {"type", GO_TYPE}, {"const", GO_CONST}, {"var", GO_VAR}};
	p->kind = GO_STATEMENT;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (go_token_is(&first, kinds[i].word)) {
			p->kind = kinds[i].kind;
			if (p->kind != GO_IMPORT && !go_token_is(&second, "("))
				read_spec(p, behind);
			return;
		}
	if (go_token_among(&first, "if for switch select go defer return break continue goto fallthrough {")
			|| (first.is_word && go_token_is(&second, ":")))
		return;
	if (define) {
		read_define(p, define);
		return;
	}
	p->kind = assigns ? GO_STATEMENT : GO_EXPRESSION;
	if (go_token_is(&first, "func") && !assigns)
		read_func(p, behind);
}

bool go_part_next(const char *at, size_t n, struct go_part *ret)
{
	struct go_scan s = {at, at + n};
	struct go_token t = next_go_token(&s), last = {0};
	const char *define = NULL, *end;
	bool assigns = false;
	int depth = 0;
	while (go_token_is(&t, ";"))
		t = next_go_token(&s);
	if (t.is_nothing)
		return false;
	*ret = (struct go_part){.at = t.at};
	do {
		bool is_top = depth == 0;
		if (is_top && !define && go_token_is(&t, ":="))
			define = t.at;
		assigns |= is_top && !t.is_text
			   && (go_token_among(&t, "= += -= *= /= %= &= |= ^= <<= >>= &^= ++ --")
					   || (go_token_is(&t, "<-") && last.n && ends_statement(&last)));
		depth += opens(&t);
		depth -= closes(&t);
		last = t;
		end = t.at + t.n;
		t = next_go_token(&s);
	} while (!t.is_nothing
			&& !(depth <= 0 && (go_token_is(&t, ";") || (t.ends_line && ends_statement(&last)))));
	ret->n = (size_t)(end - ret->at);
	tell_go_kind(ret, define, assigns);
	return true;
}

bool go_part_in_group(const struct go_part *group, const char **at, struct go_part *ret)
{
	struct go_scan s = {group->at, group->at + group->n};
	next_go_token(&s);
	struct go_token paren = next_go_token(&s);
	const char *end = group->at + group->n - 1;
	if (!go_token_is(&paren, "("))
		return false;
	if (!*at)
		*at = paren.at + 1;
	if (!go_part_next(*at, (size_t)(end - *at), ret))
		return false;
	*at = ret->at + ret->n;
	ret->n_names = 0;
	ret->kind = group->kind;
	ret->type = ret->value = NULL;
	read_spec(ret, (struct go_scan){ret->at, ret->at + ret->n});
	return true;
}

bool go_part_value(const char *at, size_t n, struct go_part *ret)
{
	struct go_scan s = {at, at + n};
	struct go_token t = next_go_token(&s);
	const char *end = at;
	if (t.is_nothing)
		return false;
	*ret = (struct go_part){.kind = GO_EXPRESSION, .at = t.at};
	for (int depth = 0; !t.is_nothing && !(depth == 0 && go_token_is(&t, ",")); t = next_go_token(&s)) {
		depth += opens(&t);
		depth -= closes(&t);
		end = t.at + t.n;
	}
	ret->n = (size_t)(end - ret->at);
	return true;
}

bool go_part_is_program(const char *code, size_t n)
{
	struct go_scan s = {code, code + n};
	struct go_token t = next_go_token(&s);
	return go_token_is(&t, "package");
}

bool go_part_uses(const char *at, size_t n, const char *word)
{
	struct go_scan s = {at, at + n};
	struct go_token before = {0}, t = next_go_token(&s);
	for (; !t.is_nothing; before = t, t = next_go_token(&s)) {
		struct go_scan ahead = s;
		struct go_token next = next_go_token(&ahead);
		if (t.is_word && go_token_is(&t, word) && go_token_is(&next, ".")
				&& !(before.n && go_token_is(&before, ".")))
			return true;
	}
	return false;
}
