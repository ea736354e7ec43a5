/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_METHODS_RUN_STREAM_H
#define TRM_SERVER_METHODS_RUN_STREAM_H

/* A run or command whose client wants events: what it prints is told as it comes, and other calls may give it
 * input and interrupt it by its number. All functions take NULL: a client that wants none.
 *
 * A client that reads slowly holds the run: output is said to be consumed when it has gone out. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/jsonrpc/events.h"
#include "server/methods/output_event.h"

struct call;
struct run_stream;
struct trm_display;
struct trm_error;
struct trm_exit;
struct trm_result;
struct trm_server;

enum run_step { RUN_STEP_INTERRUPT, RUN_STEP_TERMINATE, RUN_STEP_KILL, RUN_STEP_PAUSE, RUN_STEP_RESUME };

/* What is done with the run; `user` is run_stream_open()'s. */
struct run_stream_ops {
	int (*input)(void *user, const void *bytes, size_t n, struct trm_error *reterr);
	void (*eof)(void *user);
	void (*resize)(void *user, uint16_t rows, uint16_t cols); /* NULL: it has no terminal */
	size_t (*queued)(void *user); /* bytes of input that wait for the code; see run_stream_drained() */
	/* `holds`: no further step shall follow by itself. */
	void (*step)(void *user, enum run_step step, bool holds);
	void (*consumed)(void *user, size_t n);
};

enum {
	/* Input is answered when so much or less of it waits for the code: as trm_run_queued()'s callback. */
	RUN_STREAM_INPUT = 128 << 10,
	/* Output beyond this is lost. There is so much only of a run that is being stopped, which nobody
	   holds. */
	RUN_STREAM_WAITING = 12 << 20,
};

/* What a run will need for its stream, which has not begun. *ret is NULL when the call's client wants no
 * events. Borrows `ops` and the names. */
int run_stream_open(struct call *call, const char *space, const char *sandbox,
		const struct run_stream_ops *ops, void *user, struct run_stream **ret,
		struct trm_error *reterr);
/* The call has become a run: from now on its client is told of it. Takes NULL. */
void run_stream_begin(struct run_stream *stream);
/* Before the call is ended, with or without a stream, begun or not: sets *stream to NULL. */
void run_stream_close(struct run_stream **stream);

void run_stream_output(struct run_stream *stream, int channel, const void *bytes, size_t n);
void run_stream_display(struct run_stream *stream, const struct trm_display *display);
void run_stream_input(struct run_stream *stream, const char *prompt, bool is_secret);
void run_stream_result(struct run_stream *stream, const struct trm_result *result);
void run_stream_exited(struct run_stream *stream, const struct trm_exit *exit);
/* The code has taken most of its input. */
void run_stream_drained(struct run_stream *stream);

/* ---- for the methods that reach a run ---- */

/* The run of that number in a sandbox, or NULL. */
struct run_stream *run_stream_find(
		struct trm_server *server, const char *space, const char *sandbox, const char *run);
/* `call` is ended when the input was taken, or refused. */
void run_stream_send(struct run_stream *stream, struct call *call, const void *bytes, size_t n, bool is_end);
void run_stream_resize(struct run_stream *stream, uint16_t rows, uint16_t cols);
void run_stream_step(struct run_stream *stream, enum run_step step, bool holds);

#endif
