/* SPDX-License-Identifier: MIT */

/* The arguments are the security model: any change of them is to be seen in a
 * diff of this file. */

#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>

#include "backend/local/argv.h"
#include "cmocka_all.h"

/* A machine with merged /usr, some files missing, some masks needed. */
static struct argv_facts facts(void)
{
	struct argv_facts f = {
			.usr_dir = {"usr/bin", "usr/sbin", "usr/lib", "", "usr/lib64", ""},
			.has_etc = {true, true},
			.localtime = "/usr/share/zoneinfo/Europe/Oslo",
	};
	f.has_mask[1] = f.has_mask[8] = f.has_mask[14] = true;
	return f;
}

/* One option with its words to a line. */
/* clang-format off */
static const char *const START[] = {
	"--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000",
	"--hostname", "sandbox", "--cap-drop", "ALL", "--new-session", "--die-with-parent", "--as-pid-1",
	"--clearenv",
	"--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/go/bin:/home/user/.local/bin",
	"--setenv", "HOME", "/home/user",
	"--setenv", "USER", "user",
	"--setenv", "LOGNAME", "user",
	"--setenv", "SHELL", "/bin/bash",
	"--setenv", "LANG", "C.UTF-8",
	"--setenv", "TERM", "dumb",
	"--setenv", "TMPDIR", "/tmp",
	"--setenv", "PIP_BREAK_SYSTEM_PACKAGES", "1",
	"--setenv", "PYTHONUNBUFFERED", "1",
	"--setenv", "PIP_NO_INDEX", "1",
	"--setenv", "npm_config_offline", "true",
	"--ro-bind", "/usr", "/usr",
	"--symlink", "usr/bin", "/bin",
	"--symlink", "usr/sbin", "/sbin",
	"--symlink", "usr/lib", "/lib",
	"--symlink", "usr/lib64", "/lib64",
	"--perms", "0755", "--dir", "/etc",
	"--ro-bind", "/etc/ld.so.cache", "/etc/ld.so.cache",
	"--ro-bind", "/etc/alternatives", "/etc/alternatives",
	"--symlink", "/usr/share/zoneinfo/Europe/Oslo", "/etc/localtime",
	"--perms", "0444", "--file", "8", "/etc/passwd",
	"--perms", "0444", "--file", "9", "/etc/group",
	"--perms", "0444", "--file", "10", "/etc/hosts",
	"--perms", "0444", "--file", "11", "/etc/nsswitch.conf",
	"--perms", "0555", "--file", "7", "/run/agent",
	"--proc", "/proc",
	"--ro-bind", "/proc/sys", "/proc/sys",
	"--ro-bind", "/dev/null", "/proc/keys",
	"--ro-bind", "/dev/null", "/proc/cmdline",
	"--size", "4096", "--tmpfs", "/proc/pressure", "--remount-ro", "/proc/pressure",
	"--dev", "/dev",
	NULL,
};

static const char *const SHARED[] = {
	"--bind", "/tmp/shm", "/dev/shm",
	"--remount-ro", "/dev",
	"--bind", "/tmp/workspace", "/workspace",
	"--bind", "/tmp/tmp", "/tmp",
	"--bind", "/tmp/home", "/home/user",
	NULL,
};

static const char *const SEPARATE[] = {
	"--size", "67108864", "--perms", "1777", "--tmpfs", "/dev/shm",
	"--remount-ro", "/dev",
	"--size", "1048576", "--perms", "0755", "--tmpfs", "/workspace",
	"--size", "1048576", "--perms", "1777", "--tmpfs", "/tmp",
	"--size", "1048576", "--perms", "0700", "--tmpfs", "/home/user",
	NULL,
};

static const char *const END[] = {
	"--remount-ro", "/", "--chdir", "/workspace", "--add-seccomp-fd", "6", "--add-seccomp-fd", "5", NULL,
};

/* clang-format on */

static const char *expect_words(const char *at, const char *end, const char *const *words)
{
	for (; *words; words++) {
		assert_true(at < end);
		assert_string_equal(at, *words);
		at += strlen(at) + 1;
	}
	return at;
}

static void expect(bool is_shared, const char *const *middle)
{
	struct argv_facts f = facts();
	struct buf b;
	buf_init(&b, 16384);
	assert_int_equal(argv_build(&b, &f, is_shared, 1048576), 0);
	const char *at = buf_at(&b), *end = at + b.len;
	at = expect_words(at, end, START);
	at = expect_words(at, end, middle);
	at = expect_words(at, end, END);
	assert_ptr_equal(at, end);
	buf_finish(&b);
}

static void shared_files(void **state)
{
	(void)state;
	expect(true, SHARED);
}

static void separate_files(void **state)
{
	(void)state;
	expect(false, SEPARATE);
}

/* CVE-2026-87766: bubblewrap before 0.12 follows a link when it makes something below a bound
 * directory. Nothing is made below one that a sandbox could have written. */
