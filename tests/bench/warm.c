/* SPDX-License-Identifier: MIT */
/* The warm round trip of `1+1` through the library, against the floor: a
 * minimal client and a minimal Python loop under bubblewrap, on one socketpair. */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "bench/bench.h"

enum { ROUNDS = 5000, WARM_UP = 200 };

static const char worker[] = "import os\n"
			     "while True:\n"
			     "    line = os.read(3, 65536)\n"
			     "    if not line: break\n"
			     "    os.write(3, repr(eval(line)).encode() + b'\\n')\n";

static bool floor_trip(int fd)
{
	char answer[64];
	return write(fd, "1+1\n", 4) == 4 && read(fd, answer, sizeof answer) == 2 && answer[0] == '2';
}

static bool measure_floor(struct samples *s)
{
	const char *argv[] = {"/usr/bin/bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/usr",
			"/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64",
			"--symlink", "usr/bin", "/bin", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp",
			"/usr/bin/python3", "-I", "-S", "-c", worker, NULL};
	posix_spawn_file_actions_t actions;
	int fds[2];
	pid_t pid;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return false;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 3);
	int r = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)argv, (char *const *)bench_env());
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	bool good = r == 0;
	for (int i = 0; good && i < WARM_UP + ROUNDS; i++) {
		uint64_t start_ns = now_ns();
		good = floor_trip(fds[0]);
		if (i >= WARM_UP)
			samples_add(s, ms_since(start_ns));
	}
	close(fds[0]);
	if (r == 0)
		waitpid(pid, NULL, 0);
	return good;
}

struct trip {
	struct samples *samples;
	bool is_done, is_good, is_closed;
	char why[512];
};

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct trip *t = user;
	(void)run;
	t->is_done = true;
	t->is_good = result->status == TRM_STATUS_OK && result->value && strcmp(result->value, "2") == 0;
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct trip *t = user;
	(void)sandbox;
	t->is_closed = t->is_done = true;
	snprintf(t->why, sizeof t->why, "%s", why->msg);
}

static bool trip(struct trm_loop *loop, struct trm_session *session, struct trip *t)
{
	static const struct trm_run_cb cb = {.done = on_done};
	struct trm_run_opts opts;
	struct trm_run *run;
	trm_run_opts_default(&opts);
	opts.lang = trm_lang_default();
	opts.code = "1+1";
	opts.code_len = 3;
	t->is_done = t->is_good = false;
	if (trm_session_run(session, &opts, &cb, t, &run, NULL) < 0)
		return false;
	while (!t->is_done)
		trm_loop_step(loop, -1);
	return t->is_good;
}

bool warm_measure(struct samples *s, const struct trm_sandbox_opts *opts, bool is_shared, char *why,
		size_t why_cap)
{
	static const struct trm_sandbox_cb sandbox_cb = {.closed = on_closed};
	static const struct trm_session_cb session_cb = {0};
	struct trm_session_opts session_opts;
	struct trm_sandbox *sandbox;
	struct trm_session *session;
	struct trm_loop *loop;
	struct trm_error e = {0};
	struct trip t = {.samples = s};
	bool good = false;
	trm_session_opts_default(&session_opts);
	session_opts.is_shared = is_shared;
	if (trm_loop_create(&loop, &e) < 0
			|| trm_sandbox_open(loop, opts, &sandbox_cb, &t, &sandbox, &e) < 0) {
		snprintf(why, why_cap, "%s", e.msg);
		return false;
	}
	if (trm_session_open(sandbox, &session_opts, &session_cb, NULL, &session, &e) == 0) {
		good = true;
		for (int i = 0; good && i < WARM_UP + ROUNDS; i++) {
			uint64_t start_ns = now_ns();
			good = trip(loop, session, &t);
			if (i >= WARM_UP)
				samples_add(s, ms_since(start_ns));
		}
		trm_session_close(session);
	}
	trm_sandbox_close(sandbox);
	while (!t.is_closed)
		trm_loop_step(loop, -1);
	trm_loop_destroy(loop);
	snprintf(why, why_cap, "%s", t.why);
	return good;
}

/* ---- Landlock ----------------------------------------------------------------------- */

