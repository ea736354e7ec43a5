/* SPDX-License-Identifier: MIT */
/* Other programs' sandboxes: found, measured, looked into and stopped. */
#include <terrarium/registry.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "support/bed.h"
#include "wire/control.h"

static struct bed bed;
static struct trm_registry *registry;
static char runtime_dir[64];

/* A runtime directory of our own: other tests' sandboxes are not in it. */
static int begin(void **state)
{
	(void)state;
	snprintf(runtime_dir, sizeof runtime_dir, "/tmp/terrarium-test-XXXXXX");
	assert_non_null(mkdtemp(runtime_dir));
	setenv("XDG_RUNTIME_DIR", runtime_dir, 1);
	return trm_registry_create(&registry, NULL);
}

static int end(void **state)
{
	char command[128];
	(void)state;
	trm_registry_destroy(registry);
	registry = NULL;
	snprintf(command, sizeof command, "rm -rf '%s'", runtime_dir);
	return system(command);
}

static void open_named(const char *name)
{
	struct trm_sandbox_opts opts;
	trm_sandbox_opts_default(&opts);
	opts.name = name;
	opts.limits.procs = 50;
	assert_true(bed_open(&bed, "local", &opts, NULL));
	bed_run(&bed, "python", "x = 42");
}

static const struct trm_entry *look(size_t *ret_n)
{
	const struct trm_entry *entries;
	struct trm_error why = {0};
	if (trm_registry_refresh(registry, &entries, ret_n, &why) < 0)
		fail_msg("%s", why.msg);
	return entries;
}

static void nothing_runs(void **state)
{
	size_t n = 9;
	(void)state;
	look(&n);
	assert_int_equal(n, 0);
}

static bool has_rate(struct bed *b)
{
	size_t n;
	const struct trm_entry *e = look(&n);
	(void)b;
	return n == 1 && e->sample.known & TRM_METRIC_CPU_PERCENT;
}

static void one_is_found_with_figures(void **state)
{
	size_t n;
	(void)state;
	open_named("found-me");
	const struct trm_entry *e = look(&n);
	assert_int_equal(n, 1);
	assert_string_equal(e->name, "found-me");
	assert_string_equal(e->backend, "local");
	assert_false(e->is_stale);
	assert_int_equal(e->client_pid, getpid());
	assert_true(e->has_client);
	assert_non_null(strstr(e->client, "registry_test"));
	assert_int_equal(e->limits.procs, 50);
	assert_true(e->sample.known & TRM_METRIC_MEM);
	assert_true(e->sample.mem_bytes > 1 << 20);
	assert_true(e->sample.known & TRM_METRIC_PROCS && e->sample.procs >= 1);
	assert_true(bed_wait_for(&bed, has_rate, BED_DEADLINE_MS));
	bed_close(&bed);
	look(&n);
	assert_int_equal(n, 0);
}

/* ---- another client ---- */

struct looked_at {
	bool is_ready, is_closed;
	struct trm_error why;
	unsigned n_processes;
	const char *wanted;
	bool is_found;
	uint32_t pid;
	uint64_t start;
	bool is_signaled;
	struct trm_error answer;
};

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	(void)sandbox;
	((struct looked_at *)user)->is_ready = true;
}

static void on_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	struct looked_at *v = user;
	(void)sandbox;
	v->n_processes = (unsigned)metrics->n_processes;
	for (size_t i = 0; i < metrics->n_processes; i++)
		if (v->wanted && strstr(metrics->processes[i].command, v->wanted)) {
			v->is_found = true;
			v->pid = metrics->processes[i].pid;
			v->start = metrics->processes[i].start;
		}
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct looked_at *v = user;
	(void)sandbox;
	v->is_closed = true;
	v->why = *why;
}

static const struct trm_sandbox_cb VISIT_CB = {.ready = on_ready, .metrics = on_metrics, .closed = on_closed};

