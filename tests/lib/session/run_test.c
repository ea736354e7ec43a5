/* SPDX-License-Identifier: MIT */
/* Runs, interrupts and questions on the fake backend, whose outcomes do not vary. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "langs.h"
#include "support/bed.h"

static struct bed bed;

static void lie_down(const struct trm_session_opts *opts)
{
	assert_true(bed_open(&bed, "fake", NULL, opts));
}

static struct trm_session_opts impatient(void)
{
	struct trm_session_opts o;
	trm_session_opts_default(&o);
	o.grace_ms = 50;
	return o;
}

static struct trm_run_opts python(const char *code)
{
	struct trm_run_opts o;
	trm_run_opts_default(&o);
	o.lang = bed_lang("python");
	o.code = code;
	o.code_len = strlen(code);
	return o;
}

static bool has_started(struct bed *b)
{
	return b->n_started;
}

static bool has_output(struct bed *b)
{
	return b->n_outputs;
}

static bool is_ready(struct bed *b)
{
	return b->is_ready;
}

static bool is_over(struct bed *b)
{
	return b->result;
}

/* ---- endings ------------------------------------------------------------------------ */

static void ok_and_state(void **state)
{
	(void)state;
	lie_down(NULL);
	const struct trm_result *r = bed_run(&bed, "python", "set x 42\nvalue 7");
	assert_int_equal(r->status, TRM_STATUS_OK);
	assert_int_equal(r->exit_code, 0);
	assert_string_equal(r->value, "7");
	assert_int_equal(r->number, 1);
	assert_int_equal(bed.n_started, 1);
	r = bed_run(&bed, "python", "get x\nerr oops\nwrite end");
	assert_int_equal(r->number, 2);
	assert_string_equal(bed_stdout(&bed), "42\nend");
	assert_string_equal(bed_stderr(&bed), "oops\n");
	assert_int_equal(r->stdout_bytes, 6);
	assert_int_equal(r->stderr_bytes, 5);
	assert_int_equal(r->output_len, 11);
	assert_null(r->error_name);
	assert_null(r->reason);
	bed_close(&bed);
	assert_int_equal(bed.why.code, TRM_OK);
}

static void errors_and_exit_codes(void **state)
{
	(void)state;
	lie_down(NULL);
	const struct trm_result *r = bed_run(&bed, "python", "fail ValueError it was bad");
	assert_int_equal(r->status, TRM_STATUS_ERROR);
	assert_int_equal(r->exit_code, 1);
	assert_string_equal(r->error_name, "ValueError");
	assert_string_equal(r->error_message, "it was bad");
	assert_non_null(r->traceback[0]);
	r = bed_run(&bed, "python", "exit 3");
	assert_int_equal(r->status, TRM_STATUS_ERROR);
	assert_int_equal(r->exit_code, 3);
	assert_null(r->error_name);
	assert_null(r->traceback);
	r = bed_run(&bed, "python", "exit 0");
	assert_int_equal(r->status, TRM_STATUS_OK);
	bed_close(&bed);
}

static void a_dead_kernel_is_replaced(void **state)
{
	(void)state;
	lie_down(NULL);
	bed_run(&bed, "python", "set x 1");
	const struct trm_result *r = bed_run(&bed, "python", "die 11");
	assert_int_equal(r->status, TRM_STATUS_KILLED);
	assert_int_equal(r->exit_code, 128 + 11);
	assert_true(r->state_lost);
	assert_non_null(strstr(r->reason, "signal 11 (segmentation fault)"));
	r = bed_run(&bed, "python", "get x");
	assert_string_equal(r->error_name, "NameError");
	bed_close(&bed);
}

static void a_time_out_interrupts_and_keeps_state(void **state)
{
	struct trm_run_opts o = python("set x 5\nloop");
	(void)state;
	lie_down(NULL);
	o.timeout_ms = 30;
	double start = bed_now_ms();
	bed_begin(&bed, &o);
	const struct trm_result *r = bed_end(&bed);
	assert_true(bed_now_ms() - start >= 30);
	assert_int_equal(r->status, TRM_STATUS_TIMEOUT);
	assert_int_equal(r->exit_code, 124);
	assert_false(r->state_lost);
	assert_non_null(strstr(r->reason, "0.03 s"));
	assert_true(r->wall_us >= 29000);
	bed_run(&bed, "python", "get x");
	assert_string_equal(bed_stdout(&bed), "5\n");
	bed_close(&bed);
}

