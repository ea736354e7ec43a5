/* SPDX-License-Identifier: MIT */
#include "agent/batch/part_read.h"

#include <string.h>

static const char TAGS[] = "struct class union enum";
static const char BUILTIN[] =
		"auto unsigned signed int char long short float double bool void wchar_t char8_t "
		"char16_t char32_t _Bool __int128 __auto_type";
static const char DECLARING[] =
		"inline constexpr constinit consteval const static thread_local _Thread_local "
		"volatile typename register alignas _Alignas _Complex";
static const char VERBATIM[] = "using typedef static_assert _Static_assert concept extern friend";
static const char EXPRESSING[] = "new delete sizeof this alignof true false nullptr static_cast dynamic_cast "
				 "const_cast reinterpret_cast co_await typeid noexcept not compl";

/* ---- kinds ---- */

/* Index behind the balanced brackets that begin at i. */
static size_t behind_brackets(const struct tokens *t, size_t i)
{
	int depth = 0;
	for (; i < t->n; i++) {
		depth += c_token_is_sign(&t->list[i], "([{");
		depth -= c_token_is_sign(&t->list[i], ")]}");
		if (!depth)
			return i + 1;
	}
	return t->n;
}

/* Index behind <…>; i if there are no angle brackets. */
static size_t behind_angles(const struct tokens *t, size_t i)
{
	int depth = 0;
	for (size_t k = i; k < t->n; k++) {
		if (c_token_is_sign(&t->list[k], "([{")) {
			k = behind_brackets(t, k) - 1;
			continue;
		}
		depth += c_token_is_sign(&t->list[k], "<");
		depth -= c_token_is_sign(&t->list[k], ">");
		if (!depth)
			return k + 1;
		if (c_token_is_sign(&t->list[k], ";="))
			break;
	}
	return i;
}

/* Index behind a::b<c>::d; i if there is no name. */
static size_t behind_name(const struct tokens *t, size_t i)
{
	size_t k = i + (i < t->n && c_token_is(&t->list[i], "::"));
	while (k < t->n && t->list[k].kind == TOKEN_WORD) {
		k++;
		if (k < t->n && c_token_is_sign(&t->list[k], "<"))
			k = behind_angles(t, k);
		if (k + 1 < t->n && c_token_is(&t->list[k], "::") && t->list[k + 1].kind == TOKEN_WORD)
			k++;
		else
			return k;
	}
	return k > i ? k : i;
}

static bool is_star(const struct c_token *t)
{
	return t->kind == TOKEN_SIGN && (c_token_is_sign(t, "*&") || c_token_is(t, "&&"));
}

/* True if tokens that begin with a name (not a keyword) form a declaration. */
static bool declares(const struct tokens *t, part_knows *knows, void *user)
{
	size_t i = behind_name(t, 0);
	if (i >= t->n || i == 0 || (i == 1 && knows(user, t->list[0].at, t->list[0].n)))
		return false;
	const struct c_token *next = &t->list[i];
	if (c_token_is(&t->list[i - 1], "operator"))
		return true;
	if (next->kind == TOKEN_WORD)
		return true;
	if (c_token_is_sign(next, "(") && i > 2 && c_token_is(&t->list[i - 2], "::") && t->has_ended
			&& c_token_is_sign(&t->list[t->n - 1], "}"))
		return true; /* definition of a constructor */
	if (c_token_is(next, "::") || !is_star(next))
		return false;
	while (i < t->n && (is_star(&t->list[i]) || c_token_is_among(&t->list[i], "const volatile")))
		i++;
	if (i + 1 >= t->n || t->list[i].kind != TOKEN_WORD)
		return false;
	next = &t->list[i + 1];
	return c_token_is_sign(next, "=;[,{(") || c_token_is(next, "::")
	       || c_token_is_among(&t->list[i], "operator");
}

/* True for parameters, false for arguments. */
static bool are_parameters(const struct tokens *t, size_t paren, part_knows *knows, void *user)
{
	struct c_token first = t->list[paren + 1];
	if (c_token_is_sign(&first, ")") || c_token_is_among(&first, BUILTIN)
			|| c_token_is_among(&first, DECLARING) || c_token_is_among(&first, TAGS))
		return true;
	if (first.kind != TOKEN_WORD || knows(user, first.at, first.n))
		return false;
	size_t i = behind_name(t, paren + 1);
	while (i < t->n && is_star(&t->list[i]))
		i++;
	return i < t->n
	       && (t->list[i].kind == TOKEN_WORD
			       || (is_star(&t->list[i - 1]) && c_token_is_sign(&t->list[i], ",)")));
}

