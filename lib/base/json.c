/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* The second character of a two-character escape, or 0. */
static char short_escape(uint32_t cp)
{
	switch (cp) {
	case '"': return '"';
	case '\\': return '\\';
	case '\n': return 'n';
	case '\r': return 'r';
	case '\t': return 't';
	case '\b': return 'b';
	case '\f': return 'f';
	default: return 0;
	}
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* Sets the high bit of the lowest byte that is zero. The bits of higher bytes may be wrong. */
static uint64_t zero_bytes(uint64_t word)
{
	return (word - EACH_BYTE) & ~word & EACH_BYTE << 7;
}

size_t json_plain_run(const char *s, size_t n)
{
	size_t i = 0;
	for (uint64_t word; i + sizeof word <= n; i += sizeof word) {
		memcpy(&word, s + i, sizeof word);
		if (((word | (word - EACH_BYTE * 0x20) | (word + EACH_BYTE)) & EACH_BYTE << 7)
				|| zero_bytes(word ^ EACH_BYTE * '"') || zero_bytes(word ^ EACH_BYTE * '\\'))
			break;
	}
	while (i < n && is_plain((unsigned char)s[i]))
		i++;
	return i;
}

static bool needs_number(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || (cp >= 0x202A && cp <= 0x202E)
	       || (cp >= 0x2066 && cp <= 0x2069) || cp == 0x2028 || cp == 0x2029 || cp == 0x200E
	       || cp == 0x200F || cp == 0x061C;
}

/* Write a character as it appears in a string. Returns the number of bytes. */
static size_t encode(char out[8], uint32_t cp)
{
	char letter = short_escape(cp);
	if (letter) {
		out[0] = '\\';
		out[1] = letter;
		return 2;
	}
	if (needs_number(cp))
		return (size_t)snprintf(out, 8, "\\u%04x", (unsigned)(cp & 0xFFFF));
	return trm_utf8_encode(cp, out);
}

size_t json_digits(char out[JSON_DIGITS], uint64_t value)
{
	char digits[JSON_DIGITS];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	memcpy(out, digits + at, sizeof digits - at);
	return sizeof digits - at;
}

int json_put_digits(struct buf *out, uint64_t value)
{
	char digits[JSON_DIGITS];
	return buf_append(out, digits, json_digits(digits, value));
}

/* Append the quote and the part that needs no escape, which for most strings is everything. Returns its
 * length. */
static size_t begin_string(struct buf *out, const char *s, size_t n, int *ret)
{
	size_t run = json_plain_run(s, n);
	char *to = n < out->max ? buf_reserve(out, n + 1) : NULL;
	if (!to) {
		*ret = buf_append(out, "\"", 1);
		return 0;
	}
	*to++ = '"';
	if (run)
		memcpy(to, s, run);
	buf_fill(out, run + 1);
	*ret = 0;
	return run;
}

int json_put_string(struct buf *out, const char *s, size_t n)
{
	int r;
	for (size_t i = begin_string(out, s, n, &r); i < n && !r;) {
		size_t run = json_plain_run(s + i, n - i);
		if (run) {
			r = buf_append(out, s + i, run);
			i += run;
			continue;
		}
		uint32_t cp;
		char bytes[8];
		i += trm_utf8_decode(s + i, n - i, &cp, NULL);
		r = buf_append(out, bytes, encode(bytes, cp));
	}
	return r ? r : buf_append(out, "\"", 1);
}

size_t json_string_size(const char *s, size_t n)
{
	size_t size = 2;
	for (size_t i = 0; i < n;) {
		uint32_t cp;
		char bytes[8];
		size_t run = json_plain_run(s + i, n - i);
		if (run) {
			i += run;
			size += run;
			continue;
		}
		i += trm_utf8_decode(s + i, n - i, &cp, NULL);
		size += encode(bytes, cp);
	}
	return size;
}

/* Outside of strings JSON has no backslashes. */
size_t json_nul_offset(const char *json, size_t n)
{
	static const char nul[] = "\\u0000";
	for (size_t i = 0; i + strlen(nul) <= n; i += json[i] == '\\' ? 2 : 1)
		if (!memcmp(json + i, nul, strlen(nul)))
			return i;
	return n;
}
