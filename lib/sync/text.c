/* SPDX-License-Identifier: MIT */
#include "sync/text.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/utf8.h"

/* The white space of Python's str.isspace(). */
static bool is_space(uint32_t cp)
{
	static const uint32_t others[] = {0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000};
	if ((cp >= 0x09 && cp <= 0x0d) || (cp >= 0x1c && cp <= 0x20) || (cp >= 0x2000 && cp <= 0x200a))
		return true;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (cp == others[i])
			return true;
	return false;
}

size_t text_space_before(const char *s, size_t n)
{
	size_t at = 0;
	while (at < n) {
		uint32_t cp;
		size_t step = trm_utf8_decode(s + at, n - at, &cp, NULL);
		if (!is_space(cp))
			break;
		at += step;
	}
	return at;
}

size_t text_space_behind(const char *s, size_t n)
{
	size_t end = n;
	while (end > 0) {
		uint32_t cp;
		size_t at = end - 1;
		while (at > 0 && end - at < 4 && ((unsigned char)s[at] & 0xc0) == 0x80)
			at--;
		if (trm_utf8_decode(s + at, end - at, &cp, NULL) != end - at || !is_space(cp))
			break;
		end = at;
	}
	return n - end;
}

char *text_tidy(const char *bytes, size_t n)
{
	size_t len, to = 0;
	char *text = utf8_repair(bytes, n, &len);
	if (!text)
		return NULL;
	for (size_t i = 0; i < len; i++)
		if (text[i] != '\r' || text[i + 1] != '\n')
			text[to++] = text[i];
	text[to - text_space_behind(text, to)] = '\0';
	return text;
}
