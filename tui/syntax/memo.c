/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "syntax/syntax.h"
#include "syntax/syntax_internal.h"

void memo_forget(struct syntax *s)
{
	s->memo.from = s->memo.to = 0;
}

void memo_finish(struct syntax *s)
{
	free(s->memo.kinds);
	s->memo = (struct memo){0};
}

bool memo_get(const struct syntax *s, size_t from, size_t to, uint8_t *kinds)
{
	const struct memo *m = &s->memo;
	if (from < m->from || to > m->to)
		return false;
	memcpy(kinds, m->kinds + (from - m->from), to - from);
	return true;
}

/* A piece that follows the last one is appended, because a screen is requested piece by piece. */
void memo_put(struct syntax *s, size_t from, size_t to, const uint8_t *kinds)
{
	struct memo *m = &s->memo;
	if (to - from < MEMO_LEAST || to - from > MEMO_MOST)
		return;
	if (!m->kinds && !(m->kinds = malloc(MEMO_MOST)))
		return;
	if (from != m->to || to - m->from > MEMO_MOST)
		m->from = from;
	m->to = to;
	memcpy(m->kinds + (from - m->from), kinds, to - from);
}

/* As in a tree: text inserted into a token belongs to it; text inserted between two tokens has no kind
 * yet. */
static uint8_t kind_between(const struct memo *m, size_t at)
{
	size_t n = m->to - m->from;
	bool is_inside = at > 0 && at < n && m->kinds[at - 1] == m->kinds[at];
	return is_inside ? m->kinds[at] : SYNTAX_TEXT;
}

void memo_edited(struct syntax *s, size_t pos, size_t removed, size_t inserted)
{
	struct memo *m = &s->memo;
	if (pos > m->to || m->from == m->to)
		return;
	if (pos + removed < m->from) {
		m->from += inserted - removed;
		m->to += inserted - removed;
		return;
	}
	if (pos < m->from || pos + removed > m->to || m->to - m->from + inserted - removed > MEMO_MOST) {
		memo_forget(s);
		return;
	}
	size_t at = pos - m->from, behind = m->to - pos - removed;
	uint8_t kind = kind_between(m, at);
	memmove(m->kinds + at + inserted, m->kinds + at + removed, behind);
	memset(m->kinds + at, kind, inserted);
	m->to += inserted - removed;
}
