/* SPDX-License-Identifier: MIT */
#include "widget/fuzzy.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { HIT = 16, WORD_START = 24, TEXT_START = 8, FOLLOWS = 20, GAP = 1, NOTHING = -1000000 };

static char lower(char c)
{
	return (char)tolower((unsigned char)c);
}

static bool starts_word(const char *text, size_t i)
{
	return i == 0 || !isalnum((unsigned char)text[i - 1]);
}

/* The score of a match at byte i, without regard to its neighbors. */
static int worth(const char *text, size_t i)
{
	return HIT + (starts_word(text, i) ? WORD_START : 0) + (i == 0 ? TEXT_START : 0);
}

/* Copy the needle without blanks, in lower case. False: it is too long. */
static bool take_needle(const char *needle, char out[FUZZY_NEEDLE + 1], size_t *ret_n)
{
	size_t n = 0;

	for (; *needle; needle++) {
		if (*needle == ' ')
			continue;
		if (n == FUZZY_NEEDLE)
			return false;
		out[n++] = lower(*needle);
	}
	out[n] = '\0';
	*ret_n = n;
	return true;
}

/* All ways to match the needle, by dynamic programming. best[k][i] is the score of the first k + 1 letters
 * if the last one is at byte i; from[k][i] is the position of the letter before. */
struct ways {
	int best[FUZZY_NEEDLE][FUZZY_TEXT];
	uint8_t from[FUZZY_NEEDLE][FUZZY_TEXT];
};

/* Find the best match of the letters up to k, with letter k at byte i. */
static void join_match(struct ways *w, const char *text, size_t k, size_t i)
{
	for (size_t j = 0; j < i; j++) {
		int joint = j + 1 == i ? FOLLOWS : -GAP * (int)(i - j);
		int score = w->best[k - 1][j] + worth(text, i) + joint;
		if (w->best[k - 1][j] == NOTHING || score <= w->best[k][i])
			continue;
		w->best[k][i] = score;
		w->from[k][i] = (uint8_t)j;
	}
}

static void find_ways(struct ways *w, const char *letters, size_t n, const char *text, size_t len)
{
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < len; i++) {
			bool is_hit = lower(text[i]) == letters[k];
			w->best[k][i] = k || !is_hit ? NOTHING : worth(text, i) - GAP * (int)i;
			w->from[k][i] = 0;
			if (k && is_hit)
				join_match(w, text, k, i);
		}
}

int fuzzy_score(const char *needle, const char *text, uint64_t *ret_marks)
{
	char letters[FUZZY_NEEDLE + 1];
	struct ways w;
	size_t n, len = strnlen(text, FUZZY_TEXT), end = 0;

	if (ret_marks)
		*ret_marks = 0;
	if (!take_needle(needle, letters, &n))
		return 0;
	if (n == 0)
		return 1;
	find_ways(&w, letters, n, text, len);
	for (size_t i = 1; i < len; i++)
		if (w.best[n - 1][i] > w.best[n - 1][end])
			end = i;
	if (len == 0 || w.best[n - 1][end] == NOTHING)
		return 0;
	for (size_t k = n, i = end; ret_marks && k-- > 0; i = w.from[k][i])
		*ret_marks |= (uint64_t)1 << i;
	/* Of two equal matches the shorter text wins. */
	int score = w.best[n - 1][end] * 8 - (int)len;
	return score > 1 ? score : 1;
}
