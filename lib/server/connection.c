/* SPDX-License-Identifier: MIT */
#include <malloc.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <terrarium/loop.h>

#include "server/front.h"

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
	peer->since_ns = trm_loop_now_ns(peer->front->loop);
	if (!list)
		return;
	peer->link = (struct link){list->previous, list};
	list->previous->next = &peer->link;
	list->previous = &peer->link;
}

/* The library sees the end of the connection, and closes it in its next turn. */
void peer_shut(struct peer *peer)
{
	peer_enter(peer, NULL);
	peer->is_shut = true;
	shutdown(peer->fd, SHUT_RDWR);
}

bool peers_shut_oldest(struct front *front)
{
	struct link *lists[] = {&front->waiting, &front->reading};
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

void peers_shut_all(struct front *front)
{
	while (front->waiting.next && peers_shut_oldest(front))
		continue;
}

static void shut_older(struct link *list, uint64_t before_ns)
{
	while (list->next != list && peer_of(list->next)->since_ns < before_ns)
		peer_shut(peer_of(list->next));
}

/* After a crowd has gone: the allocator would keep for itself what it took up. Not in a turn in which some
 * went: the loop frees their watches at its end, and until then each of these holds some pages. */
static void give_back(struct front *front)
{
	if (front->peak_connections < CROWD || front->n_connections > front->peak_connections / 2
			|| front->gone_ns == trm_loop_now_ns(front->loop))
		return;
	front->peak_connections = front->n_connections;
	malloc_trim(0);
}

/* Who sends nothing more may go away later on without a sign, while his answer is awaited. */
static void probe(struct peer *peer)
{
	uint64_t now_ns = trm_loop_now_ns(peer->front->loop);
	if (!peer->request || now_ns < peer->since_ns + PROBE_MS * 1000000ull)
		return;
	peer->since_ns = now_ns;
	request_left(peer->request, false);
}

/* The library may miss an end that comes together with bytes: it waits for the next edge. */
static void look_at_left(struct front *front)
{
	char byte;
	for (struct link *at = front->left.next; at != &front->left; at = at->next) {
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
	struct front *front = user;
	uint64_t now_ns = trm_loop_now_ns(front->loop), patience_ns = front->opts.patience_s * 1000000000ull;
	if (now_ns > patience_ns) {
		shut_older(&front->waiting, now_ns - patience_ns);
		shut_older(&front->reading, now_ns - patience_ns);
	}
	look_at_left(front);
	give_back(front);
}

static void on_left(void *user, int fd, uint32_t events)
{
	struct peer *peer = user;
	(void)fd;
	if (!peer->has_left) {
		peer->left = (struct link){peer->front->left.previous, &peer->front->left};
		peer->front->left.previous->next = &peer->left;
		peer->front->left.previous = &peer->left;
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

static struct peer *peer_create(struct front *front, struct MHD_Connection *connection)
{
	struct peer *peer = calloc(1, sizeof *peer);
	if (!peer)
		return NULL;
	peer->front = front;
	peer->link = (struct link){&peer->link, &peer->link};
	peer->fd = front->mhd.connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->fd;
	peer->left = (struct link){&peer->left, &peer->left};
	/* A client whose leaving could not be seen would have its run go on without end. */
	if (trm_loop_add_fd(front->loop, peer->fd, TRM_LEFT, on_left, peer, &peer->watch, NULL) < 0) {
		free(peer);
		return NULL;
	}
	peer_enter(peer, &front->waiting);
	return peer;
}

void front_connected(void *user, struct MHD_Connection *connection, void **socket_context, int what)
{
	struct front *front = user;
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*socket_context = peer_create(front, connection);
		if (++front->n_connections > front->peak_connections)
			front->peak_connections = front->n_connections;
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
	front->n_connections--;
	front->gone_ns = trm_loop_now_ns(front->loop);
}
