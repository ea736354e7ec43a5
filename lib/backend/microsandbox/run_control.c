/* SPDX-License-Identifier: MIT */
#include "backend/microsandbox/run_control.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/err.h"
#include "base/utf8.h"
#include "rpc/names.h"

enum { INPUT_QUEUE = 64 << 20 };

/* One question, or the request for a new interpreter. */
struct reach_ask {
	struct reach_ask *next;
	struct reach *reach;
	struct msb_call *call;
	char id[32];
	uint32_t signo; /* not 0: no question; this signal ends the process once the server is done */
};

struct reach *reach_of(struct msb_proc *p)
{
	struct reach *r = p->own;
	if (r)
		return r;
	r = calloc(1, sizeof *r);
	if (!r) {
		struct trm_error why;
		trm_error_set(&why, TRM_ENOMEM, "out of memory");
		msb_proc_fail(p, &why);
		return NULL;
	}
	r->p = p;
	buf_init(&r->input, INPUT_QUEUE);
	buf_init(&r->plain, MSB_ANSWER_MAX);
	p->own = r;
	return r;
}

static cJSON *params_of(const struct reach *r)
{
	cJSON *params = msb_params(r->p->msb, r->p->box->name);
	cJSON_AddStringToObject(params, "run", r->run);
	return params;
}

/* ---- input ---- */

static void forget_input(struct reach *r)
{
	msb_call_cancel(r->input_call);
	r->input_call = NULL;
	if (r->input.len)
		msb_proc_taken(r->p, r->input.len);
	buf_clear(&r->input);
	r->n_sent = 0;
	r->owes_eof = r->owes_size = false;
}

static void on_input_taken(void *user, const cJSON *result, const struct trm_error *why)
{
	struct reach *r = user;
	r->input_call = NULL;
	(void)why;
	if (!result) { /* most likely the run is over, and accepts no more input */
		forget_input(r);
		return;
	}
	msb_proc_taken(r->p, r->n_sent);
	buf_take(&r->input, r->n_sent);
	r->n_sent = 0;
	msb_send(r->p->msb);
	reach_pump(r);
}

/* The size of the next piece of input. Text is not cut within a character. */
static size_t next_piece(const struct reach *r)
{
	const char *bytes = buf_at(&r->input);
	size_t n = r->input.len;
	if (n <= REACH_INPUT)
		return n;
	n = REACH_INPUT;
	while (n > REACH_INPUT - 4 && ((unsigned char)bytes[n] & 0xC0) == 0x80)
		n--;
	return n;
}

static void add_bytes(cJSON *params, const char *bytes, size_t n)
{
	struct buf letters;
	bool is_text = utf8_is_valid(bytes, n) && !memchr(bytes, '\0', n);
	buf_init(&letters, BASE64_LEN(REACH_INPUT) + 1);
	if (is_text ? buf_append(&letters, bytes, n) : base64_put(&letters, bytes, n))
		n = 0;
	if (n && buf_append(&letters, "", 1) == 0)
		cJSON_AddStringToObject(params, is_text ? "text" : "base64", buf_at(&letters));
	buf_finish(&letters);
}

static void send_input(struct reach *r)
{
	struct trm_error why;
	struct msb_request request = {.method = RPC_INPUT, .params = params_of(r), .is_once = true};
	r->n_sent = next_piece(r);
	if (r->n_sent)
		add_bytes(request.params, buf_at(&r->input), r->n_sent);
	if (r->n_sent == r->input.len && r->owes_eof) {
		cJSON_AddTrueToObject(request.params, "eof");
		r->owes_eof = false;
	}
	if (r->owes_size) {
		cJSON_AddNumberToObject(request.params, "rows", r->p->rows);
		cJSON_AddNumberToObject(request.params, "cols", r->p->cols);
		r->owes_size = false;
	}
	snprintf(request.what, sizeof request.what, "send input to sandbox '%s'", r->p->box->name);
	if (msb_call(r->p->msb, &request, on_input_taken, r, &r->input_call, &why) < 0)
		forget_input(r);
}

void reach_input(struct msb_proc *p, const char *bytes, size_t n)
{
	struct reach *r = reach_of(p);
	if (!r)
		return;
	if (buf_append(&r->input, bytes, n) < 0)
		msb_proc_taken(p, n);
	reach_pump(r);
}

void reach_eof(struct msb_proc *p, bool is_reset)
{
	struct reach *r = reach_of(p);
	if (!r)
		return;
	if (is_reset)
		forget_input(r);
	else
		r->owes_eof = true;
	reach_pump(r);
}

void reach_resize(struct msb_proc *p)
{
	struct reach *r = reach_of(p);
	if (!r)
		return;
	r->owes_size = true;
	reach_pump(r);
}

/* ---- steps ---- */

static void on_step_taken(void *user, const cJSON *result, const struct trm_error *why)
{
	struct reach *r = user;
	r->step_call = NULL;
	(void)result; /* a run that has ended needs no step */
	(void)why;
	reach_pump(r);
}

static void send_step(struct reach *r)
{
	struct trm_error why;
	struct msb_request request = {.method = RPC_INTERRUPT,
			.params = params_of(r),
			.timeout_ms = MSB_ERRAND_MS,
			.is_once = true};
	cJSON_AddStringToObject(request.params, "step", r->owes_step);
	/* Our session decides about the steps and their times. */
	cJSON_AddTrueToObject(request.params, "hold");
	r->owes_step = NULL;
	snprintf(request.what, sizeof request.what, "interrupt the run in sandbox '%s'", r->p->box->name);
	if (msb_call(r->p->msb, &request, on_step_taken, r, &r->step_call, &why) < 0)
		r->step_call = NULL;
}

