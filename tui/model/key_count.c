/* SPDX-License-Identifier: MIT */
#include "model/key_count.h"

#include "cells/event.h"
#include "model/model.h"

#define COUNT_MAX 10000u

bool key_count_take(struct model *m, const struct event *ev)
{
	struct key_count *c = &m->key_count;
	bool is_more = ev->key == 'u' && ev->mods == MOD_CTRL,
	     is_digit = c->n && ev->key >= '0' && ev->key <= '9' && !ev->mods;

	if (!m->keymap.is_emacs || m->focus != PANE_EDITOR || (!is_more && !is_digit))
		return false;
	if (is_more)
		c->n = c->n ? c->n * 4 : 4;
	else
		c->n = (c->has_digits ? c->n * 10 : 0) + (ev->key - '0');
	c->n = c->n < COUNT_MAX ? c->n : COUNT_MAX;
	c->has_digits = is_digit;
	notices_add(&m->notices, m->now_ns, false, "the next key counts %u times", c->n);
	m->needs_draw = true;
	return true;
}

unsigned key_count_end(struct model *m)
{
	unsigned n = m->key_count.n ? m->key_count.n : 1;

	m->key_count = (struct key_count){0};
	return n;
}
