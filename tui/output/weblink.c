/* SPDX-License-Identifier: MIT */
#include "output/weblink.h"

#include <ctype.h>
#include <string.h>

/* The character of a cell, if it is printable ASCII and no blank; else 0. */
static char ascii_at(const struct output_line *l, size_t cell)
{
	const char *text = cell < l->n ? l->cells[cell].text : "";

	return text[0] > ' ' && text[0] < 0x7F && !text[1] ? text[0] : '\0';
}

static bool has_word(const struct output_line *l, size_t cell, const char *word)
{
	for (size_t i = 0; word[i]; i++)
		if (tolower((unsigned char)ascii_at(l, cell + i)) != word[i])
			return false;
	return true;
}

/* The cells of "http://" or "https://"; 0: it is neither. */
static size_t scheme_cells(const struct output_line *l, size_t cell)
{
	if (cell > 0 && isalnum((unsigned char)ascii_at(l, cell - 1)))
		return 0;
	return has_word(l, cell, "http://") ? 7 : has_word(l, cell, "https://") ? 8 : 0;
}

static bool is_of_url(char c)
{
	return c && !strchr("\"'<>\\^`{|}", c);
}

/* Does a letter follow that a URL would have to encode, such as one with an accent? Then it is not whole.
 * Quotes, dots, lines and punctuation of other scripts end one. */
static bool goes_on_behind(const struct output_line *l, size_t cell)
{
	const unsigned char *text = (const unsigned char *)(cell < l->n ? l->cells[cell].text : "");
	bool is_cut = cell == l->n && (l->is_soft || l->n >= OUT_LINE_COLS);
	bool is_sign = text[0] == 0xC2 || (text[0] == 0xE2 && text[1] < 0xB0)
		       || (text[0] == 0xE3 && text[1] == 0x80)
		       || (text[0] == 0xEF && text[1] == 0xBC && text[2] < 0x90);

	return is_cut || (text[0] > ' ' && text[1] && !is_sign);
}

static size_t count_of(const char *s, size_t n, char c)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += s[i] == c;
	return count;
}

/* A sentence's punctuation behind a URL, and a bracket that was opened before it, are not part of it. */
static size_t without_tail(const char *url, size_t n)
{
	size_t round = count_of(url, n, '('), square = count_of(url, n, '['); /* that may be closed */
	size_t rounds = count_of(url, n, ')'), squares = count_of(url, n, ']');

	for (; n; n--) {
		char last = url[n - 1];
		bool is_tail = last == ')'   ? rounds > round
			       : last == ']' ? squares > square
					     : strchr(".,;:!?", last) != NULL;
		if (!is_tail)
			break;
		rounds -= last == ')';
		squares -= last == ']';
	}
	return n;
}

/* Read the URL that begins at a cell. *ret_to is where the search goes on. */
static bool read_url(const struct output_line *l, size_t cell, struct weblink *ret, size_t *ret_next)
{
	size_t scheme = scheme_cells(l, cell), n = 0;

	*ret_next = cell + 1;
	if (!scheme)
		return false;
	for (; is_of_url(ascii_at(l, cell + n)); n++)
		if (n < LINK_BYTES)
			ret->url[n] = ascii_at(l, cell + n);
	*ret_next = cell + n;
	if (n >= LINK_BYTES || goes_on_behind(l, cell + n))
		return false;
	n = without_tail(ret->url, n);
	if (n <= scheme || !(isalnum((unsigned char)ret->url[scheme]) || ret->url[scheme] == '['))
		return false;
	ret->url[n] = '\0';
	ret->from = cell;
	ret->to = cell + n;
	return true;
}

bool weblink_find(const struct output_line *l, size_t cell, struct weblink *ret)
{
	while (cell < l->n)
		if (read_url(l, cell, ret, &cell))
			return true;
	return false;
}
