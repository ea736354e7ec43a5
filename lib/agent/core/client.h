/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CORE_CLIENT_H
#define TRM_AGENT_CORE_CLIENT_H

/* One connection and the streams living on it.
 *
 * Memory is bounded: sources of credit-governed frames read on only while
 * client_has_room(); all other frames count as `unpaid`, and a client that
 * lets too many of these pile up is not read from until it has taken them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/core/watch.h"
#include "base/buf.h"
#include "wire/frame.h"

struct agent;
struct client;
struct stream;

struct stream_ops {
	/* Free the stream: the client has closed it (CLOSE) or has gone. */
	void (*close)(struct stream *stream);
	/* The client accepts n more bytes. */
	void (*credit)(struct stream *stream, uint32_t n);
	/* The client's queue has room again. */
	void (*room)(struct stream *stream);
};

/* The first member of each kind of stream. */
struct stream {
	const struct stream_ops *ops;
	struct client *client;
	uint32_t id;
	struct stream *next;
};

struct client {
	struct agent *agent;
	struct client *next;
	struct watch reader, writer;
	struct buf in, out;
	size_t read_bytes; /* size of the next read */
	size_t unpaid;     /* bytes of frames without credit since `out` was last empty */
	uint32_t number;   /* from 1 on */
	uint32_t crowd;    /* the number of clients that it was told last */
	bool greeted;
	bool is_observer; /* not counted */
	bool follows;     /* it gets news of the others and their commands */
	/* News that it has yet to get, because too much was unread: see publish.c. */
	bool owes_present;
	struct buf owed_gone; /* numbers, u32 */
	char *by;             /* what it is, as it says; NULL: it does not */
	uint32_t pid;         /* as the client states it; 0: unknown */
	uint32_t nproc;       /* process limit of programs that it starts; 0: none */
	bool dead;            /* freed at the end of the turn */
	bool ends_agent;      /* serve-stdio: the agent ends with it */
	bool is_full;         /* a stream is waiting for room */
	struct stream *streams;
	size_t n_streams;
	uint32_t watch_ms; /* METRICS interval; 0: none */
	bool watch_processes;
	uint64_t watch_due_ns;
};

/* Takes over both descriptors, also on failure. They must differ, but may be the same socket. NULL: no
 * memory. */
struct client *client_create(struct agent *agent, int read_fd, int write_fd);
void client_destroy(struct client *client);

/* Handle the bytes in client->in. Separate from reading so that tests and fuzzers can call it. */
void client_process(struct client *client);
/* Write as much of the queue as the peer accepts. */
void agent_client_flush(struct client *client);

bool client_has_room(struct client *client);
/* Send a frame without credit. Lack of memory marks the client dead. */
void agent_client_send(struct client *client, uint32_t stream, enum frame_type type, uint8_t channel,
		const void *payload, size_t n);
/* Send an ERROR frame, which ends the stream for the client. The caller frees our side. */
void client_error(struct client *client, uint32_t stream, int code, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));
/* The client broke the protocol: report it and disconnect. Returns TRM_EPROTO. */
int client_fail(struct client *client, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Count the bytes that were appended to `out`, which had `before` bytes, as unpaid. */
void client_count_unpaid(struct client *client, size_t before);

struct stream *client_find(struct client *client, uint32_t id);
void stream_add(struct stream *stream, const struct stream_ops *ops, struct client *client, uint32_t id);
void stream_remove(struct stream *stream); /* unlink only */

#endif
