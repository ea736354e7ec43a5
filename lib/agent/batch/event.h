/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_EVENT_H
#define TRM_AGENT_EVENT_H

/* Writing the events of the kernel protocol (kernel/kernel.h). */

struct buf;
struct order;

void event_say(const struct buf *event);
void event_add(struct buf *out, const char *text);
void event_add_string(struct buf *out, const char *text);                     /* as a string of JSON */
void event_add_error(struct buf *out, const char *name, const char *message); /* the member, without rows */
/* Answer a question with an object in JSON. */
void event_reply(const struct order *o, const char *data);
/* The run of that order waits for a line. */
void event_input(void *order);

#endif
