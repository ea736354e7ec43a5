/* SPDX-License-Identifier: MIT */
#include "server/front.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/loop.h>

#include "base/err.h"

enum {
	BACKLOG = 1024,
	DEFAULT_CONNECTIONS = 1000,
	SPARE_CONNECTIONS = 64, /* shut, but not gone yet */
	SWEEP_MS = 1000,
	ACCEPT_BATCH = 64, /* in one turn, so that requests get theirs */
	TURNS_MAX = 4,     /* of the library, in one of ours */
	/* Seconds of silence, and between questions; after so many a client's machine is gone. */
	ALIVE_IDLE_S = 15,
	ALIVE_EACH_S = 5,
	ALIVE_TIMES = 4
};

/* ---- the library's turns ---- */

/* A connection that had been suspended is in the library's queue of events anew, which tells at once that it
 * can be written to: that is heard here, and not by another turn of the loop. */
static bool take_returned(struct front *front)
{
	bool has_returned = front->has_returned;
	front->has_returned = false;
	return has_returned;
}

static void run(struct front *front)
{
	unsigned long long wait_ms = 0;
	bool is_due = true;
	for (int i = 0; i < TURNS_MAX && (is_due || take_returned(front)); i++) {
		front->mhd.run(front->daemon);
		is_due = front->mhd.get_timeout(front->daemon, &wait_ms) == MHD_YES && !wait_ms;
	}
	if (is_due)
		trm_timer_start(front->turn, 0, 0);
}

static void on_ready(void *user, int fd, uint32_t events)
{
	(void)fd, (void)events;
	run(user);
}

static void on_turn(void *user)
{
	run(user);
}

void front_wake(struct front *front)
{
	trm_timer_start(front->turn, 0, 0);
}

/* ---- accepting ---- */

static void listen_again(struct front *front, bool is_wanted)
{
	for (unsigned i = 0; i < front->n_sockets; i++)
		trm_watch_set_events(front->sockets[i].watch, is_wanted ? TRM_READ : 0);
	front->is_full = !is_wanted;
}

static void add(struct front *front, int fd, const struct sockaddr *address, socklen_t n)
{
	int one = 1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	front->mhd.add_connection(front->daemon, fd, address, n); /* closes it if it cannot */
	front_wake(front);
}

static void on_accept(void *user, int fd, uint32_t events)
{
	struct front *front = user;
	(void)events;
	for (int i = 0; i < ACCEPT_BATCH; i++) {
		struct sockaddr_storage address;
		socklen_t n = sizeof address;
		if (front->n_connections >= front->opts.max_connections && !peers_shut_oldest(front)) {
			listen_again(front, false);
			return;
		}
		int peer = accept4(fd, (struct sockaddr *)&address, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (peer < 0) {
			if ((errno == EMFILE || errno == ENFILE || errno == ENOMEM)
					&& !peers_shut_oldest(front))
				listen_again(front, false);
			return;
		}
		add(front, peer, (struct sockaddr *)&address, n);
	}
}

static void on_sweep(void *user)
{
	struct front *front = user;
	peers_sweep(front);
	if (front->n_connections)
		run(front); /* for its own time-outs */
	if (front->is_full && !front->is_closing)
		listen_again(front, true);
}

/* ---- opening ---- */

static bool is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24
		       == 127;
	const struct in6_addr *v6 = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
	return IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == 127);
}

static int fail_to_listen(const struct front_opts *opts, int saved_errno, struct trm_error *reterr)
{
	if (saved_errno == EADDRINUSE)
		return trm_error_set(reterr, TRM_EBUSY,
				"port %u of %s is in use: another server may be running; choose another with --port",
				opts->port, opts->host);
	if (saved_errno == ENOKEY)
		return trm_error_set(reterr, TRM_EPERM,
				"%s can be reached from other machines, and without keys each of them could run code here: "
				"leave out --dev, or add --force",
				opts->host);
	if (saved_errno == EADDRNOTAVAIL)
		return trm_error_set(reterr, TRM_EINVAL, "%s is not an address of this machine", opts->host);
	if (saved_errno == EACCES)
		return trm_error_set(reterr, TRM_EPERM,
				"port %u of %s is not for ordinary users: choose one above 1023", opts->port,
				opts->host);
	return trm_error_set_errno(
			reterr, saved_errno, "cannot listen at %s port %u", opts->host, opts->port);
}

static uint16_t port_of(int fd)
{
	struct sockaddr_storage address;
	socklen_t n = sizeof address;
	if (getsockname(fd, (struct sockaddr *)&address, &n) < 0)
		return 0;
	return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
						   : ((struct sockaddr_in *)&address)->sin_port);
}

static void set_port(struct sockaddr *address, uint16_t port)
{
	if (address->sa_family == AF_INET6)
		((struct sockaddr_in6 *)(void *)address)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)(void *)address)->sin_port = htons(port);
}

/* Connections have it from their listening socket: clients whose machine vanishes are missed. */
static void keep_asking(int fd)
{
	static const int options[][3] = {{SOL_SOCKET, SO_KEEPALIVE, 1},
			{IPPROTO_TCP, TCP_KEEPIDLE, ALIVE_IDLE_S}, {IPPROTO_TCP, TCP_KEEPINTVL, ALIVE_EACH_S},
			{IPPROTO_TCP, TCP_KEEPCNT, ALIVE_TIMES}};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		setsockopt(fd, options[i][0], options[i][1], &options[i][2], sizeof(int));
}

