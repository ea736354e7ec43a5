/* SPDX-License-Identifier: MIT */
#include "agent/batch/order.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CUT = 0x18 }; /* ends a line whose client has died before it was whole */

struct reader {
	char *at, *end;
};

static bool skip_char(struct reader *r, char c)
{
	while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
		r->at++;
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool read_hex(struct reader *r, uint32_t *ret)
{
	*ret = 0;
	for (int i = 0; i < 4; i++, r->at++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = r->at < r->end && *r->at ? strchr(digits, *r->at | 0x20) : NULL;
		if (!digit || !*digit)
			return false;
		*ret = *ret << 4 | (uint32_t)(digit - digits);
	}
	return true;
}

/* The UTF-8 of a code point is never longer than its escape. */
static char *put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
		*out++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*out++ = (char)(0xe0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	} else {
		*out++ = (char)(0xf0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	}
	return out;
}

/* Read the digits after "\u". */
static bool read_unicode(struct reader *r, char **out)
{
	uint32_t high, low;
	if (!read_hex(r, &high))
		return false;
	if (high >= 0xd800 && high < 0xdc00 && r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u') {
		r->at += 2;
		if (!read_hex(r, &low))
			return false;
		high = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
	}
	*out = put_utf8(*out, high);
	return true;
}

/* Unescape a string in place, and end it with NUL. */
static bool read_text(struct reader *r, const char **ret, size_t *ret_len)
{
	if (!skip_char(r, '"'))
		return false;
	char *from = r->at, *out = r->at;
	while (r->at < r->end && *r->at != '"') {
		if (*r->at != '\\') {
			*out++ = *r->at++;
			continue;
		}
		static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
		char c = ++r->at < r->end ? *r->at++ : '\0';
		const char *plain = c ? strchr(names, c) : NULL;
		if (plain)
			*out++ = meant[plain - names];
		else if (c != 'u' || !read_unicode(r, &out))
			return false;
	}
	if (r->at == r->end)
		return false;
	r->at++;
	*out = '\0';
	*ret = from;
	*ret_len = (size_t)(out - from);
	return true;
}

static bool read_args(struct reader *r, const char **args)
{
	size_t n = 0, len;
	if (!skip_char(r, '['))
		return false;
	if (skip_char(r, ']'))
		return true;
	do
		if (n == ORDER_ARGS || !read_text(r, &args[n++], &len))
			return false;
	while (skip_char(r, ','));
	return skip_char(r, ']');
}

/* A number or a word. */
static bool read_plain(struct reader *r, bool *ret_is_true)
{
	char *from = r->at;
	while (r->at < r->end && !strchr(",}", *r->at))
		r->at++;
	*ret_is_true = r->at - from == 4 && memcmp(from, "true", 4) == 0;
	return r->at > from;
}

static bool read_value(struct reader *r, const char *key, struct order *o)
{
	const struct {
		const char *key, **value;
	} texts[] = {{"op", &o->op}, {"id", &o->id}, {"code", &o->code}, {"file", &o->file},
			{"cwd", &o->cwd}};
	size_t len;
	bool is_true;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!strcmp(key, texts[i].key))
			return read_text(r, texts[i].value, strcmp(key, "code") ? &len : &o->code_len);
	if (!strcmp(key, "args"))
		return read_args(r, o->args);
	if (!strcmp(key, "env"))
		return read_args(r, o->env);
	const char *from = r->at;
	if (!read_plain(r, &is_true))
		return false;
	if (!strcmp(key, "cursor"))
		o->cursor = strtoul(from, NULL, 10); /* the brace ends it, if nothing else does */
	if (!strcmp(key, "program"))
		o->is_program = is_true;
	return true;
}

bool order_read(char *line, size_t n, struct order *ret)
{
	struct reader r = {line, line + n};
	const char *key;
	size_t len;
	*ret = (struct order){.op = "", .id = "", .code = "", .file = "", .cwd = ""};
	if ((n && line[n - 1] == CUT) || !skip_char(&r, '{'))
		return false;
	do
		if (!read_text(&r, &key, &len) || !skip_char(&r, ':') || !read_value(&r, key, ret))
			return false;
	while (skip_char(&r, ','));
	return skip_char(&r, '}');
}
