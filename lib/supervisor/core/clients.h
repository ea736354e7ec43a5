/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CORE_CLIENTS_H
#define TRM_SUPERVISOR_CORE_CLIENTS_H

/* The clients that are attached to the sandbox, over the connections of wire/control.h. A client counts for
 * as long as its connection is open and its process lives: a process that it forked may hold a copy of the
 * connection. Code in the sandbox can neither pretend to be a client nor hide one. */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "wire/control.h"

struct buf;

enum { CLIENTS_MAX = 128, CLIENTS_POLLS = 2 * CLIENTS_MAX + 1 };

struct client {
	int fd;
	int pidfd; /* -1: Linux before 5.3, or the client is in a PID namespace that we do not see */
	pid_t pid;
	bool is_observer; /* it only watches and is not counted */
	/* Without control characters; read only once the client sends a request, as most clients come and
	 * go within a millisecond. */
	char command[128];
};

struct clients {
	int handoff_fd;
	size_t n;
	struct client of[CLIENTS_MAX];
	char group[STATE_GROUP]; /* that a client has moved the sandbox to; "": none has */
};

/* A client's request. After CLIENT_GONE its connection is closed. */
enum client_word { CLIENT_GONE, CLIENT_KEEP, CLIENT_KEEP_OFF, CLIENT_STOP, CLIENT_OBSERVE, CLIENT_GROUP };
typedef void client_said_fn(void *user, const struct client *client, enum client_word word);

void clients_init(struct clients *c, int handoff_fd);
size_t clients_count(const struct clients *c); /* without observers */
/* Takes over the connection. Returns false, and closes it, if there are too many clients. */
bool clients_add(struct clients *c, int fd, pid_t pid);
/* Accept the waiting clients that belong to the same user. Returns true if there was one. */
bool clients_let_in(struct clients *c);

/* For poll(): fills in at most CLIENTS_POLLS entries and returns their number. */
size_t clients_poll(const struct clients *c, struct pollfd *fds);
/* After poll(), with the entries that clients_poll() filled in: reports requests, and closes the
 * connections of clients that have gone. */
void clients_handle(struct clients *c, const struct pollfd *fds, client_said_fn *said, void *user);

/* Send to all clients without blocking: a client that does not read misses the packet. */
void clients_publish(const struct clients *c, const struct buf *packet);
/* Send to that process if it has exactly one connection. With several it is unknown which one is meant. */
void clients_publish_to(const struct clients *c, pid_t pid, const struct buf *packet);

#endif
