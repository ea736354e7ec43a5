/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PROCESS_BACKLOG_H
#define TRM_AGENT_PROCESS_BACKLOG_H

/* OUTPUT that waits for the credit of one subscriber: a queue of records, each of one channel. A record
 * may be taken in pieces of any size. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum {
	/* A replay with its pins, and notes that come meanwhile. A client with more waiting data is
	 * detached. */
	BACKLOG_MAX = 8 * 1024 * 1024,
};

/* TRM_ETOOBIG, TRM_ENOMEM: nothing was added. */
int backlog_put(struct buf *backlog, uint8_t channel, const void *bytes, size_t n);
/* The first record. The backlog must not be empty. Borrowed until the next call. */
const char *backlog_front(const struct buf *backlog, uint8_t *ret_channel, size_t *ret_n);
/* Drop n bytes of the first record, at most all of it. */
void backlog_take(struct buf *backlog, size_t n);

#endif
