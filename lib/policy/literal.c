/* SPDX-License-Identifier: MIT */
#include "policy/literal.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LITERAL_DEPTH = 16 };

bool name_add(struct name *name, const char *text, size_t n)
{
	if (n >= sizeof name->text - name->n)
		return false;
	memcpy(name->text + name->n, text, n);
	name->n += n;
	name->text[name->n] = '\0';
	return true;
}

bool name_ends(const struct name *name, const char *end)
{
	size_t n = strlen(end);
	return name->n >= n && !memcmp(name->text + name->n - n, end, n);
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 0x20) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* Up to `max` digits to a base of 8 or 16; gives how many there are. */
static size_t read_digits(const char *at, size_t left, size_t max, int base, uint32_t *ret)
{
	size_t n = 0;
	for (*ret = 0; n < left && n < max; n++) {
		int digit = hex_digit(at[n]);
		if (digit < 0 || digit >= base)
			break;
		*ret = *ret * (uint32_t)base + (uint32_t)digit;
	}
	return n;
}

/* What is not ASCII is no name that a policy knows. */
static bool add_code_point(struct name *name, uint32_t code)
{
	char c = code < 0x80 ? (char)code : '?';
	return name_add(name, &c, 1);
}

/* An escape behind its backslash; gives how long it is. 0: no room. */
static size_t add_escape(struct name *name, const char *at, size_t left)
{
	uint32_t code;
	size_t is_braced = left > 1 && *at == 'u' && at[1] == '{';
	size_t max = *at == 'x' ? 2 : *at == 'u' ? (is_braced ? 6 : 4) : *at == 'U' ? 8 : 0;
	if (max) {
		size_t skip = 1 + is_braced, n = read_digits(at + skip, left - skip, max, 16, &code);
		return add_code_point(name, code) ? skip + n + (is_braced && skip + n < left) : 0;
	}
	size_t n = read_digits(at, left, 3, 8, &code);
	if (n)
		return add_code_point(name, code) ? n : 0;
	return *at == '\n' || name_add(name, at, 1) ? 1 : 0;
}

bool name_add_escaped(struct name *name, const char *text, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t taken = 1;
		if (text[i] != '\\' || i + 1 == n)
			taken = name_add(name, text + i, 1);
		else if ((taken = add_escape(name, text + i + 1, n - i - 1)))
			taken++;
		if (!taken)
			return false;
		i += taken;
	}
	return true;
}

TSNode node_part(TSNode node, uint32_t nth)
{
	uint32_t n = ts_node_is_null(node) ? 0 : ts_node_named_child_count(node);
	for (uint32_t i = 0; i < n; i++) {
		TSNode part = ts_node_named_child(node, i);
		if (!node_is(part, "comment") && nth-- == 0)
			return part;
	}
	return (TSNode){0};
}

/* r"…" of Python. */
static bool is_raw(const char *code, TSNode string)
{
	TSNode start = ts_node_named_child(string, 0);
	const char *at = code + ts_node_start_byte(string);
	return node_is(start, "string_start")
	       && (memchr(at, 'r', node_size(start)) || memchr(at, 'R', node_size(start)));
}

static bool read_string(const char *code, TSNode string, struct name *out)
{
	bool raw = is_raw(code, string);
	for (uint32_t i = 0; i < ts_node_named_child_count(string); i++) {
		TSNode part = ts_node_named_child(string, i);
		const char *at = code + ts_node_start_byte(part);
		if (node_is(part, "string_start") || node_is(part, "string_end"))
			continue;
		if (!node_is(part, "string_content") && !node_is(part, "string_fragment")
				&& !node_is(part, "escape_sequence"))
			return false;
		if (!(raw ? name_add(out, at, node_size(part)) : name_add_escaped(out, at, node_size(part))))
			return false;
	}
	return true;
}

static bool read_depth(const char *code, TSNode node, struct name *out, int depth)
{
	if (ts_node_is_null(node) || depth == LITERAL_DEPTH)
		return false;
	const char *type = ts_node_type(node);
	if (!strcmp(type, "string") || !strcmp(type, "template_string"))
		return read_string(code, node, out);
	if (!strcmp(type, "parenthesized_expression"))
		return read_depth(code, node_part(node, 0), out, depth + 1);
	if (!strcmp(type, "binary_operator") || !strcmp(type, "binary_expression")) {
		TSNode sign = node_field(node, "operator");
		return node_size(sign) == 1 && code[ts_node_start_byte(sign)] == '+'
		       && read_depth(code, node_field(node, "left"), out, depth + 1)
		       && read_depth(code, node_field(node, "right"), out, depth + 1);
	}
	if (strcmp(type, "concatenated_string"))
		return false;
	for (uint32_t i = 0; i < ts_node_named_child_count(node); i++) {
		TSNode part = ts_node_named_child(node, i);
		if (!node_is(part, "comment") && !read_depth(code, part, out, depth + 1))
			return false;
	}
	return true;
}

bool literal_read(const char *code, TSNode node, struct name *out)
{
	*out = (struct name){0};
	return read_depth(code, node, out, 0);
}
