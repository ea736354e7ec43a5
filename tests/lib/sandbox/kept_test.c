/* SPDX-License-Identifier: MIT */
/* Sandboxes that outlive their handles. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmocka_all.h"
#include "support/bed.h"
#include "wire/control.h"

/* One handle, and what it was told. */
struct client {
	struct trm_sandbox *sandbox;
	bool is_ready, is_closed;
	struct trm_error why;
};

static char runtime_dir[64];
static struct trm_loop *loop;
static struct trm_error error;

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct client *c = user;
	(void)sandbox;
	c->is_ready = true;
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct client *c = user;
	(void)sandbox;
	c->is_closed = true;
	c->why = *why;
}

static const struct trm_sandbox_cb cb = {.ready = on_ready, .closed = on_closed};

static void wait_until(const bool *is_true)
{
	time_t deadline = time(NULL) + 60;
	while (!*is_true && time(NULL) < deadline)
		trm_loop_step(loop, 1000);
	assert_true(*is_true);
}

static void open_named(struct client *c, const char *name, bool keep)
{
	struct trm_sandbox_opts opts;
	trm_sandbox_opts_default(&opts);
	opts.name = name;
	opts.keep = keep;
	*c = (struct client){0};
	assert_int_equal(trm_sandbox_open(loop, &opts, &cb, c, &c->sandbox, &error), 0);
	assert_int_equal(trm_sandbox_is_kept(c->sandbox), keep);
	wait_until(&c->is_ready);
}

static int try_attach(struct client *c, const char *name)
{
	*c = (struct client){0};
	return trm_sandbox_attach(loop, name, NULL, &cb, c, &c->sandbox, &error);
}

static void attach(struct client *c, const char *name)
{
	assert_int_equal(try_attach(c, name), 0);
	assert_true(trm_sandbox_is_attached(c->sandbox));
	wait_until(&c->is_ready);
}

static void close_it(struct client *c)
{
	trm_sandbox_close(c->sandbox);
	wait_until(&c->is_closed);
	assert_int_equal(c->why.code, TRM_OK);
}

static void stop_it(struct client *c)
{
	trm_sandbox_stop(c->sandbox);
	wait_until(&c->is_closed);
	assert_int_equal(c->why.code, TRM_OK);
}

static void one_is_left_and_come_back_to(void **state)
{
	struct client first, second, third;
	char who[32];
	(void)state;
	open_named(&first, "one", true);
	assert_int_equal(trm_sandbox_set_group(first.sandbox, "team", &error), 0);
	close_it(&first);
	attach(&second, "one");
	assert_true(trm_sandbox_is_kept(second.sandbox));
	assert_string_equal(trm_sandbox_group(second.sandbox), "team");
	attach(&third, "one");
	stop_it(&second);
	/* The other one hears who did it. */
	wait_until(&third.is_closed);
	snprintf(who, sizeof who, "stopped by process %ld", (long)getpid());
	assert_int_equal(third.why.code, TRM_ECLOSED);
	assert_non_null(strstr(third.why.msg, who));
	assert_int_equal(try_attach(&second, "one"), TRM_ENOENT);
	assert_string_equal(error.msg, "there is no running sandbox 'one'");
	/* Its supervisor was our child, and has been reaped. */
	time_t deadline = time(NULL) + 60;
	siginfo_t info;
	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && time(NULL) < deadline)
		trm_loop_step(loop, 10);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void keeping_is_turned_on_and_off(void **state)
{
	struct client c;
	(void)state;
	open_named(&c, "two", false);
	assert_int_equal(trm_sandbox_keep(c.sandbox, true, &error), 0);
	assert_true(trm_sandbox_is_kept(c.sandbox));
	close_it(&c);
	attach(&c, "two");
	assert_int_equal(trm_sandbox_keep(c.sandbox, false, &error), 0);
	close_it(&c);
	assert_int_equal(try_attach(&c, "two"), TRM_ENOENT);
}

