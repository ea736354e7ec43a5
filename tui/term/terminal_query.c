/* SPDX-License-Identifier: MIT */
#include "term/terminal_query.h"

#include <stdlib.h>
#include <string.h>

#include "term/sequence.h"

enum { CELL_PIXELS_MAX = 512, STRING_MAX = 512, SIXEL = 4, SYNC_MODE = 2026 };

/* Is this one of the numbers after "CSI ?"? The first one is the kind of terminal and does not count. */
static bool has_attribute(const char *s, size_t n, long wanted)
{
	char text[SEQUENCE_MAX + 1], *at = text;
	bool is_first = true;

	if (n < 3 || n > SEQUENCE_MAX)
		return false;
	memcpy(text, s + 3, n - 3);
	text[n - 3] = '\0';
	for (char *end; *at; at = end + (*end == ';')) {
		long value = strtol(at, &end, 10);
		if (end == at)
			return false;
		if (!is_first && value == wanted)
			return true;
		is_first = false;
	}
	return false;
}

bool terminal_query_take_sequence(
		struct terminal_answers *a, const char *s, size_t n, const struct sequence *seq)
{
	if (!a->is_expected || seq->introducer != '[')
		return false;
	if (seq->prefix == '?' && seq->final == 'c') {
		a->has_sixel = has_attribute(s, n, SIXEL);
		a->is_whole = true;
		return true;
	}
	if (seq->prefix == '?' && seq->final == 'y' && seq->n_params == 2 && seq->params[0] == SYNC_MODE) {
		a->has_sync = seq->params[1] == 1
			      || seq->params[1] == 2; /* set, or reset: the terminal knows the mode */
		return true;
	}
	if (seq->prefix == '?' && seq->final == 'u') {
		a->tells_keys = seq->n_params >= 1 && seq->params[0] > 0;
		return true;
	}
	if (seq->prefix == 0 && seq->final == 't' && seq->n_params == 3 && seq->params[0] == 6) {
		int h = seq->params[1], w = seq->params[2];
		if (h > 0 && w > 0 && h <= CELL_PIXELS_MAX && w <= CELL_PIXELS_MAX) {
			a->cell_h = h;
			a->cell_w = w;
		}
		return true;
	}
	/* In row 1 this sequence would be F3 with a modifier. */
	if (seq->prefix == 0 && seq->final == 'R' && seq->n_params == 2 && seq->params[0] > 1
			&& a->n_positions < 2) {
		enum emoji_way *way = a->n_positions++ ? &a->linked : &a->shaded;
		*way = seq->params[1] == 3 ? EMOJI_JOINED : EMOJI_APART;
		return true;
	}
	return false;
}

long terminal_query_take_string(struct terminal_answers *a, const char *s, size_t n)
{
	if (!a->is_expected || (n > 2 && s[2] != 'G'))
		return -1;
	for (size_t i = 3; i < n; i++) {
		bool is_bell = s[i] == '\a', is_st = s[i] == '\\' && s[i - 1] == '\033';
		if (!is_bell && !is_st)
			continue;
		if (memmem(s, i, "i=31;OK", 7))
			a->has_kitty = true;
		return (long)i + 1;
	}
	return n < STRING_MAX ? 0 : (long)n;
}
