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
	/* Free the stream: the client asked for it (CLOSE) or is gone. */
	void (*close)(struct stream *stream);
	/* The client takes n more bytes. */
	void (*credit)(struct stream *stream, uint32_t n);
	/* The client's queue has room again. */
	void (*room)(struct stream *stream);
};

/* First member of whatever a stream is. */
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
	size_t read_bytes; /* asked for in the next read */
	size_t unpaid;     /* bytes of frames without credit since `out` was last empty */
	uint32_t number;   /* from 1 on */
	uint32_t crowd;    /* how many clients there are, as it has been told */
	bool greeted;
	bool is_onlooker;  /* not counted */
	bool has_reported; /* the others of what it runs */
	uint32_t pid;      /* as it says; 0: it does not */
	uint32_t nproc;    /* process limit of what it starts; 0: none */
	bool dead;         /* to be swept at the end of the turn */
	bool ends_agent;   /* serve-stdio: the agent ends with it */
	bool is_full;      /* somebody was told that there is no room */
	struct stream *streams;
	size_t n_streams;
	uint32_t watch_ms; /* METRICS interval; 0: none */
	bool watch_processes;
	uint64_t watch_due_ns;
};

/* Takes both descriptors (they may differ, never be equal), also on failure. NULL: no memory. */
struct client *client_create(struct agent *agent, int read_fd, int write_fd);
void client_destroy(struct client *client);

/* Handle the bytes in client->in. Split from reading for the sake of tests and fuzzers. */
void client_process(struct client *client);
/* Write what is queued, as far as the peer takes it. */
void agent_client_flush(struct client *client);

bool client_has_room(struct client *client);
/* Frames outside of credit. Lack of memory makes the client dead. */
void agent_client_send(struct client *client, uint32_t stream, enum frame_type type, uint8_t channel,
		const void *payload, size_t n);
/* An ERROR frame, which also ends the stream for the client; freeing ours is the caller's. */
void client_error(struct client *client, uint32_t stream, int code, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));
/* The client broke the protocol: tell it and let it go. Returns TRM_EPROTO. */
int client_fail(struct client *client, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Count what was appended to `out` since it had `before` bytes as unpaid. */
void client_count_unpaid(struct client *client, size_t before);

struct stream *client_find(struct client *client, uint32_t id);
void stream_add(struct stream *stream, const struct stream_ops *ops, struct client *client, uint32_t id);
void stream_remove(struct stream *stream); /* unlink only */

#endif
