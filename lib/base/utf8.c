/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define REPLACEMENT 0xFFFDu

size_t trm_utf8_decode(const char *s, size_t n, uint32_t *ret_cp, bool *ret_valid)
{
	const unsigned char *p = (const unsigned char *)s;
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = p[0] < 0x80                   ? 1
		     : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
		     : (p[0] & 0xF0) == 0xE0       ? 3
		     : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
						   : 0;
	if (ret_valid)
		*ret_valid = true;
	if (len == 1) {
		*ret_cp = p[0];
		return 1;
	}
	if (len && len <= n) {
		uint32_t cp = p[0] & (0xFFu >> (len + 1));
		size_t i = 1;
		for (; i < len && (p[i] & 0xC0) == 0x80; i++)
			cp = cp << 6 | (p[i] & 0x3F);
		if (i == len && cp >= least[len] && cp <= 0x10FFFF && (cp < 0xD800 || cp > 0xDFFF)) {
			*ret_cp = cp;
			return len;
		}
	}
	*ret_cp = REPLACEMENT;
	if (ret_valid)
		*ret_valid = false;
	return 1;
}

size_t trm_utf8_encode(uint32_t cp, char out[4])
{
	if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		cp = REPLACEMENT;
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xC0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3F));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xE0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3F));
		out[2] = (char)(0x80 | (cp & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3F));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3F));
	out[3] = (char)(0x80 | (cp & 0x3F));
	return 4;
}

/* How many bytes from `at` on are ASCII, checked eight at a time. */
static size_t ascii_run(const char *s, size_t n, size_t at)
{
	size_t i = at;
	for (uint64_t word; i + sizeof word <= n; i += sizeof word) {
		memcpy(&word, s + i, sizeof word);
		if (word & UINT64_C(0x8080808080808080))
			break;
	}
	return i - at;
}

bool utf8_is_valid(const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint32_t cp;
		size_t run = ascii_run(s, n, i);
		if (run) {
			i += run;
			continue;
		}
		bool valid;
		i += trm_utf8_decode(s + i, n - i, &cp, &valid);
		if (!valid)
			return false;
	}
	return true;
}

bool trm_text_is_deceptive(uint32_t cp)
{
	return (cp >= 0x80 && cp < 0xA0) || cp == 0x61C || cp == 0x200B || cp == 0x200E || cp == 0x200F
	       || (cp >= 0x2028 && cp <= 0x202E) || (cp >= 0x2060 && cp <= 0x206F) || cp == 0xFEFF
	       || (cp >= 0xFFF9 && cp <= 0xFFFB);
}

static bool is_unfit(uint32_t cp)
{
	return cp < 0x20 || cp == 0x7F || trm_text_is_deceptive(cp);
}

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7F;
}

size_t trm_text_clean_line(char *out, size_t cap, const char *s, size_t n)
{
	size_t len = 0;
	for (size_t i = 0; i < n;) {
		uint32_t cp;
		char enc[4];
		if (is_plain(s[i]) && len + 2 <= cap) {
			out[len++] = s[i++];
			continue;
		}
		i += trm_utf8_decode(s + i, n - i, &cp, NULL);
		if (cp == '\n' || cp == '\t' || cp == '\r')
			cp = ' ';
		size_t k = trm_utf8_encode(is_unfit(cp) ? REPLACEMENT : cp, enc);
		if (len + k + 1 > cap)
			break;
		memcpy(out + len, enc, k);
		len += k;
	}
	if (cap)
		out[len] = '\0';
	return len;
}

char *utf8_repair(const char *s, size_t n, size_t *ret_len)
{
	char *out = malloc(n * 3 + 1);
	size_t len = 0;
	if (!out)
		return NULL;
	for (size_t i = 0; i < n;) {
		uint32_t cp;
		i += trm_utf8_decode(s + i, n - i, &cp, NULL);
		len += trm_utf8_encode(cp ? cp : REPLACEMENT, out + len);
	}
	out[len] = '\0';
	if (ret_len)
		*ret_len = len;
	char *fit = realloc(out, len + 1);
	return fit ? fit : out;
}
