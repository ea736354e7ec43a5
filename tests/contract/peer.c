/* SPDX-License-Identifier: MIT */
#include "contract/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "contract/dialect.h"

const char *seen_out(const struct seen *seen)
{
	return seen->out.s ? seen->out.s : "";
}

/* ---- what it sees ------------------------------------------------------------------------- */

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct seen *seen = user;
	assert_ptr_equal(seen->run, run);
	bed_text_add(stream == TRM_STDERR ? &seen->err : &seen->out, bytes, n);
}

static void on_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	struct seen *seen = user;
	(void)run;
	bed_text_add(&seen->displays, display->data, display->n);
}

static void on_input(void *user, struct trm_run *run, const char *prompt, bool is_secret)
{
	struct seen *seen = user;
	struct trm_error why;
	(void)is_secret;
	bed_text_add(&seen->prompts, prompt, strlen(prompt));
	const char *answer = seen->peer->answer;
	if (answer)
		assert_int_equal(trm_run_write(run, answer, strlen(answer), &why), 0);
}

static void on_answered(void *user, struct trm_run *run)
{
	(void)run;
	((struct seen *)user)->n_answered++;
}

static void on_started(void *user, struct trm_run *run)
{
	((struct seen *)user)->number = trm_run_number(run);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct seen *seen = user;
	assert_ptr_equal(seen->run, run);
	assert_false(seen->is_over);
	seen->run = NULL;
	seen->is_over = true;
	seen->number = result->number;
	seen->status = result->status;
	seen->state_lost = result->state_lost;
	seen->exit_code = result->exit_code;
	seen->is_wall_unknown = result->is_wall_unknown;
	snprintf(seen->hint, sizeof seen->hint, "%.190s", result->hint ? result->hint : "");
	snprintf(seen->value, sizeof seen->value, "%.60s", result->value ? result->value : "");
	snprintf(seen->reason, sizeof seen->reason, "%.290s", result->reason ? result->reason : "");
}

static const struct trm_run_cb RUN_CB = {.started = on_started,
		.output = on_output,
		.display = on_display,
		.input = on_input,
		.answered = on_answered,
		.done = on_done};

static struct seen *add(struct peer *p)
{
	assert_true(p->n_runs < PEER_RUNS);
	struct seen *seen = &p->runs[p->n_runs++];
	*seen = (struct seen){.peer = p};
	return seen;
}

static void on_joined(void *user, struct trm_run *run, const struct trm_origin *origin)
{
	struct peer *p = user;
	struct seen *seen = add(p);
	seen->run = run;
	seen->number = trm_run_number(run);
	seen->is_recent = origin->is_recent;
	seen->is_command = origin->is_command;
	snprintf(seen->by, sizeof seen->by, "%s", origin->by);
	bed_text_add(&seen->code, origin->code, origin->code_len);
	trm_run_follow(run, &RUN_CB, seen);
}

static void on_caught_up(void *user)
{
	struct peer *p = user;
	assert_false(p->is_caught_up);
	p->is_caught_up = true;
}

static void on_kernel(void *user, const struct trm_lang *lang, enum trm_kernel_state state)
{
	(void)lang;
	((struct peer *)user)->state = state;
}

static const struct trm_session_cb SESSION_CB = {
		.kernel = on_kernel, .joined = on_joined, .caught_up = on_caught_up};

/* ---- life ------------------------------------------------------------------------------------ */

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	(void)sandbox;
	((struct peer *)user)->is_ready = true;
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct peer *p = user;
	(void)sandbox;
	p->is_closed = true;
	p->why = *why;
	p->sandbox = NULL;
}

static const struct trm_sandbox_cb SANDBOX_CB = {.ready = on_ready, .closed = on_closed};

