/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CORE_CLIENTS_H
#define TRM_SUPERVISOR_CORE_CLIENTS_H

/* Who is attached to the sandbox: the lines of wire/control.h. A client counts for as long as its line is
 * open, and its process lives: a copy of the line may live on in something that it has forked. What
 * happens in the sandbox cannot pretend to be a client, nor hide one. */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct buf;

enum { CLIENTS_MAX = 128, CLIENTS_POLLS = 2 * CLIENTS_MAX + 1 };

struct client {
	int fd;
	int pidfd; /* -1: before Linux 5.3, or in a PID namespace that we do not see into */
	pid_t pid;
	bool is_onlooker;  /* it only looks, and is not counted */
	char command[128]; /* cleaned; of who came through the door not before it asks for something, as most
			      come and go within a millisecond */
};

struct clients {
	int handoff_fd;
	size_t n;
	struct client of[CLIENTS_MAX];
};

/* What one of them has asked for; the line is closed in the first case. */
enum client_word { CLIENT_GONE, CLIENT_KEEP, CLIENT_KEEP_OFF, CLIENT_STOP, CLIENT_LOOK };
typedef void client_said_fn(void *user, const struct client *client, enum client_word word);

void clients_init(struct clients *c, int handoff_fd);
size_t clients_count(const struct clients *c); /* but onlookers */
/* Takes the line over. False (and closed): there are too many. */
bool clients_add(struct clients *c, int fd, pid_t pid);
/* Let in who waits at the door, if it is the same user's. True if somebody came. */
bool clients_let_in(struct clients *c);

/* For poll(): fills in CLIENTS_POLLS at most, and returns how many. */
size_t clients_poll(const struct clients *c, struct pollfd *fds);
/* After it, with what it filled in: closes the lines of those that are gone, and tells what was said. */
void clients_handle(struct clients *c, const struct pollfd *fds, client_said_fn *said, void *user);

/* To all. Who does not read, or is gone, misses it: nobody is waited for. */
void clients_publish(const struct clients *c, const struct buf *packet);
/* To that process, if it has a single line: of several nobody knows which one is meant. */
void clients_publish_to(const struct clients *c, pid_t pid, const struct buf *packet);

#endif
