/* SPDX-License-Identifier: MIT */
#include "notebook/json_span.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

/* ---- checking ---- */

struct checker {
	const char *at, *end;
	const char *why; /* NULL: there is no error */
	int depth;
};

static bool check_fails(struct checker *c, const char *why)
{
	c->why = c->why ? c->why : why;
	return false;
}

static void skip_blanks(struct checker *c)
{
	while (c->at < c->end && memchr(" \t\r\n", *c->at, 4))
		c->at++;
}

static bool check_hex(struct checker *c)
{
	for (int i = 0; i < 4; i++, c->at++)
		if (c->at == c->end || !memchr("0123456789abcdefABCDEF", *c->at, 22))
			return check_fails(c, "a character's number is not complete");
	return true;
}

static bool check_escape(struct checker *c)
{
	if (c->at == c->end || !memchr("\"\\/bfnrtu", *c->at, 9))
		return check_fails(c, "there is no such escape sequence");
	return *c->at++ != 'u' || check_hex(c);
}

static bool check_string(struct checker *c)
{
	bool is_valid;
	uint32_t cp;

	for (c->at++; c->at < c->end && *c->at != '"';) {
		if ((unsigned char)*c->at < 0x20)
			return check_fails(c, "there is a control character in a string");
		if (*c->at == '\\') {
			c->at++;
			if (!check_escape(c))
				return false;
			continue;
		}
		size_t n = trm_utf8_decode(c->at, (size_t)(c->end - c->at), &cp, &is_valid);
		if (!is_valid)
			return check_fails(c, "it is not UTF-8 text");
		c->at += n;
	}
	if (c->at == c->end)
		return check_fails(c, "a string does not end");
	c->at++;
	return true;
}

static size_t skip_digits(struct checker *c)
{
	const char *start = c->at;

	while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
		c->at++;
	return (size_t)(c->at - start);
}

static bool check_number(struct checker *c)
{
	c->at += *c->at == '-';
	bool is_zero = c->at < c->end && *c->at == '0';
	size_t n = skip_digits(c);

	if (n == 0 || (is_zero && n > 1))
		return check_fails(c, "a value is expected");
	if (c->at < c->end && *c->at == '.') {
		c->at++;
		if (skip_digits(c) == 0)
			return check_fails(c, "a number is not complete");
	}
	if (c->at < c->end && (*c->at == 'e' || *c->at == 'E')) {
		c->at++;
		if (c->at < c->end && (*c->at == '+' || *c->at == '-'))
			c->at++;
		if (skip_digits(c) == 0)
			return check_fails(c, "a number is not complete");
	}
	return true;
}

static bool check_word(struct checker *c)
{
	/* Python writes the last three, which Jupyter keeps. */
	static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		if ((size_t)(c->end - c->at) >= n && memcmp(c->at, words[i], n) == 0) {
			c->at += n;
			return true;
		}
	}
	return *c->at == '-' || (*c->at >= '0' && *c->at <= '9') ? check_number(c)
								 : check_fails(c, "a value is expected");
}

static bool check_value(struct checker *c);

static bool check_key(struct checker *c)
{
	if (c->at == c->end || *c->at != '"')
		return check_fails(c, "a name in quotes is expected");
	if (!check_string(c))
		return false;
	skip_blanks(c);
	if (c->at == c->end || *c->at != ':')
		return check_fails(c, "a colon is expected");
	c->at++;
	return true;
}

static bool check_items(struct checker *c, char closer)
{
	c->at++;
	skip_blanks(c);
	if (c->at < c->end && *c->at == closer) {
		c->at++;
		return true;
	}
	for (;;) {
		skip_blanks(c);
		if ((closer == '}' && !check_key(c)) || !check_value(c))
			return false;
		skip_blanks(c);
		if (c->at == c->end)
			return check_fails(c, "it ends too early");
		if (*c->at == closer)
			break;
		if (*c->at != ',')
			return check_fails(c, "a comma is expected");
		c->at++;
	}
	c->at++;
	return true;
}

