/* SPDX-License-Identifier: MIT */
/* What a library needs before it can do anything; see walk.h. */
#include "cmocka_all.h"

#include <cjson/cJSON.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "fault/walk.h"
#include "rpc/envelope.h"
#include "rpc/events.h"
#include "wire/frame.h"
#include "wire/message.h"

/* ---- the loop ------------------------------------------------------------------------------- */

static void on_timer(void *user)
{
	++*(int *)user;
}

static void on_fd(void *user, int fd, uint32_t events)
{
	(void)fd, (void)events;
	++*(int *)user;
}

static void on_signal(void *user, int signo)
{
	(void)user, (void)signo;
}

static int path_loop(void)
{
	struct trm_error why = {0};
	struct trm_loop *loop;
	struct trm_timer *timers[20] = {0};
	struct trm_watch *watch = NULL;
	struct trm_signal *signal = NULL;
	int fds[2], count = 0, r;
	assert_int_equal(pipe(fds), 0);
	r = reported(trm_loop_create(&loop, &why), &why);
	if (r == 0) {
		for (int i = 0; i < 20 && r == 0; i++) {
			r = reported(trm_loop_add_timer(loop, on_timer, &count, &timers[i], &why), &why);
			if (r == 0)
				trm_timer_start(timers[i], 0, 0);
		}
		if (r == 0)
			r = reported(trm_loop_add_fd(loop, fds[1], TRM_WRITE, on_fd, &count, &watch, &why),
					&why);
		if (r == 0)
			r = reported(trm_loop_add_signal(loop, SIGUSR1, on_signal, &count, &signal, &why),
					&why);
		for (int i = 0; i < 3 && r == 0; i++)
			r = trm_loop_step(loop, 1) < 0 ? TRM_ENOMEM : 0;
		if (r == 0)
			assert_true(count > 20);
		trm_signal_remove(signal);
		trm_watch_remove(watch);
		for (int i = 0; i < 20; i++)
			trm_timer_remove(timers[i]);
		trm_loop_destroy(loop);
	}
	close(fds[0]);
	close(fds[1]);
	return want_nomem(r);
}

static void test_loop(void **state)
{
	(void)state;
	assert_true(walk_all(path_loop, "loop") > 3);
}

/* ---- sandbox and session ----------------------------------------------------------------------- */

struct stay {
	struct trm_loop *loop;
	bool is_ready, is_closed, is_done, is_answered, is_exited, is_transferred;
	int code; /* of what failed */
};

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct stay *s = user;
	(void)sandbox;
	s->is_ready = true;
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct stay *s = user;
	(void)sandbox;
	assert_false(s->is_closed);
	s->is_closed = true;
	if (why->code)
		s->code = reported(why->code, why);
}

static void on_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	(void)user, (void)sandbox, (void)metrics;
}

static const struct trm_sandbox_cb SANDBOX_CB = {
		.ready = on_ready, .metrics = on_metrics, .closed = on_closed};

/* Turn until it holds, or the sandbox has ended. */
static void wait_until(struct stay *s, const bool *holds)
{
	walk_until(s->loop, holds, &s->is_closed);
}

/* Open, let `inside` happen, close. */
static int stay(int (*inside)(struct stay *s, struct trm_sandbox *sandbox))
{
	struct trm_error why = {0};
	struct stay s = {0};
	struct trm_sandbox_opts opts;
	struct trm_sandbox *sandbox;
	trm_sandbox_opts_default(&opts);
	opts.backend = getenv("FAULT_BACKEND") ? getenv("FAULT_BACKEND") : "fake";
	opts.metrics_interval_ms = 1000;
	opts.metrics_with_processes = true;
	int r = reported(trm_loop_create(&s.loop, &why), &why);
	if (r < 0)
		return r;
	r = reported(trm_sandbox_open(s.loop, &opts, &SANDBOX_CB, &s, &sandbox, &why), &why);
	if (r == 0) {
		wait_until(&s, &s.is_ready);
		if (inside && !s.is_closed)
			r = inside(&s, sandbox);
		if (!s.is_closed)
			trm_sandbox_close(sandbox);
		wait_until(&s, &s.is_closed);
	}
	trm_loop_destroy(s.loop);
	return r ? r : s.code;
}

static int path_sandbox(void)
{
	return stay(NULL);
}

