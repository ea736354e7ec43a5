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

static bool needs_number(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || (cp >= 0x202A && cp <= 0x202E)
	       || (cp >= 0x2066 && cp <= 0x2069) || cp == 0x2028 || cp == 0x2029 || cp == 0x200E
	       || cp == 0x200F || cp == 0x061C;
}

static int put_code_point(struct buf *out, uint32_t cp)
{
	char enc[8];
	char letter = short_escape(cp);
	if (letter) {
		enc[0] = '\\';
		enc[1] = letter;
		return buf_append(out, enc, 2);
	}
	if (needs_number(cp)) {
		snprintf(enc, sizeof enc, "\\u%04x", (unsigned)(cp & 0xFFFF));
		return buf_append(out, enc, 6);
	}
	return buf_append(out, enc, trm_utf8_encode(cp, enc));
}

int json_put_string(struct buf *out, const char *s, size_t n)
{
	int r = buf_append(out, "\"", 1);
	for (size_t i = 0; i < n && !r;) {
		size_t run = i;
		while (run < n && is_plain((unsigned char)s[run]))
			run++;
		if (run > i) {
			r = buf_append(out, s + i, run - i);
			i = run;
			continue;
		}
		uint32_t cp;
		i += trm_utf8_decode(s + i, n - i, &cp, NULL);
		r = put_code_point(out, cp);
	}
	return r ? r : buf_append(out, "\"", 1);
}
