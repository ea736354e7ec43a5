/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPUT_H
#define TUI_OUTPUT_H

/* What is done in the output pane; its parts among each other and with the rest of the model. */

#include <stdbool.h>
#include <stdint.h>

struct effects;
struct event;
struct model;
struct msg;
struct output_line;
struct source_ref;

/* output_update.c */
void output_tick(struct model *m); /* time has passed */

/* output_blocks.c */
void output_fold(struct model *m); /* the current line's block, or unfold it */

/* output_jump.c: to what a message names. Returns false where nothing is named (that is said by nobody). */
bool output_jump(struct model *m, struct effects *out);
/* The same from a line of a traceback that belongs to one above it: the code, the signs below that, the
 * message. */
bool output_jump_above(struct model *m, struct effects *out);
void output_jump_to_error(struct model *m, struct effects *out); /* the newest */
/* The line of a buffer (from 0) that the error of this run, the newest, names. False: it names none. */
bool output_error_line(const struct model *m, uint32_t serial, uint32_t buffer, size_t *ret);
/* The place named in a line, if it lies in a buffer that is open: its id, else 0. `text`: room for the line.
 */
enum { OUTPUT_LINE_BYTES = 1024 };
uint32_t output_place(const struct model *m, const struct output_line *l, char text[OUTPUT_LINE_BYTES],
		struct source_ref *ret);

/* output_search.c: the bar at the foot of the pane. */
bool output_search_event(struct model *m, const struct msg *msg); /* false: it is not for the bar */
void output_search_tick(struct model *m);
bool output_search_is_busy(const struct model *m); /* it wants ticks */

#endif
