/* SPDX-License-Identifier: MIT */
#include "server/methods/run_stream.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/artifact.h>
#include <terrarium/error.h>
#include <terrarium/result.h>
#include <terrarium/sandbox.h>

#include "base/err.h"
#include "base/json.h"
#include "rpc/put.h"
#include "server/jsonrpc/call.h"
#include "server/jsonrpc/server.h"

struct run_stream {
	struct run_stream *next, **link; /* in the server's list */
	struct events *events;
	const char *space, *sandbox;
	const struct run_stream_ops *ops;
	void *user;
	struct output_tails tails;
	struct buf json; /* of one event */
	int error;       /* while writing `json` */
	bool has_begun;
	size_t unconsumed; /* bytes of output in events that are still queued */
	uint64_t lost;     /* bytes dropped because there were too many */
	struct waiting_input *inputs, **inputs_end;
};

/* A call that sends input. It is answered when the code has read the input. */
struct waiting_input {
	struct waiting_input *next;
	struct call *call;
	size_t n;
};

/* ---- input ---- */

static void accept_input(struct call *call, size_t n)
{
	cJSON *result = cJSON_CreateObject();
	rpc_put_number(&result, "accepted", (double)n);
	call_result(call, result);
}

void run_stream_drained(struct run_stream *s)
{
	while (s && s->inputs) {
		struct waiting_input *input = s->inputs;
		s->inputs = input->next;
		accept_input(input->call, input->n);
		free(input);
	}
	if (s)
		s->inputs_end = &s->inputs;
}

void run_stream_send(struct run_stream *s, struct call *call, const void *bytes, size_t n, bool is_end)
{
	struct trm_error why = {0};
	if (n && s->ops->input(s->user, bytes, n, &why) < 0) {
		call_fail(call, RPC_INTERNAL, "%s", why.msg);
		return;
	}
	if (is_end)
		s->ops->eof(s->user);
	struct waiting_input *input =
			s->ops->queued(s->user) > RUN_STREAM_INPUT ? calloc(1, sizeof *input) : NULL;
	if (!input) {
		accept_input(call, n);
		return;
	}
	*input = (struct waiting_input){.call = call, .n = n};
	*s->inputs_end = input;
	s->inputs_end = &input->next;
}

void run_stream_resize(struct run_stream *s, uint16_t rows, uint16_t cols)
{
	if (s->ops->resize)
		s->ops->resize(s->user, rows, cols);
}

void run_stream_step(struct run_stream *s, enum run_step step, bool holds)
{
	s->ops->step(s->user, step, holds);
}

/* ---- events ---- */

static void consume(struct run_stream *s)
{
	size_t n = s->unconsumed;
	s->unconsumed = 0;
	if (n)
		s->ops->consumed(s->user, n);
}

static void on_flushed(void *user)
{
	consume(user);
}

/* Send `json` under that name, or nothing if memory was lacking. */
static void send_event(struct run_stream *s, const char *event)
{
	if (s->error || !s->json.len || events_put(s->events, event, buf_at(&s->json), s->json.len))
		consume(s);
	buf_clear(&s->json);
	s->error = 0;
}

static void put_text(struct run_stream *s, const char *text)
{
	if (!s->error)
		s->error = buf_append(&s->json, text, strlen(text));
}

static void put_string(struct run_stream *s, const char *key, const char *bytes, size_t n)
{
	put_text(s, key);
	if (!s->error)
		s->error = json_put_string(&s->json, bytes, n);
}

void run_stream_output(struct run_stream *s, int channel, const void *bytes, size_t n)
{
	if (!s || !n)
		return;
	s->unconsumed += n;
	if (s->events->waiting.len > RUN_STREAM_WAITING) {
		s->lost += n;
		return;
	}
	s->error = output_event_put(&s->json, &s->tails, channel, bytes, n);
	if (s->error)
		s->lost += n;
	send_event(s, "output");
}

/* Send incomplete characters, and a note about lost output. */
static void send_rest(struct run_stream *s)
{
	char lost[64];
	for (int channel = TRM_STDOUT; channel <= TRM_STDERR; channel++) {
		s->error = output_event_end(&s->json, &s->tails, channel);
		send_event(s, "output");
	}
	if (!s->lost)
		return;
	snprintf(lost, sizeof lost, "{\"bytes\":%llu}", (unsigned long long)s->lost);
	s->lost = 0;
	put_text(s, lost);
	send_event(s, "lost");
}

