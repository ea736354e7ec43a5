/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "sweep/sweep.h"

static char base[64];
static int base_fd = -1;

static int begin(void **state)
{
	(void)state;
	snprintf(base, sizeof base, "/tmp/sweep-XXXXXX");
	if (!mkdtemp(base))
		return -1;
	base_fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return base_fd < 0 ? -1 : 0;
}

static int end(void **state)
{
	(void)state;
	close(base_fd);
	return rmdir(base);
}

static void make_file(const char *path, const char *text)
{
	int fd = openat(base_fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static int make_entry(const char *name)
{
	static const char *const files[] = {
			"agent.sock", "control.sock", "groups", "info", "info.new", "state"};
	char path[128];
	assert_int_equal(mkdirat(base_fd, name, 0700), 0);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", name, files[i]);
		make_file(path, "");
	}
	return openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void what_nobody_holds_goes(void **state)
{
	(void)state;
	int held = make_entry("held"), left = make_entry("left");
	assert_int_equal(flock(held, LOCK_EX), 0);
	assert_true(sweep_is_held(openat(base_fd, "held", O_RDONLY | O_CLOEXEC)));
	assert_false(sweep_is_held(left));
	assert_int_equal(sweep_all(base_fd), 1);
	assert_int_equal(faccessat(base_fd, "left", F_OK, 0), -1);
	assert_int_equal(faccessat(base_fd, "held/info", F_OK, 0), 0);
	assert_int_equal(flock(held, LOCK_UN), 0);
	assert_true(sweep_entry(base_fd, "held"));
	assert_false(sweep_entry(base_fd, "held"));
	close(held);
	close(left);
}

/* What a note says is believed only of what looks like a supervisor's group. */
static void a_note_cannot_name_anything_else(void **state)
{
	(void)state;
	assert_int_equal(mkdirat(base_fd, "terrarium-1", 0700), 0);
	int entry = make_entry("entry");
	char note[256];
	snprintf(note, sizeof note,
			"%s/terrarium-1\n/sys/fs/cgroup/../../..%s/terrarium-1\n/sys/fs/cgroup\n\nnonsense\n",
			base, base);
	make_file("entry/groups", note);
	assert_true(sweep_groups(entry));
	assert_int_equal(faccessat(base_fd, "terrarium-1", F_OK, 0), 0);
	close(entry);
	assert_true(sweep_entry(base_fd, "entry"));
	unlinkat(base_fd, "terrarium-1", AT_REMOVEDIR);
}

static bool is_named_one(int dir_fd, const char *name)
{
	(void)dir_fd;
	return strcmp(name, "one") == 0;
}

static bool is_any(int dir_fd, const char *name)
{
	(void)dir_fd;
	(void)name;
	return true;
}

static void names_are_chosen_by_their_beginning(void **state)
{
	(void)state;
	make_file("one", "");
	make_file("two:1", "");
	make_file("two:2", "");
	make_file(".two:3", "");
	assert_int_equal(sweep_each(base_fd, "", is_any), 3);
	assert_int_equal(sweep_each(base_fd, "", is_named_one), 1);
	assert_int_equal(sweep_each(base_fd, "two:", is_any), 2);
	assert_int_equal(sweep_each(base_fd, ".two", is_any), 1);
	unlinkat(base_fd, "one", 0);
	unlinkat(base_fd, "two:1", 0);
	unlinkat(base_fd, "two:2", 0);
	unlinkat(base_fd, ".two:3", 0);
}

static void the_directory_goes_with_the_last_one(void **state)
{
	char path[80];
	(void)state;
	snprintf(path, sizeof path, "%s/run", base);
	assert_int_equal(mkdir(path, 0700), 0);
	int run_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	make_file("run/" PROGRAM_PREFIX "0123", "x");
	assert_int_equal(mkdirat(run_fd, "one", 0700), 0);
	sweep_directory(run_fd, path);
	assert_int_equal(faccessat(run_fd, PROGRAM_PREFIX "0123", F_OK, 0), 0); /* somebody runs from it */
	unlinkat(run_fd, "one", AT_REMOVEDIR);
	sweep_directory(run_fd, path);
	assert_int_equal(access(path, F_OK), -1);
	close(run_fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(what_nobody_holds_goes),
			TEST(a_note_cannot_name_anything_else),
			TEST(names_are_chosen_by_their_beginning),
			TEST(the_directory_goes_with_the_last_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