void reach_pump(struct reach *r)
{
	if (!r->run[0])
		return;
	if (r->owes_step && !r->step_call)
		send_step(r);
	if (!r->input_call && (r->input.len || r->owes_eof || r->owes_size))
		send_input(r);
}

void reach_forget_run(struct reach *r)
{
	forget_input(r);
	msb_call_cancel(r->step_call);
	r->step_call = NULL;
	r->owes_step = NULL;
	r->run[0] = '\0';
}

/* ---- questions ---- */

static void ask_free(struct reach *r, struct reach_ask *ask)
{
	struct reach_ask **at = &r->asks;
	while (*at != ask)
		at = &(*at)->next;
	*at = ask->next;
	free(ask);
}

static void on_answer(void *user, const cJSON *result, const struct trm_error *why)
{
	struct reach_ask *ask = user;
	struct msb_proc *p = ask->reach->p;
	char id[sizeof ask->id];
	uint32_t signo = ask->signo;
	memcpy(id, ask->id, sizeof id);
	ask_free(ask->reach, ask);
	if (signo)
		msb_proc_end(p, 0, signo);
	else
		msb_kernel_reply(p, id, result ? cJSON_Duplicate(result, true) : NULL, why->msg);
}

static struct reach_ask *send_ask(struct reach *r, const char *question, cJSON *params, uint32_t signo)
{
	struct trm_error why;
	struct reach_ask *ask = calloc(1, sizeof *ask);
	struct msb_request request = {.method = RPC_ASK, .params = params, .max_bytes = MSB_RESULT_MAX};
	cJSON_AddStringToObject(params, "language", r->p->lang->name);
	cJSON_AddStringToObject(params, "question", question);
	snprintf(request.what, sizeof request.what, "ask %s in sandbox '%s'", r->p->lang->name,
			r->p->box->name);
	if (!ask) {
		cJSON_Delete(params);
		return NULL;
	}
	*ask = (struct reach_ask){.next = r->asks, .reach = r, .signo = signo};
	r->asks = ask;
	if (msb_call(r->p->msb, &request, on_answer, ask, &ask->call, &why) == 0)
		return ask;
	ask_free(r, ask);
	return NULL;
}

void reach_ask(struct msb_proc *p, const char *op, const char *id, const cJSON *request)
{
	struct reach *r = reach_of(p);
	double cursor = 0;
	if (!r)
		return;
	cJSON *params = msb_params(p->msb, p->box->name);
	const char *code = kernel_json_text(request, "code");
	cJSON_AddStringToObject(params, "code", code ? code : "");
	if (kernel_json_number(request, "cursor", 1e9, &cursor))
		cJSON_AddNumberToObject(params, "cursor", cursor);
	struct reach_ask *ask = send_ask(r, op, params, 0);
	if (ask)
		snprintf(ask->id, sizeof ask->id, "%s", id);
	else
		msb_kernel_reply(p, id, NULL, "out of memory");
}

/* The questions are cancelled, so that a run need not wait for them. */
static void give_up_questions(struct msb_proc *p, struct reach *r)
{
	while (p->stream && r->asks && !r->asks->signo) {
		struct reach_ask *ask = r->asks;
		char id[sizeof ask->id];
		memcpy(id, ask->id, sizeof id);
		msb_call_cancel(ask->call);
		ask_free(r, ask);
		msb_kernel_reply(p, id, NULL, "interrupted");
	}
}

/* ---- signals ---- */

/* Nothing runs: the client only wants a new interpreter, or the end of this one. */
static void signal_idle(struct msb_proc *p, struct reach *r, uint32_t signo)
{
	if (signo == SIGINT)
		give_up_questions(p, r);
	else if (signo == SIGKILL || signo == SIGTERM) {
		if (!send_ask(r, "restart", msb_params(p->msb, p->box->name), signo))
			msb_proc_end(p, 0, signo);
	}
}

static const char *step_of(const struct msb_proc *p, uint32_t signo)
{
	switch (signo) {
	case SIGINT: return "interrupt";
	case SIGTERM: return p->lang ? "kill" : "terminate";
	case SIGKILL: return "kill";
	case SIGSTOP: return "pause";
	case SIGCONT: return "resume";
	default: return NULL;
	}
}

void reach_signal(struct msb_proc *p, uint32_t signo)
{
	struct reach *r = reach_of(p);
	if (!r)
		return;
	if (p->lang && !p->run_id[0]) {
		signal_idle(p, r, signo);
		return;
	}
	const char *step = step_of(p, signo);
	/* The server's session repeats an interrupt that may get lost, as ours does. It would take a
	 * second interrupt for the next step. */
	if (!step || (p->lang && signo == SIGINT && r->has_interrupted))
		return;
	r->has_interrupted |= signo == SIGINT;
	if (signo == SIGKILL || (signo == SIGTERM && p->lang))
		r->killed_by = signo;
	r->owes_step = step;
	reach_pump(r);
}

/* ---- the end ---- */

void reach_drop(struct msb_proc *p)
{
	struct reach *r = p->own;
	if (!r)
		return;
	while (r->asks) {
		struct reach_ask *ask = r->asks;
		msb_call_cancel(ask->call);
		ask_free(r, ask);
	}
	msb_call_cancel(r->input_call);
	msb_call_cancel(r->step_call);
	http_cancel(r->http);
	event_reader_finish(&r->reader);
	cJSON_Delete(r->result);
	cJSON_Delete(r->exited);
	cJSON_Delete(r->response);
	cJSON_Delete(r->bundle);
	buf_finish(&r->input);
	buf_finish(&r->plain);
	free(r);
	p->own = NULL;
}
