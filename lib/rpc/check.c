/* SPDX-License-Identifier: MIT */
#include "rpc/check.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"

enum { NUMBER_MAX = 1024, DIGITS_FIT = 300, NAMES_FEW = 8 };

struct reader {
	const char *text;
	size_t at, n;
	unsigned depth, values;
	const char *member; /* of the outermost object; its value is searched for */
	struct rpc_span *span;
	struct trm_error *err;
	bool has_nul;
};

static int fail(struct reader *r, const char *what)
{
	size_t line = 1, start = 0;
	for (size_t i = 0; i < r->at && i < r->n; i++)
		if (r->text[i] == '\n') {
			line++;
			start = i + 1;
		}
	return trm_error_set(r->err, TRM_EPROTO, "%s at line %zu column %zu", what, line, r->at - start + 1);
}

/* The current byte. At the end 0, which JSON never has outside strings. */
static char peek(const struct reader *r)
{
	return r->at < r->n ? r->text[r->at] : '\0';
}

static void skip_blanks(struct reader *r)
{
	for (; r->at < r->n; r->at++) {
		char c = r->text[r->at];
		if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
			return;
	}
}

static int expect(struct reader *r, char c)
{
	static const char *const names[] = {['"'] = "expected a string", [':'] = "expected ':'"};
	if (peek(r) != c)
		return fail(r, r->at < r->n ? names[(int)c] : "unexpected end of the text");
	r->at++;
	return 0;
}

/* ---- strings ---- */

