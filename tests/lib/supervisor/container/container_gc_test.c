/* SPDX-License-Identifier: MIT */

/* The supervisor is a program of its own, so its parts are built into this test. */

#include "supervisor/container/container_gc.c"
#include "supervisor/container/step.c"
#include "sweep/owner.c"

#include <sys/wait.h>

#include "cmocka_all.h"

static char own[LABEL];

/* Our label with another host, boot, namespace and user, where they are given, of the process `pid`. */
static bool judge(const char *const *other, int pid, const char *state, const char *name)
{
	char line[1024], id[64] = "", ours[LABEL], *part[PARTS];
	snprintf(ours, sizeof ours, "%s", own);
	assert_true(split(ours, '/', part, PARTS));
	for (int i = 0; i <= PART_UID; i++)
		part[i] = other && other[i] ? (char *)other[i] : part[i];
	int n = snprintf(line, sizeof line, "c1\t%s/%s/%s/%s/%d/1\t%s\t%s\tbox\tmore", part[PART_HOST],
			part[PART_BOOT], part[PART_PIDNS], part[PART_UID], pid, state, name);
	bool is = container_gc_is(line, (size_t)n, own, false, id, sizeof id);
	if (is)
		assert_string_equal(id, "c1");
	return is;
}

static int find_label(void **state)
{
	(void)state;
	owner_label(own, sizeof own);
	return 0;
}

static pid_t dead_pid(void)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void whose_supervisor_is_dead_is_one(void **state)
{
	(void)state;
	assert_true(judge(NULL, dead_pid(), "running", "terrarium-box-01234567"));
	assert_true(judge(NULL, getpid(), "running", "terrarium-box-01234567")); /* another start time */
}

/* A server whose machine or pod was replaced has the same name, but can no longer look at the process. */
static void of_a_predecessor_is_one_for_who_takes_over(void **state)
{
	static const char other[] = "running\tterrarium-box-01234567\tbox";
	char line[1024], id[64], ours[LABEL], *part[PARTS];
	(void)state;
	snprintf(ours, sizeof ours, "%s", own);
	assert_true(split(ours, '/', part, PARTS));
	int n = snprintf(line, sizeof line, "c1\t%s/%s/4711/%s/1/1\t%s", part[PART_HOST], part[PART_BOOT],
			part[PART_UID], other);
	assert_false(container_gc_is(line, (size_t)n, own, false, id, sizeof id));
	assert_true(container_gc_is(line, (size_t)n, own, true, id, sizeof id));
	n = snprintf(line, sizeof line, "c1\tother/%s/4711/%s/1/1\t%s", part[PART_BOOT], part[PART_UID],
			other);
	assert_false(container_gc_is(line, (size_t)n, own, true, id, sizeof id));
	n = snprintf(line, sizeof line, "c1\t%s\t%s", own, other);
	assert_false(container_gc_is(line, (size_t)n, own, true, id, sizeof id));
}

static void that_waits_for_another_server_is_none(void **state)
{
	(void)state;
	assert_false(judge(NULL, dead_pid(), OWNER_ADOPTABLE, "terrarium-box-01234567"));
}

static void whose_supervisor_lives_is_none(void **state)
{
	char line[1024], id[64];
	(void)state;
	int n = snprintf(line, sizeof line, "c1\t%s\texited\tterrarium-box-1\tbox", own);
	assert_false(container_gc_is(line, (size_t)n, own, false, id, sizeof id));
}

static void others_are_left_alone(void **state)
{
	static const char *const host[] = {"elsewhere", NULL, NULL, NULL},
				 *const boot[] = {NULL, "b", NULL, NULL},
				 *const pidns[] = {NULL, NULL, "1", NULL},
				 *const user[] = {NULL, NULL, NULL, "77777"};
	const char *name = "terrarium-box-01234567";
	const pid_t dead = dead_pid();
	(void)state;
	assert_false(judge(host, dead, "exited", name));
	assert_false(judge(pidns, dead, "exited", name));
	assert_false(judge(user, dead, "exited", name));
	assert_false(judge(boot, dead, "running", name));
	assert_true(judge(boot, dead, "exited", name));
}

static void labels_are_inherited_and_names_are_not(void **state)
{
	const pid_t dead = dead_pid();
	(void)state;
	assert_false(judge(NULL, dead, "running", "happy_tesla"));
	assert_false(judge(NULL, dead, "running", "terrarium-other-01234567"));
	assert_false(judge(NULL, dead, "exited", "terrarium-box-01234567" PLAN_SPARED));
	assert_false(judge(NULL, dead, "exited", ""));
}

/* Whoever may annotate one pod must not name another one by a mark with a line's end. */
static void marks_in_quotes(void **state)
{
	char line[1024], id[64], quoted[LABEL + 2], *part[PARTS];
	(void)state;
	snprintf(quoted, sizeof quoted, "%s", own);
	assert_true(split(quoted, '/', part, PARTS));
	const char *const labels[] = {"", "\\n"};
	for (int i = 0; i < 2; i++) {
		int n = snprintf(line, sizeof line,
				"c1\t\"%s/%s/%s/%s/%d/1%s\"\trunning\tterrarium-box-1\t\"box\"",
				part[PART_HOST], part[PART_BOOT], part[PART_PIDNS], part[PART_UID],
				(int)dead_pid(), labels[i]);
		assert_int_equal(container_gc_is(line, (size_t)n, own, false, id, sizeof id), i == 0);
	}
}

static void lines_that_are_none(void **state)
{
	static const char *const lines[] = {"", "\t", "x", "x\ty", "x\ta/b/c\texited\tterrarium-a",
			"x\t//////\texited\tterrarium-a", "-f\t\t\tterrarium-a",
			"x\t1/2/3/4/5/6/7\texited\tterrarium-a"};
	char id[64];
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_false(container_gc_is(lines[i], strlen(lines[i]), own, false, id, sizeof id));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(whose_supervisor_is_dead_is_one),
			cmocka_unit_test(that_waits_for_another_server_is_none),
			cmocka_unit_test(whose_supervisor_lives_is_none),
			cmocka_unit_test(of_a_predecessor_is_one_for_who_takes_over),
			cmocka_unit_test(others_are_left_alone),
			cmocka_unit_test(labels_are_inherited_and_names_are_not),
			cmocka_unit_test(marks_in_quotes),
			cmocka_unit_test(lines_that_are_none),
	};
	return cmocka_run_group_tests(tests, find_label, NULL);
}