static void add_name(struct part *p, const struct c_token *t)
{
	if (p->n_names == PART_NAMES || t->n >= PART_NAME_SIZE)
		return;
	p->names[p->n_names] = t->at;
	p->name_len[p->n_names++] = t->n;
}

/* Index behind the specifiers, which precede the first declarator. *ret_tag is the index of the tag (n:
 * none). */
static size_t behind_specifiers(const struct tokens *t, size_t *ret_tag)
{
	size_t i = 0;
	bool has_type = false;
	*ret_tag = t->n;
	while (i < t->n) {
		const struct c_token *one = &t->list[i];
		if (c_token_is_among(one, TAGS)) {
			*ret_tag = i;
			i += 1 + c_token_is_among(&t->list[i + 1 < t->n ? i + 1 : i], "class struct");
			size_t name = behind_name(t, i);
			while (name < t->n && !c_token_is_sign(&t->list[name], "{;=,(*&[")
					&& t->list[name].kind != TOKEN_WORD)
				name++;
			if (name < t->n && c_token_is_sign(&t->list[name], "{"))
				name = behind_brackets(t, name);
			i = name;
			has_type = true;
		} else if (c_token_is_among(one,
					   "decltype __typeof__ typeof alignas _Alignas __attribute__")) {
			has_type |= !c_token_is_among(one, "alignas _Alignas __attribute__");
			i = i + 1 < t->n ? behind_brackets(t, i + 1) : t->n;
		} else if (c_token_is_among(one, BUILTIN)) {
			has_type = true;
			i++;
		} else if (c_token_is_among(one, DECLARING)) {
			i++;
		} else if (c_token_is_sign(one, "[") && i + 1 < t->n
				&& c_token_is_sign(&t->list[i + 1], "[")) {
			i = behind_brackets(t, i);
		} else if (one->kind == TOKEN_WORD && !has_type) {
			size_t next = behind_name(t, i);
			if (next < t->n && c_token_is_sign(&t->list[next], "("))
				return i; /* constructor */
			has_type = true;
			i = next;
		} else {
			break;
		}
	}
	return i;
}

/* Read the names and the form of the declarators from token i on. */
static void read_declarators(const struct tokens *t, size_t i, struct part *p, part_knows *knows, void *user)
{
	while (i < t->n) {
		while (i < t->n && (is_star(&t->list[i]) || c_token_is_among(&t->list[i], "const volatile")))
			i++;
		if (i < t->n && c_token_is_sign(&t->list[i], "(") && i + 1 < t->n
				&& is_star(&t->list[i + 1])) {
			size_t k = i; /* (*name)(…) */
			i = behind_brackets(t, i);
			while (k < i && t->list[k].kind != TOKEN_WORD)
				k++;
			if (k < i)
				add_name(p, &t->list[k]);
			if (i < t->n && c_token_is_sign(&t->list[i], "("))
				i = behind_brackets(t, i);
		} else {
			size_t next = behind_name(t, i);
			if (next == i)
				return;
			if (c_token_is_among(&t->list[next - 1], "operator")) {
				p->kind = PART_FUNCTION;
				return;
			}
			bool is_member = next > i + 1;
			if (!is_member)
				add_name(p, &t->list[i]);
			i = next;
			if (i < t->n && c_token_is_sign(&t->list[i], "(") && p->kind != PART_FUNCTION) {
				bool has_body = c_token_is_sign(&t->list[t->n - 1], "}");
				size_t end = behind_brackets(t, i);
				if (has_body)
					p->kind = PART_FUNCTION;
				else if (are_parameters(t, i, knows, user))
					p->kind = PART_TYPE;
				else
					p->body = t->list[i].at;
				if (has_body)
					while (end < t->n && !c_token_is_sign(&t->list[end], "{"))
						end++;
				if (has_body && end < t->n)
					p->body = t->list[end].at;
				i = end;
			}
		}
		while (i < t->n && c_token_is_sign(&t->list[i], "[")) {
			p->has_brackets = true;
			i = behind_brackets(t, i);
		}
		if (i < t->n && !p->body && c_token_is_sign(&t->list[i], "={"))
			p->body = t->list[i].at;
		while (i < t->n && !c_token_is_sign(&t->list[i], ",;"))
			i = c_token_is_sign(&t->list[i], "([{") ? behind_brackets(t, i) : i + 1;
		if (i >= t->n || !c_token_is_sign(&t->list[i], ",") || p->kind == PART_FUNCTION)
			return;
		i++;
	}
}

