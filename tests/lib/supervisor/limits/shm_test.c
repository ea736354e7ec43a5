/* SPDX-License-Identifier: MIT */

/* The supervisor is a program of its own, so its parts are built into this test. */
static char place[] = "/tmp/terrarium-shm-XXXXXX";
#define SHM_PLACE place
#define SHM_MOST 20

#include "supervisor/limits/shm.c"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "cmocka_all.h"

enum { CODE = 4242, OTHER = 4243, ENTRY = 4096 };

static const char *at(const char *name)
{
	static char path[300];
	snprintf(path, sizeof path, "%s/%s", place, name);
	return path;
}

static void make_file(const char *name, uid_t uid)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_return_code(fd, 0);
	assert_int_equal(fchown(fd, uid, uid), 0);
	close(fd);
}

static void make_folder(const char *name, mode_t mode, uid_t uid)
{
	assert_int_equal(mkdir(at(name), 0700), 0);
	assert_int_equal(chmod(at(name), mode), 0);
	assert_int_equal(chown(at(name), uid, uid), 0);
}

static bool is_there(const char *name)
{
	struct stat st;
	return lstat(at(name), &st) == 0;
}

static int begin(void **state)
{
	(void)state;
	strcpy(strrchr(place, '-'), "-XXXXXX");
	return mkdtemp(place) ? chmod(place, 01777) : -1;
}

static int end(void **state)
{
	char command[100];
	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", place);
	return system(command);
}

static void own_files_are_counted_and_go(void **state)
{
	(void)state;
	make_file("mine", CODE);
	make_file("other", OTHER);
	make_folder("entered", 0711, 0);
	make_folder("entered/open", 0777, 0);
	make_file("entered/open/mine", CODE);
	make_file("entered/open/other", OTHER);
	make_folder("closed", 0700, 0);
	make_file("closed/mine", CODE);
	assert_int_equal(symlink(place, at("entered/open/link")), 0);
	assert_int_equal(shm_bytes(CODE), 2 * ENTRY);
	assert_int_equal(shm_bytes(0), 0);
	shm_clear(0);
	shm_clear(CODE);
	assert_int_equal(shm_bytes(CODE), 0);
	assert_false(is_there("mine") || is_there("entered/open/mine"));
	assert_true(is_there("other") && is_there("entered/open/other") && is_there("closed/mine"));
}

/* It does not matter how many. */
static void own_files_hide_nothing(void **state)
{
	char name[40];
	(void)state;
	make_folder("open", 0777, 0);
	for (int i = 0; i < 2 * SHM_MOST; i++) {
		snprintf(name, sizeof name, "mine%d", i);
		make_file(name, CODE);
		snprintf(name, sizeof name, "open/mine%d", i);
		make_file(name, CODE);
	}
	assert_int_equal(shm_bytes(CODE), (uint64_t)4 * SHM_MOST * ENTRY);
}

static void directories_of_others_hide_no_file_beside_them(void **state)
{
	char name[40];
	(void)state;
	make_file("first", CODE);
	for (int i = 0; i < 2 * SHM_MOST; i++) {
		snprintf(name, sizeof name, "folder%d", i);
		make_folder(name, 0755, OTHER);
	}
	make_file("last", CODE);
	assert_int_equal(shm_bytes(CODE), 2 * ENTRY);
}

static void folders_of_sandboxes_are_left_out(void **state)
{
	(void)state;
	uid_t sandbox = 61000;
	assert_true(folder_is_user(sandbox));
	make_folder("sandbox", 0777, sandbox);
	make_file("sandbox/mine", CODE);
	assert_int_equal(shm_bytes(CODE), 0);
	shm_clear(CODE);
	assert_true(is_there("sandbox/mine"));
}

static void what_is_mounted_there_is_left_alone(void **state)
{
	(void)state;
	make_folder("mount", 0777, 0);
	if (mount("none", at("mount"), "tmpfs", 0, "mode=0777") < 0)
		skip();
	make_file("mount/mine", CODE);
	uint64_t bytes = shm_bytes(CODE);
	shm_clear(CODE);
	bool is_left = is_there("mount/mine");
	assert_int_equal(umount(at("mount")), 0);
	assert_int_equal(bytes, 0);
	assert_true(is_left);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
			CASE(own_files_are_counted_and_go),
			CASE(own_files_hide_nothing),
			CASE(directories_of_others_hide_no_file_beside_them),
			CASE(folders_of_sandboxes_are_left_out),
			CASE(what_is_mounted_there_is_left_alone),
	};
	if (geteuid() != 0) {
		puts("SKIP: only root can make files of other users");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
