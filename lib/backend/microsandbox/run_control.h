/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_RUN_CONTROL_H
#define TRM_BACKEND_MICROSANDBOX_RUN_CONTROL_H

/* Runs and commands at a server that reports them as events (<terrarium/server.h>, "Extension").
 *
 *   events.c        a run's output, and its end
 *   run_control.c   a run's input, the steps of stopping it, and questions to interpreters
 *
 * All of this belongs to one process, from its first use to its end (msb_proc.own). */

#include <stdbool.h>

#include "backend/microsandbox/msb.h"
#include "rpc/events.h"

enum {
	REACH_PAUSE = 2 << 20, /* bytes waiting for our client, from which on nothing more is read from the
				  server */
	REACH_RESUME = 512 << 10,
	REACH_READ = 1 << 20,    /* bytes read from the connection per loop iteration */
	REACH_INPUT = 256 << 10, /* bytes of input in one request */
	REACH_RUN = 32,
};

struct reach_ask;

struct reach {
	struct msb_proc *p;
	/* the current run or command */
	struct http_request *http;
	struct event_reader reader;
	struct buf plain;     /* an answer that is no stream of events: a failure */
	cJSON *result;        /* the result of the run; NULL: it has not ended */
	cJSON *exited;        /* the same for a command */
	cJSON *response;      /* the server's own answer, if both are unknown */
	cJSON *bundle;        /* the forms of one object to display, until it is complete */
	struct trm_error why; /* an error of the stream */
	char run[REACH_RUN];  /* its number at the server; "": unknown so far */
	int status;           /* HTTP's */
	int reason; /* why a command has not started, if the server says so: TRM_ENOENT, TRM_EPERM */
	bool streams, is_paused, has_interrupted;
	bool is_lost;       /* the sandbox has ended */
	uint32_t killed_by; /* the signal that we requested; nobody needs to know more after it */
	/* requests to the run, one after the other */
	struct buf input;
	size_t n_sent; /* of the input, in the request under way */
	bool owes_eof, owes_size;
	const char *owes_step; /* NULL: none */
	struct msb_call *input_call, *step_call;
	/* questions */
	struct reach_ask *asks;
};

/* The process's object, made at the first call; NULL: out of memory, and the process has failed. */
struct reach *reach_of(struct msb_proc *p);
/* Forget everything that was still to be sent to the run. */
void reach_forget_run(struct reach *r);
/* Send what is pending, if the run's number is known. */
void reach_pump(struct reach *r);

/* Of the dialect. */
void reach_input(struct msb_proc *p, const char *bytes, size_t n);
void reach_eof(struct msb_proc *p, bool is_reset);
void reach_resize(struct msb_proc *p);
void reach_signal(struct msb_proc *p, uint32_t signo);
void reach_ask(struct msb_proc *p, const char *op, const char *id, const cJSON *request);
void reach_drop(struct msb_proc *p);

#endif
