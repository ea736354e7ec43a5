/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_METHODS_RUN_STREAM_H
#define TRM_SERVER_METHODS_RUN_STREAM_H

/* A run or command whose client wants events. Its output is sent as it comes, and other calls may send it
 * input or interrupt it by its id. All functions accept NULL, for a client that wants no events.
 *
 * A slow client holds up the run: output counts as consumed only when it has been sent. */

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

/* Operations on the run. `user` is that of run_stream_open(). */
struct run_stream_ops {
	int (*input)(void *user, const void *bytes, size_t n, struct trm_error *reterr);
	void (*eof)(void *user);
	void (*resize)(void *user, uint16_t rows, uint16_t cols); /* NULL: it has no terminal */
	/* Bytes of input that the code has not read; see run_stream_drained(). */
	size_t (*queued)(void *user);
	/* `holds`: do not continue to the next step by itself. */
	void (*step)(void *user, enum run_step step, bool holds);
	void (*consumed)(void *user, size_t n);
};

enum {
	/* Input is answered when at most this much of it is unread, as for trm_run_queued()'s callback. */
	RUN_STREAM_INPUT = 128 << 10,
	/* Output beyond this is lost. There is so much only of a run that is being stopped, which nobody
	   holds. */
	RUN_STREAM_WAITING = 12 << 20,
};

/* Prepare the stream of a run without beginning it. *ret is NULL if the client wants no events. Borrows
 * `ops` and the names. */
int run_stream_open(struct call *call, const char *space, const char *sandbox,
		const struct run_stream_ops *ops, void *user, struct run_stream **ret,
		struct trm_error *reterr);
/* The run has started: from now on its client gets events. Accepts NULL. */
void run_stream_begin(struct run_stream *stream);
/* Call before the call ends, whether or not the stream has begun. Sets *stream to NULL. */
void run_stream_close(struct run_stream **stream);

void run_stream_output(struct run_stream *stream, int channel, const void *bytes, size_t n);
void run_stream_display(struct run_stream *stream, const struct trm_display *display);
void run_stream_input(struct run_stream *stream, const char *prompt, bool is_secret);
/* What was asked has been answered. */
void run_stream_answered(struct run_stream *stream);
void run_stream_result(struct run_stream *stream, const struct trm_result *result);
void run_stream_exited(struct run_stream *stream, const struct trm_exit *exit);
/* The code has read most of its input. */
void run_stream_drained(struct run_stream *stream);

/* ---- for the methods that reach a run ---- */

/* The run with that id in a sandbox, or NULL. */
struct run_stream *run_stream_find(
		struct trm_server *server, const char *space, const char *sandbox, const char *run);
/* `call` ends when the input was read or refused. */
void run_stream_send(struct run_stream *stream, struct call *call, const void *bytes, size_t n, bool is_end);
void run_stream_resize(struct run_stream *stream, uint16_t rows, uint16_t cols);
void run_stream_step(struct run_stream *stream, enum run_step step, bool holds);

#endif
