/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_TRACE_H
#define TRM_AGENT_TRACE_H

/* The rows of a traceback. */

struct buf;
struct source;

/* Append a row for each frame of the user's code. `frames`: lines "OFFSET PATH" as the keeper gives them,
 * which are changed in place. */
void trace_put(const struct source *s, struct buf *frames, struct buf *rows);

#endif
