/* SPDX-License-Identifier: MIT */
/* Brackets and quotes that close themselves. The editor remembers an automatic closer until the cursor
 * leaves the pair. Only such a closer can be typed over and is erased together with its opener. */
#include "editor/editor_internal.h"

#include <stdlib.h>
#include <string.h>

#include "syntax/syntax.h"
#include "text/text.h"
#include "text/walk.h"

/* The closer of a character; 0: it has none. */
static char closer_of(uint32_t cp)
{
	static const char openers[] = "([{\"'`", closers[] = ")]}\"'`";
	const char *at = cp && cp < 0x80 ? strchr(openers, (int)cp) : NULL;

	return at ? closers[at - openers] : '\0';
}

static bool is_quote(uint32_t cp)
{
	return cp == '"' || cp == '\'' || cp == '`';
}

static bool is_name_byte(unsigned char c)
{
	return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

void editor_pairs_edited(struct editor *e, const struct text_edit *edit)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n_closers; i++) {
		size_t pos = e->closers[i];
		if (pos >= edit->pos && pos < edit->pos + edit->removed)
			continue;
		e->closers[n++] = pos >= edit->pos ? pos - edit->removed + edit->inserted : pos;
	}
	e->n_closers = n;
}

static bool is_own_closer(const struct editor *e, size_t pos)
{
	for (size_t i = 0; i < e->n_closers; i++)
		if (e->closers[i] == pos)
			return true;
	return false;
}

/* Is there no text at `pos` that a new opener could be meant to enclose? */
static bool has_room_behind(const struct editor *e, size_t pos)
{
	unsigned char next = text_byte(e->text, pos);

	return pos == text_len(e->text) || strchr(" \t\r\n)]},;:", next) != NULL;
}

/* Does a quote at `pos` begin a string? It does not after a name (unless the name is a prefix such as f) or
 * after another quote. */
static bool begins_string(const struct editor *e, size_t pos, uint32_t quote)
{
	unsigned char before = pos > 0 ? text_byte(e->text, pos - 1) : '\n';
	size_t word = pos;

	if (before == quote || before == '\\')
		return false;
	while (word > 0 && pos - word < 3 && is_name_byte(text_byte(e->text, word - 1)))
		word--;
	for (size_t i = word; i < pos; i++)
		if (!strchr("rbfuRBFU", text_byte(e->text, i)) || pos - word > 2)
			return false;
	return true;
}

static unsigned put_pair(struct editor *e, uint32_t cp, char closer)
{
	const char pair[2] = {(char)cp, closer};
	size_t pos = e->sel.cursor;
	unsigned bits = editor_replace(e, pos, 0, pair, 2, BURST_TYPE);

	if (!(bits & EDITOR_CHANGED))
		return bits;
	if (e->n_closers == EDITOR_CLOSERS)
		memmove(e->closers, e->closers + 1, --e->n_closers * sizeof *e->closers);
	e->closers[e->n_closers++] = pos + 1;
	e->sel.anchor = e->sel.cursor = pos + 1;
	history_end(e->history, e->sel);
	return bits;
}

/* Enclose the selection, which stays selected. */
static unsigned enclose_selection(struct editor *e, uint32_t cp, char closer)
{
	size_t start = selection_start(e->sel), n = selection_end(e->sel) - start;
	char *text = text_slice(e->text, start, n), *made = text ? malloc(n + 2) : NULL;
	unsigned bits = EDITOR_HANDLED | EDITOR_NOMEM;

	if (made) {
		made[0] = (char)cp;
		memcpy(made + 1, text, n);
		made[n + 1] = closer;
		e->burst = BURST_NONE;
		bits = editor_replace(e, start, n, made, n + 2, BURST_NONE);
		e->sel = (struct selection){.anchor = start + 1, .cursor = start + 1 + n};
		history_end(e->history, e->sel);
	}
	free(made);
	free(text);
	return bits;
}

unsigned editor_type_pair(struct editor *e, uint32_t cp, bool is_typed)
{
	size_t pos = e->sel.cursor;
	char closer = closer_of(cp);

	if (!e->closes_pairs)
		return 0;
	if (!editor_has_selection(e) && is_own_closer(e, pos) && text_byte(e->text, pos) == cp) {
		editor_move(e, MOVE_RIGHT, false);
		e->n_closers -= e->n_closers > 0;
		return DONE;
	}
	if (!closer || !is_typed)
		return 0;
	if (editor_has_selection(e))
		return enclose_selection(e, cp, closer);
	bool is_code = pos == 0 || syntax_is_code(e->syntax, e->text, pos - 1);
	if (!has_room_behind(e, pos) || !is_code || (is_quote(cp) && !begins_string(e, pos, cp)))
		return 0;
	return put_pair(e, cp, closer);
}

bool editor_is_in_pair(const struct editor *e)
{
	size_t pos = e->sel.cursor;

	return e->closes_pairs && pos > 0 && !editor_has_selection(e) && is_own_closer(e, pos)
	       && closer_of(text_byte(e->text, pos - 1)) == (char)text_byte(e->text, pos);
}