static void attached_ones_leave_it_running(void **state)
{
	struct client owner, guest;
	(void)state;
	open_named(&owner, "three", false);
	attach(&guest, "three");
	assert_false(trm_sandbox_is_kept(guest.sandbox));
	close_it(&guest);
	attach(&guest, "three");
	close_it(&owner);
	wait_until(&guest.is_closed);
	assert_int_equal(guest.why.code, TRM_ECLOSED);
}

static void closing_may_become_stopping(void **state)
{
	struct client c;
	(void)state;
	open_named(&c, "four", true);
	trm_sandbox_close(c.sandbox);
	stop_it(&c);
	assert_int_equal(try_attach(&c, "four"), TRM_ENOENT);
}

static void a_name_is_taken_while_it_runs(void **state)
{
	struct client c, other = {0};
	struct trm_entry entry;
	struct trm_sandbox_opts opts;
	(void)state;
	open_named(&c, "five", true);
	assert_int_equal(trm_registry_find("five", &entry, &error), 0);
	assert_string_equal(entry.name, "five");
	assert_true(entry.has_state && entry.is_kept && entry.clients == 1);
	assert_int_equal(trm_registry_find("fife", &entry, &error), TRM_ENOENT);
	assert_int_equal(trm_registry_find("../x", &entry, &error), TRM_EINVAL);
	trm_sandbox_opts_default(&opts);
	opts.name = "five";
	assert_int_equal(trm_sandbox_open(loop, &opts, &cb, &other, &other.sandbox, &error), TRM_EEXIST);
	assert_non_null(strstr(error.msg, "'five' is already running"));
	stop_it(&c);
}

static void it_ends_when_nobody_comes(void **state)
{
	struct trm_sandbox_opts opts;
	struct client c = {0};
	struct trm_registry *registry;
	const struct trm_entry *entries;
	size_t n = 1;
	(void)state;
	trm_sandbox_opts_default(&opts);
	opts.name = "six";
	opts.keep = true;
	opts.idle_timeout_ms = 150;
	assert_int_equal(trm_sandbox_open(loop, &opts, &cb, &c, &c.sandbox, &error), 0);
	wait_until(&c.is_ready);
	close_it(&c);
	time_t deadline = time(NULL) + 60;
	assert_int_equal(trm_registry_create(&registry, &error), 0);
	while (n && time(NULL) < deadline) { /* looking does not count */
		assert_int_equal(trm_registry_refresh(registry, &entries, &n, &error), 0);
		trm_loop_step(loop, 10);
	}
	assert_int_equal(n, 0);
	trm_registry_destroy(registry);
}

static void short_visits_count(void **state)
{
	struct trm_entry entry;
	struct client c;
	(void)state;
	open_named(&c, "seven", true);
	const uint64_t left_ms = trm_loop_now_ns(loop) / 1000000;
	close_it(&c); /* which may take its time */
	do {
		trm_loop_step(loop, 10);
		assert_int_equal(trm_registry_find("seven", &entry, &error), 0);
	} while (entry.idle_ms < 100);
	const uint64_t came_ms = trm_loop_now_ns(loop) / 1000000;
	attach(&c, "seven");
	close_it(&c);
	assert_int_equal(trm_registry_find("seven", &entry, &error), 0);
	trm_loop_step(loop, 1);
	assert_true(came_ms >= left_ms + 100);
	assert_true(entry.idle_ms <= trm_loop_now_ns(loop) / 1000000 - came_ms);
	attach(&c, "seven");
	stop_it(&c);
}

static const struct trm_entry *entry_of(struct trm_registry *registry, const char *name)
{
	const struct trm_entry *entries;
	size_t n;
	assert_int_equal(trm_registry_refresh(registry, &entries, &n, &error), 0);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(entries[i].name, name))
			return &entries[i];
	return NULL;
}