static void the_sessions_time_out_is_the_default(void **state)
{
	struct trm_session_opts opts = impatient();
	(void)state;
	opts.timeout_ms = 30;
	lie_down(&opts);
	assert_int_equal(bed_run(&bed, "python", "loop")->status, TRM_STATUS_TIMEOUT);
	struct trm_run_opts o = python("sleep 100");
	o.timeout_ms = 0; /* none */
	bed_begin(&bed, &o);
	assert_int_equal(bed_end(&bed)->status, TRM_STATUS_OK);
	bed_close(&bed);
}

static void stubborn_code_is_killed(void **state)
{
	struct trm_session_opts opts = impatient();
	struct trm_run_opts o = python("print before\nstubborn");
	(void)state;
	lie_down(&opts);
	o.timeout_ms = 30;
	bed_begin(&bed, &o);
	const struct trm_result *r = bed_end(&bed);
	assert_int_equal(r->status, TRM_STATUS_TIMEOUT);
	assert_int_equal(r->exit_code, 124);
	assert_true(r->state_lost);
	assert_int_equal(bed.n_killing, 1);
	assert_string_equal(bed_stdout(&bed), "before\n");
	assert_int_equal(bed_run(&bed, "python", "print again")->status, TRM_STATUS_OK);
	bed_close(&bed);
}

static void interrupts(void **state)
{
	struct trm_run_opts o = python("print x\nloop");
	(void)state;
	lie_down(NULL);
	bed_begin(&bed, &o);
	assert_true(bed_wait_for(&bed, has_output, BED_DEADLINE_MS));
	trm_run_interrupt(bed.run);
	const struct trm_result *r = bed_end(&bed);
	assert_int_equal(r->status, TRM_STATUS_INTERRUPTED);
	assert_int_equal(r->exit_code, 130);
	assert_false(r->state_lost);
	bed_close(&bed);
}

/* JavaScript's may get lost. Printing first makes it a run that is known to have begun. */
static void a_lost_interrupt_is_repeated_before_the_kill(void **state)
{
	struct trm_session_opts opts = impatient();
	struct trm_run_opts o = python("set x 5\nprint x\ndeaf");
	(void)state;
	opts.grace_ms = 400;
	o.lang = trm_lang_at(LANG_JAVASCRIPT);
	lie_down(&opts);
	bed_begin(&bed, &o);
	assert_true(bed_wait_for(&bed, has_output, BED_DEADLINE_MS));
	trm_run_interrupt(bed.run);
	const struct trm_result *r = bed_end(&bed);
	assert_int_equal(r->status, TRM_STATUS_INTERRUPTED);
	assert_false(r->state_lost);
	bed_run(&bed, "javascript", "get x");
	assert_string_equal(bed_stdout(&bed), "5\n");
	bed_close(&bed);
}

static void a_second_interrupt_kills(void **state)
{
	struct trm_run_opts o = python("print x\nstubborn");
	(void)state;
	lie_down(NULL); /* with its long grace */
	bed_begin(&bed, &o);
	assert_true(bed_wait_for(&bed, has_output, BED_DEADLINE_MS));
	trm_run_interrupt(bed.run);
	trm_run_interrupt(bed.run);
	const struct trm_result *r = bed_end(&bed);
	assert_int_equal(r->status, TRM_STATUS_INTERRUPTED);
	assert_true(r->state_lost);
	bed_close(&bed);
}

static void an_interrupt_before_the_start_ends_it(void **state)
{
	struct trm_run_opts o = python("print never");
	(void)state;
	lie_down(NULL);
	bed_begin(&bed, &o);
	trm_run_interrupt(bed.run); /* the sandbox is not even connected */
	assert_null(bed.result);    /* not from inside the call */
	const struct trm_result *r = bed_end(&bed);
	assert_int_equal(r->status, TRM_STATUS_INTERRUPTED);
	assert_false(r->state_lost);
	assert_string_equal(bed_stdout(&bed), "");
	assert_int_equal(bed_run(&bed, "python", "print now")->status, TRM_STATUS_OK);
	assert_string_equal(bed_stdout(&bed), "now\n");
	bed_close(&bed);
}

