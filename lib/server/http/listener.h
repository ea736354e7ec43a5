/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_HTTP_LISTENER_H
#define TRM_SERVER_HTTP_LISTENER_H

/* The listening side: sockets, connections, and what hostile clients may cost.
 *
 *   listener.c       opening, listening, the library's turns
 *   connection.c  who may stay connected, and for how long
 *   request.c     head, body, reply of one request
 *   framing.c     where its body ends
 *   stream.c      replies that come by and by
 *
 * Connections in which no request has begun (or only a part of its head has come) wait in one list, those
 * whose body is being read in another, both in the order of time: the oldest are closed when their time is
 * over, and before that when there are too many. */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "server/http/http.h"
#include "server/http/library.h"

struct trm_error;
struct trm_loop;
struct trm_timer;
struct trm_watch;

enum {
	LISTENER_SOCKETS = 8,     /* addresses that a host name may have */
	LISTENER_TIMEOUT_S = 60,  /* between requests; for a whole head; for a whole body; to take more of a
				   reply */
	LISTENER_POOL = 16 << 10, /* head of a request, and the library's buffers */
	LISTENER_PAST_MAX =
			32 << 20, /* of a body that is too big, read past so that the client hears of it */
	LISTENER_BODIES_MAX = 64 << 20,   /* of all bodies together */
	LISTENER_REPLIES_MAX = 256 << 20, /* of all replies that nobody has read yet */
};

struct listener_opts {
	const char *host;         /* address or name to listen at */
	uint16_t port;            /* 0: any that is free */
	unsigned max_connections; /* 0: 1000 */
	unsigned timeout_s;       /* 0: LISTENER_TIMEOUT_S */
	/* The head has come: answer at once, or leave it for `handle`. */
	void (*look)(void *user, struct http_request *request);
	/* The body has come too. */
	void (*handle)(void *user, struct http_request *request);
	/* Headers of all replies: pairs, ended by NULL; borrowed for good. */
	const char *const *headers;
	/* Developers' mode: nobody but this machine itself. */
	bool is_local_only;
	/* A request is over: status 0 if the client did not wait for the answer. May be NULL. */
	void (*over)(void *user, const struct http_request *request, int status, uint64_t took_ns);
	void *user;
};

struct link {
	struct link *previous, *next;
};

struct listener {
	struct trm_loop *loop;
	struct listener_opts opts;
	struct mhd mhd;
	struct MHD_Daemon *daemon;
	struct trm_watch *watch; /* of the library's epoll descriptor */
	struct trm_timer *turn;  /* the library wants another turn */
	struct trm_timer *sweep;
	struct {
		int fd;
		struct trm_watch *watch;
	} sockets[LISTENER_SOCKETS];
	unsigned n_sockets;
	uint16_t port;
	struct link waiting, reading; /* connections, the oldest first */
	struct link left;             /* those whose client sends nothing more */
	struct link requests;
	unsigned n_connections;
	unsigned peak_connections; /* since memory was last given back */
	unsigned n_requests;       /* in that list: begun and not over */
	uint64_t gone_ns;          /* the turn in which a connection has ended last */
	uint64_t body_bytes;       /* held by all requests */
	uint64_t reply_bytes;      /* likewise */
	bool is_full;              /* nobody is accepted until somebody has gone */
	bool is_closing;
	bool has_returned; /* one that had been suspended waits for its next request */
};

/* One connection; the library's "socket context". */
struct peer {
	struct link link; /* first: of `waiting` or `reading`, or alone */
	struct link left; /* of front->left, or alone */
	struct listener *listener;
	int fd;
	struct trm_watch *watch; /* has the client left? NULL: it has, altogether */
	struct request *request; /* NULL: none has begun */
	uint64_t since_ns;       /* when what it is in has begun */
	bool is_shut, has_left;
};

/* TRM_ENOTSUP: the library is missing; TRM_EBUSY: the port is in use; others with their reason. */
int listener_open(struct trm_loop *loop, const struct listener_opts *opts, struct listener **ret_front,
		struct trm_error *reterr);
/* Take no more connections, nor requests on those that are there. */
void listener_quiesce(struct listener *listener);
/* Whoever still waits for an answer is left without. Takes NULL. */
void listener_close(struct listener *listener);

/* ---- among the files above ---- */

/* The library is to have a turn soon. */
void listener_wake(struct listener *listener);
mhd_connected listener_connected;
void peers_sweep(void *user); /* a front; trm_timer_fn */
/* Make room for one more connection by shutting the oldest that has nothing to wait for. False: there is
 * none. */
bool peers_shut_oldest(struct listener *listener);
void peers_shut_all(struct listener *listener);
void peer_shut(struct peer *peer);
/* What the peer's connection is in: `list` NULL when it waits for us. */
void peer_enter(struct peer *peer, struct link *list);

mhd_handler request_access;
mhd_completed request_completed;

struct request {
	struct http_request base; /* first: what others see of it */
	struct listener *listener;
	struct peer *peer;
	struct MHD_Connection *connection;
	struct buf body;
	uint64_t seen_bytes; /* of the body, also those that were thrown away */
	uint64_t since_ns;
	struct MHD_Response *response; /* ready to be queued */
	size_t reply_len;              /* counted in reply_bytes */
	int status;
	bool is_handled; /* `handle` has been called */
	bool is_old;     /* HTTP/1.0 */
	bool is_last;    /* nothing that follows on its connection is to be read */
	bool is_suspended, was_suspended;
	bool is_aborted; /* the client is gone, or we shut down */
	/* a stream */
	bool is_streaming, is_ended, wants_room;
	struct buf queue;
	struct link link; /* of all requests */
};

/* Where a body ends must be beyond doubt: who sees it end elsewhere, as a proxy before us might, sees other
 * requests behind it. NULL: it is; else what is wrong. */
const char *request_framing_fault(const struct request *request);
void requests_abort(struct listener *listener);
/* Its connection is closed, and who was to answer is told that the client has gone. */
void request_abort(struct request *request);
void request_suspend(struct request *request);
void request_resume(struct request *request);
/* The client sends nothing more, or (`is_gone`) is not there any more. */
void request_left(struct request *request, bool is_gone);
/* What is sent as `request->response`, or the request is aborted: a reply that lacks a header is none. */
void request_take_response(struct request *request, struct MHD_Response *response, const char *content_type,
		const char *const *headers);
static inline struct request *request_of(struct http_request *base)
{
	return (struct request *)(void *)base;
}

#endif
