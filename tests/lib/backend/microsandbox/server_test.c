/* SPDX-License-Identifier: MIT */
/* The backend against a peer that answers what a server, or whatever else listens there, may answer. */
#include "cmocka_all.h"

#include <terrarium/sync.h>

#include "peer.h"
#include "support/bed.h"

#define KEY "msb_quite_secret"

static struct peer peer;
static struct bed bed;
static char everything_logged[65536];

static void on_log(void *user, int level, const char *line)
{
	size_t n = strlen(everything_logged);
	(void)user;
	(void)level;
	snprintf(everything_logged + n, sizeof everything_logged - n, "%s\n", line);
}

static struct trm_sandbox_opts opts_for(const char *url)
{
	struct trm_sandbox_opts opts;
	trm_sandbox_opts_default(&opts);
	opts.name = "box";
	opts.server.url = url;
	opts.server.api_key = KEY;
	return opts;
}

static bool open_bed(void)
{
	struct trm_sandbox_opts opts = opts_for(peer.url);
	struct trm_session_opts session = {.size = sizeof(struct trm_session_opts),
			.timeout_ms = 20000,
			.grace_ms = 100,
			.output_keep_bytes = 1 << 20};
	return bed_open(&bed, "microsandbox", &opts, &session) && bed_run(&bed, "bash", "") != NULL;
}

