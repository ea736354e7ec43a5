/* SPDX-License-Identifier: MIT */
#include <malloc.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <terrarium/loop.h>

#include "server/http/listener.h"

enum { CROWD = 200, PROBE_MS = 10000 };

static void unlink_from(struct link *link)
{
	link->previous->next = link->next;
	link->next->previous = link->previous;
	*link = (struct link){link, link};
}

static struct peer *peer_of(struct link *link)
{
	return (struct peer *)(void *)link;
}

void peer_enter(struct peer *peer, struct link *list)
{
	unlink_from(&peer->link);
	peer->since_ns = trm_loop_now_ns(peer->listener->loop);
	if (!list)
		return;
	peer->link = (struct link){list->previous, list};
	list->previous->next = &peer->link;
	list->previous = &peer->link;
}

/* The library notices the end of the connection and closes it in its next turn. */
void peer_shut(struct peer *peer)
{
	peer_enter(peer, NULL);
	peer->is_shut = true;
	shutdown(peer->fd, SHUT_RDWR);
}

bool peers_shut_oldest(struct listener *listener)
{
	struct link *lists[] = {&listener->waiting, &listener->reading};
	struct peer *oldest = NULL;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		struct peer *first = peer_of(lists[i]->next);
		if (lists[i]->next != lists[i] && (!oldest || first->since_ns < oldest->since_ns))
			oldest = first;
	}
	if (oldest)
		peer_shut(oldest);
	return oldest;
}

void peers_shut_all(struct listener *listener)
{
	while (listener->waiting.next && peers_shut_oldest(listener))
		continue;
}

static void shut_older(struct link *list, uint64_t before_ns)
{
	while (list->next != list && peer_of(list->next)->since_ns < before_ns)
		peer_shut(peer_of(list->next));
}

/* Return memory to the system after many clients have left: the allocator would keep it. Not in a turn in
 * which connections have ended, because the loop frees their watches only at its end, and until then each
 * of them holds some pages. */
static void give_back(struct listener *listener)
{
	if (listener->peak_connections < CROWD || listener->n_connections > listener->peak_connections / 2
			|| listener->gone_ns == trm_loop_now_ns(listener->loop))
		return;
	listener->peak_connections = listener->n_connections;
	malloc_trim(0);
}

/* A client that has closed its sending side may vanish later without notice while it waits for the reply. */
static void probe(struct peer *peer)
{
	uint64_t now_ns = trm_loop_now_ns(peer->listener->loop);
	if (!peer->request || now_ns < peer->since_ns + PROBE_MS * 1000000ull)
		return;
	peer->since_ns = now_ns;
	request_left(peer->request, false);
}

/* The library may miss a close that arrives together with data, because it waits for the next edge. */
static void check_left_peers(struct listener *listener)
{
	char byte;
	for (struct link *at = listener->left.next; at != &listener->left; at = at->next) {
		struct peer *peer = (struct peer *)(void *)((char *)at - offsetof(struct peer, left));
		bool is_listed = peer->link.next != &peer->link;
		if (!is_listed)
			probe(peer);
		else if (recv(peer->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
			peer_shut(peer);
	}
}

void peers_sweep(void *user)
{
	struct listener *listener = user;
	uint64_t now_ns = trm_loop_now_ns(listener->loop),
		 timeout_ns = listener->opts.timeout_s * 1000000000ull;
	if (now_ns > timeout_ns) {
		shut_older(&listener->waiting, now_ns - timeout_ns);
		shut_older(&listener->reading, now_ns - timeout_ns);
	}
	check_left_peers(listener);
	give_back(listener);
}

static void on_left(void *user, int fd, uint32_t events)
{
	struct peer *peer = user;
	(void)fd;
	if (!peer->has_left) {
		peer->left = (struct link){peer->listener->left.previous, &peer->listener->left};
		peer->listener->left.previous->next = &peer->left;
		peer->listener->left.previous = &peer->left;
	}
	peer->has_left = true;
	trm_watch_set_events(peer->watch, 0);
	if (events & TRM_HANGUP) {
		trm_watch_remove(peer->watch);
		peer->watch = NULL;
	}
	if (peer->request)
		request_left(peer->request, events & TRM_HANGUP);
}

static struct peer *peer_create(struct listener *listener, struct MHD_Connection *connection)
{
	struct peer *peer = calloc(1, sizeof *peer);
	if (!peer)
		return NULL;
	peer->listener = listener;
	peer->link = (struct link){&peer->link, &peer->link};
	peer->fd = listener->mhd.connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->fd;
	peer->left = (struct link){&peer->left, &peer->left};
	/* If we could not notice that a client leaves, its run would go on without end. */
	if (trm_loop_add_fd(listener->loop, peer->fd, TRM_LEFT, on_left, peer, &peer->watch, NULL) < 0) {
		free(peer);
		return NULL;
	}
	peer_enter(peer, &listener->waiting);
	return peer;
}

void listener_connected(void *user, struct MHD_Connection *connection, void **socket_context, int what)
{
	struct listener *listener = user;
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*socket_context = peer_create(listener, connection);
		if (++listener->n_connections > listener->peak_connections)
			listener->peak_connections = listener->n_connections;
		return;
	}
	struct peer *peer = *socket_context;
	if (peer) {
		unlink_from(&peer->link);
		unlink_from(&peer->left);
		trm_watch_remove(peer->watch);
	}
	free(peer);
	*socket_context = NULL;
	listener->n_connections--;
	listener->gone_ns = trm_loop_now_ns(listener->loop);
}
