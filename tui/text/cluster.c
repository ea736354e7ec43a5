/* SPDX-License-Identifier: MIT */
#include "text/cluster.h"

#define REPLACEMENT 0xFFFDu
#define ZWJ 0x200Du

struct range {
	uint32_t first, last;
};

#include "text/width_table.h"

static bool is_within(const struct range *table, size_t n, uint32_t cp)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (cp > table[mid].last)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && cp >= table[low].first;
}

int codepoint_width(uint32_t cp)
{
	if (cp < 0x300)
		return 1;
	if (is_within(zero_width, sizeof(zero_width) / sizeof(*zero_width), cp))
		return 0;
	return is_within(double_width, sizeof(double_width) / sizeof(*double_width), cp) ? 2 : 1;
}

static bool is_regional(uint32_t cp)
{
	return cp >= 0x1F1E6 && cp <= 0x1F1FF;
}

bool codepoint_is_tone(uint32_t cp)
{
	return cp >= 0x1F3FB && cp <= 0x1F3FF;
}

/* Joins the cluster before it, wherever it stands. */
static bool is_joining(uint32_t cp)
{
	return cp >= 0x300 && !trm_text_is_deceptive(cp) && codepoint_width(cp) == 0;
}

/* The length of the rest of a cluster after its first code point. */
static size_t tail_length(const char *s, size_t n, size_t from, uint32_t first)
{
	uint32_t before = first;
	size_t at = from;
	while (at < n) {
		uint32_t cp;
		bool valid;
		size_t len = trm_utf8_decode(s + at, n - at, &cp, &valid);
		bool is_pair = at == from && is_regional(first) && is_regional(cp);
		bool is_shaded = codepoint_is_tone(cp) && before >= 0x2600;
		bool is_linked = before == ZWJ && first >= 0x2190 && cp >= 0x2190;
		if (!valid || at + len > CLUSTER_MAX || trm_text_is_deceptive(cp)
				|| !(is_joining(cp) || is_pair || is_shaded || is_linked))
			break;
		before = cp;
		at += len;
	}
	return at;
}

struct cluster cluster_at(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	struct cluster c = {.cp = p[0], .len = 1, .width = 1, .kind = CLUSTER_TEXT};
	bool valid;

	if (p[0] < 0x20 || p[0] == 0x7F) {
		c.kind = CLUSTER_CONTROL;
		return c;
	}
	if (p[0] < 0x80 && (n == 1 || p[1] < 0x80))
		return c;
	size_t len = trm_utf8_decode(s, n, &c.cp, &valid);
	int width = codepoint_width(c.cp);
	c.len = (uint16_t)len;
	if (!valid || width == 0 || trm_text_is_deceptive(c.cp)) {
		c.kind = CLUSTER_ODD;
		return c;
	}
	c.len = (uint16_t)tail_length(s, n, len, c.cp);
	c.width = (uint8_t)width;
	if (is_regional(c.cp) && c.len > len) {
		uint32_t second;
		trm_utf8_decode(s + len, n - len, &second, &valid);
		c.width = is_regional(second) ? 2 : 1;
	}
	return c;
}

/* The start of the code point that ends at `n`. */
static size_t codepoint_before(const char *s, size_t n)
{
	for (size_t back = 1; back <= 4 && back <= n; back++) {
		uint32_t cp;
		bool valid;
		if (((unsigned char)s[n - back] & 0xC0) == 0x80)
			continue;
		if (trm_utf8_decode(s + n - back, back, &cp, &valid) == back)
			return n - back;
		break;
	}
	return n - 1;
}

/* Whatever stands farther back, a cluster begins at the code point at `at`. */
static bool is_sure_start(const char *s, size_t at, size_t n)
{
	uint32_t cp, before;
	bool valid;
	trm_utf8_decode(s + at, n - at, &cp, &valid);
	if (!valid || at == 0 || cp < 0x300 || trm_text_is_deceptive(cp))
		return true;
	if (is_joining(cp) || codepoint_is_tone(cp) || is_regional(cp))
		return false;
	size_t previous = codepoint_before(s, at);
	trm_utf8_decode(s + previous, at - previous, &before, &valid);
	return before != ZWJ;
}

size_t cluster_before(const char *s, size_t n)
{
	size_t at = n;
	do
		at = codepoint_before(s, at);
	while (!is_sure_start(s, at, n));
	size_t start = at;
	while (at < n) {
		start = at;
		at += cluster_at(s + at, n - at).len;
	}
	return n - start;
}

size_t cluster_columns(const char *s, size_t n)
{
	size_t columns = 0;
	for (size_t at = 0; at < n;) {
		struct cluster c = cluster_at(s + at, n - at);
		columns += c.width;
		at += c.len;
	}
	return columns;
}

size_t cluster_wrap(const char *s, size_t n, size_t width)
{
	size_t at = 0, cols = 0, blank = 0;
	while (at < n) {
		struct cluster c = cluster_at(s + at, n - at);
		if (cols + c.width > width)
			return blank ? blank : at ? at : c.len;
		if (c.cp == ' ' && at)
			blank = at + c.len;
		cols += c.width;
		at += c.len;
	}
	return n;
}