static void on_signaled(void *user, const struct trm_error *why)
{
	struct looked_at *v = user;
	v->is_signaled = true;
	v->answer = *why;
}

static struct trm_sandbox *attach(struct looked_at *v, const char *name)
{
	const struct trm_sandbox_opts opts = {.size = sizeof(struct trm_sandbox_opts),
			.metrics_interval_ms = 200,
			.metrics_with_processes = true};
	struct trm_sandbox *sandbox;
	struct trm_error why = {0};
	if (trm_sandbox_attach(bed.loop, name, &opts, &VISIT_CB, v, &sandbox, &why) < 0)
		fail_msg("%s", why.msg);
	return sandbox;
}

static void another_client_looks_in_and_leaves(void **state)
{
	struct looked_at v = {.wanted = "python kernel"};
	(void)state;
	open_named("visited");
	struct trm_sandbox *sandbox = attach(&v, "visited");
	bed_wait(&bed, &v.is_found);
	assert_true(v.is_ready);
	assert_int_equal(trm_sandbox_limits(sandbox)->procs, 50);
	trm_sandbox_close(sandbox);
	bed_wait(&bed, &v.is_closed);
	assert_int_equal(v.why.code, TRM_OK);
	/* It runs on, with its state. */
	bed_run(&bed, "python", "print(x)");
	assert_string_equal(bed_stdout(&bed), "42\n");
	bed_close(&bed);
}

static void a_visitor_hears_of_the_end(void **state)
{
	struct looked_at v = {0};
	(void)state;
	open_named("ends");
	attach(&v, "ends");
	bed_wait(&bed, &v.is_ready);
	trm_sandbox_close(bed.sandbox);
	bed_wait(&bed, &v.is_closed);
	assert_int_equal(v.why.code, TRM_ECLOSED);
	bed_wait(&bed, &bed.is_closed);
	bed_close(&bed);
}

static void nobody_of_that_name(void **state)
{
	static const char *const names[] = {"nobody", "../up", "", "a/b"};
	struct trm_loop *loop;
	struct trm_sandbox *sandbox;
	struct looked_at v = {0};
	(void)state;
	assert_int_equal(trm_loop_create(&loop, NULL), 0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct trm_error why = {0};
		assert_true(trm_sandbox_attach(loop, names[i], NULL, &VISIT_CB, &v, &sandbox, &why) < 0);
		assert_true(why.msg[0] != '\0');
	}
	trm_loop_destroy(loop);
}

/* ---- signals ---- */

static void signal_and_wait(struct looked_at *v, uint32_t pid, uint64_t start, int signo)
{
	v->is_signaled = false;
	assert_int_equal(trm_sandbox_signal(bed.sandbox, pid, start, signo, false, on_signaled, v, NULL), 0);
	bed_wait(&bed, &v->is_signaled);
}

static bool is_gone(struct bed *b)
{
	return b->result != NULL;
}

static void signals_reach_the_process_that_was_meant(void **state)
{
	struct trm_run_opts opts;
	struct looked_at v = {.wanted = "sleep 987"};
	(void)state;
	open_named("signals");
	struct trm_sandbox *visitor = attach(&v, "signals");
	trm_run_opts_default(&opts);
	opts.lang = bed_lang("bash");
	opts.code = "sleep 987; echo $?";
	opts.code_len = strlen(opts.code);
	bed_begin(&bed, &opts);
	bed_wait(&bed, &v.is_found);
	/* Another process that had its number before. */
	signal_and_wait(&v, v.pid, v.start + 1, SIGTERM);
	assert_int_equal(v.answer.code, TRM_ENOENT);
	signal_and_wait(&v, 1, 0, SIGKILL);
	assert_int_equal(v.answer.code, TRM_EPERM);
	signal_and_wait(&v, 999999, 0, SIGKILL);
	assert_int_equal(v.answer.code, TRM_ENOENT);
	assert_true(trm_sandbox_signal(bed.sandbox, v.pid, v.start, 65, false, on_signaled, &v, NULL) < 0);
	signal_and_wait(&v, v.pid, v.start, SIGTERM);
	assert_int_equal(v.answer.code, TRM_OK);
	assert_true(bed_wait_for(&bed, is_gone, BED_DEADLINE_MS));
	bed_end(&bed);
	assert_string_equal(bed_stdout(&bed), "143\n");
	trm_sandbox_close(visitor);
	bed_wait(&bed, &v.is_closed);
	bed_close(&bed);
}

