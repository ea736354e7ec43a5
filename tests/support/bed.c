/* SPDX-License-Identifier: MIT */
#include "support/bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Also for programs without cmocka: a broken promise ends them. */
static void fail(const char *what)
{
	fprintf(stderr, "bed: %s\n", what);
	abort();
}

double bed_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

void bed_text_add(struct bed_text *text, const void *bytes, size_t n)
{
	char *s = realloc(text->s, text->n + n + 1);
	if (!s)
		fail("out of memory");
	memcpy(s + text->n, bytes, n);
	text->s = s;
	text->n += n;
	s[text->n] = '\0';
}

static void text_clear(struct bed_text *text)
{
	free(text->s);
	*text = (struct bed_text){0};
}

/* ---- callbacks --------------------------------------------------------------------- */

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct bed *bed = user;
	(void)sandbox;
	bed->is_ready = true;
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct bed *bed = user;
	(void)sandbox;
	if (bed->is_closed)
		fail("closed twice");
	bed->is_closed = true;
	bed->why = *why;
}

static void on_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	struct bed *bed = user;
	(void)sandbox;
	bed->n_metrics++;
	bed->sample = metrics->sample;
}

static const struct trm_sandbox_cb SANDBOX_CB = {
		.ready = on_ready, .metrics = on_metrics, .closed = on_closed};

static void on_late(void *user, const struct trm_lang *lang, uint64_t number, int stream, const void *bytes,
		size_t n)
{
	struct bed *bed = user;
	(void)lang;
	(void)stream;
	bed->late_number = number;
	bed_text_add(&bed->late, bytes, n);
}

static const struct trm_session_cb SESSION_CB = {.late = on_late};

static void on_started(void *user, struct trm_run *run)
{
	struct bed *bed = user;
	(void)run;
	bed->n_started++;
}

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct bed *bed = user;
	(void)run;
	bed->n_outputs++;
	if (bed->on_output)
		bed->on_output(bed, stream, bytes, n);
	else
		bed_text_add(&bed->out[stream == TRM_STDERR], bytes, n);
}

static void on_input(void *user, struct trm_run *run, const char *prompt, bool is_secret)
{
	struct bed *bed = user;
	(void)run;
	(void)is_secret;
	bed->n_inputs++;
	bed_text_add(&bed->prompts, prompt, strlen(prompt));
	bed_text_add(&bed->prompts, "\n", 1);
	if (bed->on_input)
		bed->on_input(bed);
}

static void on_answered(void *user, struct trm_run *run)
{
	struct bed *bed = user;
	(void)run;
	bed->n_answered++;
}

static void on_memory(void *user, struct trm_run *run, uint64_t used_bytes, uint64_t limit_bytes)
{
	struct bed *bed = user;
	(void)run;
	(void)limit_bytes;
	bed->n_memory++;
	bed->memory_bytes = used_bytes;
}

static void on_stopping(void *user, struct trm_run *run, const struct trm_stopping *how)
{
	struct bed *bed = user;
	(void)run;
	bed->n_killing += how->step == TRM_STOP_KILL;
	bed->n_stopping++;
	bed->stopping = *how;
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct bed *bed = user;
	if (run != bed->run || bed->result)
		fail("done twice, or for a run that is not ours");
	bed->run = NULL;
	bed->result = trm_result_copy(result);
}

static const struct trm_run_cb RUN_CB = {.started = on_started,
		.output = on_output,
		.input = on_input,
		.answered = on_answered,
		.memory = on_memory,
		.stopping = on_stopping,
		.done = on_done};

/* ---- waiting ----------------------------------------------------------------------- */

static void turn(struct bed *bed, double deadline)
{
	double left = deadline - bed_now_ms();
	if (trm_loop_step(bed->loop, left < 0 ? 0 : left > 1000 ? 1000 : (int)left + 1) < 0)
		fail("the loop is broken");
}

void bed_wait(struct bed *bed, const bool *flag)
{
	double deadline = bed_now_ms() + BED_DEADLINE_MS;
	while (!*flag) {
		if (bed_now_ms() > deadline)
			fail("what was waited for did not happen");
		turn(bed, deadline);
	}
}

bool bed_wait_for(struct bed *bed, bool (*holds)(struct bed *bed), int ms)
{
	double deadline = bed_now_ms() + ms;
	while (!holds(bed)) {
		if (bed_now_ms() > deadline)
			return false;
		turn(bed, deadline);
	}
	return true;
}

/* ---- opening ----------------------------------------------------------------------- */

