/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/sandbox.h>

#include "base/mount.h"
#include "cmocka_all.h"

static int parse(const char *text, struct trm_mount *ret, struct trm_error *why)
{
	static char copy[2048];
	snprintf(copy, sizeof copy, "%s", text);
	return trm_mount_parse(copy, ret, why);
}

static void expect(const char *text, const char *host, const char *guest, bool is_writable)
{
	struct trm_mount m;
	struct trm_error why = {0};
	char again[2048];
	if (parse(text, &m, &why) < 0)
		fail_msg("%s: %s", text, why.msg);
	assert_string_equal(m.host, host);
	assert_string_equal(m.guest, guest);
	assert_int_equal(m.is_writable, is_writable);
	trm_mount_format(&m, again, sizeof again);
	assert_int_equal(parse(again, &m, &why), 0);
	assert_string_equal(m.host, host);
}

static void forms(void **state)
{
	(void)state;
	expect("./data:/data", "./data", "/data", false);
	expect("/a b:/c d:ro", "/a b", "/c d", false);
	expect("x:/workspace:rw", "x", "/workspace", true);
	expect("x:/data//", "x", "/data", false);
	expect("C:/x:/data:rw", "C:/x", "/data", true);
	expect("a:b:/data", "a:b", "/data", false);
	expect("~/x:/home/"
	       "user/x",
			"~/x",
			"/home/"
			"user/x",
			false);
}

static void refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
			{"", "HOST:GUEST"},
			{"/data", "HOST:GUEST"},
			{":/data", "HOST:GUEST"},
			{"data:", "HOST:GUEST"},
			{"x:data", "HOST:GUEST"},
			{"x:rw", "HOST:GUEST"},
			{"x:/data:RW", "ro (read-only"},
			{"x:/data:", "ro (read-only"},
			{"x:/data:ro:rw", "colon"},
			{"x:/", "nothing can be mounted at /"},
			{"x:/usr/local/x", "interpreters"},
			{"x:/proc", "processes"},
			{"x:/sys/kernel", "nothing may be visible"},
			{"x:/dev/shm", "devices"},
			{"x:/run/agent", "terrarium's own program"},
			{"x:/run", "terrarium's own program"},
			{"x:/home/user", "home directory"},
			{"x:/tmp", "temporary"},
			{"x:/etc/passwd", "users"},
			{"x:/a/../b", "without"},
			{"x:/a/./b", "without"},
			{"x:/a//b", "without"},
			{"x:/a\nb", "control"},
			{"x:/a\x1b[2J", "control"},
			{"x:/a\xff", "UTF-8"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trm_mount m;
		struct trm_error why = {0};
		assert_int_equal(parse(cases[i].text, &m, &why), TRM_EINVAL);
		if (!strstr(why.msg, cases[i].why))
			fail_msg("%s: %s", cases[i].text, why.msg);
		for (const char *at = why.msg; *at; at++)
			assert_true((unsigned char)*at >= ' ');
	}
}

static void long_ones(void **state)
{
	char text[600] = "x:/";
	struct trm_mount m;
	struct trm_error why = {0};
	(void)state;
	memset(text + 3, 'a', 300);
	assert_int_equal(parse(text, &m, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "longer than 255"));
}

static void below(void **state)
{
	(void)state;
	assert_true(mount_is_below("/a/b", "/a"));
	assert_true(mount_is_below("/a", "/a"));
	assert_true(mount_is_below("/a", "/"));
	assert_false(mount_is_below("/ab", "/a"));
	assert_false(mount_is_below("/a", "/a/b"));
}

static void variables(void **state)
{
	struct trm_error why = {0};
	(void)state;
	assert_int_equal(mount_check_env("A=", false, NULL), 0);
	assert_int_equal(mount_check_env("A_1=x\ny", false, NULL), 0);
	assert_int_equal(mount_check_env("A", true, NULL), 0);
	assert_int_equal(mount_check_env("A", false, NULL), TRM_EINVAL);
	assert_int_equal(mount_check_env("1A=x", false, NULL), TRM_EINVAL);
	assert_int_equal(mount_check_env("=x", true, NULL), TRM_EINVAL);
	assert_int_equal(mount_check_env("A-B=secret", true, &why), TRM_EINVAL);
	assert_null(strstr(why.msg, "secret"));
}

static void all_together(void **state)
{
	struct trm_mount mounts[TRM_MOUNTS_MAX + 1] = {{"a", "/data", false}, {"b", "/data", false}};
	const char *env[2] = {"A=1", NULL /* such as what getenv() did not find */};
	struct trm_sandbox_opts opts;
	struct trm_error why = {0};
	(void)state;
	trm_sandbox_opts_default(&opts);
	opts.mounts = mounts;
	opts.env = env;
	opts.n_mounts = 2;
	assert_int_equal(trm_sandbox_opts_check(&opts, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "same place"));
	mounts[1].guest = "/data/x";
	assert_int_equal(trm_sandbox_opts_check(&opts, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "within"));
	mounts[1].guest = "/datax";
	opts.group = "serve:5555/default";
	opts.workdir = "/data";
	opts.n_env = 1;
	assert_int_equal(trm_sandbox_opts_check(&opts, &why), 0);
	opts.n_env = 2;
	assert_int_equal(trm_sandbox_opts_check(&opts, &why), TRM_EINVAL);
	opts.n_env--;
	mounts[1].guest = NULL;
	assert_int_equal(trm_sandbox_opts_check(&opts, &why), TRM_EINVAL);
	mounts[1] = (struct trm_mount){NULL, "/datax", false};
	assert_int_equal(trm_sandbox_opts_check(&opts, &why), TRM_EINVAL);
	mounts[1].host = "b";
	opts.group = "two\nlines";
	assert_int_equal(trm_sandbox_opts_check(&opts, &why), TRM_EINVAL);
	opts.group = NULL;
	opts.workdir = "data";
	assert_int_equal(trm_sandbox_opts_check(&opts, &why), TRM_EINVAL);
	opts.workdir = NULL;
	opts.n_mounts = TRM_MOUNTS_MAX + 1;
	assert_int_equal(trm_sandbox_opts_check(&opts, &why), TRM_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(forms),
			cmocka_unit_test(refused),
			cmocka_unit_test(long_ones),
			cmocka_unit_test(below),
			cmocka_unit_test(variables),
			cmocka_unit_test(all_together),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