static void interrupt_at_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	(void)user, (void)stream, (void)bytes, (void)n;
	trm_run_interrupt(run);
}

static struct trm_result *interrupted;

static void keep_result(void *user, struct trm_run *run, const struct trm_result *result)
{
	(void)user, (void)run;
	interrupted = trm_result_copy(result);
}

static bool is_interrupted(struct bed *b)
{
	(void)b;
	return interrupted;
}

/* The first output can be read before the word that the interpreter is ready. The code runs then, and what it
 * has made stays. */
static void an_interrupt_at_the_first_output_loses_nothing(void **state)
{
	static const struct trm_run_cb cb = {.output = interrupt_at_output, .done = keep_result};
	struct trm_run *run;
	struct trm_run_opts o = python("set x 5\nloop");
	struct trm_error why;
	(void)state;
	setenv("FAKE_PRINTS", "1", 1);
	lie_down(NULL);
	unsetenv("FAKE_PRINTS");
	assert_int_equal(trm_session_run(bed.session, &o, &cb, NULL, &run, &why), 0);
	assert_true(bed_wait_for(&bed, is_interrupted, BED_DEADLINE_MS));
	assert_int_equal(interrupted->status, TRM_STATUS_INTERRUPTED);
	assert_false(interrupted->state_lost);
	trm_result_free(interrupted);
	bed_run(&bed, "python", "get x");
	assert_string_equal(bed_stdout(&bed), "5\n");
	bed_close(&bed);
}

static void an_interrupt_ends_a_start_that_prints_and_hangs(void **state)
{
	static const struct trm_run_cb cb = {.output = interrupt_at_output, .done = keep_result};
	struct trm_run *run;
	struct trm_run_opts o = python("print x");
	struct trm_error why;
	(void)state;
	interrupted = NULL;
	setenv("FAKE_PRINTS", "only", 1);
	lie_down(NULL);
	unsetenv("FAKE_PRINTS");
	assert_int_equal(trm_session_run(bed.session, &o, &cb, NULL, &run, &why), 0);
	assert_true(bed_wait_for(&bed, is_interrupted, BED_DEADLINE_MS));
	assert_int_equal(interrupted->status, TRM_STATUS_INTERRUPTED);
	trm_result_free(interrupted);
	bed_close(&bed);
}

/* ---- order ---------------------------------------------------------------------------- */

struct chain {
	char order[64];
	struct trm_run *runs[4];
	unsigned n_done;
	bool all_done;
	bool closes_session;
};

static void chain_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct chain *c = user;
	size_t n = strlen(c->order);
	c->order[n] = (char)('0' + result->number);
	c->order[n + 1] = (char)('a' + result->status);
	(void)run;
	c->all_done = ++c->n_done == 4;
	if (c->closes_session) {
		c->closes_session = false;
		trm_session_close(bed.session);
		bed.session = NULL;
	}
}

static const struct trm_run_cb CHAIN_CB = {.done = chain_done};

static void begin_chain(struct chain *c, const char *second)
{
	const char *codes[] = {"sleep 10", second, "print", "value 1"};
	const char *langs[] = {"python", "bash", "js", "python"};
	for (size_t i = 0; i < 4; i++) {
		struct trm_run_opts o = python(codes[i]);
		o.lang = bed_lang(langs[i]);
		assert_int_equal(trm_session_run(bed.session, &o, &CHAIN_CB, c, &c->runs[i], NULL), 0);
	}
}

static void runs_follow_each_other_across_languages(void **state)
{
	struct chain c = {0};
	(void)state;
	lie_down(NULL);
	begin_chain(&c, "sleep 5");
	bed_wait(&bed, &c.all_done);
	assert_string_equal(c.order, "1a2a3a4a");
	bed_close(&bed);
}

