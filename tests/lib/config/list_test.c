/* SPDX-License-Identifier: MIT */
/* Settings that are lists: what an item may be, and what a refused one leaves behind. */
#include <string.h>

#include "one_config.h"

static int add(const char *name, const char *item)
{
	return trm_config_add(&config, trm_setting_find(name), item, name, &why);
}

static void items_are_lines(void **state)
{
	(void)state;
	assert_int_equal(set("engine_arg", "\n--one\n\n--two\n"), 0);
	assert_string_equal(get("engine_arg"), "--one\n--two");
	assert_int_equal(set("engine_arg", ""), 0);
	assert_string_equal(get("engine_arg"), "");
}

static void a_mount_is_three_items(void **state)
{
	(void)state;
	assert_int_equal(set("mount", "/tmp:/in\n/usr:/out:rw"), 0);
	assert_string_equal(get("mount"), "/tmp:/in:ro\n/usr:/out:rw");
	assert_int_equal(set("mount", "/bin:/again\nno-guest"), TRM_EINVAL);
	assert_string_equal(get("mount"), "/tmp:/in:ro\n/usr:/out:rw"); /* as before */
	char item[16384];
	memset(item, 'x', sizeof item - 1);
	item[sizeof item - 1] = '\0';
	assert_int_equal(add("mount", item), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "is too long"));
}

static void mounts_are_few(void **state)
{
	(void)state;
	char item[32];
	for (int i = 0; i < TRM_MOUNTS_MAX; i++) {
		snprintf(item, sizeof item, "/tmp:/m%d", i);
		assert_int_equal(add("mount", item), 0);
	}
	assert_int_equal(add("mount", "/tmp:/more"), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "at most"));
}

static void a_variable_is_looked_up_at_once(void **state)
{
	(void)state;
	setenv("LIST_TEST", "one", 1);
	assert_int_equal(set("env", "LIST_TEST\nOTHER=two"), 0);
	setenv("LIST_TEST", "later", 1);
	assert_string_equal(config.env, "LIST_TEST=one");
	assert_string_equal(get("env"), "LIST_TEST\nOTHER"); /* values may be secrets */
	unsetenv("LIST_TEST");
	assert_int_equal(add("env", "LIST_TEST"), TRM_ENOENT);
	assert_non_null(strstr(why.msg, "LIST_TEST is not set here"));
	assert_int_equal(add("env", "1X=2"), TRM_EINVAL);
}

static void values_have_a_limit(void **state)
{
	(void)state;
	char *big = malloc(TRM_ENV_BYTES + 100);
	assert_non_null(big);
	memset(big, 'x', TRM_ENV_BYTES + 99);
	big[TRM_ENV_BYTES + 99] = '\0';
	setenv("LIST_TEST", big, 1);
	assert_int_equal(add("env", "LIST_TEST"), TRM_ETOOBIG);
	assert_non_null(strstr(why.msg, "longer than"));
	assert_int_equal(set("engine_arg", big), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "an item is too long"));
	unsetenv("LIST_TEST");
	/* Together they are too many at some time; what was there stays. */
	big[1000] = '\0';
	int r;
	size_t n = 0;
	while ((r = add("engine_arg", big)) == 0)
		n++;
	assert_int_equal(r, TRM_ETOOBIG);
	assert_non_null(strstr(why.msg, "all values together"));
	const char *at = NULL;
	for (; (at = trm_list_next(config.engine_args, at)); n--)
		assert_int_equal(strlen(at), 1000);
	assert_int_equal(n, 0);
	free(big);
}

static void a_script_is_a_name_and_a_text(void **state)
{
	(void)state;
	char item[80];
	write_file("echo hi\n", 8);
	snprintf(item, sizeof item, "start=%s", path);
	assert_int_equal(add("script", item), 0);
	const char *name = trm_list_next(config.scripts, NULL);
	assert_string_equal(name, "start");
	assert_string_equal(trm_list_next(config.scripts, name), "echo hi\n");
	assert_string_equal(get("script"), "start:…");
}

static void bad_scripts_change_nothing(void **state)
{
	(void)state;
	char item[80];
	static const char *const bad[] = {"start", "=x", "start=", "a b=/etc/passwd", "x=/nonexistent/x",
			"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn=/etc/passwd"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_true(add("script", bad[i]) < 0);
	snprintf(item, sizeof item, "s=%s", path);
	write_file("a\0b", 3);
	assert_int_equal(add("script", item), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "is not text"));
	write_file("", 0);
	assert_int_equal(add("script", item), TRM_EINVAL);
	char *big = malloc(sizeof config.scripts);
	assert_non_null(big);
	memset(big, 'x', sizeof config.scripts);
	write_file(big, sizeof config.scripts);
	free(big);
	assert_int_equal(add("script", item), TRM_ETOOBIG); /* the name alone had room */
	assert_null(trm_list_next(config.scripts, NULL));
}

static void a_list_is_cut_to_the_room_there_is(void **state)
{
	(void)state;
	char out[8];
	assert_int_equal(set("engine_arg", "--one\n--two"), 0);
	assert_string_equal(
			trm_config_get(&config, trm_setting_find("engine_arg"), out, sizeof out), "--one\n-");
	assert_string_equal(trm_config_get(&config, trm_setting_find("engine_arg"), out, 6), "--one");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup(items_are_lines, begin),
			cmocka_unit_test_setup(a_mount_is_three_items, begin),
			cmocka_unit_test_setup(mounts_are_few, begin),
			cmocka_unit_test_setup(a_variable_is_looked_up_at_once, begin),
			cmocka_unit_test_setup(values_have_a_limit, begin),
			cmocka_unit_test_setup(a_script_is_a_name_and_a_text, begin),
			cmocka_unit_test_setup(bad_scripts_change_nothing, begin),
			cmocka_unit_test_setup(a_list_is_cut_to_the_room_there_is, begin),
	};
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
