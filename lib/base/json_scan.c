/* SPDX-License-Identifier: MIT */
#include "base/json_scan.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

static bool is_json_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_spaces(const char *at, const char *end)
{
	while (at < end && is_json_space(*at))
		at++;
	return at;
}

/* `at` is the opening quote. NULL: the string has no end. */
static const char *skip_string(const char *at, const char *end)
{
	for (at++; at < end; at++) {
		if (*at == '"')
			return at + 1;
		if (*at == '\\')
			at++;
	}
	return NULL;
}

static const char *skip_nested(const char *at, const char *end)
{
	size_t depth = 0;
	while (at && at < end) {
		const char c = *at;
		at = c == '"' ? skip_string(at, end) : at + 1;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return at;
	}
	return NULL;
}

static const char *skip_word(const char *at, const char *end)
{
	const char *start = at;
	while (at < end && !is_json_space(*at) && !strchr(",:]}[{\"", *at))
		at++;
	return at > start ? at : NULL;
}

static const char *skip_value(const char *at, const char *end)
{
	if (at >= end)
		return NULL;
	return *at == '"'                 ? skip_string(at, end)
	       : *at == '{' || *at == '[' ? skip_nested(at, end)
					  : skip_word(at, end);
}

bool json_scan(const char *text, size_t n, struct json_value *ret)
{
	const char *end = text + n, *at = skip_spaces(text, end), *after = skip_value(at, end);
	*ret = (struct json_value){at, after ? (size_t)(after - at) : 0};
	return after;
}

bool json_is(struct json_value value, const char *text)
{
	const size_t n = strlen(text);
	return value.n == n + 2 && *value.at == '"' && memcmp(value.at + 1, text, n) == 0;
}

bool json_member(struct json_value object, const char *name, struct json_value *ret)
{
	*ret = (struct json_value){object.at, 0};
	if (object.n < 2 || *object.at != '{')
		return false;
	const char *at = object.at + 1, *end = object.at + object.n - 1;
	for (at = skip_spaces(at, end); at < end && *at == '"'; at = skip_spaces(at, end)) {
		struct json_value key, value;
		json_scan(at, (size_t)(end - at), &key);
		at = skip_spaces(key.at + key.n, end);
		if (!key.n || at >= end || *at != ':' || !json_scan(at + 1, (size_t)(end - at - 1), &value))
			return false;
		if (json_is(key, name)) {
			*ret = value;
			return true;
		}
		at = skip_spaces(value.at + value.n, end);
		if (at >= end || *at++ != ',')
			return false;
	}
	return false;
}

bool json_item(struct json_value *rest, struct json_value *ret)
{
	const char *end = rest->at + rest->n;
	*ret = (struct json_value){rest->at, 0};
	if (!rest->n || (*rest->at != '[' && *rest->at != ','))
		return false;
	if (!json_scan(rest->at + 1, rest->n - 1, ret))
		return false;
	const char *at = skip_spaces(ret->at + ret->n, end);
	*rest = (struct json_value){at, (size_t)(end - at)};
	return true;
}

/* ---- strings ------------------------------------------------------------------------------------- */

uint32_t json_hex4(const char *at, const char *end)
{
	uint32_t value = 0;
	for (int i = 0; i < 4; i++) {
		const char c = at + i < end ? at[i] : 'x';
		const int digit = c >= '0' && c <= '9'   ? c - '0'
				  : c >= 'a' && c <= 'f' ? c - 'a' + 10
				  : c >= 'A' && c <= 'F' ? c - 'A' + 10
							 : -1;
		if (digit < 0)
			return UINT32_MAX;
		value = value << 4 | (uint32_t)digit;
	}
	return value;
}

/* `*at` is behind "\u", and is moved behind what belongs to the character. */
static uint32_t read_unicode(const char **at, const char *end)
{
	enum { REPLACEMENT = 0xFFFD };
	uint32_t high = json_hex4(*at, end), low;
	if (high == UINT32_MAX)
		return REPLACEMENT;
	*at += 4;
	if (high < 0xD800 || high > 0xDFFF)
		return high ? high : REPLACEMENT;
	if (high > 0xDBFF || end - *at < 6 || memcmp(*at, "\\u", 2) != 0)
		return REPLACEMENT;
	low = json_hex4(*at + 2, end);
	if (low < 0xDC00 || low > 0xDFFF)
		return REPLACEMENT;
	*at += 6;
	return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

/* `*at` is behind the backslash. Returns the number of bytes. */
static size_t read_escape(const char **at, const char *end, char out[4])
{
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	const char c = *(*at)++, *letter = strchr(letters, c);
	if (c == 'u')
		return trm_utf8_encode(read_unicode(at, end), out);
	out[0] = c && letter ? meanings[letter - letters] : c;
	return 1;
}

char *json_value_text(struct json_value string, char *out, size_t cap)
{
	const char *at = string.at + 1, *end = string.at + string.n - 1;
	size_t n = 0;
	*out = '\0';
	if (string.n < 2 || *string.at != '"')
		return out;
	while (at < end) {
		char piece[4] = {*at++};
		const size_t n_piece = piece[0] == '\\' && at < end ? read_escape(&at, end, piece) : 1;
		if (n + n_piece >= cap)
			break;
		memcpy(out + n, piece, n_piece);
		n += n_piece;
	}
	out[n] = '\0';
	return out;
}

double json_number(struct json_value value, double otherwise)
{
	char text[32], *end;
	if (!value.n || value.n >= sizeof text || !strchr("-0123456789", *value.at))
		return otherwise;
	snprintf(text, sizeof text, "%.*s", (int)value.n, value.at);
	const double number = strtod(text, &end);
	return *end ? otherwise : number;
}