/* Beside a sandbox with namespaces, in turns: what else the machine does then slows both. */
static void bench_landlock(struct trm_sandbox_opts *opts)
{
	enum { TURNS = 5 };
	struct samples spaces = {0}, landlock = {0};
	char why[512] = "";
	bool is_done = true;
	for (int i = 0; is_done && i < 2 * TURNS; i++) {
		opts->isolation = i % 2 ? TRM_ISOLATION_LANDLOCK : TRM_ISOLATION_NAMESPACES;
		is_done = warm_measure(i % 2 ? &landlock : &spaces, opts, false, why, sizeof why);
	}
	if (!is_done)
		report_missing("warm 1+1, Landlock against namespaces", why);
	else
		report("warm 1+1, Landlock against namespaces", samples_at(&landlock, 0.5), "ms",
				samples_at(&spaces, 0.5), 1.1);
	samples_free(&spaces);
	samples_free(&landlock);
}

struct look {
	bool is_there, is_closed;
};

static void on_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	struct look *look = user;
	(void)sandbox, (void)metrics;
	look->is_there = true;
}

static void on_look_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct look *look = user;
	(void)sandbox, (void)why;
	look->is_closed = look->is_there = true;
}

/* Asked for anew, a sample comes at once. */
static void look_often(
		struct trm_loop *loop, struct trm_sandbox *sandbox, struct look *look, struct samples *s)
{
	enum { LOOKS = 200, INTERVAL_MS = 60000 };
	for (int i = 0; i < LOOKS && !look->is_closed; i++) {
		uint64_t start_ns = now_ns();
		look->is_there = trm_sandbox_set_metrics(sandbox, INTERVAL_MS, true, NULL) < 0;
		while (!look->is_there)
			trm_loop_step(loop, -1);
		samples_add(s, ms_since(start_ns));
		trm_sandbox_set_metrics(sandbox, 0, false, NULL);
	}
}

static void bench_look(enum trm_isolation level, const char *name)
{
	static const struct trm_sandbox_cb cb = {.metrics = on_metrics, .closed = on_look_closed};
	struct trm_sandbox_opts opts;
	struct trm_sandbox *sandbox;
	struct trm_loop *loop;
	struct samples ms = {0};
	struct look look = {0};
	trm_sandbox_opts_default(&opts);
	opts.isolation = level;
	if (trm_loop_create(&loop, NULL) < 0)
		return;
	if (trm_sandbox_open(loop, &opts, &cb, &look, &sandbox, NULL) == 0) {
		while (!trm_sandbox_is_ready(sandbox) && !look.is_closed)
			trm_loop_step(loop, -1);
		look_often(loop, sandbox, &look, &ms);
		if (!look.is_closed)
			trm_sandbox_close(sandbox);
		while (!look.is_closed)
			trm_loop_step(loop, -1);
	}
	trm_loop_destroy(loop);
	if (ms.n)
		report(name, samples_at(&ms, 0.5), "ms", 0, 1);
	else
		report_missing(name, "there was no sandbox");
	samples_free(&ms);
}

void bench_warm(void)
{
	struct samples floor_ms = {0}, ours = {0}, shared = {0};
	struct trm_sandbox_opts opts;
	char why[512] = "";
	trm_sandbox_opts_default(&opts);
	if (!measure_floor(&floor_ms))
		report_missing("warm 1+1, median", "the floor could not be measured (bwrap, python3)");
	else if (!warm_measure(&ours, &opts, false, why, sizeof why)
			|| !warm_measure(&shared, &opts, true, why, sizeof why))
		report_missing("warm 1+1, median", why[0] ? why : "the library gave a wrong answer");
	else {
		report("warm 1+1, median", samples_at(&ours, 0.5), "ms", samples_at(&floor_ms, 0.5), 3);
		report("warm 1+1, p99", samples_at(&ours, 0.99), "ms", samples_at(&floor_ms, 0.99), 3);
		report("warm 1+1, shared, median", samples_at(&shared, 0.5), "ms", samples_at(&floor_ms, 0.5),
				3);
		report("warm 1+1, shared, p99", samples_at(&shared, 0.99), "ms", samples_at(&floor_ms, 0.99),
				3);
	}
	samples_free(&floor_ms);
	samples_free(&ours);
	samples_free(&shared);
	bench_landlock(&opts);
	bench_look(TRM_ISOLATION_NAMESPACES, "metrics of a sandbox");
	bench_look(TRM_ISOLATION_LANDLOCK, "metrics of a sandbox, Landlock");
}