/* ---- stopping ---- */

static void a_sandbox_is_stopped_by_its_identity(void **state)
{
	struct trm_error why = {0};
	size_t n;
	(void)state;
	open_named("to-be-stopped");
	struct trm_entry entry = *look(&n), wrong = entry;
	wrong.supervisor_start++;
	assert_int_equal(trm_registry_stop(registry, &wrong, &why), TRM_ENOENT);
	wrong = entry;
	wrong.supervisor_pid = (uint32_t)getpid(); /* no supervisor at all */
	assert_int_equal(trm_registry_stop(registry, &wrong, &why), TRM_ENOENT);
	bed_run(&bed, "python", "print(x)");
	assert_string_equal(bed_stdout(&bed), "42\n");
	assert_int_equal(trm_registry_stop(registry, &entry, &why), 0);
	bed_wait(&bed, &bed.is_closed);
	assert_true(bed.why.code < 0);
	bed_close(&bed);
	assert_int_equal(trm_registry_stop(registry, &entry, &why), TRM_ENOENT);
	look(&n);
	assert_int_equal(n, 0);
}

/* ---- what was left behind ---- */

static void write_entry(const char *name, const void *bytes, size_t n)
{
	char path[256];
	snprintf(path, sizeof path, "%s/terrarium", runtime_dir);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/terrarium/%s", runtime_dir, name);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/terrarium/%s/info", runtime_dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

static void entries_left_behind_are_reported_apart(void **state)
{
	char empty[] = "", command[] = "gone";
	const struct info_msg info = {.supervisor = getpid(),
			.supervisor_start = 1, /* somebody else had our number */
			.client = 1,
			.command = command,
			.ready = {.mem_dir = empty,
					.pids_dir = empty,
					.cpuacct_dir = empty,
					.cpu_dir = empty,
					.pressure_dir = empty,
					.space_fd = -1}};
	struct trm_error why = {0};
	struct buf b;
	size_t n;
	(void)state;
	buf_init(&b, 4096);
	assert_int_equal(info_msg_put(&b, &info), 0);
	write_entry("left", buf_at(&b), b.len);
	write_entry("broken", "nonsense", 8);
	write_entry("cut", buf_at(&b), b.len / 2);
	buf_finish(&b);
	const struct trm_entry *e = look(&n);
	assert_int_equal(n, 1);
	assert_string_equal(e->name, "left");
	assert_true(e->is_stale);
	assert_int_equal(e->sample.known, 0);
	assert_int_equal(trm_registry_stop(registry, e, &why), TRM_ENOENT);
}

static void a_directory_that_others_may_write_is_refused(void **state)
{
	struct trm_error why = {0};
	const struct trm_entry *entries;
	char path[256];
	size_t n;
	(void)state;
	snprintf(path, sizeof path, "%s/terrarium", runtime_dir);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, 0777), 0);
	assert_int_equal(trm_registry_refresh(registry, &entries, &n, &why), TRM_EPERM);
	assert_non_null(strstr(why.msg, path));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(nothing_runs),
			TEST(one_is_found_with_figures),
			TEST(another_client_looks_in_and_leaves),
			TEST(a_visitor_hears_of_the_end),
			TEST(nobody_of_that_name),
			TEST(signals_reach_the_process_that_was_meant),
			TEST(a_sandbox_is_stopped_by_its_identity),
			TEST(entries_left_behind_are_reported_apart),
			TEST(a_directory_that_others_may_write_is_refused),
	};
	if (!bed_works("local", NULL))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