static void test_sandbox(void **state)
{
	(void)state;
	assert_true(walk_all(path_sandbox, "sandbox") > 5);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct stay *s = user;
	(void)run;
	assert_false(s->is_done);
	s->is_done = true;
	if (result->status == TRM_STATUS_LOST) /* one of the runs is killed anyway */
		s->code = TRM_ENOMEM;
	struct trm_result *copy = trm_result_copy(result);
	char *json = copy ? trm_result_to_json(copy) : NULL;
	if (!json)
		s->code = TRM_ENOMEM;
	free(json);
	trm_result_free(copy);
}

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	(void)user, (void)run, (void)stream, (void)bytes, (void)n;
}

static void on_input(void *user, struct trm_run *run, const char *prompt, bool is_secret)
{
	struct stay *s = user;
	(void)prompt, (void)is_secret;
	if (trm_run_write(run, "line\n", 5, NULL) < 0) {
		s->code = TRM_ENOMEM;
		trm_run_close_stdin(run);
	}
}

static const struct trm_run_cb RUN_CB = {.output = on_output, .input = on_input, .done = on_done};

static void on_answer(void *user, const char *json, const struct trm_error *why)
{
	struct stay *s = user;
	assert_false(s->is_answered);
	s->is_answered = true;
	if (!json)
		s->code = reported(why->code, why);
}

static int run_code(struct stay *s, struct trm_session *session, const char *code)
{
	struct trm_error why = {0};
	struct trm_run_opts opts;
	struct trm_run *run;
	trm_run_opts_default(&opts);
	int r = reported(trm_lang_find("python", &opts.lang, &why), &why);
	opts.code = code;
	opts.code_len = strlen(code);
	opts.offers_stdin = true;
	s->is_done = false;
	r = r ? r : reported(trm_session_run(session, &opts, &RUN_CB, s, &run, &why), &why);
	if (r == 0)
		wait_until(s, &s->is_done);
	if (s->is_closed)
		assert_true(r < 0 || s->is_done);
	return r;
}

static int in_session(struct stay *s, struct trm_sandbox *sandbox)
{
	static const char *const codes[] = {"print hello\nerr oh\nvalue 42\ndisplay image/png AAAA",
			"fail ValueError no", "ask name?", "flood 40", "set a 1\nget a", "die 9",
			"print again"};
	struct trm_error why = {0};
	struct trm_session *session;
	const struct trm_lang *lang;
	int r = reported(trm_session_open(sandbox, NULL, NULL, s, &session, &why), &why);
	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof codes / sizeof *codes && r == 0 && !s->is_closed; i++)
		r = run_code(s, session, codes[i]);
	if (r == 0 && !s->is_closed && trm_lang_find("python", &lang, &why) == 0) {
		r = reported(trm_session_ask(session, lang, TRM_ASK_IS_COMPLETE, "a", 1, on_answer, s, &why),
				&why);
		if (r == 0)
			wait_until(s, &s->is_answered);
	}
	trm_session_close(session);
	return r;
}

static int path_session(void)
{
	return stay(in_session);
}

static void test_session(void **state)
{
	(void)state;
	assert_true(walk_all(path_session, "session") > 20);
}

/* ---- config ---------------------------------------------------------------------------------------- */

static char config_path[] = "/tmp/fault-config-XXXXXX";

static int path_config(void)
{
	struct trm_error why = {0};
	struct trm_config config;
	char *json = NULL;
	int r = reported(trm_config_load(&config, config_path, &why), &why);
	if (r == 0)
		r = reported(trm_config_section(config_path, "policies", &json, &why), &why);
	free(json);
	return want_nomem(r);
}