static void a_waiting_run_can_be_withdrawn(void **state)
{
	struct chain c = {0};
	(void)state;
	lie_down(NULL);
	begin_chain(&c, "sleep 5");
	trm_run_interrupt(c.runs[2]);
	bed_wait(&bed, &c.all_done);
	assert_string_equal(c.order, "3d1a2a4a");
	bed_close(&bed);
}

static void closing_the_session_ends_all(void **state)
{
	struct chain c = {0};
	(void)state;
	lie_down(NULL);
	begin_chain(&c, "loop");
	trm_session_close(bed.session);
	bed.session = NULL;
	assert_string_equal(c.order, "1f2f3f4f");
	bed_close(&bed);
}

static void done_may_close_the_session(void **state)
{
	struct chain c = {.closes_session = true};
	(void)state;
	lie_down(NULL);
	begin_chain(&c, "loop");
	bed_wait(&bed, &c.all_done);
	assert_string_equal(c.order, "1a2f3f4f");
	bed_close(&bed);
}

static void closing_the_sandbox_loses_all(void **state)
{
	struct chain c = {0};
	struct trm_run_opts o = python("print");
	struct trm_error why;
	(void)state;
	lie_down(NULL);
	begin_chain(&c, "loop");
	assert_true(bed_wait_for(&bed, is_ready, BED_DEADLINE_MS));
	trm_sandbox_close(bed.sandbox);
	assert_int_equal(trm_session_run(bed.session, &o, NULL, NULL, NULL, &why), TRM_ECLOSED);
	bed_wait(&bed, &bed.is_closed);
	assert_string_equal(c.order, "1f2f3f4f");
	assert_int_equal(trm_session_run(bed.session, &o, NULL, NULL, NULL, &why), TRM_ECLOSED);
	bed_close(&bed);
}

static void close_in_output(struct bed *b, int stream, const char *bytes, size_t n)
{
	(void)stream;
	(void)bytes;
	(void)n;
	if (b->session)
		trm_session_close(b->session);
	b->session = NULL;
}

static void output_may_close_the_session(void **state)
{
	struct trm_run_opts o = python("flood 1000");
	(void)state;
	lie_down(NULL);
	bed.on_output = close_in_output;
	bed_begin(&bed, &o);
	assert_int_equal(bed_end(&bed)->status, TRM_STATUS_LOST);
	bed_close(&bed);
}

/* ---- output ------------------------------------------------------------------------------ */

static void a_flood_is_counted_and_cut(void **state)
{
	struct trm_session_opts opts = impatient();
	(void)state;
	opts.output_keep_bytes = 1000;
	lie_down(&opts);
	const struct trm_result *r = bed_run(&bed, "python", "write >\nflood 100000\nwrite <");
	assert_int_equal(bed.out[0].n, 10000002);
	assert_int_equal(r->stdout_bytes, 10000002);
	assert_int_equal(r->output_len, 1000);
	assert_int_equal(r->dropped_bytes, 10000002 - 1000);
	assert_int_equal(r->output[0], '>');
	assert_int_equal(r->output[999], '<');
	bed_close(&bed);
}

static void late_output_is_not_the_next_runs(void **state)
{
	(void)state;
	lie_down(NULL);
	bed_run(&bed, "python", "late 20 straggler");
	const struct trm_result *r = bed_run(&bed, "python", "sleep 60\nprint mine");
	assert_string_equal(bed_stdout(&bed), "mine\n");
	assert_int_equal(r->stdout_bytes, 5);
	assert_string_equal(bed.late.s, "straggler\n");
	assert_int_equal(bed.late_number, 1);
	bed_close(&bed);
}

static void count_only(struct bed *b, int stream, const char *bytes, size_t n)
{
	(void)bytes;
	b->out[stream == TRM_STDERR].n += n;
}

static bool has_a_window(struct bed *b)
{
	return b->out[0].n >= (1 << 20) - 4096; /* events take from the window too */
}

static bool has_more(struct bed *b)
{
	return b->out[0].n > 1 << 20;
}

