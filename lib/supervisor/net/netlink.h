/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_NET_NETLINK_H
#define TRM_SUPERVISOR_NET_NETLINK_H

/* Requests to the kernel's netlink, put together from messages and nested attributes, and sent as one
 * batch. Numbers are those of linux/netlink.h, which a musl toolchain need not have. */

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
	uint32_t answered; /* of the message that the kernel is to acknowledge */
	int error;         /* first that went wrong while building: an errno */
};

void netlink_begin(struct netlink *n);

/* A message; `head` is what its family wants in front of attributes. What is opened is closed by its place.
 */
size_t netlink_open_msg(struct netlink *n, uint16_t type, uint16_t flags, const void *head, size_t head_len);
void netlink_close_msg(struct netlink *n, size_t at);
/* The kernel shall acknowledge this one: one in a batch. */
void netlink_ask(struct netlink *n, size_t at);

void netlink_put(struct netlink *n, const void *bytes, size_t len); /* bare, padded */
void netlink_put_attr(struct netlink *n, uint16_t type, const void *bytes, size_t len);
void netlink_put_text(struct netlink *n, uint16_t type, const char *text);
void netlink_put_u32(struct netlink *n, uint16_t type, uint32_t v); /* in network order */
size_t netlink_open(struct netlink *n, uint16_t type);
void netlink_close(struct netlink *n, size_t at);

/* Send, and wait for the acknowledgement. 0 or an errno. Frees, in any case. */
int netlink_commit(struct netlink *n, int protocol);

#endif