static void nothing_is_made_below_what_is_writable(void **state)
{
	static const char *const writable[] = {"/workspace", "/tmp", "/home/user", "/dev/shm"};
	struct argv_facts f = facts();
	struct buf b;
	(void)state;
	buf_init(&b, 16384);
	assert_int_equal(argv_build(&b, &f, true, 1), 0);
	bool seen[4] = {false};
	for (const char *at = buf_at(&b), *end = at + b.len; at < end; at += strlen(at) + 1) {
		for (size_t i = 0; i < 4; i++) {
			size_t n = strlen(writable[i]);
			if (!strcmp(at, "--setenv"))
				at += strlen(at) + 1;
			if (seen[i] && !strncmp(at, writable[i], n) && at[n] == '/'
					&& strncmp(at, "/tmp/", 5))
				fail_msg("%s comes after %s", at, writable[i]);
			seen[i] |= !strcmp(at, writable[i]);
		}
	}
	buf_finish(&b);
}

/* The end of the arguments, with two mounts in them. */
static void expect_request(bool is_shared, const char *const *words)
{
	static const struct trm_mount mounts[] = {{NULL, "/data", false}, {NULL, "/workspace/out", true}};
	static const char *const env[] = {"A=1=2", "PATH=/x"};
	struct argv_facts f = facts();
	struct buf b;
	f.request = (struct argv_request){mounts, 2, env, 2, "/workspace/out"};
	buf_init(&b, 16384);
	assert_int_equal(argv_build(&b, &f, is_shared, 1048576), 0);
	const char *at = buf_at(&b), *end = at + b.len, *setenv = NULL;
	for (; at < end && strcmp(at, "/home/user") != 0; at += strlen(at) + 1)
		;
	for (const char *k = buf_at(&b); k < end; k += strlen(k) + 1)
		if (!strcmp(k, "A") && !strcmp(k + 2, "1=2"))
			setenv = k;
	assert_non_null(setenv);
	expect_words(setenv, end, (const char *const[]){"A", "1=2", "--setenv", "PATH", "/x", NULL});
	/* The first is the variable HOME. */
	for (at += strlen(at) + 1; at < end && strcmp(at, "/home/user") != 0; at += strlen(at) + 1)
		;
	expect_words(at, end, words);
	buf_finish(&b);
}

static void mounts_come_last(void **state)
{
	(void)state;
	expect_request(true, (const char *const[]){"/home/user", "--ro-bind", "/tmp/mounts/0", "/data",
					     "--bind", "/tmp/mounts/1", "/workspace/out", "--remount-ro", "/",
					     "--chdir", "/workspace/out", NULL});
	expect_request(false, (const char *const[]){"/home/user", "--ro-bind-fd", "12", "/data", "--bind-fd",
					      "13", "/workspace/out", "--remount-ro", "/", "--chdir",
					      "/workspace/out", NULL});
}

/* What stands in front of the end, from /home/user on. */
static void expect_workdir(const char *path, bool is_shared, const char *const *words)
{
	struct argv_facts f = facts();
	struct buf b;
	int seen = 0;
	f.request.workdir = path;
	buf_init(&b, 16384);
	assert_int_equal(argv_build(&b, &f, is_shared, 1048576), 0);
	const char *at = buf_at(&b), *end = at + b.len;
	for (; at < end && seen < 2; at += strlen(at) + 1)
		seen += strcmp(at, "/home/user") == 0;
	at = expect_words(at, end, words);
	expect_words(at, end, (const char *const[]){"--remount-ro", "/", "--chdir", path, NULL});
	buf_finish(&b);
}

static void a_working_directory_is_made(void **state)
{
	(void)state;
	expect_workdir("/app", true, (const char *const[]){"--bind", "/tmp/workdir", "/app", NULL});
	expect_workdir("/app", false,
			(const char *const[]){
					"--size", "1048576", "--perms", "0755", "--tmpfs", "/app", NULL});
	expect_workdir("/workspace/a/b", true,
			(const char *const[]){"--perms", "0755", "--dir", "/workspace/a/b", NULL});
	expect_workdir("/workspace", true,
			(const char *const[]){"--perms", "0755", "--dir", "/workspace", NULL});
	expect_workdir("/usr/share", true, (const char *const[]){NULL});
	expect_workdir("/", true, (const char *const[]){NULL});
}

static void too_small_a_buffer_is_an_error(void **state)
{
	struct argv_facts f = facts();
	struct buf b;
	(void)state;
	buf_init(&b, 100);
	assert_int_equal(argv_build(&b, &f, true, 1), TRM_ETOOBIG);
	buf_finish(&b);
}

static void this_machine_has_a_usr(void **state)
{
	struct argv_facts f;
	struct slice files[CONTROL_MAX_FILES];
	(void)state;
	argv_facts_find(&f);
	assert_true(f.usr_dir[0][0]); /* /bin */
	assert_int_equal(argv_files(files, CONTROL_MAX_FILES), 4);
	assert_non_null(strstr(files[0].bytes, "user:x:1000:1000:"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(shared_files),
			cmocka_unit_test(separate_files),
			cmocka_unit_test(nothing_is_made_below_what_is_writable),
			cmocka_unit_test(mounts_come_last),
			cmocka_unit_test(a_working_directory_is_made),
			cmocka_unit_test(too_small_a_buffer_is_an_error),
			cmocka_unit_test(this_machine_has_a_usr),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
