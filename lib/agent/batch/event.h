/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_EVENT_H
#define TRM_AGENT_EVENT_H

/* Writing the events of the kernel protocol (kernel/kernel.h). */

struct buf;
struct order;

void event_say(const struct buf *event);
void event_add(struct buf *out, const char *text);
void event_add_string(struct buf *out, const char *text); /* as a string of JSON */
void event_add_error(struct buf *out, const char *name,
		const char *message); /* the member "error", without frames */
/* Answer a question; `data` is an object in JSON. */
void event_reply(const struct order *o, const char *data);
/* Report that the run of this order is compiled and begins. */
void event_compiled(const struct order *o);
/* Report that the run of this order waits for a line. */
void event_input(void *order);

#endif