static int read_hex4(struct reader *r, unsigned *ret)
{
	unsigned value = 0;
	for (int i = 0; i < 4; i++, r->at++) {
		unsigned char c = (unsigned char)peek(r);
		if (!isxdigit(c))
			return fail(r, "expected four hexadecimal digits");
		value = value * 16 + (unsigned)(isdigit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	*ret = value;
	return 0;
}

static int read_unicode(struct reader *r)
{
	unsigned high = 0, low = 0;
	if (read_hex4(r, &high) < 0)
		return TRM_EPROTO;
	r->has_nul |= high == 0;
	if (high >= 0xDC00 && high <= 0xDFFF)
		return fail(r, "a lone surrogate in a string");
	if (high < 0xD800 || high > 0xDBFF)
		return 0;
	if (r->n - r->at < 6 || r->text[r->at] != '\\' || r->text[r->at + 1] != 'u')
		return fail(r, "a lone surrogate in a string");
	r->at += 2;
	if (read_hex4(r, &low) < 0)
		return TRM_EPROTO;
	return low >= 0xDC00 && low <= 0xDFFF ? 0 : fail(r, "a lone surrogate in a string");
}

static int read_escape(struct reader *r)
{
	r->at++;
	char c = peek(r);
	if (!c || !strchr("\"\\/bfnrtu", c))
		return fail(r, "no such escape in a string");
	r->at++;
	return c == 'u' ? read_unicode(r) : 0;
}

static int read_code_point(struct reader *r)
{
	uint32_t cp;
	bool is_valid;
	size_t n = trm_utf8_decode(r->text + r->at, r->n - r->at, &cp, &is_valid);
	if (!is_valid)
		return fail(r, "bytes that are not UTF-8");
	r->at += n;
	return 0;
}

static int read_string(struct reader *r)
{
	int e = expect(r, '"');
	while (e == 0) {
		if (r->at >= r->n)
			return fail(r, "unexpected end of a string");
		unsigned char c = (unsigned char)r->text[r->at];
		if (c == '"') {
			r->at++;
			return 0;
		}
		if (c < 0x20)
			return fail(r, "a control character in a string");
		if (c == '\\')
			e = read_escape(r);
		else if (c < 0x80)
			r->at++;
		else
			e = read_code_point(r);
	}
	return e;
}

/* ---- numbers and words ---- */

static size_t read_digits(struct reader *r)
{
	size_t from = r->at;
	while (isdigit((unsigned char)peek(r)))
		r->at++;
	return r->at - from;
}

static int check_size(struct reader *r, size_t from, bool has_exponent)
{
	char number[NUMBER_MAX];
	size_t n = r->at - from;
	if (n <= DIGITS_FIT && !has_exponent)
		return 0;
	if (n < sizeof number) {
		memcpy(number, r->text + from, n);
		number[n] = '\0';
		if (isfinite(strtod(number, NULL)))
			return 0;
	}
	r->at = from;
	return fail(r, "number out of range");
}

static int read_number(struct reader *r)
{
	size_t from = r->at;
	r->at += peek(r) == '-';
	bool is_zero = peek(r) == '0';
	size_t digits = read_digits(r);
	if (!digits || (is_zero && digits > 1))
		return fail(r, "invalid number");
	if (peek(r) == '.') {
		r->at++;
		if (!read_digits(r))
			return fail(r, "invalid number");
	}
	bool has_exponent = (peek(r) | 0x20) == 'e';
	if (has_exponent) {
		r->at++;
		r->at += peek(r) == '+' || peek(r) == '-';
		if (!read_digits(r))
			return fail(r, "invalid number");
	}
	return check_size(r, from, has_exponent);
}

static int read_word(struct reader *r)
{
	static const char *const words[] = {"true", "false", "null"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		if (r->n - r->at >= n && !memcmp(r->text + r->at, words[i], n)) {
			r->at += n;
			return 0;
		}
	}
	return fail(r, r->at < r->n ? "expected value" : "unexpected end of the text");
}

/* ---- values ---- */

static int read_value(struct reader *r);

static bool is_wanted(const struct reader *r, size_t from)
{
	size_t n = r->member && r->depth == 1 ? strlen(r->member) : 0;
	return n && r->at - from == n + 2 && !memcmp(r->text + from + 1, r->member, n);
}

static int read_member(struct reader *r)
{
	size_t from = r->at;
	if (read_string(r) < 0)
		return TRM_EPROTO;
	bool wanted = is_wanted(r, from);
	skip_blanks(r);
	if (expect(r, ':') < 0)
		return TRM_EPROTO;
	skip_blanks(r);
	from = r->at;
	int e = read_value(r);
	if (e == 0 && wanted)
		*r->span = (struct rpc_span){from, r->at - from};
	return e;
}

/* The items between braces or brackets. */
static int read_items(struct reader *r, char close, int (*item)(struct reader *r))
{
	if (++r->depth > RPC_DEPTH_MAX)
		return fail(r, "nested too deeply");
	r->at++;
	skip_blanks(r);
	if (peek(r) != close)
		for (;;) {
			if (item(r) < 0)
				return TRM_EPROTO;
			skip_blanks(r);
			if (peek(r) == close)
				break;
			if (peek(r) != ',')
				return fail(r, r->at < r->n ? "expected ',' or the end of a list"
							    : "unexpected end of the text");
			r->at++;
			skip_blanks(r);
		}
	r->at++;
	r->depth--;
	return 0;
}

static int read_value(struct reader *r)
{
	char c = peek(r);
	if (++r->values > RPC_VALUES_MAX)
		return fail(r, "too many values");
	if (c == '{')
		return read_items(r, '}', read_member);
	if (c == '[')
		return read_items(r, ']', read_value);
	if (c == '"')
		return read_string(r);
	return c == '-' || isdigit((unsigned char)c) ? read_number(r) : read_word(r);
}

int rpc_check(const char *text, size_t n, const char *member, struct rpc_span *ret_span,
		struct trm_error *reterr)
{
	struct rpc_span none = {0};
	struct reader r = {.text = text,
			.n = n,
			.member = member,
			.span = ret_span ? ret_span : &none,
			.err = reterr};
	*r.span = (struct rpc_span){0};
	skip_blanks(&r);
	int e = read_value(&r);
	if (e < 0)
		return e;
	skip_blanks(&r);
	if (r.at != n)
		return fail(&r, "text after the end of the JSON");
	return r.has_nul ? trm_error_set(reterr, TRM_EINVAL, "a NUL character in a string") : 0;
}

/* ---- names ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int fail_duplicate(const char *name, struct trm_error *reterr)
{
	return trm_error_set(reterr, TRM_EPROTO, "duplicate field `%.64s`", name);
}

/* For a few names, comparing all pairs is faster than sorting. */
static int check_few(const cJSON *json, struct trm_error *reterr)
{
	for (const cJSON *a = json->child; a; a = a->next)
		for (const cJSON *b = json->child; b != a; b = b->next)
			if (!strcmp(a->string, b->string))
				return fail_duplicate(a->string, reterr);
	return 0;
}

static int check_object(const cJSON *json, struct trm_error *reterr)
{
	size_t n = 0;
	int e = 0;
	for (const cJSON *item = json->child; item; item = item->next)
		n++;
	if (n <= NAMES_FEW)
		return check_few(json, reterr);
	const char **names = malloc(n * sizeof *names);
	if (!names)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	n = 0;
	for (const cJSON *item = json->child; item; item = item->next)
		names[n++] = item->string;
	qsort(names, n, sizeof *names, by_name);
	for (size_t i = 1; i < n && e == 0; i++)
		if (!strcmp(names[i - 1], names[i]))
			e = fail_duplicate(names[i], reterr);
	free(names);
	return e;
}

int rpc_check_names(const cJSON *json, struct trm_error *reterr)
{
	int e = cJSON_IsObject(json) ? check_object(json, reterr) : 0;
	const cJSON *item;
	cJSON_ArrayForEach(item, json)
	{
		if (e < 0)
			return e;
		if (item->child)
			e = rpc_check_names(item, reterr);
	}
	return e;
}