/* A display may be large: it is not copied into `json`. */
void run_stream_display(struct run_stream *s, const struct trm_display *display)
{
	enum { MORE_MAX = 32 };
	if (!s)
		return;
	char *json = trm_display_to_json(display), *grown;
	size_t n = json ? strlen(json) : 0;
	bool is_flushed = true;
	if (json && (grown = realloc(json, n + MORE_MAX))) {
		json = grown;
		n += (size_t)snprintf(json + n - 1, MORE_MAX, ",\"more\":%zu}", display->more) - 1;
		is_flushed = events_put(s->events, "display", json, n);
	}
	free(json);
	if (is_flushed)
		consume(s);
}

void run_stream_input(struct run_stream *s, const char *prompt, bool is_secret)
{
	if (!s)
		return;
	/* A partly printed prompt must come before the question. */
	send_rest(s);
	put_string(s, "{\"prompt\":", prompt, strlen(prompt));
	put_text(s, is_secret ? ",\"secret\":true}" : ",\"secret\":false}");
	send_event(s, "input");
}

void run_stream_answered(struct run_stream *s)
{
	if (!s)
		return;
	put_text(s, "{}");
	send_event(s, "answered");
}

void run_stream_result(struct run_stream *s, const struct trm_result *result)
{
	if (!s)
		return;
	send_rest(s);
	/* Its output and displays were sent already. */
	struct trm_result rest = *result;
	rest.output_len = rest.n_chunks = rest.n_displays = 0;
	char *json = trm_result_to_json(&rest);
	if (json)
		put_text(s, json);
	free(json);
	send_event(s, "result");
}

void run_stream_exited(struct run_stream *s, const struct trm_exit *exit)
{
	char numbers[160], reason[128];
	if (!s)
		return;
	send_rest(s);
	trm_exit_describe(exit, reason, sizeof reason);
	snprintf(numbers, sizeof numbers,
			"{\"exit_code\":%d,\"signal\":%d,\"user_us\":%llu,\"system_us\":%llu,\"max_rss_bytes\":%llu",
			exit->exit_code, exit->signal, (unsigned long long)exit->user_us,
			(unsigned long long)exit->system_us, (unsigned long long)exit->max_rss_bytes);
	put_text(s, numbers);
	if (*reason || *exit->limit)
		put_string(s, ",\"reason\":", *reason ? reason : exit->limit,
				strlen(*reason ? reason : exit->limit));
	put_text(s, "}");
	send_event(s, "exited");
}

/* ---- life ---- */

int run_stream_open(struct call *call, const char *space, const char *sandbox,
		const struct run_stream_ops *ops, void *user, struct run_stream **ret,
		struct trm_error *reterr)
{
	*ret = NULL;
	if (!call->events)
		return 0;
	struct run_stream *s = calloc(1, sizeof *s);
	if (!s)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*s = (struct run_stream){
			.events = call->events, .space = space, .sandbox = sandbox, .ops = ops, .user = user};
	s->inputs_end = &s->inputs;
	buf_init(&s->json, EVENTS_WAITING_MAX);
	s->link = &call->server->runs;
	*ret = s;
	return 0;
}

void run_stream_begin(struct run_stream *s)
{
	if (!s)
		return;
	s->has_begun = true;
	s->next = *s->link;
	if (s->next)
		s->next->link = &s->next;
	*s->link = s;
	s->events->on_flushed = on_flushed;
	s->events->user = s;
	events_begin(s->events);
}

static void end(struct run_stream *s)
{
	send_rest(s);
	s->events->on_flushed = NULL;
	run_stream_drained(s);
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
}

void run_stream_close(struct run_stream **stream)
{
	struct run_stream *s = *stream;
	*stream = NULL;
	if (!s)
		return;
	if (s->has_begun)
		end(s);
	buf_finish(&s->json);
	free(s);
}

/* Compares in constant time, so that guessing ids teaches nothing. */
static bool is_same(const char *run, const char *guess)
{
	unsigned differ = 0;
	if (strlen(guess) != EVENTS_ID - 1)
		return false;
	for (size_t i = 0; i < EVENTS_ID - 1; i++)
		differ |= (unsigned char)run[i] ^ (unsigned char)guess[i];
	return !differ;
}

struct run_stream *run_stream_find(
		struct trm_server *server, const char *space, const char *sandbox, const char *run)
{
	for (struct run_stream *s = server->runs; s; s = s->next) {
		if (strcmp(s->space, space) == 0 && strcmp(s->sandbox, sandbox) == 0
				&& is_same(s->events->run, run))
			return s;
	}
	return NULL;
}
