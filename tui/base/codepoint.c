/* SPDX-License-Identifier: MIT */
#include "base/codepoint.h"

size_t codepoint_decode(const char *s, size_t n, uint32_t *ret_cp, int *ret_valid)
{
	const unsigned char *p = (const unsigned char *)s;
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;

	*ret_valid = 1;
	if (len == 1) {
		*ret_cp = p[0];
		return 1;
	}
	if (len && len <= n) {
		uint32_t cp = p[0] & (0xFFu >> (len + 1));
		size_t i = 1;
		for (; i < len && (p[i] & 0xC0) == 0x80; i++)
			cp = cp << 6 | (p[i] & 0x3Fu);
		if (i == len && cp >= least[len] && cp <= 0x10FFFF && (cp < 0xD800 || cp > 0xDFFF)) {
			*ret_cp = cp;
			return len;
		}
	}
	*ret_cp = 0xFFFD;
	*ret_valid = 0;
	return 1;
}

size_t codepoint_encode(uint32_t cp, char out[4])
{
	static const unsigned char lead[5] = {0, 0, 0xC0, 0xE0, 0xF0};
	if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		cp = 0xFFFD;
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	size_t len = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
	for (size_t i = len - 1; i > 0; i--, cp >>= 6)
		out[i] = (char)(0x80 | (cp & 0x3F));
	out[0] = (char)(lead[len] | cp);
	return len;
}

bool codepoint_is_deceptive(uint32_t cp)
{
	return (cp >= 0x80 && cp < 0xA0) || cp == 0x61C || cp == 0x200B || cp == 0x200E || cp == 0x200F
			|| (cp >= 0x2028 && cp <= 0x202E) || (cp >= 0x2060 && cp <= 0x206F) || cp == 0xFEFF
			|| (cp >= 0xFFF9 && cp <= 0xFFFB);
}
