/* SPDX-License-Identifier: MIT */
#ifndef TESTS_BENCH_SERVED_H
#define TESTS_BENCH_SERVED_H

/* A `terrarium serve` under load: the process, HTTP clients of it, and requests that come at a fixed rate. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct samples;

/* ---- server.c: the process ---- */

struct served {
	pid_t pid;
	uint16_t port;
};
/* On a free port of the loopback, without keys. `pool` is for --pool; NULL: none. */
bool served_start(struct served *s, const char *program, const char *pool);
/* With a command line and an environment of one's own. */
bool served_spawn(struct served *s, const char *const *argv, const char *const *env);
void served_stop(struct served *s);                           /* as Ctrl-C does, and waits */
double served_mib(const struct served *s, const char *field); /* of its smaps_rollup, as "Pss" */
int served_descriptors(const struct served *s);
int served_processes(const struct served *s); /* all that descends from it */

enum { SERVED_FIGURE = 40000000 / 3 }; /* bytes: a figure of 10 MB in base64 */

/* A libmicrohttpd that answers each POST with its body, in a process of its own; before that, if it has an
 * interpreter, it has a sum done. A GET is answered with SERVED_FIGURE bytes. */
bool echo_start(struct served *s, bool has_interpreter);
void echo_stop(struct served *s);

/* ---- placement.c: on which processors ---- */

enum placement {
	PLACE_ANYWHERE,
	PLACE_APART,    /* the client on one, all that serves on another; there may be only one */
	PLACE_TOGETHER, /* all on one */
};
/* Of this thread, and of what it starts from now on. */
void place_servers(enum placement where);
void place_client(enum placement where);

/* ---- peer.c: one keep-alive connection, one request at a time ---- */

struct peer {
	int fd; /* -1: not connected */
	char *in;
	size_t len, cap;
};
bool peer_open(struct peer *c, uint16_t port);
void peer_close(struct peer *c); /* zeroed or closed ones are left alone */
/* Written at once: what is sent here is small. */
bool peer_send(struct peer *c, const char *body, size_t n);
/* Read what is there without waiting. 1: a whole reply, -1: the connection is of no use any more. */
int peer_receive(struct peer *c, int *ret_status, const char **ret_body);
/* All of it: 0 if there was no answer, else the status. The body is valid until the next call. */
int peer_call(struct peer *c, const char *body, size_t n, const char **ret_body);
int peer_get(struct peer *c, const char *path, const char **ret_body);

/* JSON of calls, in a static buffer. `sandbox` NULL: without one. `more`: further members, from a comma on.
 */
const char *call_text(const char *method, const char *name_space, const char *sandbox, const char *more);

/* ---- load.c ---- */

struct load {
	uint16_t port;
	double per_s, seconds;
	/* The text of the n-th request. */
	const char *(*request)(void *user, unsigned n);
	/* Whether this reply is right. */
	bool (*is_right)(void *user, unsigned n, int status, const char *body);
	void *user;
	unsigned n_errors; /* out: replies that were not right, and connections that broke */
	char error[512];   /* out: the first of them */
};
/* Each request has its time, whether or not earlier ones have been answered; its latency counts from then. */
bool load_run(struct load *l, struct samples *latency_ms);

/* ---- crowd.c ---- */

const char *sum_text(const char *sandbox); /* a call that adds 1 and 1 in Python */
/* Of a load on the sandboxes crowd-0, crowd-1 …; `user` points to their number, an unsigned. Of ten requests
 * seven run code, one runs a command, two ask for figures. */
const char *crowd_request(void *user, unsigned n);
bool crowd_is_right(void *user, unsigned n, int status, const char *body);

#endif
