/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

/* ---- the folder that an entry notes -------------------------------------------------------- */

#define FOLDER "terrarium-abcdefgh"

static int make_noting_entry(const char *folder)
{
	char note[256];
	int entry = make_entry("entry");
	snprintf(note, sizeof note, "%s/%s", base, folder);
	make_file("entry/folder", note);
	return entry;
}

/* The folder is at `path`, which need not be the noted one. */
static void make_folder(const char *path)
{
	char below[128];
	snprintf(below, sizeof below, "%s/workspace", path);
	assert_int_equal(mkdirat(base_fd, path, 0700), 0);
	assert_int_equal(mkdirat(base_fd, below, 0700), 0);
	strcat(below, "/file");
	make_file(below, "x");
}

static void remove_folder(const char *path)
{
	char whole[256];
	snprintf(whole, sizeof whole, "%s/%s", base, path);
	assert_true(sweep_tree(whole));
}

static void the_noted_folder_goes(void **state)
{
	(void)state;
	make_folder(FOLDER);
	assert_int_equal(mkdirat(base_fd, FOLDER "/locked", 0), 0);
	assert_int_equal(symlinkat("/etc", base_fd, FOLDER "/link"), 0);
	close(make_noting_entry(FOLDER));
	assert_true(sweep_entry(base_fd, "entry"));
	assert_int_equal(faccessat(base_fd, FOLDER, F_OK, 0), -1);
}

/* In a directory that all users share, somebody may take the name of a folder that is gone. */
static void a_link_in_place_of_the_folder_stays(void **state)
{
	(void)state;
	make_folder("theirs");
	assert_int_equal(symlinkat("theirs", base_fd, FOLDER), 0);
	close(make_noting_entry(FOLDER));
	assert_true(sweep_entry(base_fd, "entry"));
	assert_int_equal(faccessat(base_fd, "theirs/workspace/file", F_OK, 0), 0);
	assert_int_equal(unlinkat(base_fd, FOLDER, 0), 0);
	remove_folder("theirs");
}

static void a_folder_of_another_user_stays(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	make_folder(FOLDER);
	assert_int_equal(fchownat(base_fd, FOLDER, 12345, 12345, 0), 0);
	close(make_noting_entry(FOLDER));
	assert_true(sweep_entry(base_fd, "entry"));
	assert_int_equal(faccessat(base_fd, FOLDER "/workspace/file", F_OK, 0), 0);
	remove_folder(FOLDER "/workspace");
	close(make_noting_entry(FOLDER)); /* even an empty one */
	assert_true(sweep_entry(base_fd, "entry"));
	assert_int_equal(unlinkat(base_fd, FOLDER, AT_REMOVEDIR), 0);
}

static void a_folder_of_a_sandbox_user_goes(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	make_folder(FOLDER);
	assert_int_equal(fchownat(base_fd, FOLDER, 61000, 61000, 0), 0);
	close(make_noting_entry(FOLDER));
	assert_true(sweep_entry(base_fd, "entry"));
	assert_int_equal(faccessat(base_fd, FOLDER, F_OK, 0), -1);
}

static void other_names_stay(void **state)
{
	static const char *const names[] = {"terrarium-abcdefg", "terrarium-abcdefghi", "terrarium-abcdefg1",
			"terrarium-ABCDEFGH", "aterrarium-abcdefgh", FOLDER "/."};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		make_folder(i + 1 < sizeof names / sizeof *names ? names[i] : FOLDER);
		close(make_noting_entry(names[i]));
		assert_true(sweep_entry(base_fd, "entry"));
		assert_int_equal(faccessat(base_fd, names[i], F_OK, 0), 0);
		remove_folder(i + 1 < sizeof names / sizeof *names ? names[i] : FOLDER);
	}
}

/* 0: what is mounted has kept its files; 77: nothing can be mounted here. */
static int sweep_with_mount(int entry)
{
	char from[128], at[128];
	snprintf(from, sizeof from, "%s/theirs", base);
	snprintf(at, sizeof at, "%s/" FOLDER "/workspace/mount", base);
	if (unshare(CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER)) < 0
			|| mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0
			|| mount(from, at, NULL, MS_BIND, NULL) < 0)
		return 77;
	bool is_gone = sweep_folder(entry);
	return is_gone || access(from, F_OK) < 0 || faccessat(base_fd, "theirs/workspace/file", F_OK, 0) < 0;
}

static void what_is_mounted_in_it_stays(void **state)
{
	(void)state;
	make_folder("theirs");
	make_folder(FOLDER);
	assert_int_equal(mkdirat(base_fd, FOLDER "/workspace/mount", 0700), 0);
	int status, entry = make_noting_entry(FOLDER);
	pid_t pid = fork();
	if (pid == 0)
		_exit(sweep_with_mount(entry));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(entry);
	assert_true(sweep_entry(base_fd, "entry"));
	remove_folder("theirs");
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
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
			TEST(the_noted_folder_goes),
			TEST(a_link_in_place_of_the_folder_stays),
			TEST(a_folder_of_another_user_stays),
			TEST(a_folder_of_a_sandbox_user_goes),
			TEST(other_names_stay),
			TEST(what_is_mounted_in_it_stays),
			TEST(names_are_chosen_by_their_beginning),
			TEST(the_directory_goes_with_the_last_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