static void manual_credit_holds_output_back(void **state)
{
	struct trm_run_opts o = python("flood 100000");
	(void)state;
	lie_down(NULL);
	o.manual_credit = true;
	bed.on_output = count_only;
	bed_begin(&bed, &o);
	assert_true(bed_wait_for(&bed, has_a_window, BED_DEADLINE_MS));
	assert_false(bed_wait_for(&bed, has_more, 50));
	trm_run_consumed(bed.run, 1 << 20);
	assert_true(bed_wait_for(&bed, has_more, BED_DEADLINE_MS));
	/* An interrupt does not wait for a caller that looks at nothing. */
	trm_run_interrupt(bed.run);
	assert_int_equal(bed_end(&bed)->status, TRM_STATUS_INTERRUPTED);
	assert_int_equal(bed_run(&bed, "python", "print next")->status, TRM_STATUS_OK);
	bed_close(&bed);
}

/* ---- input -------------------------------------------------------------------------------- */

static void answer_bob(struct bed *b)
{
	assert_int_equal(trm_run_write(b->run, "bob\n", 4, &b->why), 0);
}

static void input_is_asked_for(void **state)
{
	struct trm_run_opts o = python("ask name?");
	(void)state;
	lie_down(NULL);
	o.offers_stdin = true;
	bed.on_input = answer_bob;
	bed_begin(&bed, &o);
	assert_int_equal(bed_end(&bed)->status, TRM_STATUS_OK);
	assert_int_equal(bed.n_inputs, 1);
	assert_string_equal(bed.prompts.s, "name?\n");
	assert_non_null(strstr(bed_stdout(&bed), "got bob\n"));
	bed_close(&bed);
}

static bool was_asked(struct bed *b)
{
	return b->n_inputs;
}

static bool was_answered(struct bed *b)
{
	return b->n_answered;
}

/* Nobody hears of an answer that was not taken. */
static void an_answer_that_is_too_long_is_none(void **state)
{
	enum { TOO_LONG = (64 << 20) + 1 };
	struct trm_run_opts o = python("ask name?\nloop");
	char *answer = calloc(1, TOO_LONG);
	(void)state;
	assert_non_null(answer);
	*answer = '\n';
	lie_down(NULL);
	o.offers_stdin = true;
	bed_begin(&bed, &o);
	assert_true(bed_wait_for(&bed, was_asked, 10000));
	assert_int_equal(trm_run_write(bed.run, answer, TOO_LONG, &bed.why), TRM_ETOOBIG);
	assert_false(bed_wait_for(&bed, was_answered, 50));
	answer_bob(&bed);
	assert_true(bed_wait_for(&bed, was_answered, 10000));
	trm_run_interrupt(bed.run);
	assert_int_equal(bed_end(&bed)->status, TRM_STATUS_INTERRUPTED);
	assert_int_equal(bed.n_answered, 1);
	bed_close(&bed);
	free(answer);
}

static bool has_answered(struct bed *b)
{
	return b->result;
}

/* A person thinks for longer than the code may run; after the answer the limit counts again. */
static void the_limit_does_not_count_while_a_person_thinks(void **state)
{
	struct trm_run_opts o = python("ask name?\nloop");
	(void)state;
	lie_down(NULL);
	o.offers_stdin = o.waits_for_person = true;
	o.timeout_ms = 40;
	bed_begin(&bed, &o);
	assert_false(bed_wait_for(&bed, has_answered, 200));
	answer_bob(&bed);
	assert_int_equal(bed_end(&bed)->status, TRM_STATUS_TIMEOUT);
	assert_non_null(strstr(bed_stdout(&bed), "got bob\n"));
	/* Elsewhere it counts. */
	o.waits_for_person = false;
	bed_begin(&bed, &o);
	assert_int_equal(bed_end(&bed)->status, TRM_STATUS_TIMEOUT);
	assert_null(strstr(bed_stdout(&bed), "got"));
	bed_close(&bed);
}

static void without_an_offer_there_is_eof(void **state)
{
	(void)state;
	lie_down(NULL);
	const struct trm_result *r = bed_run(&bed, "python", "ask name?");
	assert_string_equal(r->error_name, "EOFError");
	assert_int_equal(bed.n_inputs, 0);
	bed_close(&bed);
}

