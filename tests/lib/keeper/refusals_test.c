/* SPDX-License-Identifier: MIT */
/* What is noted of a group's counters. That the kernel wakes the keeper is seen in cli/limits_test. */
#include <stdlib.h>
#include <string.h>

/* The keeper is a program of its own, so its parts are built into this test. */
#include "keeper/refusals.c"

#include "cmocka_all.h"

static char dir[32];

static void put(const char *file, const char *text)
{
	char path[96];
	snprintf(path, sizeof path, "%s/%s", dir, file);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int begin(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/terrarium-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	put("memory.events", "low 0\nhigh 0\nmax 7\noom 0\noom_kill 0\noom_group_kill 0\n");
	put("pids.events", "max 0\n");
	return 0;
}

static int end(void **state)
{
	(void)state;
	static const char *const files[] = {"memory.events", "pids.events"};
	char path[96];
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, files[i]);
		unlink(path);
	}
	return rmdir(dir);
}

static uint8_t unmet(enum limits_kind kind, const char *mem_dir, const char *pids_dir)
{
	struct refusals r;
	refusals_begin(&r, kind, mem_dir, pids_dir);
	uint8_t bits = r.unmet;
	refusals_end(&r);
	assert_int_equal(r.unmet, 0);
	return bits;
}

static void nothing_has_happened_yet(void **state)
{
	(void)state;
	assert_int_equal(unmet(LIMITS_CGROUP_V2, dir, dir), UNMET_MEMORY | UNMET_PROCS);
	assert_int_equal(unmet(LIMITS_CGROUP_V2, dir, ""), UNMET_MEMORY);
	assert_int_equal(unmet(LIMITS_CGROUP_V2, "", dir), UNMET_PROCS);
}

static void something_has(void **state)
{
	(void)state;
	put("pids.events", "max 1\n");
	assert_int_equal(unmet(LIMITS_CGROUP_V2, dir, dir), UNMET_MEMORY);
	put("memory.events", "low 0\nhigh 0\nmax 7\noom 3\noom_kill 2\n");
	assert_int_equal(unmet(LIMITS_CGROUP_V2, dir, dir), 0);
}

static void nobody_knows(void **state)
{
	(void)state;
	assert_int_equal(unmet(LIMITS_CGROUP_V2, "/nonexistent", "/nonexistent"), 0);
	assert_int_equal(unmet(LIMITS_RLIMITS, dir, dir), 0);
	assert_int_equal(unmet(LIMITS_ENGINE, dir, dir), 0);
	assert_int_equal(unmet(LIMITS_CGROUP_V1, dir, dir), 0); /* no cgroup.event_control there */
	put("memory.events", "");
	assert_int_equal(unmet(LIMITS_CGROUP_V2, dir, ""), 0);
}

static void it_is_heard_once(void **state)
{
	(void)state;
	struct refusals r;
	struct pollfd fds[REFUSALS_POLLS];
	refusals_begin(&r, LIMITS_CGROUP_V2, dir, dir);
	refusals_poll(&r, fds);
	assert_true(fds[0].fd >= 0 && fds[1].fd >= 0);
	assert_false(refusals_hear(&r, fds));
	fds[1].revents = POLLPRI | POLLERR;
	assert_true(refusals_hear(&r, fds));
	assert_int_equal(r.unmet, UNMET_MEMORY);
	refusals_poll(&r, fds);
	assert_true(fds[0].fd >= 0 && fds[1].fd < 0);
	fds[0].revents = POLLPRI | POLLERR;
	assert_true(refusals_hear(&r, fds));
	assert_int_equal(r.unmet, 0);
	refusals_end(&r);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(nothing_has_happened_yet),
			TEST(something_has),
			TEST(nobody_knows),
			TEST(it_is_heard_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
