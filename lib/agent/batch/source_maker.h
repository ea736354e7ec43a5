/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_SOURCE_MAKER_H
#define TRM_AGENT_SOURCE_MAKER_H

/* What source.c and source_c.c write the text of a piece with. */

#include "agent/batch/source.h"

#define SOURCE_MAX (64u << 20)

/* The source of one piece while it is being written. */
struct maker {
	const struct source *s;
	struct source_piece *piece;
	const char *code; /* all of it */
	size_t n;
	unsigned count; /* of functions and variables of ours */
	bool is_inner;  /* in a namespace of the user's */
};

void source_put(struct buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Find the line of the code that `at` is in: its beginning, and its number from 1. */
const char *source_line_of(const char *code, const char *at, unsigned *ret_line);
/* Continue at the line and the column that the text has in the user's code. */
void source_put_place(const struct maker *m, struct buf *out, const char *at);
bool source_starts_word(const char *at, const char *end, const char *word);
void source_note_names(struct maker *m, const struct part *p);
void source_add_include(struct maker *m, const struct part *p);
/* Is this directive an #include? */
bool source_is_include(const struct part *p);

#endif
