/* SPDX-License-Identifier: MIT */
#include "term/sgr_dedup.h"

#include <stdbool.h>
#include <string.h>

/* The parameters of a sequence "ESC [ … m". */
struct looks {
	const char *at;
	size_t n;
};

enum which { FOREGROUND, BACKGROUND, COLORS };

struct squeezer {
	char *bytes;
	size_t out;               /* length of the output so far */
	struct looks set[COLORS]; /* n 0: unknown */
};

/* The length of the sequence at `s`; 0: it does not set attributes. */
static size_t looks_length(const char *s, size_t left, struct looks *ret)
{
	size_t n = 2;

	if (left < 3 || s[0] != '\033' || s[1] != '[')
		return 0;
	while (n < left && ((s[n] >= '0' && s[n] <= '9') || s[n] == ';' || s[n] == ':'))
		n++;
	if (n == left || s[n] != 'm')
		return 0;
	*ret = (struct looks){s + 2, n - 2};
	return n + 1;
}

static bool look_begins(struct looks looks, const char *text)
{
	size_t n = strlen(text);

	return looks.n >= n && memcmp(looks.at, text, n) == 0;
}

static size_t count(struct looks looks, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < looks.n; i++)
		n += looks.at[i] == c;
	return n;
}

/* Do these parameters set exactly one color, as curses does? */
static enum which color_of(struct looks looks)
{
	static const char *const many[] = {"38", "48"}, *const few[] = {"3", "4"},
				 *const bright[] = {"9", "10"};

	for (int i = 0; i < COLORS; i++) {
		size_t n = count(looks, ';');
		if (look_begins(looks, many[i])) {
			bool is_one = n == 0 ? count(looks, ':') > 0
					     : looks.at[2] == ';' && count(looks, ':') == 0;
			bool fits = n == 0 || (looks.at[3] == '5' ? n == 2 : looks.at[3] == '2' && n == 4);
			return is_one && fits ? (enum which)i : COLORS;
		}
		size_t digits = strlen(bright[i]) + 1;
		if (n || count(looks, ':'))
			continue;
		if ((looks.n == 2 && look_begins(looks, few[i]) && looks.at[1] < '8')
				|| (looks.n == digits && look_begins(looks, bright[i])
						&& looks.at[digits - 1] < '8'))
			return (enum which)i;
	}
	return COLORS;
}

static bool is_same(struct looks a, struct looks b)
{
	return a.n == b.n && a.n && memcmp(a.at, b.at, a.n) == 0;
}

/* Is this "ESC [ 39;49 m" before something that resets everything? */
static bool is_idle(struct looks looks, const char *next, size_t left)
{
	static const char *const resets[] = {"\033[m", "\033(B\033[m"};

	if (looks.n != 5 || !look_begins(looks, "39;49"))
		return false;
	for (size_t i = 0; i < sizeof resets / sizeof *resets; i++)
		if (left >= strlen(resets[i]) && memcmp(next, resets[i], strlen(resets[i])) == 0)
			return true;
	return false;
}

/* The source lies further on, or is already in place. */
static void put_squeezed(struct squeezer *q, const char *from, size_t n)
{
	if (from != q->bytes + q->out)
		memmove(q->bytes + q->out, from, n);
	q->out += n;
}

static void put_looks(struct squeezer *q, struct looks looks)
{
	enum which which = color_of(looks);

	if (which < COLORS && is_same(q->set[which], looks))
		return;
	if (which == COLORS)
		q->set[FOREGROUND] = q->set[BACKGROUND] = (struct looks){0};
	put_squeezed(q, "\033[", 2);
	char *kept = q->bytes + q->out;
	put_squeezed(q, looks.at, looks.n);
	put_squeezed(q, "m", 1);
	if (which < COLORS)
		q->set[which] = (struct looks){kept, looks.n};
}

/* The length of the sequence that selects the usual character set, which curses sends with every change
 * of attributes. */
static size_t charset_length(const char *s, size_t left)
{
	return left >= 3 && memcmp(s, "\033(B", 3) == 0 ? 3 : 0;
}

size_t sgr_dedup(char *bytes, size_t n)
{
	struct squeezer q = {.bytes = bytes};
	bool has_other_charset = memmem(bytes, n, "\033(0", 3);
	struct looks looks;

	for (size_t at = 0; at < n;) {
		size_t charset = has_other_charset ? 0 : charset_length(bytes + at, n - at);
		if (charset) {
			at += charset;
			continue;
		}
		size_t length = looks_length(bytes + at, n - at, &looks);
		if (!length) {
			const char *next = memchr(bytes + at + 1, '\033', n - at - 1);
			size_t span = next ? (size_t)(next - bytes) - at : n - at;
			put_squeezed(&q, bytes + at, span);
			at += span;
			continue;
		}
		at += length;
		if (!is_idle(looks, bytes + at, n - at))
			put_looks(&q, looks);
	}
	return q.out;
}
