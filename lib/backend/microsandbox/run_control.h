/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_RUN_CONTROL_H
#define TRM_BACKEND_MICROSANDBOX_RUN_CONTROL_H

/* Runs and commands at a server that tells them as events (<terrarium/server.h>, "Extension").
 *
 *   events.c   a run: what comes of it, and its end
 *   run_control.c    what goes to it: input, steps of stopping it; and questions to interpreters
 *
 * All of this is one process's, from its first use to its end (msb_proc.own). */

#include <stdbool.h>

#include "backend/microsandbox/msb.h"
#include "rpc/events.h"

enum {
	REACH_PAUSE = 2 << 20, /* bytes that wait for our client: nothing more is taken from the server */
	REACH_RESUME = 512 << 10,
	REACH_READ = 1 << 20,    /* bytes taken from the connection in a turn */
	REACH_INPUT = 256 << 10, /* bytes of input in one request */
	REACH_RUN = 32,
};

struct reach_ask;

struct reach {
	struct msb_proc *p;
	/* the run or command in hand */
	struct http_request *http;
	struct event_reader reader;
	struct buf plain;     /* an answer that is no stream of events: it has failed */
	cJSON *result;        /* how the run has ended; NULL: it has not */
	cJSON *exited;        /* … the command */
	cJSON *response;      /* the server's own answer, where that is not known */
	cJSON *bundle;        /* forms of one thing to be shown, until it is complete */
	struct trm_error why; /* what was wrong with the stream */
	char run[REACH_RUN];  /* its number at the server; "": not known yet */
	int status;           /* HTTP's */
	int reason;           /* why a command has not started, if the server says: TRM_ENOENT, TRM_EPERM */
	bool streams, is_paused, has_interrupted;
	bool is_lost;       /* the sandbox has ended */
	uint32_t killed_by; /* the signal that we have asked for, after which nobody wants to know more */
	/* what goes there, one request after the other */
	struct buf input;
	size_t n_sent; /* of the input, in the request under way */
	bool owes_eof, owes_size;
	const char *owes_step; /* NULL: none */
	struct msb_call *input_call, *step_call;
	/* questions */
	struct reach_ask *asks;
};

/* The process's, made at the first call; NULL: the process has failed for want of memory. */
struct reach *reach_of(struct msb_proc *p);
/* Whatever the run is still owed is not sent any more. */
void reach_forget_run(struct reach *r);
/* Send what is owed, if the run's number is known. */
void reach_pump(struct reach *r);

/* Of the dialect. */
void reach_input(struct msb_proc *p, const char *bytes, size_t n);
void reach_eof(struct msb_proc *p, bool is_reset);
void reach_resize(struct msb_proc *p);
void reach_signal(struct msb_proc *p, uint32_t signo);
void reach_ask(struct msb_proc *p, const char *op, const char *id, const cJSON *request);
void reach_drop(struct msb_proc *p);

#endif
