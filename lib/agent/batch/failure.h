/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_FAILURE_H
#define TRM_AGENT_FAILURE_H

/* The error of a run, in its event. */

struct buf;

/* Append the member `error`. Each row of the traceback is ended by a newline; of many, some are left out. */
void failure_put(struct buf *event, const char *name, const char *message, const struct buf *rows);
/* Append the rest of the status, `error`, and that member without rows. */
void failure_say(struct buf *event, const char *name, const char *format, ...)
		__attribute__((format(printf, 3, 4)));

#endif
