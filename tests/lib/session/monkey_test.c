/* SPDX-License-Identifier: MIT */
/* A monkey at the keys: random deeds, from outside and from inside callbacks.
 * Whatever it does, each request has exactly one end and `closed` is the last word. */
#include "cmocka_all.h"
#include "langs.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

enum { SEEDS = 400, DEEDS = 60, RUNS = 200 };

struct monkey {
	uint32_t seed;
	struct trm_loop *loop;
	struct trm_sandbox *sandbox;
	struct trm_session *session;
	struct trm_run *runs[RUNS]; /* living ones */
	unsigned n_runs, n_asked, n_begun, n_done, n_answers, n_spawned, n_exited, n_transfers, n_transferred;
	unsigned depth;
	bool is_closed;
};

static uint32_t any(struct monkey *m, uint32_t n)
{
	m->seed = m->seed * 1664525 + 1013904223;
	return (m->seed >> 8) % n;
}

static void act(struct monkey *m);

/* From inside a callback now and then, but not for ever. */
static void maybe_act(struct monkey *m)
{
	if (m->depth < 3 && any(m, 4) == 0) {
		m->depth++;
		act(m);
		m->depth--;
	}
}

static void on_started(void *user, struct trm_run *run)
{
	(void)run;
	maybe_act(user);
}

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	(void)run;
	(void)stream;
	(void)bytes;
	(void)n;
	maybe_act(user);
}

static void on_input(void *user, struct trm_run *run, const char *prompt, bool is_secret)
{
	(void)prompt;
	(void)is_secret;
	if (any(user, 2))
		trm_run_write(run, "line\n", 5, NULL);
	else
		trm_run_close_stdin(run);
	maybe_act(user);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct monkey *m = user;
	unsigned i = 0;
	while (i < m->n_runs && m->runs[i] != run)
		i++;
	assert_true(i < m->n_runs); /* once, and one of ours */
	m->runs[i] = m->runs[--m->n_runs];
	m->n_done++;
	char *json = trm_result_to_json(result);
	assert_non_null(json);
	free(json);
	maybe_act(m);
}

static const struct trm_run_cb RUN_CB = {
		.started = on_started, .output = on_output, .input = on_input, .done = on_done};

static void on_kernel(void *user, const struct trm_lang *lang, enum trm_kernel_state state)
{
	(void)lang;
	(void)state;
	maybe_act(user);
}

static const struct trm_session_cb SESSION_CB = {.kernel = on_kernel};

static void on_answer(void *user, const char *json, const struct trm_error *why)
{
	struct monkey *m = user;
	assert_true(json || why->code);
	m->n_answers++;
	maybe_act(m);
}

static void on_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *status, const struct trm_error *why)
{
	struct monkey *m = user;
	(void)proc;
	assert_true(status || why->code);
	m->n_exited++;
	maybe_act(m);
}

static void on_proc_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct monkey *m = user;
	(void)channel;
	(void)bytes;
	(void)n;
	if (any(m, 3) == 0)
		trm_proc_close(proc);
	maybe_act(m);
}

static const struct trm_proc_cb PROC_CB = {.output = on_proc_output, .exited = on_exited};

static void on_transferred(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	struct monkey *m = user;
	(void)why;
	(void)size;
	(void)mode;
	m->n_transferred++;
	maybe_act(m);
}

static const struct trm_transfer_cb TRANSFER_CB = {.done = on_transferred};

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct monkey *m = user;
	(void)sandbox;
	(void)why;
	assert_false(m->is_closed);
	assert_int_equal(m->n_exited, m->n_spawned);
	assert_int_equal(m->n_transferred, m->n_transfers);
	m->is_closed = true;
	m->sandbox = NULL;
}

static const struct trm_sandbox_cb SANDBOX_CB = {.closed = on_closed};

/* ---- deeds ------------------------------------------------------------------------- */

static void begin_run(struct monkey *m)
{
	static const char *const CODES[] = {"print hi", "loop", "stubborn", "die 11", "exit 3", "ask who",
			"flood 3000", "fail E m", "sleep 1", "late 1 x\nprint y", "display a/b c", "value 1",
			"", "print x\nprint y\nloop"};
	struct trm_run_opts o;
	if (!m->session || m->n_runs == RUNS)
		return;
	trm_run_opts_default(&o);
	o.lang = trm_lang_at(any(m, LANG_COUNT));
	o.code = CODES[any(m, sizeof CODES / sizeof *CODES)];
	o.code_len = strlen(o.code);
	o.timeout_ms = any(m, 3) ? 1 + (int)any(m, 5) : -1;
	o.offers_stdin = any(m, 2);
	o.manual_credit = any(m, 4) == 0;
	if (trm_session_run(m->session, &o, &RUN_CB, m, &m->runs[m->n_runs], NULL) == 0) {
		m->n_runs++;
		m->n_begun++;
	}
}

