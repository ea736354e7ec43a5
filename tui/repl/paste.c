/* SPDX-License-Identifier: MIT */
#include "repl/paste.h"

#include <stdlib.h>
#include <string.h>

#include "repl/line.h"

#define BEGIN "\033[200~"
#define END "\033[201~"
enum { MARK = sizeof BEGIN - 1 };

void paste_finish(struct paste *p)
{
	free(p->text);
	*p = (struct paste){0};
}

static void add_paste_char(struct paste *p, char c)
{
	if (p->n + 2 > p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 4096;
		char *grown = cap > LINE_MAX_BYTES ? NULL : realloc(p->text, cap);
		p->is_cut |= !grown;
		if (!grown)
			return;
		p->text = grown;
		p->cap = cap;
	}
	p->text[p->n++] = c;
	p->text[p->n] = '\0';
}

/* Terminals send a newline as CR, some as CR LF. */
static void add_clean(struct paste *p, char c)
{
	if (c == '\r' || (c == '\n' && p->last != '\r'))
		add_paste_char(p, '\n');
	else if (c != '\n' && ((unsigned char)c >= ' ' || c == '\t') && c != 0x7f)
		add_paste_char(p, c);
	p->last = c;
}

/* True if the bytes are the mark or a beginning of it. */
static bool may_be(const char *mark, const char *bytes, size_t n)
{
	return memcmp(bytes, mark, n < MARK ? n : MARK) == 0;
}

static enum paste_result begin_paste(struct paste *p, const char *bytes, size_t n, size_t *ret_used)
{
	if (n < 3 || !may_be(BEGIN, bytes, n)) /* a lone ESC, or ESC [, is left to the parser of keys */
		return PASTE_NONE;
	if (n < MARK)
		return PASTE_MORE;
	paste_finish(p);
	p->is_open = true;
	*ret_used = MARK;
	return PASTE_DONE;
}

enum paste_result paste_feed(struct paste *p, const char *bytes, size_t n, size_t *ret_used)
{
	size_t at = 0;

	*ret_used = 0;
	if (!p->is_open) {
		enum paste_result began = begin_paste(p, bytes, n, ret_used);
		if (began != PASTE_DONE)
			return began;
		at = *ret_used;
	}
	for (; at < n; at++) {
		if (bytes[at] == '\033' && may_be(END, bytes + at, n - at)) {
			if (n - at < MARK)
				break;
			*ret_used = at + MARK;
			p->is_open = false;
			if (p->n && p->text[p->n - 1] == '\n')
				p->text[--p->n] = '\0';
			if (!p->text)
				p->text = strdup("");
			return p->text ? PASTE_DONE : PASTE_NONE;
		}
		add_clean(p, bytes[at]);
	}
	*ret_used = at;
	return PASTE_MORE;
}
