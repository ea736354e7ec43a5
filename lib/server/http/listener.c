/* SPDX-License-Identifier: MIT */
#include "server/http/listener.h"

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
	SPARE_CONNECTIONS = 64, /* closed by us, but not gone yet */
	SWEEP_MS = 1000,
	ACCEPT_BATCH = 64, /* in one turn, so that requests are served meanwhile */
	TURNS_MAX = 4,     /* of the library, in one of ours */
	/* TCP keep-alive: seconds of silence, seconds between probes, and probes until the client counts as
	 * gone. */
	ALIVE_IDLE_S = 15,
	ALIVE_EACH_S = 5,
	ALIVE_TIMES = 4
};

/* ---- the library's turns ---- */

/* A resumed connection is queued again in the library and is writable at once. Handle that here rather than
 * in another turn of the loop. */
static bool take_returned(struct listener *listener)
{
	bool has_returned = listener->has_returned;
	listener->has_returned = false;
	return has_returned;
}

static void run(struct listener *listener)
{
	unsigned long long wait_ms = 0;
	bool is_due = true;
	for (int i = 0; i < TURNS_MAX && (is_due || take_returned(listener)); i++) {
		listener->mhd.run(listener->daemon);
		is_due = listener->mhd.get_timeout(listener->daemon, &wait_ms) == MHD_YES && !wait_ms;
	}
	if (is_due)
		trm_timer_start(listener->turn, 0, 0);
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

void listener_wake(struct listener *listener)
{
	trm_timer_start(listener->turn, 0, 0);
}

/* ---- accepting ---- */

static void listen_again(struct listener *listener, bool is_wanted)
{
	for (unsigned i = 0; i < listener->n_sockets; i++)
		trm_watch_set_events(listener->sockets[i].watch, is_wanted ? TRM_READ : 0);
	listener->is_full = !is_wanted;
}

static void add_socket_connection(
		struct listener *listener, int fd, const struct sockaddr *address, socklen_t n)
{
	int one = 1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	listener->mhd.add_connection(listener->daemon, fd, address, n); /* closes fd on failure */
	listener_wake(listener);
}

/* Shut the oldest idle connection if there are too many. One that has been shut counts until the library has
 * closed it. The library would reset the newest connection if more than the spare ones waited for that. */
static bool make_room(struct listener *listener)
{
	unsigned max = listener->opts.max_connections;
	if (listener->n_connections < max)
		return true;
	if (listener->n_connections >= max + SPARE_CONNECTIONS) {
		listener_wake(listener);
		return false;
	}
	bool has_room = peers_shut_oldest(listener);
	if (!has_room)
		listen_again(listener, false);
	return has_room;
}

static void on_accept(void *user, int fd, uint32_t events)
{
	struct listener *listener = user;
	(void)events;
	for (int i = 0; i < ACCEPT_BATCH; i++) {
		struct sockaddr_storage address;
		socklen_t n = sizeof address;
		if (!make_room(listener))
			return;
		int peer = accept4(fd, (struct sockaddr *)&address, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (peer < 0) {
			if ((errno == EMFILE || errno == ENFILE || errno == ENOMEM)
					&& !peers_shut_oldest(listener))
				listen_again(listener, false);
			return;
		}
		add_socket_connection(listener, peer, (struct sockaddr *)&address, n);
	}
}

static void on_sweep(void *user)
{
	struct listener *listener = user;
	peers_sweep(listener);
	if (listener->n_connections)
		run(listener); /* for the library's own timeouts */
	if (listener->is_full && !listener->is_closing)
		listen_again(listener, true);
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

static int fail_to_listen(const struct listener_opts *opts, int saved_errno, struct trm_error *reterr)
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

/* Connections inherit keep-alive from the listening socket. Without it, clients whose machine vanishes
 * would not be noticed. */
static void snapshot_asking(int fd)
{
	static const int options[][3] = {{SOL_SOCKET, SO_KEEPALIVE, 1},
			{IPPROTO_TCP, TCP_KEEPIDLE, ALIVE_IDLE_S}, {IPPROTO_TCP, TCP_KEEPINTVL, ALIVE_EACH_S},
			{IPPROTO_TCP, TCP_KEEPCNT, ALIVE_TIMES}};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		setsockopt(fd, options[i][0], options[i][1], &options[i][2], sizeof(int));
}

/* Returns 0 or an errno. */
static int listen_at(struct listener *listener, const struct addrinfo *at, struct trm_error *reterr)
{
	if (listener->opts.is_local_only && !is_loopback(at->ai_addr))
		return ENOKEY;
	int one = 1, fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (at->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
	snapshot_asking(fd);
	set_port(at->ai_addr, listener->port ? listener->port : listener->opts.port);
	if (bind(fd, at->ai_addr, at->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0
			|| trm_loop_add_fd(listener->loop, fd, TRM_READ, on_accept, listener,
					   &listener->sockets[listener->n_sockets].watch, reterr)
					   < 0) {
		int saved = errno;
		close(fd);
		return saved ? saved : ENOMEM;
	}
	listener->sockets[listener->n_sockets++].fd = fd;
	listener->port = port_of(fd);
	return 0;
}

/* Listen at all addresses of the host on one port. Address families that this machine lacks are skipped. */
static int listen_everywhere(struct listener *listener, struct trm_error *reterr)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
	int problem = 0, r = getaddrinfo(listener->opts.host, NULL, &hints, &found);
	if (r != 0)
		return trm_error_set(reterr, TRM_EINVAL, "%s is not an address or name to listen at: %s",
				listener->opts.host, r == EAI_SYSTEM ? strerror(errno) : gai_strerror(r));
	for (struct addrinfo *at = found; at && listener->n_sockets < LISTENER_SOCKETS; at = at->ai_next) {
		r = listen_at(listener, at, reterr);
		if (r == EADDRINUSE && listener->n_sockets && !listener->opts.port)
			continue; /* any port will do, and this one is free at one address at least */
		if (r != 0 && r != EAFNOSUPPORT && (r != EADDRNOTAVAIL || !listener->n_sockets))
			problem = r;
		if (r == EADDRINUSE || r == ENOKEY)
			break;
	}
	freeaddrinfo(found);
	if (listener->n_sockets && problem != EADDRINUSE && problem != ENOKEY)
		return 0;
	return fail_to_listen(&listener->opts, problem ? problem : EAFNOSUPPORT, reterr);
}

static int start(struct listener *listener, struct trm_error *reterr)
{
	const struct listener_opts *o = &listener->opts;
	listener->daemon = listener->mhd.start_daemon(
			MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_SUSPEND_RESUME, 0, NULL, NULL,
			request_access, listener, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)LISTENER_POOL,
			MHD_OPTION_CONNECTION_LIMIT, o->max_connections + SPARE_CONNECTIONS,
			MHD_OPTION_CONNECTION_TIMEOUT, o->timeout_s, MHD_OPTION_NOTIFY_COMPLETED,
			request_completed, (void *)listener, MHD_OPTION_NOTIFY_CONNECTION, listener_connected,
			(void *)listener, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	if (!listener->daemon)
		return trm_error_set(reterr, TRM_EIO,
				"libmicrohttpd cannot start: too little memory or too few descriptors");
	int fd = listener->mhd.daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD)->fd;
	int r = trm_loop_add_fd(listener->loop, fd, TRM_READ, on_ready, listener, &listener->watch, reterr);
	if (r == 0)
		r = trm_loop_add_timer(listener->loop, on_turn, listener, &listener->turn, reterr);
	if (r == 0)
		r = trm_loop_add_timer(listener->loop, on_sweep, listener, &listener->sweep, reterr);
	if (r == 0)
		trm_timer_start(listener->sweep, SWEEP_MS, SWEEP_MS);
	return r;
}

int listener_open(struct trm_loop *loop, const struct listener_opts *opts, struct listener **ret_front,
		struct trm_error *reterr)
{
	struct listener *listener = calloc(1, sizeof *listener);
	if (!listener)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	listener->loop = loop;
	listener->opts = *opts;
	if (!listener->opts.max_connections)
		listener->opts.max_connections = DEFAULT_CONNECTIONS;
	if (!listener->opts.timeout_s)
		listener->opts.timeout_s = LISTENER_TIMEOUT_S;
	listener->waiting = (struct link){&listener->waiting, &listener->waiting};
	listener->reading = (struct link){&listener->reading, &listener->reading};
	listener->left = (struct link){&listener->left, &listener->left};
	listener->requests = (struct link){&listener->requests, &listener->requests};
	int r = mhd_load(&listener->mhd, reterr);
	if (r == 0)
		r = start(listener, reterr);
	if (r == 0)
		r = listen_everywhere(listener, reterr);
	if (r < 0) {
		listener_close(listener);
		return r;
	}
	*ret_front = listener;
	return 0;
}

void listener_quiesce(struct listener *listener)
{
	listener->is_closing = true;
	for (unsigned i = 0; i < listener->n_sockets; i++) {
		trm_watch_remove(listener->sockets[i].watch);
		close(listener->sockets[i].fd);
	}
	listener->n_sockets = 0;
	peers_shut_all(listener);
}

void listener_close(struct listener *listener)
{
	if (!listener)
		return;
	listener_quiesce(listener);
	requests_abort(listener);
	if (listener->daemon) {
		/* The resumed connections notice that they are aborted. */
		listener->mhd.run(listener->daemon);
		trm_watch_remove(listener->watch);
		listener->mhd.stop_daemon(listener->daemon);
	}
	trm_timer_remove(listener->turn);
	trm_timer_remove(listener->sweep);
	free(listener);
}