/* 0 or an errno. */
static int listen_at(struct front *front, const struct addrinfo *at, struct trm_error *reterr)
{
	if (front->opts.is_local_only && !is_loopback(at->ai_addr))
		return ENOKEY;
	int one = 1, fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (at->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
	keep_asking(fd);
	set_port(at->ai_addr, front->port ? front->port : front->opts.port);
	if (bind(fd, at->ai_addr, at->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0
			|| trm_loop_add_fd(front->loop, fd, TRM_READ, on_accept, front,
					   &front->sockets[front->n_sockets].watch, reterr)
					   < 0) {
		int saved = errno;
		close(fd);
		return saved ? saved : ENOMEM;
	}
	front->sockets[front->n_sockets++].fd = fd;
	front->port = port_of(fd);
	return 0;
}

/* All addresses of the host, at one port. An address family that this machine does without is passed over. */
static int listen_everywhere(struct front *front, struct trm_error *reterr)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
	int problem = 0, r = getaddrinfo(front->opts.host, NULL, &hints, &found);
	if (r != 0)
		return trm_error_set(reterr, TRM_EINVAL, "%s is not an address or name to listen at: %s",
				front->opts.host, r == EAI_SYSTEM ? strerror(errno) : gai_strerror(r));
	for (struct addrinfo *at = found; at && front->n_sockets < FRONT_SOCKETS; at = at->ai_next) {
		r = listen_at(front, at, reterr);
		if (r == EADDRINUSE && front->n_sockets && !front->opts.port)
			continue; /* any port was good, and this one is free at one address at least */
		if (r != 0 && r != EAFNOSUPPORT && (r != EADDRNOTAVAIL || !front->n_sockets))
			problem = r;
		if (r == EADDRINUSE || r == ENOKEY)
			break;
	}
	freeaddrinfo(found);
	if (front->n_sockets && problem != EADDRINUSE && problem != ENOKEY)
		return 0;
	return fail_to_listen(&front->opts, problem ? problem : EAFNOSUPPORT, reterr);
}

static int start(struct front *front, struct trm_error *reterr)
{
	const struct front_opts *o = &front->opts;
	front->daemon = front->mhd.start_daemon(
			MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_SUSPEND_RESUME, 0, NULL, NULL,
			request_access, front, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)FRONT_POOL,
			MHD_OPTION_CONNECTION_LIMIT, o->max_connections + SPARE_CONNECTIONS,
			MHD_OPTION_CONNECTION_TIMEOUT, o->patience_s, MHD_OPTION_NOTIFY_COMPLETED,
			request_completed, (void *)front, MHD_OPTION_NOTIFY_CONNECTION, front_connected,
			(void *)front, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	if (!front->daemon)
		return trm_error_set(reterr, TRM_EIO,
				"libmicrohttpd cannot start: too little memory or too few descriptors");
	int fd = front->mhd.daemon_info(front->daemon, MHD_DAEMON_INFO_EPOLL_FD)->fd;
	int r = trm_loop_add_fd(front->loop, fd, TRM_READ, on_ready, front, &front->watch, reterr);
	if (r == 0)
		r = trm_loop_add_timer(front->loop, on_turn, front, &front->turn, reterr);
	if (r == 0)
		r = trm_loop_add_timer(front->loop, on_sweep, front, &front->sweep, reterr);
	if (r == 0)
		trm_timer_start(front->sweep, SWEEP_MS, SWEEP_MS);
	return r;
}

int front_open(struct trm_loop *loop, const struct front_opts *opts, struct front **ret_front,
		struct trm_error *reterr)
{
	struct front *front = calloc(1, sizeof *front);
	if (!front)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	front->loop = loop;
	front->opts = *opts;
	if (!front->opts.max_connections)
		front->opts.max_connections = DEFAULT_CONNECTIONS;
	if (!front->opts.patience_s)
		front->opts.patience_s = FRONT_PATIENCE_S;
	front->waiting = (struct link){&front->waiting, &front->waiting};
	front->reading = (struct link){&front->reading, &front->reading};
	front->left = (struct link){&front->left, &front->left};
	front->requests = (struct link){&front->requests, &front->requests};
	int r = mhd_load(&front->mhd, reterr);
	if (r == 0)
		r = start(front, reterr);
	if (r == 0)
		r = listen_everywhere(front, reterr);
	if (r < 0) {
		front_close(front);
		return r;
	}
	*ret_front = front;
	return 0;
}

void front_quiesce(struct front *front)
{
	front->is_closing = true;
	for (unsigned i = 0; i < front->n_sockets; i++) {
		trm_watch_remove(front->sockets[i].watch);
		close(front->sockets[i].fd);
	}
	front->n_sockets = 0;
	peers_shut_all(front);
}

void front_close(struct front *front)
{
	if (!front)
		return;
	front_quiesce(front);
	requests_abort(front);
	if (front->daemon) {
		front->mhd.run(front->daemon); /* resumed ones hear that they are aborted */
		trm_watch_remove(front->watch);
		front->mhd.stop_daemon(front->daemon);
	}
	trm_timer_remove(front->turn);
	trm_timer_remove(front->sweep);
	free(front);
}
