/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPUT_H
#define TUI_OUTPUT_H

/* The parts of the output pane, for each other and for the rest of the model. */

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
void output_fold(struct model *m); /* fold or unfold the block of the current line */

/* output_jump.c: go to the place that the current line names. False: it names none; the caller reports that.
 */
bool output_jump(struct model *m, struct effects *out);
/* The same from a line of a traceback that belongs to a line above: the code, the marks below the code, or
 * the message. */
bool output_jump_above(struct model *m, struct effects *out);
void output_jump_to_error(struct model *m, struct effects *out); /* the newest error */
/* The line of a buffer (from 0) that this run's error names. With several, the newest one counts. False:
 * none. */
bool output_error_line(const struct model *m, uint32_t serial, uint32_t buffer, size_t *ret);
/* The place that a line names, if it is in an open buffer: the id of the buffer, else 0. `text` is a work
 * area. */
enum { OUTPUT_LINE_BYTES = 1024 };
uint32_t output_place(const struct model *m, const struct output_line *l, char text[OUTPUT_LINE_BYTES],
		struct source_ref *ret);

/* output_search.c: the bar at the bottom of the pane. */
bool output_search_event(struct model *m, const struct msg *msg); /* false: it is not for the bar */
void output_search_tick(struct model *m);
bool output_search_is_busy(const struct model *m); /* it needs ticks */

#endif