static bool check_value(struct checker *c)
{
	skip_blanks(c);
	if (c->at == c->end)
		return check_fails(c, "it ends too early");
	if (*c->at == '"')
		return check_string(c);
	if (*c->at != '{' && *c->at != '[')
		return check_word(c);
	if (c->depth == SPAN_DEPTH_MAX)
		return check_fails(c, "lists and objects are nested more than 100 deep");
	c->depth++;
	bool is_right = check_items(c, *c->at == '{' ? '}' : ']');
	c->depth--;
	return is_right;
}

int span_check(const char *json, size_t n, struct json_span *ret, struct trm_error *reterr)
{
	struct checker c = {.at = json, .end = json + n};
	size_t line = 1;

	if (n >= 3 && memcmp(json, "\xef\xbb\xbf", 3) == 0)
		c.at += 3;
	skip_blanks(&c);
	const char *start = c.at;
	bool is_right = check_value(&c);
	const char *end = c.at;
	skip_blanks(&c);
	if (is_right && c.at < c.end)
		is_right = check_fails(&c, "there is something behind its end");
	if (is_right) {
		*ret = (struct json_span){start, (size_t)(end - start)};
		return 0;
	}
	for (const char *p = json; p < c.at; p++)
		line += *p == '\n';
	return trm_error_set(reterr, TRM_EPROTO, "it is not a valid JSON object (line %zu: %s)", line, c.why);
}

/* ---- walking ---- */

static const char *skip_white(const char *p, const char *end)
{
	while (p < end && memchr(" \t\r\n,:", *p, 6))
		p++;
	return p;
}

static const char *string_end(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\';
	return p < end ? p + 1 : end;
}

/* The end of the value that begins at p. */
static const char *value_end(const char *p, const char *end)
{
	size_t depth = 0;

	if (p < end && *p == '"')
		return string_end(p, end);
	if (p < end && *p != '{' && *p != '[') {
		while (p < end && !memchr(" \t\r\n,]}", *p, 7))
			p++;
		return p;
	}
	while (p < end) {
		if (*p == '"') {
			p = string_end(p, end);
			continue;
		}
		depth += *p == '{' || *p == '[';
		depth -= *p == '}' || *p == ']';
		p++;
		if (depth == 0)
			break;
	}
	return p;
}

struct span_items span_items(struct json_span value)
{
	if (!span_is_object(value) && !span_is_list(value))
		return (struct span_items){0};
	return (struct span_items){value.at + 1, value.at + value.n - 1, span_is_object(value)};
}

bool span_next(struct span_items *items, struct json_span *ret_key, struct json_span *ret_value)
{
	const char *at = skip_white(items->at, items->end), *end;

	if (!items->at || at >= items->end)
		return false;
	*ret_key = (struct json_span){0};
	if (items->is_object) {
		end = string_end(at, items->end);
		*ret_key = (struct json_span){at, (size_t)(end - at)};
		at = skip_white(end, items->end);
	}
	end = value_end(at, items->end);
	*ret_value = (struct json_span){at, (size_t)(end - at)};
	items->at = end;
	return true;
}

bool span_is_object(struct json_span value)
{
	return value.at && value.n >= 2 && value.at[0] == '{';
}

bool span_is_list(struct json_span value)
{
	return value.at && value.n >= 2 && value.at[0] == '[';
}

bool span_is_string(struct json_span value)
{
	return value.at && value.n >= 2 && value.at[0] == '"';
}

bool span_is(struct json_span string, const char *text)
{
	size_t n = strlen(text);

	if (!span_is_string(string))
		return false;
	if (!memchr(string.at, '\\', string.n))
		return string.n == n + 2 && memcmp(string.at + 1, text, n) == 0;
	char *plain = span_text(string, &n);
	bool is_same = plain && strcmp(plain, text) == 0;
	free(plain);
	return is_same;
}

struct json_span span_member(struct json_span object, const char *name)
{
	struct span_items items = span_items(object);
	struct json_span key, value, found = {0};

	while (items.is_object && span_next(&items, &key, &value))
		if (span_is(key, name))
			found = value;
	return found;
}