static void what_is_left_of_input_is_not_the_next_runs(void **state)
{
	(void)state;
	lie_down(NULL);
	bed_run_with(&bed, "python", "ask a", "one\ntwo\n");
	assert_non_null(strstr(bed_stdout(&bed), "got one"));
	const struct trm_result *r = bed_run_with(&bed, "python", "ask b", "");
	assert_string_equal(r->error_name, "EOFError");
	bed_close(&bed);
}

/* ---- questions ------------------------------------------------------------------------------ */

struct answer {
	bool is_there;
	char *json;
	struct trm_error why;
};

static void on_answer(void *user, const char *json, const struct trm_error *why)
{
	struct answer *a = user;
	assert_false(a->is_there);
	a->is_there = true;
	a->json = json ? strdup(json) : NULL;
	a->why = *why;
}

static void questions_wait_for_runs(void **state)
{
	struct answer a = {0}, b = {0};
	struct trm_run_opts o = python("sleep 20\nset x 5");
	(void)state;
	lie_down(NULL);
	bed_begin(&bed, &o);
	assert_int_equal(
			trm_session_ask(bed.session, o.lang, TRM_ASK_VARIABLES, NULL, 0, on_answer, &a, NULL),
			0);
	assert_int_equal(trm_session_ask(bed.session, bed_lang("js"), TRM_ASK_IS_COMPLETE, "x", 0, on_answer,
					 &b, NULL),
			0);
	bed_wait(&bed, &a.is_there);
	bed_wait(&bed, &b.is_there);
	assert_non_null(bed.result);
	assert_non_null(strstr(a.json, "\"x\""));
	assert_string_equal(b.json, "{\"status\":\"complete\",\"indent\":\"\"}");
	free(a.json);
	free(b.json);
	bed_close(&bed);
}

static void questions_fail_with_the_sandbox(void **state)
{
	struct answer a = {0}, b = {0};
	struct trm_run_opts o = python("loop");
	(void)state;
	lie_down(NULL);
	bed_begin(&bed, &o);
	trm_session_ask(bed.session, o.lang, TRM_ASK_VARIABLES, NULL, 0, on_answer, &a, NULL);
	trm_session_ask(bed.session, bed_lang("js"), TRM_ASK_COMPLETE, "x", 1, on_answer, &b, NULL);
	trm_sandbox_close(bed.sandbox);
	bed_wait(&bed, &bed.is_closed);
	assert_true(a.is_there && b.is_there);
	assert_null(a.json);
	assert_int_not_equal(a.why.code, TRM_OK);
	bed_close(&bed);
}

/* ---- odds and ends ----------------------------------------------------------------------------- */

static void displays_are_kept(void **state)
{
	(void)state;
	lie_down(NULL);
	const struct trm_result *r =
			bed_run(&bed, "python", "display image/png aGVsbG8=\ndisplay text/html <b>");
	assert_int_equal(r->n_displays, 2);
	assert_string_equal(r->displays[0].mime, "image/png");
	assert_string_equal(r->displays[0].data, "aGVsbG8=");
	assert_string_equal(r->displays[1].data, "<b>");
	assert_int_equal(r->displays[0].bundle, 0);
	assert_int_equal(r->displays[1].bundle, 1);
	assert_int_equal(r->displays[1].more, 0);
	bed_close(&bed);
}

static void bad_requests_are_refused(void **state)
{
	struct trm_run_opts o = python("print \xff");
	struct trm_error why;
	struct answer a = {0};
	(void)state;
	lie_down(NULL);
	assert_int_equal(trm_session_run(bed.session, &o, NULL, NULL, NULL, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "UTF-8"));
	o = python("print");
	o.lang = NULL;
	assert_int_equal(trm_session_run(bed.session, &o, NULL, NULL, NULL, &why), TRM_EINVAL);
	o.lang = bed_lang("python");
	o.code_len = ((size_t)64 << 20) + 1;
	char *big = calloc(1, o.code_len);
	assert_non_null(big);
	o.code = big;
	assert_int_equal(trm_session_run(bed.session, &o, NULL, NULL, NULL, &why), TRM_ETOOBIG);
	o.code_len /= 2;
	memset(big, '\n', o.code_len); /* and each takes two bytes */
	assert_int_equal(trm_session_run(bed.session, &o, NULL, NULL, NULL, &why), TRM_ETOOBIG);
	free(big);
	assert_int_equal(trm_session_ask(bed.session, bed_lang("py"), TRM_ASK_INSPECT, "\xff", 0, on_answer,
					 &a, &why),
			TRM_EINVAL);
	o = python("print x");
	bed_begin(&bed, &o);
	assert_int_equal(trm_run_write(bed.run, "x", 1, &why), TRM_EINVAL);
	bed_end(&bed);
	bed_close(&bed);
}

