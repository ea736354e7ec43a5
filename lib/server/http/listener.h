/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_HTTP_LISTENER_H
#define TRM_SERVER_HTTP_LISTENER_H

/* The listening side: sockets, connections, and limits on what hostile clients may cost.
 *
 *   listener.c    opening, listening, the library's turns
 *   connection.c  which connections may stay, and for how long
 *   request.c     headers, body and reply of one request
 *   framing.c     where its body ends
 *   stream.c      replies that are sent in parts
 *
 * Connections on which no request has begun (or only a part of its headers has arrived) are in one list,
 * those whose body is being read in another. Both lists are in order of time. The oldest connections are
 * closed when their time is over, or earlier when there are too many. */

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
	LISTENER_SOCKETS = 8, /* addresses that a host name may have */
	/* For the next request, for all headers, for the body, and for reading a part of the reply. */
	LISTENER_TIMEOUT_S = 60,
	LISTENER_POOL = 16 << 10,         /* headers of a request, and the library's buffers */
	LISTENER_PAST_MAX = 32 << 20,     /* of a body that is too big: read, then dropped */
	LISTENER_BODIES_MAX = 64 << 20,   /* of all bodies together */
	LISTENER_REPLIES_MAX = 256 << 20, /* of all replies that have not been read yet */
};

struct listener_opts {
	const char *host;         /* address or name to listen at */
	uint16_t port;            /* 0: any free port */
	unsigned max_connections; /* 0: 1000 */
	unsigned timeout_s;       /* 0: LISTENER_TIMEOUT_S */
	/* The headers have arrived: answer now, or leave it to `handle`. */
	void (*look)(void *user, struct http_request *request);
	/* The body has arrived, too. */
	void (*handle)(void *user, struct http_request *request);
	/* Headers of all replies: pairs, ended by NULL. Must outlive the listener. */
	const char *const *headers;
	/* Developers' mode: only this machine may connect. */
	bool is_local_only;
	/* A request is over. The status is 0 if the client did not wait for the answer. May be NULL. */
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
	struct trm_timer *turn;  /* for another turn that the library needs */
	struct trm_timer *sweep;
	struct {
		int fd;
		struct trm_watch *watch;
	} sockets[LISTENER_SOCKETS];
	unsigned n_sockets;
	uint16_t port;
	struct link waiting, reading; /* connections, the oldest first */
	struct link left;             /* those whose client has closed its sending side */
	struct link requests;
	unsigned n_connections;
	unsigned peak_connections; /* since memory was last returned to the system */
	unsigned n_requests;       /* in that list: begun and not over */
	uint64_t gone_ns;          /* the turn in which the last connection ended */
	uint64_t body_bytes;       /* of all requests */
	uint64_t reply_bytes;      /* of all requests */
	bool is_full;              /* no connection is accepted until one has ended */
	bool is_closing;
	bool has_returned; /* a resumed connection waits for its next request */
};

/* A connection, the library's "socket context". */
struct peer {
	struct link link; /* first; in `waiting`, in `reading`, or in no list */
	struct link left; /* in front->left, or in no list */
	struct listener *listener;
	int fd;
	struct trm_watch *watch; /* watches whether the client leaves; NULL: it has left completely */
	struct request *request; /* NULL: none has begun */
	uint64_t since_ns;       /* when its current phase began */
	bool is_shut, has_left;
};

/* Fails with TRM_ENOTSUP if the library is missing, with TRM_EBUSY if the port is in use, or with another
 * reason. */
int listener_open(struct trm_loop *loop, const struct listener_opts *opts, struct listener **ret_front,
		struct trm_error *reterr);
/* Accept no more connections, and no more requests on the current ones. */
void listener_quiesce(struct listener *listener);
/* Clients that still wait get no answer. Accepts NULL. */
void listener_close(struct listener *listener);

/* ---- among the files above ---- */

/* Schedule a turn of the library. */
void listener_wake(struct listener *listener);
mhd_connected listener_connected;
void peers_sweep(void *user); /* `user` is a listener; a trm_timer_fn */
/* Make room for one more connection by closing the oldest one that waits for nothing. Returns false if
 * there is none. */
bool peers_shut_oldest(struct listener *listener);
void peers_shut_all(struct listener *listener);
void peer_shut(struct peer *peer);
/* Move the connection to `list`. NULL: it waits for us. */
void peer_enter(struct peer *peer, struct link *list);

mhd_handler request_access;
mhd_completed request_completed;

struct request {
	struct http_request base; /* first: what others see of it */
	struct listener *listener;
	struct peer *peer;
	struct MHD_Connection *connection;
	struct buf body;
	uint64_t seen_bytes; /* of the body, including bytes thrown away */
	uint64_t since_ns;
	struct MHD_Response *response; /* ready to be sent */
	size_t reply_len;              /* counted in reply_bytes */
	int status;
	bool is_handled; /* `handle` has been called */
	bool is_old;     /* HTTP/1.0 */
	bool is_last;    /* the connection closes after it */
	bool is_suspended, was_suspended;
	bool is_aborted; /* the client has left, or we shut down */
	/* stream */
	bool is_streaming, is_ended, wants_room;
	struct buf queue;
	struct link link; /* of all requests */
};

/* The end of a body must be unambiguous: a proxy before us that sees another end would see other requests
 * after it. Returns NULL, or the fault. */
const char *request_framing_fault(const struct request *request);
void requests_abort(struct listener *listener);
/* Close its connection and tell the handler that the client has gone. */
void request_abort(struct request *request);
void request_suspend(struct request *request);
void request_resume(struct request *request);
/* The client has closed its sending side or (`is_gone`) the whole connection. */
void request_left(struct request *request, bool is_gone);
/* Send the response as `request->response`. If one of its headers cannot be added, the request is aborted. */
void request_take_response(struct request *request, struct MHD_Response *response, const char *content_type,
		const char *const *headers);
static inline struct request *request_of(struct http_request *base)
{
	return (struct request *)(void *)base;
}

#endif