static int set_up(void **state)
{
	(void)state;
	everything_logged[0] = '\0';
	trm_set_log(on_log, NULL);
	peer_start(&peer);
	peer_answers(&peer, "sandbox.command.run",
			PEER_JSON("\"result\":{\"exit_code\":0,\"success\":true,\"output\":[]}"), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	assert_null(strstr(everything_logged, KEY));
	peer_stop(&peer);
	return 0;
}

/* ---- how it cannot be started ---------------------------------------------------------------------- */

static void fail_to_start(const char *answer, uint32_t timeout_ms)
{
	struct trm_sandbox_opts opts = opts_for(peer.url);
	opts.start_timeout_ms = timeout_ms;
	peer_answers(&peer, "sandbox.start", answer, 0);
	assert_true(bed_open(&bed, "microsandbox", &opts, NULL));
	while (!bed.is_closed)
		trm_loop_step(bed.loop, 100);
}

static void was_reported(const char *words)
{
	if (!strstr(bed.why.msg, words))
		fail_msg("'%s' should have '%s'", bed.why.msg, words);
	assert_non_null(strstr(bed.why.msg, "cannot start sandbox 'box' at http://127.0.0.1:"));
	assert_null(strstr(bed.why.msg, KEY));
	bed_close(&bed);
}

static void failures_become_sentences(void **state)
{
	static const struct {
		const char *answer;
		const char *words; /* of the sentence */
	} cases[] = {
			{PEER_JSON("\"error\":{\"code\":-32601,\"message\":\"Method not found: sandbox.start\"}"),
					"Method not found: sandbox.start"},
			{"HTTP/1.1 401 Unauthorized\r\nContent-Length: 43\r\n\r\n{\"error\":\"Invalid "
			 "credentials\",\"code\":1001}",
					"'Invalid credentials' (HTTP 401, code 1001); the API key is wrong"},
			{"HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n{\"error\":\"Access denied\",\"code\":3001}",
					"may not be used for this namespace"},
			{"HTTP/1.1 500 Oops\r\nConnection: close\r\n\r\n{\"error\":\"Internal server "
			 "error\",\"code\":5002}",
					"see the server's own log"},
			{"HTTP/1.1 400 Bad\r\nConnection: close\r\n\r\nFailed to parse the request body as JSON: x\n",
					"says 'Failed to parse the request body as JSON: x' (HTTP 400)"},
			{"HTTP/1.1 422 Bad\r\nContent-Length: 0\r\n\r\n",
					"the server says nothing (HTTP 422)"},
			{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "its answer is empty"},
			{"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n{\"jsonrpc\":",
					"its answer is not JSON (HTTP 200, content type 'application/json'"},
			{"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n[1,2]",
					"its answer is not a JSON-RPC reply (HTTP 200, content type 'text/plain'"},
			{"HTTP/1.1 502 Bad\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html><head><title>\n"
			 "Squid: cannot\n forward</title>",
					"it sent a web page 'Squid: cannot forward'"},
			{"HTTP/1.1 302 Found\r\nLocation: http://elsewhere/\r\nContent-Length: 0\r\n\r\n",
					"redirects to another address (HTTP 302)"},
			{"HTTP/1.1 400 No\r\nConnection: close\r\n\r\nyour key " KEY " is bad",
					"'your key ****"},
			{"HTTP/1.1 400 No\r\nConnection: close\r\n\r\n{\"error\":\"a\\u001b[31mb\\u0000c\"}",
					"says 'a"},
			{"nonsense\r\n\r\n", "does not speak HTTP"},
			{"HTTP/1.1 200 OK\r\nContent-Length: 500\r\nConnection: close\r\n\r\n{\"jsonrpc\"",
					"closed in the middle of the answer"},
			{PEER_CLOSE, "closed without an answer"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		fail_to_start(cases[i].answer, 0);
		was_reported(cases[i].words);
	}
}

static void silence_has_an_end(void **state)
{
	(void)state;
	fail_to_start(PEER_SILENT, 700);
	/* A machine so busy that it did not even connect in that time gets more. */
	for (uint32_t ms = 2800; strstr(bed.why.msg, "no connection to it") && ms < 60000; ms *= 4) {
		bed_close(&bed);
		fail_to_start(PEER_SILENT, ms);
	}
	was_reported("no answer within");
}

static void nobody_there(void **state)
{
	static const struct {
		const char *url, *words;
	} cases[] = {
			{"http://127.0.0.1:1",
					"no connection to 127.0.0.1 port 1: connection refused; is a server"},
			{"http://no-such-host.invalid", "no-such-host.invalid"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trm_sandbox_opts opts = opts_for(cases[i].url);
		assert_true(bed_open(&bed, "microsandbox", &opts, NULL));
		while (!bed.is_closed)
			trm_loop_step(bed.loop, 100);
		assert_non_null(strstr(bed.why.msg, cases[i].words));
		bed_close(&bed);
	}
}

static void no_secure_connection(void **state)
{
	char url[64];
	(void)state;
	snprintf(url, sizeof url, "https%.50s", peer.url + 4);
	struct trm_sandbox_opts opts = opts_for(url);
	assert_true(bed_open(&bed, "microsandbox", &opts, NULL));
	while (!bed.is_closed)
		trm_loop_step(bed.loop, 100);
	assert_int_equal(bed.why.code, TRM_EPERM);
	bed_close(&bed);
	opts.server.ca_file = "/nowhere/ca.pem";
	assert_true(bed_open(&bed, "microsandbox", &opts, NULL));
	while (!bed.is_closed)
		trm_loop_step(bed.loop, 100);
	assert_non_null(strstr(bed.why.msg, "/nowhere/ca.pem"));
	bed_close(&bed);
}

static void bad_settings_are_refused(void **state)
{
	static const char *const urls[] = {"127.0.0.1:5555", "ftp://h", "http://", "http://:5555",
			"http://a b", "http://u:p@h", "http://h?q"};
	struct trm_sandbox *sandbox;
	struct trm_loop *loop;
	struct trm_error why;
	(void)state;
	assert_int_equal(trm_loop_create(&loop, NULL), 0);
	for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
		struct trm_sandbox_opts opts = opts_for(urls[i]);
		opts.backend = "microsandbox";
		assert_int_equal(trm_sandbox_open(loop, &opts, NULL, NULL, &sandbox, &why), TRM_EINVAL);
		assert_null(strstr(why.msg, "u:p"));
	}
	struct trm_sandbox_opts opts = opts_for("http://h");
	opts.backend = "microsandbox";
	opts.server.api_key = "msb_a\r\nX-Evil: 1";
	assert_int_equal(trm_sandbox_open(loop, &opts, NULL, NULL, &sandbox, &why), TRM_EINVAL);
	assert_null(strstr(why.msg, "msb_a"));
	opts.server.api_key = NULL;
	opts.server.n_ports = TRM_REMOTE_LIST_MAX + 1;
	assert_int_equal(trm_sandbox_open(loop, &opts, NULL, NULL, &sandbox, &why), TRM_EINVAL);
	opts.server.ports = (const char *const[]){NULL};
	opts.server.n_ports = 1;
	assert_int_equal(trm_sandbox_open(loop, &opts, NULL, NULL, &sandbox, &why), TRM_EINVAL);
	opts.server.n_ports = 0;
	opts.server.scripts = (const struct trm_script[]){{NULL, NULL}};
	opts.server.n_scripts = 1;
	assert_int_equal(trm_sandbox_open(loop, &opts, NULL, NULL, &sandbox, &why), TRM_EINVAL);
	opts.server.n_scripts = 0;
	opts.name = "a.b";
	assert_int_equal(trm_sandbox_open(loop, &opts, NULL, NULL, &sandbox, &why), TRM_EINVAL);
	trm_loop_destroy(loop);
}

static void the_end_before_the_beginning(void **state)
{
	struct trm_sandbox_opts opts = opts_for(peer.url);
	(void)state;
	peer_answers(&peer, "sandbox.start", PEER_SILENT, 0);
	assert_true(bed_open(&bed, "microsandbox", &opts, NULL));
	for (int i = 0; i < 3000 && !peer_count(&peer, "sandbox.start"); i++)
		trm_loop_step(bed.loop, 20);
	bed_close(&bed);
	assert_int_equal(peer_count(&peer, "sandbox.stop"), 1);
}

/* The server does not know it yet, and would go on. */
static void a_start_under_way_is_not_left_behind(void **state)
{
	static const char unknown[] =
			"HTTP/1.1 500 Oops\r\nConnection: close\r\n\r\n{\"error\":\"Internal server "
			"error\",\"code\":5002}";
	struct trm_sandbox_opts opts = opts_for(peer.url);
	(void)state;
	peer_answers(&peer, "sandbox.start", PEER_SILENT, 0);
	peer_answers(&peer, "sandbox.stop", unknown, 1);
	assert_true(bed_open(&bed, "microsandbox", &opts, NULL));
	for (int i = 0; i < 3000 && !peer_count(&peer, "sandbox.start"); i++)
		trm_loop_step(bed.loop, 20);
	trm_sandbox_close(bed.sandbox);
	for (int i = 0; i < 3000 && !peer_count(&peer, "sandbox.stop"); i++)
		trm_loop_step(bed.loop, 20);
	peer_late(&peer, PEER_JSON("\"result\":\"Sandbox box started successfully\""));
	bed_close(&bed);
	assert_int_equal(peer_count(&peer, "sandbox.stop"), 2);
}

/* ---- runs ------------------------------------------------------------------------------------------------
 */

static void what_is_asked_for(void **state)
{
	struct trm_sandbox_opts opts = opts_for(peer.url);
	(void)state;
	opts.limits.cpus = 1.6;
	opts.server.space = "team";
	opts.server.image = "my/python";
	opts.server.volumes = (const char *const[]){"/data:/mnt"};
	opts.server.n_volumes = 1;
	opts.server.ports = (const char *const[]){"8080:80"};
	opts.server.n_ports = 1;
	opts.env = (const char *const[]){"A=1"};
	opts.n_env = 1;
	opts.workdir = "/srv";
	assert_true(bed_open(&bed, "microsandbox", &opts, NULL));
	bed_run(&bed, "bash", "true");
	assert_int_equal(peer_count(&peer, "Authorization: Bearer " KEY "\r\n"), 2);
	assert_int_equal(peer_count(&peer, "\"namespace\":\"team\""), 2);
	assert_int_equal(peer_count(&peer, "\"cpus\":2,"), 1);
	assert_int_equal(peer_count(&peer, "\"memory\":512"), 1);
	assert_int_equal(peer_count(&peer, "\"image\":\"my/python\""), 1);
	assert_int_equal(peer_count(&peer, "\"volumes\":[\"/data:/mnt\"],\"ports\":[\"8080:80\"]"), 1);
	assert_int_equal(peer_count(&peer, "\"envs\":[\"A=1\"],\"workdir\":\"/srv\""), 1);
	const struct trm_result *result = bed_run(&bed, "javascript", "1");
	assert_non_null(strstr(result->reason, "my/python has no javascript"));
	bed_close(&bed);
	assert_int_equal(peer_count(&peer, "sandbox.stop"), 1);
}

static void lines_and_exceptions(void **state)
{
	(void)state;
	peer_answers(&peer, "sandbox.repl.run",
			PEER_JSON("\"result\":{\"status\":\"success\",\"language\":\"python\",\"output\":["
				  "{\"stream\":\"stdout\",\"text\":\"one\"},{\"stream\":\"stdout\",\"text\":\"\"},"
				  "{\"stream\":\"stderr\",\"text\":\"warned\"},{\"stream\":\"other\",\"text\":\"x\"},"
				  "{\"stream\":\"stderr\",\"text\":\"Traceback (most recent call last):\"},"
				  "{\"stream\":\"stderr\",\"text\":\"  File \\\"<stdin>\\\", line 1, in <module>\"},"
				  "{\"stream\":\"stderr\",\"text\":\"ZeroDivisionError: division by zero\"}]}"),
			0);
	assert_true(open_bed());
	const struct trm_result *result = bed_run(&bed, "python", "1/0");
	assert_string_equal(bed_stdout(&bed), "one\n\n");
	assert_string_equal(bed_stderr(&bed), "warned\n");
	assert_int_equal(result->status, TRM_STATUS_ERROR);
	assert_string_equal(result->error_name, "ZeroDivisionError");
	assert_string_equal(result->error_message, "division by zero");
	assert_string_equal(result->traceback[0], "Traceback (most recent call last):");
	bed_close(&bed);
}

static void node_has_a_sandbox_of_its_own(void **state)
{
	(void)state;
	peer_answers(&peer, "sandbox.repl.run",
			PEER_JSON("\"result\":{\"output\":[{\"stream\":\"stdout\",\"text\":\"Uncaught Error: "
				  "boom\"},{\"stream\":\"stdout\",\"text\":\"    at REPL1:1:7\"}]}"),
			0);
	assert_true(open_bed());
	const struct trm_result *result = bed_run(&bed, "javascript", "throw Error('boom')");
	assert_int_equal(result->status, TRM_STATUS_ERROR);
	assert_string_equal(result->error_name, "Error");
	assert_string_equal(bed_stdout(&bed), "");
	assert_int_equal(peer_count(&peer, "\"image\":\"microsandbox/node\""), 1);
	bed_close(&bed);
	assert_int_equal(
			peer_count(&peer, "\"method\":\"sandbox.stop\",\"params\":{\"sandbox\":\"box-node\""),
			1);
	assert_int_equal(peer_count(&peer, "\"method\":\"sandbox.stop\",\"params\":{\"sandbox\":\"box\""), 1);
}

static void a_time_out_is_the_servers_first(void **state)
{
	(void)state;
	peer_answers(&peer, "sandbox.repl.run",
			PEER_JSON("\"result\":{\"output\":[{\"stream\":\"stdout\",\"text\":\"so far\"}]}"),
			0);
	peer_answers(&peer, "sandbox.repl.run",
			PEER_JSON("\"result\":{\"output\":[{\"stream\":\"stdout\",\"text\":\"part\"},{\"stream\":"
				  "\"stderr\",\"text\":\"Error: Execution timed out after 20 seconds\"}]}"),
			1);
	assert_true(open_bed());
	const struct trm_result *result = bed_run(&bed, "python", "while True: pass");
	assert_int_equal(peer_count(&peer, "\"timeout\":20"), 2); /* Bash's, too */
	assert_string_equal(bed_stdout(&bed), "part\n");
	assert_true(result->state_lost);
	bed_run(&bed, "python", "1");
	assert_string_equal(bed_stdout(&bed), "so far\n");
	assert_int_equal(peer_count(&peer, "sandbox.stop"), 1);
	assert_int_equal(peer_count(&peer, "sandbox.start"), 2);
	bed_close(&bed);
}

static void nothing_interrupts_but_the_end(void **state)
{
	const char code[] = "while True: pass";
	struct trm_run_opts run;
	(void)state;
	peer_answers(&peer, "sandbox.repl.run", PEER_SILENT, 0);
	assert_true(open_bed());
	trm_run_opts_default(&run);
	run.lang = bed_lang("python");
	run.code = code;
	run.code_len = strlen(code);
	bed_begin(&bed, &run);
	for (int i = 0; i < 3000 && !peer_count(&peer, "sandbox.repl.run"); i++)
		trm_loop_step(bed.loop, 20);
	trm_run_interrupt(bed.run);
	const struct trm_result *result = bed_end(&bed);
	assert_int_equal(result->status, TRM_STATUS_INTERRUPTED);
	assert_true(result->state_lost);
	assert_non_null(strstr(bed_stderr(&bed), "this server cannot interrupt a run"));
	bed_close(&bed);
	assert_true(peer_count(&peer, "sandbox.stop") >= 1);
}

static void code_is_never_sent_twice(void **state)
{
	(void)state;
	/* A connection that is kept, so that curl would try again on a new one. */
	peer_answers(&peer, "sandbox.command.run",
			"HTTP/1.1 200 OK\r\nContent-Length: 69\r\n\r\n{\"jsonrpc\":\"2.0\",\"result\":{\"exit_code\":0,"
			"\"success\":true,\"output\":[]}}",
			0);
	peer_answers(&peer, "sandbox.repl.run", PEER_CLOSE, 0);
	peer_answers(&peer, "sandbox.metrics.get", PEER_JSON("\"result\":{\"sandboxes\":[]}"), 0);
	assert_true(open_bed());
	const struct trm_result *result = bed_run(&bed, "python", "launch()");
	assert_int_equal(result->status, TRM_STATUS_KILLED);
	assert_non_null(strstr(result->reason, "closed without an answer"));
	assert_int_equal(peer_count(&peer, "launch()"), 1);
	bed_close(&bed);
}

static void what_is_not_known_is_not_reported(void **state)
{
	struct trm_sandbox_opts opts = opts_for(peer.url);
	(void)state;
	opts.metrics_interval_ms = 200;
	peer_answers(&peer, "sandbox.metrics.get",
			PEER_JSON("\"result\":{\"sandboxes\":[{\"name\":\"box\",\"running\":true,\"cpu_usage\":0.0,"
				  "\"memory_usage\":55,\"disk_usage\":null}]}"),
			0);
	assert_true(bed_open(&bed, "microsandbox", &opts, NULL));
	while (!bed.n_metrics)
		trm_loop_step(bed.loop, 100);
	assert_int_equal(bed.sample.known & (TRM_METRIC_CPU_PERCENT | TRM_METRIC_DISK | TRM_METRIC_PROCS), 0);
	assert_true(bed.sample.known & TRM_METRIC_MEM);
	assert_int_equal(bed.sample.mem_bytes, 55 << 20);
	bed_close(&bed);
}

static void a_sandbox_stopped_by_others_is_reported(void **state)
{
	(void)state;
	peer_answers(&peer, "sandbox.repl.run",
			"HTTP/1.1 500 Oops\r\nConnection: close\r\n\r\n{\"error\":\"Internal server error\",\"code\":5002}",
			0);
	peer_answers(&peer, "sandbox.metrics.get",
			PEER_JSON("\"result\":{\"sandboxes\":[{\"name\":\"box\",\"running\":false}]}"), 0);
	assert_true(open_bed());
	const struct trm_result *result = bed_run(&bed, "python", "1");
	assert_non_null(strstr(result->reason, "perhaps the sandbox does not run"));
	while (!bed.is_closed)
		trm_loop_step(bed.loop, 100);
	assert_non_null(strstr(bed.why.msg, "sandbox 'box' no longer runs"));
	bed_close(&bed);
}

/* A server that was started anew may not know it at all: nothing that asks for it by name is understood. */
static void a_sandbox_that_is_not_known_any_more_is_reported(void **state)
{
	static const char refused[] =
			"HTTP/1.1 500 Oops\r\nConnection: close\r\n\r\n{\"error\":\"Internal server "
			"error\",\"code\":5002}";
	(void)state;
	peer_answers(&peer, "sandbox.repl.run", refused, 0);
	peer_answers(&peer, "sandbox.metrics.get",
			PEER_JSON("\"result\":{\"sandboxes\":[{\"name\":\"other\",\"running\":true}]}"), 0);
	peer_answers(&peer, "\"sandbox\":\"box\",\"namespace\":\"default\"}", refused, 0);
	assert_true(open_bed());
	assert_int_equal(bed_run(&bed, "python", "1")->status, TRM_STATUS_KILLED);
	bed_wait(&bed, &bed.is_closed);
	assert_non_null(strstr(bed.why.msg, "sandbox 'box' no longer runs"));
	bed_close(&bed);
}

/* One of our kind says so with the refusal itself, and no run more is lost. */
static void a_refusal_may_say_that_it_does_not_run(void **state)
{
	struct trm_sandbox_opts opts = opts_for(peer.url);
	(void)state;
	peer_answers(&peer, "GET ",
			"HTTP/1.1 200 OK\r\nTerrarium-Extensions: events\r\nContent-Length: 32\r\n\r\n"
			"{\"message\":\"Service is healthy\"}",
			0);
	peer_answers(&peer, "sandbox.repl.run",
			"HTTP/1.1 500 Oops\r\nTerrarium-Reason: not-running\r\nConnection: close\r\n\r\n"
			"{\"error\":\"it is idle no more\",\"code\":5002}",
			0);
	assert_true(bed_open(&bed, "microsandbox", &opts, NULL));
	const struct trm_result *result = bed_run(&bed, "python", "1");
	assert_int_equal(result->status, TRM_STATUS_LOST);
	assert_non_null(strstr(result->reason, "it is idle no more"));
	bed_wait(&bed, &bed.is_closed);
	assert_int_equal(peer_count(&peer, "sandbox.repl.run"), 1);
	bed_close(&bed);
}

static void on_end(void *user, const struct trm_error *why)
{
	*(struct trm_error *)user = *why;
}

/* A stop that is refused may be one of a sandbox that is not there: the list tells. */
static void others_are_stopped_by_name(void **state)
{
	static const int codes[] = {TRM_OK, TRM_EIO, TRM_ENOENT};
	static const char *const lists[] = {NULL,
			PEER_JSON("\"result\":{\"sandboxes\":[{\"name\":\"box\"}]}"),
			PEER_JSON("\"result\":{\"sandboxes\":[{\"name\":\"other\"}]}")};
	static const char *const words[] = {"", "cannot stop sandbox 'box'", "there is no sandbox 'box'"};
	struct trm_sandbox_opts opts = opts_for(peer.url);
	struct trm_error why;
	struct trm_loop *loop;
	(void)state;
	assert_int_equal(trm_loop_create(&loop, NULL), 0);
	opts.backend = "microsandbox";
	for (int i = 0; i < 3; i++) {
		why.code = 1;
		if (lists[i])
			peer_answers(&peer, "sandbox.metrics.get", lists[i], 0);
		assert_int_equal(trm_remote_stop(loop, &opts, on_end, &why, NULL), 0);
		while (why.code > 0)
			trm_loop_step(loop, 100);
		assert_int_equal(why.code, codes[i]);
		assert_non_null(strstr(why.msg, words[i]));
		peer_answers(&peer, "sandbox.stop",
				"HTTP/1.1 500 Oops\r\nConnection: close\r\n\r\n{\"error\":\"Internal server "
				"error\",\"code\":5002}",
				0);
	}
	opts.backend = "fake";
	assert_int_equal(trm_remote_stop(loop, &opts, on_end, &why, NULL), TRM_ENOTSUP);
	trm_loop_destroy(loop);
}

/* Whoever waits for the end of a sandbox must hear that it may still run. */
static void a_stop_without_an_answer_is_no_success(void **state)
{
	struct trm_sync_opts opts;
	struct trm_sync *sync;
	struct trm_error why;
	(void)state;
	trm_sync_opts_default(&opts);
	opts.sandbox = opts_for(peer.url);
	opts.sandbox.backend = "microsandbox";
	peer_answers(&peer, "sandbox.stop", PEER_SILENT, 0);
	assert_int_equal(trm_sync_create(&opts, &sync, &why), 0);
	assert_int_equal(trm_sync_start(sync, &why), 0);
	assert_int_equal(trm_sync_stop(sync, &why), TRM_ETIMEDOUT);
	if (!strstr(why.msg, "Failed to stop sandbox: ") || !strstr(why.msg, peer.url))
		fail_msg("'%s' should name the server", why.msg);
	assert_false(trm_sync_is_started(sync));
	trm_sync_destroy(sync);
}

static void proxies_are_asked(void **state)
{
	struct trm_sandbox_opts opts = opts_for("http://far.example:5555");
	(void)state;
	setenv("http_proxy", peer.url, 1);
	setenv("NO_PROXY", "near.example", 1);
	assert_true(bed_open(&bed, "microsandbox", &opts, NULL));
	bed_run(&bed, "bash", "true");
	assert_true(peer_count(&peer, "POST http://far.example:5555/api/v1/rpc HTTP/1.1\r\n") >= 1);
	bed_close(&bed);
	unsetenv("http_proxy");
	unsetenv("NO_PROXY");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
			CASE(failures_become_sentences),
			CASE(silence_has_an_end),
			CASE(nobody_there),
			CASE(no_secure_connection),
			CASE(bad_settings_are_refused),
			CASE(the_end_before_the_beginning),
			CASE(a_start_under_way_is_not_left_behind),
			CASE(what_is_asked_for),
			CASE(lines_and_exceptions),
			CASE(node_has_a_sandbox_of_its_own),
			CASE(a_time_out_is_the_servers_first),
			CASE(nothing_interrupts_but_the_end),
			CASE(code_is_never_sent_twice),
			CASE(what_is_not_known_is_not_reported),
			CASE(a_sandbox_stopped_by_others_is_reported),
			CASE(a_sandbox_that_is_not_known_any_more_is_reported),
			CASE(a_refusal_may_say_that_it_does_not_run),
			CASE(others_are_stopped_by_name),
			CASE(a_stop_without_an_answer_is_no_success),
			CASE(proxies_are_asked),
	};
	static const char *const variables[] = {"http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY",
			"all_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "CURL_CA_BUNDLE",
			"MSB_SERVER_URL", "MSB_API_KEY"};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		unsetenv(variables[i]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