static void empty_code_is_a_run(void **state)
{
	(void)state;
	lie_down(NULL);
	assert_int_equal(bed_run(&bed, "python", "")->status, TRM_STATUS_OK);
	bed_close(&bed);
}

static void on_log(void *user, int level, const char *msg)
{
	assert_true(level >= 0 && level <= 3);
	bed_text_add(user, msg, strlen(msg));
}

static void deaths_are_logged(void **state)
{
	struct bed_text log = {0};
	(void)state;
	trm_set_log(on_log, &log);
	lie_down(NULL);
	bed_run(&bed, "python", "die 6");
	bed_close(&bed);
	trm_set_log(NULL, NULL);
	assert_non_null(strstr(log.s, "the python kernel ended: exit code -1, signal 6"));
	free(log.s);
}

static void a_thousand_runs(void **state)
{
	char code[64];
	(void)state;
	lie_down(NULL);
	for (int i = 0; i < 1000; i++) {
		snprintf(code, sizeof code, "print %d", i);
		const struct trm_result *r = bed_run(&bed, i % 3 ? "python" : "bash", code);
		assert_int_equal(r->status, TRM_STATUS_OK);
		assert_int_equal(atoi(bed_stdout(&bed)), i);
	}
	assert_true(is_over(&bed) && has_started(&bed));
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(ok_and_state),
			cmocka_unit_test(errors_and_exit_codes),
			cmocka_unit_test(a_dead_kernel_is_replaced),
			cmocka_unit_test(a_time_out_interrupts_and_keeps_state),
			cmocka_unit_test(the_sessions_time_out_is_the_default),
			cmocka_unit_test(stubborn_code_is_killed),
			cmocka_unit_test(interrupts),
			cmocka_unit_test(a_lost_interrupt_is_repeated_before_the_kill),
			cmocka_unit_test(a_second_interrupt_kills),
			cmocka_unit_test(an_interrupt_before_the_start_ends_it),
			cmocka_unit_test(an_interrupt_at_the_first_output_loses_nothing),
			cmocka_unit_test(an_interrupt_ends_a_start_that_prints_and_hangs),
			cmocka_unit_test(runs_follow_each_other_across_languages),
			cmocka_unit_test(a_waiting_run_can_be_withdrawn),
			cmocka_unit_test(closing_the_session_ends_all),
			cmocka_unit_test(done_may_close_the_session),
			cmocka_unit_test(closing_the_sandbox_loses_all),
			cmocka_unit_test(output_may_close_the_session),
			cmocka_unit_test(a_flood_is_counted_and_cut),
			cmocka_unit_test(late_output_is_not_the_next_runs),
			cmocka_unit_test(manual_credit_holds_output_back),
			cmocka_unit_test(input_is_asked_for),
			cmocka_unit_test(an_answer_that_is_too_long_is_none),
			cmocka_unit_test(the_limit_does_not_count_while_a_person_thinks),
			cmocka_unit_test(without_an_offer_there_is_eof),
			cmocka_unit_test(what_is_left_of_input_is_not_the_next_runs),
			cmocka_unit_test(questions_wait_for_runs),
			cmocka_unit_test(questions_fail_with_the_sandbox),
			cmocka_unit_test(displays_are_kept),
			cmocka_unit_test(bad_requests_are_refused),
			cmocka_unit_test(empty_code_is_a_run),
			cmocka_unit_test(deaths_are_logged),
			cmocka_unit_test(a_thousand_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