bool peer_open(struct peer *p, struct trm_loop *loop, const struct place *at, const char *name,
		const struct trm_session_opts *opts)
{
	struct trm_sandbox_opts sandbox;
	struct trm_session_opts session;
	*p = (struct peer){.loop = loop};
	trm_sandbox_opts_default(&sandbox);
	sandbox.name = name;
	if (at) {
		sandbox.backend = trm_isolation_find(at->backend, &sandbox.isolation) ? "local" : at->backend;
		dialect_origin(&sandbox, at->backend, at->image);
	}
	int r = at ? trm_sandbox_open(loop, &sandbox, &SANDBOX_CB, p, &p->sandbox, &p->why)
		   : trm_sandbox_attach(loop, name, NULL, &SANDBOX_CB, p, &p->sandbox, &p->why);
	if (r < 0)
		return false;
	if (opts)
		session = *opts;
	else
		trm_session_opts_default(&session);
	session.is_shared = true;
	session.wants_recent = !opts || at || opts->wants_recent;
	session.client = "peer";
	assert_int_equal(trm_session_open(p->sandbox, &session, &SESSION_CB, p, &p->session, &p->why), 0);
	return true;
}

void peer_close(struct peer *p)
{
	trm_session_close(p->session);
	if (p->sandbox) {
		trm_sandbox_close(p->sandbox);
		peer_wait(p->loop, &p->is_closed);
	}
	for (size_t i = 0; i < p->n_runs; i++) {
		struct bed_text *const texts[] = {&p->runs[i].code, &p->runs[i].out, &p->runs[i].err,
				&p->runs[i].prompts, &p->runs[i].displays};
		for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
			free(texts[k]->s);
	}
	*p = (struct peer){0};
}

/* ---- runs --------------------------------------------------------------------------------------- */

struct seen *peer_begin(struct peer *p, const char *lang, const char *code, int64_t timeout_ms)
{
	struct trm_run_opts o;
	struct trm_error why;
	struct seen *seen = add(p);
	trm_run_opts_default(&o);
	o.lang = bed_lang(lang);
	o.code = code;
	o.code_len = strlen(code);
	o.timeout_ms = timeout_ms;
	o.offers_stdin = true;
	o.manual_credit = p->holds_back;
	seen->is_own = true;
	bed_text_add(&seen->code, code, strlen(code));
	assert_int_equal(trm_session_run(p->session, &o, &RUN_CB, seen, &seen->run, &why), 0);
	return seen;
}

struct seen *peer_run(struct peer *p, const char *lang, const char *code)
{
	struct seen *seen = peer_begin(p, lang, code, -1);
	peer_wait(p->loop, &seen->is_over);
	return seen;
}

struct seen *peer_find(struct peer *p, const char *code)
{
	for (size_t i = 0; i < p->n_runs; i++)
		if (p->runs[i].code.s && !strcmp(p->runs[i].code.s, code))
			return &p->runs[i];
	return NULL;
}

static void on_answer(void *user, const char *json, const struct trm_error *why)
{
	struct peer *p = user;
	snprintf(p->reply, sizeof p->reply, "%s%.390s", json ? "" : "!", json ? json : why->msg);
}

void peer_ask(struct peer *p, const char *lang, enum trm_question question, const char *code)
{
	struct trm_error why;
	p->reply[0] = '\0';
	assert_int_equal(trm_session_ask(p->session, bed_lang(lang), question, code, 0, on_answer, p, &why),
			0);
}

/* ---- waiting ------------------------------------------------------------------------------------ */

void peer_turn(struct trm_loop *loop, int ms)
{
	double end = bed_now_ms() + ms;
	for (double left; (left = end - bed_now_ms()) > 0;)
		trm_loop_step(loop, (int)left + 1);
}

void peer_wait(struct trm_loop *loop, const bool *flag)
{
	double end = bed_now_ms() + BED_DEADLINE_MS;
	while (!*flag) {
		assert_true(bed_now_ms() < end);
		trm_loop_step(loop, 100);
	}
}

struct seen *peer_wait_seen(struct peer *p, const char *code, size_t n_out, bool is_over)
{
	double end = bed_now_ms() + BED_DEADLINE_MS;
	struct seen *seen;
	while (!(seen = peer_find(p, code)) || seen->out.n < n_out || (is_over && !seen->is_over)) {
		assert_true(bed_now_ms() < end);
		trm_loop_step(p->loop, 100);
	}
	return seen;
}