/* Before its line to the supervisor is open: which cannot tell it any more. */
static void who_comes_just_before_the_end_hears_why(void **state)
{
	struct trm_registry *registry;
	struct client c;
	char who[32];
	(void)state;
	open_named(&c, "eight", true);
	close_it(&c);
	assert_int_equal(trm_registry_create(&registry, &error), 0);
	const struct trm_entry *entry = entry_of(registry, "eight");
	assert_non_null(entry);
	assert_int_equal(try_attach(&c, "eight"), 0);
	assert_int_equal(trm_registry_stop(registry, entry, &error), 0);
	assert_int_equal(trm_registry_wait(registry, entry, 60000, &error), 0);
	wait_until(&c.is_closed);
	snprintf(who, sizeof who, "stopped by process %ld", (long)getpid());
	assert_int_equal(c.why.code, TRM_ECLOSED);
	assert_non_null(strstr(c.why.msg, who));

	/* One that was killed has said nothing. */
	open_named(&c, "nine", true);
	close_it(&c);
	entry = entry_of(registry, "nine");
	assert_non_null(entry);
	assert_int_equal(try_attach(&c, "nine"), 0);
	assert_int_equal(trm_registry_kill(registry, entry, &error), 0);
	assert_int_equal(trm_registry_wait(registry, entry, 60000, &error), 0);
	wait_until(&c.is_closed);
	assert_int_equal(c.why.code, TRM_EIO);
	assert_non_null(strstr(c.why.msg, "killed from outside"));
	trm_registry_destroy(registry);
}

static void the_fake_cannot_be_kept(void **state)
{
	struct trm_sandbox_opts opts;
	struct client c = {0};
	(void)state;
	trm_sandbox_opts_default(&opts);
	opts.backend = "fake";
	opts.keep = true;
	assert_int_equal(trm_sandbox_open(loop, &opts, &cb, &c, &c.sandbox, &error), TRM_ENOTSUP);
	opts.keep = false;
	assert_int_equal(trm_sandbox_open(loop, &opts, &cb, &c, &c.sandbox, &error), 0);
	assert_int_equal(trm_sandbox_keep(c.sandbox, true, &error), TRM_ENOTSUP);
	stop_it(&c);
}

static void names(void **state)
{
	static const char *const good[] = {"a", "A9", "0", "x.y_z-1",
			"0123456789012345678901234567890123456789012345678901234567890123"};
	static const char *const bad[] = {"", ".", "..", ".x", "-x", "_x", "a/b", "a b", "a\n", "\033[m",
			"\xc3\xa4", "01234567890123456789012345678901234567890123456789012345678901234"};
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_int_equal(trm_sandbox_name_check(good[i], &error), 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(trm_sandbox_name_check(bad[i], &error), TRM_EINVAL);
		assert_null(strpbrk(error.msg, "\n\033"));
	}
}

static int begin(void **state)
{
	(void)state;
	return trm_loop_create(&loop, &error);
}

static int end(void **state)
{
	(void)state;
	trm_loop_destroy(loop);
	return 0;
}

static int begin_all(void **state)
{
	(void)state;
	snprintf(runtime_dir, sizeof runtime_dir, "/tmp/kept-XXXXXX");
	return mkdtemp(runtime_dir) ? setenv("XDG_RUNTIME_DIR", runtime_dir, 1) : -1;
}

static int end_all(void **state)
{
	(void)state;
	return rmdir(runtime_dir); /* nothing is left in it */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(one_is_left_and_come_back_to),
			TEST(keeping_is_turned_on_and_off),
			TEST(attached_ones_leave_it_running),
			TEST(closing_may_become_stopping),
			TEST(short_visits_count),
			TEST(who_comes_just_before_the_end_hears_why),
			TEST(a_name_is_taken_while_it_runs),
			TEST(it_ends_when_nobody_comes),
			TEST(the_fake_cannot_be_kept),
			TEST(names),
	};
	if (!bed_works("local", NULL))
		return 77;
	return cmocka_run_group_tests(tests, begin_all, end_all);
}
