/* SPDX-License-Identifier: MIT */
#ifndef TUI_COMPLETE_H
#define TUI_COMPLETE_H

/* The completion popup. It offers names that the kernel knows, and words of the buffer. Typing never waits
 * for it. Further typing filters the candidates, and an answer that arrives after the cursor has left the
 * word is dropped. While the kernel is busy, only words of the buffer are offered. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/canvas.h"

struct effects;
struct event;
struct model;
struct msg;

#define CANDIDATES_MAX 2000
#define CANDIDATE_BYTES 200
#define COMPLETE_ROWS 10 /* visible candidates */

struct candidate {
	char *text;
	const char *kind; /* "function"; "": unknown */
};

enum complete_state {
	COMPLETE_CLOSED,
	COMPLETE_ASKED, /* nothing to show yet */
	COMPLETE_OPEN,
};

struct complete {
	enum complete_state state;
	bool is_auto;   /* it opened automatically: Tab accepts a candidate, Enter ends the line */
	bool is_eager;  /* opened by Tab: the common prefix or a single candidate is inserted at once */
	bool has_moved; /* the person has moved the selection */
	bool is_busy;   /* the kernel was busy: words of the buffer only */
	bool is_path;   /* file names, which may have more characters than words */
	uint32_t buffer;
	size_t start;     /* start of the word in the buffer */
	size_t asked_pos; /* position of the cursor at the request */
	struct candidate *all;
	size_t n_all;
	uint16_t *shown; /* indexes of the candidates that match; has room for all */
	size_t n_shown;
	size_t current, scroll; /* indexes into `shown` */
};

void completion_finish(struct complete *c); /* accepts a zeroed object; the popup is closed afterwards */

/* Is the popup visible? */
bool complete_is_shown(const struct model *m);
/* The area of the popup: at the word, below or above the cursor. 0 rows: there is no room. */
struct rect complete_area(const struct model *m);
/* Shown candidate k. Its kind is shortened to fit the column. */
const struct candidate *complete_at(const struct model *m, size_t k);

void complete_close(struct model *m);
/* Update or close the popup after a change in the editor. */
void complete_follow(struct model *m, struct effects *out);
/* A character was typed into the editor. */
void complete_typed(struct model *m, uint32_t typed, struct effects *out);
void complete_answer(struct model *m, const struct msg *msg, struct effects *out);
/* False: the event was not for the popup. */
bool complete_mouse(struct model *m, const struct event *ev, struct effects *out);

#endif