static void read_binding(const struct tokens *t, size_t bracket, struct part *p)
{
	p->kind = PART_BINDING;
	size_t i = bracket + 1;
	for (; i < t->n && !c_token_is_sign(&t->list[i], "]"); i++)
		if (t->list[i].kind == TOKEN_WORD)
			add_name(p, &t->list[i]);
	p->body = i + 1 < t->n ? t->list[i + 1].at : NULL;
}

static void read_declaration(const struct tokens *t, struct part *p, part_knows *knows, void *user)
{
	size_t tag, i = behind_specifiers(t, &tag);
	p->kind = PART_OBJECT;
	if (tag < t->n && (i >= t->n || c_token_is_sign(&t->list[i], ";"))) {
		p->kind = PART_TYPE;
		for (size_t k = tag + 1; k < t->n && k < i && t->list[k].kind == TOKEN_WORD; k++)
			if (!c_token_is_among(&t->list[k], "class struct final")) {
				add_name(p, &t->list[k]);
				break;
			}
		return;
	}
	size_t k = i;
	while (k < t->n && is_star(&t->list[k]))
		k++;
	if (k < t->n && c_token_is_sign(&t->list[k], "[")) {
		read_binding(t, k, p);
		return;
	}
	read_declarators(t, i, p, knows, user);
}

static void name_type(const struct tokens *t, struct part *p)
{
	if (c_token_is_among(&t->list[0], "using") && t->n > 2 && c_token_is_sign(&t->list[2], "="))
		add_name(p, &t->list[1]);
	else if (c_token_is_among(&t->list[0], "typedef") && t->n > 2 && t->list[t->n - 2].kind == TOKEN_WORD)
		add_name(p, &t->list[t->n - 2]);
	else if (c_token_is_among(&t->list[0], "template")) {
		struct tokens *rest = (struct tokens *)t; /* read behind the parameters */
		size_t i = behind_angles(rest, 1);
		for (; i + 1 < t->n; i++)
			if (c_token_is_among(&t->list[i], "struct class concept")
					&& t->list[i + 1].kind == TOKEN_WORD) {
				add_name(p, &t->list[i + 1]);
				return;
			} else if (t->list[i].kind == TOKEN_WORD && c_token_is_sign(&t->list[i + 1], "(=")) {
				add_name(p, &t->list[i]);
				return;
			}
	}
}

static void tell_kind(const struct tokens *t, struct part *p, part_knows *knows, void *user)
{
	const struct c_token *first = &t->list[0], *second = &t->list[t->n > 1];
	bool has_end = c_token_is_sign(&t->list[t->n - 1], ";");
	p->kind = PART_STATEMENT;
	if (c_token_is_among(first, C_STATEMENTS) || c_token_is_sign(first, "{;"))
		return;
	if (c_token_is_among(first, "namespace")
			|| (c_token_is_among(first, "inline") && c_token_is_among(second, "namespace"))
			|| (c_token_is_among(first, "extern") && second->kind == TOKEN_TEXT)) {
		p->kind = c_token_is_sign(&t->list[t->n - 1], "}") ? PART_NAMESPACE : PART_TYPE;
	} else if (c_token_is_among(first, VERBATIM) || c_token_is_among(first, "template")) {
		p->kind = PART_TYPE;
		name_type(t, p);
	} else if (c_token_is_among(first, TAGS) || c_token_is_among(first, DECLARING)
			|| (c_token_is_among(first, BUILTIN)
					&& (!c_token_is_sign(second, "({")
							|| (t->n > 2 && is_star(&t->list[2]))))
			|| (c_token_is_among(first, "decltype __typeof__ typeof") && t->n > 1
					&& behind_brackets(t, 1) < t->n
					&& t->list[behind_brackets(t, 1)].kind == TOKEN_WORD)
			|| (c_token_is_sign(first, "[") && c_token_is_sign(second, "["))
			|| (!c_token_is_among(first, EXPRESSING) && declares(t, knows, user))) {
		read_declaration(t, p, knows, user);
	} else if (!has_end) {
		p->kind = PART_EXPRESSION;
	}
	if (p->kind != PART_EXPRESSION && p->kind != PART_STATEMENT)
		p->is_unended = !t->has_ended;
}

