/* SPDX-License-Identifier: MIT */
#ifndef TUI_COMPLETE_H
#define TUI_COMPLETE_H

/* The popup that offers how a word may go on: what the living kernel knows, and the words of the buffer
 * beside it. Typing never waits for it: typing on filters what is there, and an answer that comes when the
 * cursor has left the word is dropped. While the kernel works, the words of the buffer are all there is. */

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
#define COMPLETE_ROWS 10 /* shown at a time */

struct candidate {
	char *text;
	const char *kind; /* "function"; "": not known */
};

enum complete_state {
	COMPLETE_CLOSED,
	COMPLETE_ASKED, /* nothing to be shown yet */
	COMPLETE_OPEN,
};

struct complete {
	enum complete_state state;
	bool is_auto;   /* it came by itself: only Tab takes from it, Enter ends the line */
	bool is_eager;  /* by Tab: what is common to all is put in, and so is a single one */
	bool has_moved; /* the person has chosen with the arrows */
	bool is_busy;   /* the kernel was: words of the buffer only */
	bool is_path;   /* file names: they may hold what words cannot */
	uint32_t buffer;
	size_t start;     /* of the word, in the buffer */
	size_t asked_pos; /* where the cursor was when it was asked */
	struct candidate *all;
	size_t n_all;
	uint16_t *shown; /* indexes of those that fit what is typed; room for all */
	size_t n_shown;
	size_t current, scroll; /* of the shown ones */
};

void completion_finish(struct complete *c); /* takes a zeroed object; leaves it closed */

/* Is there something to be seen? */
bool complete_is_shown(const struct model *m);
/* Where: at the word, below the cursor or above it. 0 rows: nowhere. */
struct rect complete_area(const struct model *m);
/* The shown one k; its kind is abbreviated for the narrow column. */
const struct candidate *complete_at(const struct model *m, size_t k);

void complete_close(struct model *m);
/* The editor has done something: the popup follows, or closes. */
void complete_follow(struct model *m, struct effects *out);
/* A character was typed into the editor. */
void complete_typed(struct model *m, uint32_t typed, struct effects *out);
void complete_answer(struct model *m, const struct msg *msg, struct effects *out);
/* False: it was not for the popup. */
bool complete_mouse(struct model *m, const struct event *ev, struct effects *out);

#endif