bool bed_open(struct bed *bed, const char *backend, const struct trm_sandbox_opts *opts,
		const struct trm_session_opts *session_opts)
{
	struct trm_sandbox_opts o;
	*bed = (struct bed){0};
	trm_sandbox_opts_default(&o);
	if (opts)
		o = *opts;
	o.backend = trm_isolation_find(backend, &o.isolation) ? "local" : backend;
	if (trm_loop_create(&bed->loop, &bed->why) < 0)
		fail(bed->why.msg);
	if (trm_sandbox_open(bed->loop, &o, &SANDBOX_CB, bed, &bed->sandbox, &bed->why) < 0) {
		trm_loop_destroy(bed->loop);
		return false;
	}
	if (trm_session_open(bed->sandbox, session_opts, &SESSION_CB, bed, &bed->session, &bed->why) < 0)
		fail(bed->why.msg);
	return true;
}

void bed_close(struct bed *bed)
{
	trm_session_close(bed->session);
	if (!bed->is_closed) {
		trm_sandbox_close(bed->sandbox);
		bed_wait(bed, &bed->is_closed);
	}
	trm_loop_destroy(bed->loop);
	trm_result_free(bed->result);
	text_clear(&bed->out[0]);
	text_clear(&bed->out[1]);
	text_clear(&bed->prompts);
	text_clear(&bed->late);
}

static bool is_up_or_closed(struct bed *bed)
{
	return bed->is_ready || bed->is_closed;
}

bool bed_works(const char *backend, const struct trm_sandbox_opts *opts)
{
	struct bed bed;
	bool is_up = bed_open(&bed, backend, opts, NULL);
	if (is_up) {
		is_up = bed_wait_for(&bed, is_up_or_closed, BED_DEADLINE_MS) && bed.is_ready;
		bed_close(&bed);
	}
	if (!is_up)
		printf("SKIP: %s\n", bed.why.msg);
	return is_up;
}

/* ---- runs -------------------------------------------------------------------------- */

const struct trm_lang *bed_lang(const char *name)
{
	const struct trm_lang *lang;
	struct trm_error why;
	if (trm_lang_find(name, &lang, &why) < 0)
		fail(why.msg);
	return lang;
}

static void clear_run(struct bed *bed)
{
	trm_result_free(bed->result);
	bed->result = NULL;
	text_clear(&bed->out[0]);
	text_clear(&bed->out[1]);
	text_clear(&bed->prompts);
	bed->n_started = bed->n_outputs = bed->n_inputs = bed->n_answered = bed->n_killing = bed->n_stopping =
			bed->n_memory = 0;
}

void bed_begin(struct bed *bed, const struct trm_run_opts *opts)
{
	struct trm_error why;
	clear_run(bed);
	if (trm_session_run(bed->session, opts, &RUN_CB, bed, &bed->run, &why) < 0)
		fail(why.msg);
}

void bed_leave(struct bed *bed, const struct trm_run_opts *opts, struct trm_error *why)
{
	clear_run(bed);
	if (trm_session_run_exit(bed->session, opts, &RUN_CB, bed, &bed->run, why) < 0)
		fail(why->msg);
}

static bool is_done(struct bed *bed)
{
	return bed->result;
}

const struct trm_result *bed_end(struct bed *bed)
{
	if (!bed_wait_for(bed, is_done, BED_DEADLINE_MS))
		fail("a run did not end");
	return bed->result;
}

static struct trm_run_opts run_opts(const char *lang, const char *code)
{
	struct trm_run_opts o;
	trm_run_opts_default(&o);
	o.lang = bed_lang(lang);
	o.code = code;
	o.code_len = strlen(code);
	return o;
}

const struct trm_result *bed_run(struct bed *bed, const char *lang, const char *code)
{
	struct trm_run_opts o = run_opts(lang, code);
	bed_begin(bed, &o);
	return bed_end(bed);
}

const struct trm_result *bed_run_with(struct bed *bed, const char *lang, const char *code, const char *input)
{
	struct trm_run_opts o = run_opts(lang, code);
	o.offers_stdin = true;
	bed_begin(bed, &o);
	if (bed->run && trm_run_write(bed->run, input, strlen(input), &bed->why) < 0)
		fail(bed->why.msg);
	if (bed->run)
		trm_run_close_stdin(bed->run);
	return bed_end(bed);
}

const char *bed_stdout(const struct bed *bed)
{
	return bed->out[0].s ? bed->out[0].s : "";
}

const char *bed_stderr(const struct bed *bed)
{
	return bed->out[1].s ? bed->out[1].s : "";
}