static bool is_system_include(const struct c_token *t)
{
	const char *at = t->at + 1, *end = t->at + t->n;
	at += strspn(at, " \t");
	if (end - at < 8 || strncmp(at, "include", 7) != 0)
		return false;
	at += 7;
	at += strspn(at, " \t");
	return at < end && *at == '<';
}

static bool next_part(struct c_cursor *c, part_knows *knows, void *user, struct tokens *t, struct part *ret)
{
	*ret = (struct part){0};
	struct c_cursor here = *c;
	struct c_token first = c_token_next(&here);
	t->is_open = first.is_open;
	t->is_unpaired = false;
	t->n = 0;
	if (first.kind == TOKEN_END)
		return false;
	ret->at = first.at;
	if (first.kind == TOKEN_LINE) {
		ret->n = part_directive_size(&here, first);
		ret->kind = is_system_include(&first) ? PART_INCLUDE : PART_DIRECTIVE;
		t->has_ended = true;
		c->at = ret->at + ret->n;
		return true;
	}
	part_read(c, t);
	ret->n = (size_t)(t->end - ret->at);
	tell_kind(t, ret, knows, user);
	return true;
}

bool part_next(const char *at, size_t n, part_knows *knows, void *user, struct part *ret)
{
	static struct tokens t;
	struct c_cursor c = {at, at + n, true};
	return next_part(&c, knows, user, &t, ret);
}

/* ---- about all of the code ---- */

static bool knows_nothing(void *user, const char *name, size_t n)
{
	(void)user, (void)name, (void)n;
	return false;
}

bool part_has_main(const char *code, size_t n)
{
	struct part p;
	const char *end = code + n;
	for (; part_next(code, (size_t)(end - code), knows_nothing, NULL, &p); code = p.at + p.n)
		if (p.kind == PART_FUNCTION && p.n_names && p.name_len[0] == 4
				&& !memcmp(p.names[0], "main", 4))
			return true;
	return false;
}

/* True if a head still lacks its body. */
static bool wants_more(const struct tokens *t, const struct part *p)
{
	const struct c_token *first = &t->list[0], *last = &t->list[t->n - 1];
	if (c_token_is_among(first, "if for while switch") && c_token_is_sign(last, ")"))
		return true;
	if (c_token_is_among(last, "else do try") || c_token_is_among(first, "template namespace"))
		return !t->has_ended;
	if (p->kind == PART_STATEMENT)
		return !t->has_ended && c_token_is_among(first, "do return throw goto");
	if (p->kind == PART_EXPRESSION)
		return c_token_is_sign(last, "+-*/%=<>&|^,.?:!~") || c_token_is(last, "->")
		       || c_token_is(last, "::") || c_token_is(last, "&&");
	return p->is_unended && !(p->kind == PART_OBJECT && p->body && !c_token_is_sign(last, "=,"))
	       && p->kind != PART_BINDING;
}

enum part_state part_state_of(const char *code, size_t n, part_knows *knows, void *user)
{
	static struct tokens t;
	struct c_cursor c = {code, code + n, true};
	struct part p;
	while (next_part(&c, knows, user, &t, &p)) {
		if (t.is_unpaired)
			return PART_INVALID;
		if (t.is_open || (t.n && wants_more(&t, &p)))
			return PART_INCOMPLETE;
		if (!t.n && p.n > 3 && strspn(p.at + 1, " \t") + 1 < p.n
				&& !strncmp(p.at + 1 + strspn(p.at + 1, " \t"), "if", 2)
				&& !memmem(p.at, p.n, "endif", 5))
			return PART_INCOMPLETE;
	}
	return t.is_open || (n >= 2 && !memcmp(code + n - 2, "\\\n", 2)) ? PART_INCOMPLETE : PART_COMPLETE;
}