static void touch_run(struct monkey *m)
{
	if (!m->n_runs || !m->session)
		return;
	struct trm_run *run = m->runs[any(m, m->n_runs)];
	switch (any(m, 5)) {
	case 0:
	case 1: trm_run_interrupt(run); break;
	case 2: trm_run_write(run, "a\nb\n", 4, NULL); break;
	case 3: trm_run_close_stdin(run); break;
	case 4: trm_run_consumed(run, any(m, 1 << 20)); break;
	}
}

static void ask(struct monkey *m)
{
	if (m->session
			&& trm_session_ask(m->session, trm_lang_at(any(m, LANG_COUNT)),
					   (enum trm_question)any(m, 5), "x", 1, on_answer, m, NULL)
					   == 0)
		m->n_asked++;
}

static void spawn(struct monkey *m)
{
	static const char *const COMMANDS[] = {"echo", "cat", "sleep", "false", "none"};
	const char *argv[] = {COMMANDS[any(m, 5)], "x", NULL};
	struct trm_proc_opts o = {
			.size = sizeof(struct trm_proc_opts), .argv = argv, .stdin_open = any(m, 2)};
	struct trm_proc *proc;
	if (!m->sandbox || trm_proc_spawn(m->sandbox, &o, &PROC_CB, m, &proc, NULL) < 0)
		return;
	m->n_spawned++;
	trm_proc_write(proc, TRM_STDIN, "input", 5, NULL);
	if (any(m, 2))
		trm_proc_signal(proc, 9, TRM_SIGNAL_TREE);
	else if (any(m, 2))
		trm_proc_close(proc);
}

static void move_file(struct monkey *m)
{
	char bytes[1000] = {0};
	if (!m->sandbox)
		return;
	int r = any(m, 2) ? trm_file_put(
				m->sandbox, "f", 0644, bytes, any(m, sizeof bytes), &TRANSFER_CB, m, NULL)
			  : trm_file_get(m->sandbox, "f", any(m, 2000), &TRANSFER_CB, m, NULL);
	if (r == 0)
		m->n_transfers++;
}

static void reopen_session(struct monkey *m)
{
	struct trm_session *old = m->session;
	struct trm_session_opts o;
	m->session = NULL; /* first: closing calls back */
	trm_session_close(old);
	trm_session_opts_default(&o);
	o.grace_ms = 2;
	o.output_keep_bytes = any(m, 5000);
	if (m->sandbox && !m->session)
		trm_session_open(m->sandbox, &o, &SESSION_CB, m, &m->session, NULL);
}

static void act(struct monkey *m)
{
	switch (any(m, 24)) {
	case 0: reopen_session(m); break;
	case 1:
		if (m->sandbox && any(m, 10) == 0)
			trm_sandbox_close(m->sandbox);
		break;
	case 2:
	case 3: ask(m); break;
	case 4: spawn(m); break;
	case 5: move_file(m); break;
	case 6:
		if (m->session)
			trm_session_warm(m->session, trm_lang_at(any(m, LANG_COUNT)), NULL);
		break;
	case 7:
		if (m->sandbox)
			trm_sandbox_set_metrics(m->sandbox, any(m, 2) * 200, true, NULL);
		break;
	case 8:
	case 9:
	case 10:
	case 11: touch_run(m); break;
	default: begin_run(m);
	}
}

static void play(uint32_t seed)
{
	struct monkey m = {.seed = seed};
	struct trm_sandbox_opts o;
	assert_int_equal(trm_loop_create(&m.loop, NULL), 0);
	trm_sandbox_opts_default(&o);
	o.backend = "fake";
	assert_int_equal(trm_sandbox_open(m.loop, &o, &SANDBOX_CB, &m, &m.sandbox, NULL), 0);
	reopen_session(&m);
	for (int i = 0; i < DEEDS; i++) {
		act(&m);
		if (any(&m, 2))
			trm_loop_step(m.loop, (int)any(&m, 2));
	}
	m.depth = 3; /* no more deeds */
	struct trm_session *session = m.session;
	m.session = NULL;
	bool closes_session_first = any(&m, 2);
	if (closes_session_first)
		trm_session_close(session);
	if (m.sandbox)
		trm_sandbox_close(m.sandbox);
	for (int i = 0; i < 10000 && !m.is_closed; i++)
		trm_loop_step(m.loop, 1);
	assert_true(m.is_closed);
	if (!closes_session_first)
		trm_session_close(session); /* it outlives its sandbox */
	assert_int_equal(m.n_done, m.n_begun);
	assert_int_equal(m.n_answers, m.n_asked);
	trm_loop_destroy(m.loop);
}

static void every_request_has_one_end(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= SEEDS; seed++)
		play(seed * 2654435761u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(every_request_has_one_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
