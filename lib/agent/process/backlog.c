/* SPDX-License-Identifier: MIT */
#include "agent/process/backlog.h"

#include <string.h>

#include <terrarium/error.h>

struct head {
	uint32_t n;
	uint32_t channel;
};

int backlog_put(struct buf *backlog, uint8_t channel, const void *bytes, size_t n)
{
	const struct head head = {.n = (uint32_t)n, .channel = channel};
	if (!n)
		return 0;
	if (n > backlog->max || !buf_reserve(backlog, sizeof head + n))
		return sizeof head + n > backlog->max - backlog->len ? TRM_ETOOBIG : TRM_ENOMEM;
	buf_append(backlog, &head, sizeof head);
	return buf_append(backlog, bytes, n);
}

const char *backlog_front(const struct buf *backlog, uint8_t *ret_channel, size_t *ret_n)
{
	struct head head;
	memcpy(&head, buf_at(backlog), sizeof head);
	*ret_channel = (uint8_t)head.channel;
	*ret_n = head.n;
	return buf_at(backlog) + sizeof head;
}

void backlog_take(struct buf *backlog, size_t n)
{
	struct head head;
	memcpy(&head, buf_at(backlog), sizeof head);
	if (n >= head.n) {
		buf_take(backlog, sizeof head + head.n);
		return;
	}
	/* The head of the remaining record overwrites the last bytes that were taken. */
	head.n -= (uint32_t)n;
	buf_take(backlog, n);
	memcpy(buf_at(backlog), &head, sizeof head);
}
