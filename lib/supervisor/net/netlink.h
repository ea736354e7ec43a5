/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_NET_NETLINK_H
#define TRM_SUPERVISOR_NET_NETLINK_H

/* Builds netlink requests from messages and nested attributes, and sends them to the kernel as one batch.
 * The numbers are those of linux/netlink.h, which a musl toolchain need not have. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { NETLINK_OF_ROUTES = 0, NETLINK_OF_FILTERS = 12 };
enum {
	NETLINK_REQUEST = 1,
	NETLINK_ACK = 4,
	NETLINK_EXCLUSIVE = 0x200,
	NETLINK_CREATE = 0x400,
	NETLINK_APPEND = 0x800
};

struct netlink {
	struct buf batch;
	uint32_t seq;      /* of the last message */
	uint32_t answered; /* of the message that the kernel has to acknowledge */
	int error;         /* the first errno while building */
};

void netlink_begin(struct netlink *n);

/* Open a message. `head` is the header of its family, which comes before the attributes. The returned
 * offset is used to close it. */
size_t netlink_open_msg(struct netlink *n, uint16_t type, uint16_t flags, const void *head, size_t head_len);
void netlink_close_msg(struct netlink *n, size_t at);
/* Ask the kernel to acknowledge this message, one in each batch. */
void netlink_ask(struct netlink *n, size_t at);

void netlink_put(struct netlink *n, const void *bytes, size_t len); /* without a header, padded */
void netlink_put_attr(struct netlink *n, uint16_t type, const void *bytes, size_t len);
void netlink_put_text(struct netlink *n, uint16_t type, const char *text);
void netlink_put_u32(struct netlink *n, uint16_t type, uint32_t v); /* in network byte order */
size_t netlink_open(struct netlink *n, uint16_t type);
void netlink_close(struct netlink *n, size_t at);

/* Send the batch and wait for the acknowledgement. Returns 0 or an errno. Frees the batch in any case. */
int netlink_commit(struct netlink *n, int protocol);

#endif