/* ---- strings ---- */

static unsigned hex4(const char *p)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++)
		value = value * 16 + (unsigned)(p[i] <= '9' ? p[i] - '0' : (p[i] | 0x20) - 'a' + 10);
	return value;
}

/* Decode an escape sequence after its backslash. Returns the position after it. */
static const char *take_escape(const char *p, const char *end, uint32_t *ret)
{
	static const char names[] = "bfnrt", values[] = "\b\f\n\r\t";
	const char *name = strchr(names, *p);

	if (*p != 'u') {
		*ret = name ? (unsigned char)values[name - names] : (unsigned char)*p;
		return p + 1;
	}
	*ret = hex4(p + 1);
	p += 5;
	if (*ret >= 0xd800 && *ret < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
		unsigned low = hex4(p + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			*ret = 0x10000 + ((*ret - 0xd800) << 10) + (low - 0xdc00);
			p += 6;
		}
	}
	if (*ret == 0 || (*ret >= 0xd800 && *ret < 0xe000))
		*ret = 0xfffd;
	return p;
}

char *span_text(struct json_span string, size_t *ret_n)
{
	char *out = span_is_string(string) ? malloc(string.n + 1) : NULL;
	uint32_t cp;
	size_t n = 0;

	if (!out)
		return NULL;
	const char *end = string.at + string.n - 1;
	for (const char *p = string.at + 1; p < end;) {
		if (*p != '\\') {
			out[n++] = *p++;
			continue;
		}
		p = take_escape(p + 1, end, &cp);
		char bytes[4]; /* never longer than the escape sequence */
		size_t len = trm_utf8_encode(cp, bytes);
		memcpy(out + n, bytes, len);
		n += len;
	}
	out[n] = '\0';
	*ret_n = n;
	return out;
}

void span_put_string(FILE *out, const char *text, size_t n)
{
	static const char plain[] = "\"\\\b\f\n\r\t", escaped[] = "\"\\bfnrt";

	putc('"', out);
	for (size_t at = 0; at < n;) {
		unsigned char c = (unsigned char)text[at];
		const char *special = c ? strchr(plain, c) : NULL;
		bool is_valid;
		uint32_t cp;
		if (special) {
			fprintf(out, "\\%c", escaped[special - plain]);
			at++;
		} else if (c < 0x20) {
			fprintf(out, "\\u%04x", c);
			at++;
		} else {
			size_t len = trm_utf8_decode(text + at, n - at, &cp, &is_valid);
			fwrite(is_valid ? text + at : "\xef\xbf\xbd", 1, is_valid ? len : 3, out);
			at += len;
		}
	}
	putc('"', out);
}

/* ---- white space ---- */

void span_put_break(FILE *out, const char *indent, int depth)
{
	if (!indent) {
		putc(' ', out);
		return;
	}
	putc('\n', out);
	for (int i = 0; i < depth; i++)
		fputs(indent, out);
}

void span_put_indented(FILE *out, struct json_span value, const char *indent, int depth)
{
	const char *end = value.at + value.n;

	for (const char *p = value.at; p < end;) {
		const char *next = p;
		if (*p == '"') {
			next = string_end(p, end);
			fwrite(p, 1, (size_t)(next - p), out);
			p = next;
			continue;
		}
		p++;
		if (memchr(" \t\r\n", *next, 4))
			continue;
		bool is_open = *next == '{' || *next == '[', is_close = *next == '}' || *next == ']';
		const char *inside = p;
		while (is_open && inside < end && memchr(" \t\r\n", *inside, 4))
			inside++;
		if (is_open && inside < end && (*inside == '}' || *inside == ']')) {
			fprintf(out, "%c%c", *next, *inside);
			p = inside + 1;
			continue;
		}
		depth += is_open - is_close;
		if (is_close && indent)
			span_put_break(out, indent, depth);
		putc(*next, out);
		if ((is_open && indent) || *next == ',')
			span_put_break(out, indent, depth);
		else if (*next == ':')
			putc(' ', out);
	}
}
