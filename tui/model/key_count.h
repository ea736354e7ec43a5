/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_KEY_COUNT_H
#define TUI_MODEL_KEY_COUNT_H

/* Emacs' Ctrl-U: how often the next key of the editor is carried out. */

#include <stdbool.h>

struct event;
struct model;

struct key_count {
	unsigned n;      /* 0: none */
	bool has_digits; /* the next digit belongs to it, too */
};

/* A key that means nothing else. True: it belongs to a count. */
bool key_count_take(struct model *m, const struct event *ev);
unsigned key_count_end(struct model *m); /* the count, which is then over; 1: there is none */

#endif