static void write_config(void)
{
	static const char text[] =
			"// mine\n{ \"memory\": \"256M\", \"theme\": \"dark\", \"env\": [\"A=1\", \"B=2\"],\n"
			"  \"mount\": [\"/tmp:/data:ro\"],\n"
			"  \"policies\": { \"mine\": { \"threshold\": \"high\", \"patterns\": [\n"
			"    { \"pattern\": \"os\\\\.system\", \"reason\": \"starts\", \"severity\": \"high\" } ],\n"
			"    \"modules\": [ { \"name\": \"socket\", \"severity\": \"low\", \"reason\": \"net\" } ] } },\n"
			"  \"keys\": { \"f9\": null } }\n";
	int fd = mkstemp(config_path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	close(fd);
}

static void test_config(void **state)
{
	(void)state;
	assert_true(walk_all(path_config, "config") > 5);
}

/* ---- policy ------------------------------------------------------------------------------------------- */

static int path_policy(void)
{
	static const char code[] = "import sys, os, socket\nos.system('ls')\n# eval(x)\nprint(eval('1'))\n";
	struct trm_error why = {0};
	struct trm_policy *policy;
	struct trm_findings findings = {0};
	const struct trm_lang *lang;
	int r = reported(trm_policy_load("mine", config_path, &policy, &why), &why);
	if (r < 0)
		return want_nomem(r);
	assert_int_equal(trm_lang_find("python", &lang, &why), 0);
	r = reported(trm_policy_scan(policy, lang, code, sizeof code - 1, &findings, &why), &why);
	if (r == 0)
		assert_true(findings.n_refused >= 1);
	trm_findings_finish(&findings);
	trm_policy_free(policy);
	return want_nomem(r);
}

static void test_policy(void **state)
{
	struct trm_error why = {0};
	struct trm_policy *policy;
	(void)state;
	if (trm_policy_load("mine", config_path, &policy, &why) == TRM_ENOTSUP)
		skip();
	trm_policy_free(policy);
	assert_true(walk_all(path_policy, "policy") > 5);
}

/* ---- frames and requests ---------------------------------------------------------------------------------
 */

static int path_frames(void)
{
	struct buf b;
	struct frame frame;
	struct trm_process process = {.pid = 7, .command = "it"};
	struct trm_metrics m = {.processes = &process, .n_processes = 1, .has_processes = true};
	int r;
	buf_init(&b, FRAME_HEADER + FRAME_MAX_PAYLOAD);
	r = metrics_msg_put(&b, &m);
	if (r == 0)
		r = error_msg_put(&b, 3, TRM_EIO, "a sentence");
	if (r == 0)
		r = frame_put(&b, 4, FRAME_DATA, 0, "xyz", 3);
	int n = 0;
	while (r == 0 && frame_next(&b, &frame) > 0) {
		frame_done(&b, &frame);
		n++;
	}
	if (r == 0)
		assert_int_equal(n, 3);
	buf_finish(&b);
	return want_nomem(r);
}

static void test_frames(void **state)
{
	(void)state;
	assert_true(walk_all(path_frames, "frames") >= 1);
}

static int path_request(void)
{
	static const char text[] =
			"{\"jsonrpc\":\"2.0\",\"id\":[1,\"a\"],\"method\":\"sandbox.start\",\"params\":"
			"{\"sandbox\":\"a\",\"config\":{\"memory\":64}}}";
	struct rpc_request request = {0};
	enum rpc_fault_id fault;
	struct trm_error why = {0};
	int r = reported(rpc_request_read(&request, text, sizeof text - 1, &fault, &why), &why);
	if (r == 0) {
		struct cJSON *reply = rpc_reply_result(request.id, cJSON_CreateString("yes"));
		struct cJSON *error = reply ? rpc_reply_error(request.id, -1, "no") : NULL;
		char *out = error ? cJSON_PrintUnformatted(error) : NULL;
		char *body = out ? rpc_reply_text(request.id, cJSON_CreateString("yes")) : NULL;
		r = body ? 0 : TRM_ENOMEM;
		free(body);
		cJSON_free(out);
		cJSON_Delete(error);
		cJSON_Delete(reply);
	}
	rpc_request_finish(&request);
	return want_nomem(r);
}

static void test_request(void **state)
{
	(void)state;
	assert_true(walk_all(path_request, "request") > 5);
}

static int on_event(void *user, const char *name, const char *data, size_t n)
{
	(void)name, (void)data, (void)n;
	++*(int *)user;
	return 0;
}

static int path_events(void)
{
	struct buf b;
	struct event_reader reader;
	int n = 0, r;
	buf_init(&b, 4096);
	event_reader_init(&reader, 1024);
	r = event_put(&b, "output", "{\"a\":1}", 7);
	for (size_t i = 0; r == 0 && i < b.len; i++)
		r = event_reader_feed(&reader, buf_at(&b) + i, 1, on_event, &n);
	if (r == 0)
		assert_int_equal(n, 1);
	event_reader_finish(&reader);
	buf_finish(&b);
	return want_nomem(r);
}

static void test_events(void **state)
{
	(void)state;
	assert_true(walk_all(path_events, "events") > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_loop),
			cmocka_unit_test(test_frames),
			cmocka_unit_test(test_request),
			cmocka_unit_test(test_events),
			cmocka_unit_test(test_config),
			cmocka_unit_test(test_policy),
			cmocka_unit_test(test_sandbox),
			cmocka_unit_test(test_session),
	};
	walk_begin();
	write_config();
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(config_path);
	return r;
}
