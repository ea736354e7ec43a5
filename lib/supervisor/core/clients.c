/* SPDX-License-Identifier: MIT */
#include "supervisor/core/clients.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/procstat.h"
#include "wire/control.h"

void clients_init(struct clients *c, int handoff_fd)
{
	c->handoff_fd = handoff_fd;
	c->n = 0;
	c->group[0] = '\0';
	fcntl(handoff_fd, F_SETFL, O_NONBLOCK);
}

size_t clients_count(const struct clients *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++)
		n += !c->of[i].is_observer;
	return n;
}

static void refuse(int fd)
{
	char none[] = "";
	const struct gone_msg msg = {.cause = GONE_FULL, .words = none, .command = none};
	struct buf b;
	buf_init(&b, CONTROL_MAX_BYTES);
	if (control_put(&b, &(struct control_msg){.type = CONTROL_GONE, .gone = msg}) == 0)
		send(fd, buf_at(&b), b.len, MSG_NOSIGNAL | MSG_DONTWAIT);
	buf_finish(&b);
	close(fd);
}

static bool add_client(struct clients *c, int fd, pid_t pid)
{
	if (c->n == CLIENTS_MAX) {
		refuse(fd);
		return false;
	}
	struct client *client = &c->of[c->n++];
	client->fd = fd;
	client->pid = pid;
	client->is_observer = false;
	client->command[0] = '\0';
	client->pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	return true;
}

/* Reads the command while the process is alive. */
static void note_command(struct client *client)
{
	if (!client->command[0])
		procstat_command(client->pid, client->command, sizeof client->command);
}

bool clients_add(struct clients *c, int fd, pid_t pid)
{
	if (!add_client(c, fd, pid))
		return false;
	note_command(&c->of[c->n - 1]);
	return true;
}

static void close_client(struct client *client)
{
	close(client->fd);
	if (client->pidfd >= 0)
		close(client->pidfd);
}

/* The first packet of an observer says so, and has mostly arrived before the connection is accepted.
 * Peeking at it here keeps the observer from being counted even for a moment. */
static bool is_observer(int fd)
{
	char packet[REQUEST_MAX_BYTES];
	struct control_msg request;
	ssize_t n = recv(fd, packet, sizeof packet, MSG_DONTWAIT | MSG_PEEK);
	return n > 0 && request_get(packet, (size_t)n, &request) == 0 && request.type == CONTROL_OBSERVE;
}

static bool accept_client(struct clients *c, int fd, pid_t pid)
{
	if (!add_client(c, fd, pid))
		return false;
	c->of[c->n - 1].is_observer = is_observer(fd);
	return !c->of[c->n - 1].is_observer;
}

bool clients_let_in(struct clients *c)
{
	bool has_come = false;
	int fd;
	while ((fd = accept4(c->handoff_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		struct ucred who;
		socklen_t n = sizeof who;
		bool is_ours = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 && who.uid == geteuid();
		if (is_ours)
			has_come |= accept_client(c, fd, who.pid);
		else
			close(fd);
	}
	return has_come;
}

size_t clients_poll(const struct clients *c, struct pollfd *fds)
{
	size_t n = 0;
	fds[n++] = (struct pollfd){.fd = c->handoff_fd, .events = POLLIN};
	for (size_t i = 0; i < c->n; i++) {
		fds[n++] = (struct pollfd){.fd = c->of[i].fd, .events = POLLIN};
		fds[n++] = (struct pollfd){.fd = c->of[i].pidfd, .events = POLLIN};
	}
	return n;
}

/* Returns false if the connection has ended. */
static bool read_requests(struct clients *c, struct client *client, client_said_fn *said, void *user)
{
	char packet[REQUEST_MAX_BYTES];
	struct control_msg request;
	ssize_t n;
	while ((n = recv(client->fd, packet, sizeof packet, MSG_DONTWAIT)) > 0) {
		if (request_get(packet, (size_t)n, &request) < 0)
			request.type = CONTROL_TYPES;
		if (request.type != CONTROL_OBSERVE)
			note_command(client);
		if (request.type == CONTROL_STOP)
			said(user, client, CLIENT_STOP);
		else if (request.type == CONTROL_OBSERVE) {
			client->is_observer = true;
			said(user, client, CLIENT_OBSERVE);
		} else if (request.type == CONTROL_KEEP)
			said(user, client, request.is_kept ? CLIENT_KEEP : CLIENT_KEEP_OFF);
		else if (request.type == CONTROL_GROUP) {
			memcpy(c->group, request.group, sizeof c->group);
			said(user, client, CLIENT_GROUP);
		}
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

void clients_handle(struct clients *c, const struct pollfd *fds, client_said_fn *said, void *user)
{
	const size_t were = c->n;
	/* Backwards, because a client that has gone is swapped with the last one. Clients accepted since
	 * are not in `fds`. */
	for (size_t i = were; i-- > 0;) {
		const struct pollfd *line = &fds[1 + 2 * i], *life = &fds[2 + 2 * i];
		bool is_there = !line->revents || read_requests(c, &c->of[i], said, user);
		if (is_there && !life->revents)
			continue;
		struct client gone = c->of[i];
		c->of[i] = c->of[--c->n];
		c->of[c->n] = gone;
		said(user, &gone, CLIENT_GONE);
	}
	/* Close the connections last. A client that waits for its connection to close then knows that its
	 * departure, and every earlier one, has been counted. */
	for (size_t i = c->n; i < were; i++)
		close_client(&c->of[i]);
}

void clients_publish(const struct clients *c, const struct buf *packet)
{
	for (size_t i = 0; i < c->n; i++)
		send(c->of[i].fd, buf_at(packet), packet->len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void clients_publish_to(const struct clients *c, pid_t pid, const struct buf *packet)
{
	const struct client *found = NULL;
	for (size_t i = 0; i < c->n; i++) {
		if (c->of[i].pid != pid)
			continue;
		if (found)
			return;
		found = &c->of[i];
	}
	if (found)
		send(found->fd, buf_at(packet), packet->len, MSG_NOSIGNAL | MSG_DONTWAIT);
}
