/* SPDX-License-Identifier: MIT */
/* One setting in the text of a config file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/config.h>
#include <terrarium/error.h>

#include "cmocka_all.h"
#include "config/config.h"

static void becomes(const char *old, const char *key, const char *value, const char *want)
{
	struct trm_error why = {0};
	struct trm_config config;
	char *got = NULL;
	size_t n = 0;

	assert_int_equal(trm_config_edit(old, strlen(old), trm_setting_find(key), value, &got, &n, &why), 0);
	assert_string_equal(got, want);
	assert_int_equal(strlen(got), n);
	trm_config_default(&config);
	assert_int_equal(config_parse(&(struct config_target){.config = &config}, got, n, "it", &why), 0);
	free(got);
}

static void a_value_is_replaced_where_it_stands(void **state)
{
	(void)state;
	becomes("{\"memory\": 512, \"net\": false}", "memory", "1024", "{\"memory\": 1024, \"net\": false}");
	becomes("{ // mine\n  \"image\" /* a */ : /* b */ \"dark\" /* c */,\n  \"net\": true // d\n}\n",
			"image", "light",
			"{ // mine\n  \"image\" /* a */ : /* b */ \"light\" /* c */,\n  \"net\": true // d\n}\n");
	becomes("{\"net_allow\": [\"10.0.0.0/8\", \"192.168.0.0/16\"], \"net\": true}", "net_allow",
			"10.1.0.0/16", "{\"net_allow\": \"10.1.0.0/16\", \"net\": true}");
}

static void a_new_one_becomes_the_last(void **state)
{
	(void)state;
	becomes("{}", "memory", "64", "{\n\t\"memory\": 64\n}");
	becomes("{\n}\n", "net", "on", "{\n\t\"net\": true\n}\n");
	becomes("{\"net\": true}", "memory", "64", "{\"net\": true, \"memory\": 64}");
	becomes("{\n    \"net\": true // on\n}\n", "image", "light",
			"{\n    \"net\": true, // on\n    \"image\": \"light\"\n}\n");
	becomes("{\r\n\t\"net\": true\r\n}\r\n", "memory", "64",
			"{\r\n\t\"net\": true,\n\t\"memory\": 64\r\n}\r\n");
	becomes("{\n\t\"net\": true /* goes\n\ton */\n}", "memory", "64",
			"{\n\t\"net\": true,\n\t\"memory\": 64 /* goes\n\ton */\n}");
	becomes("{\n\t\"net\": true /* on */\n}", "memory", "64",
			"{\n\t\"net\": true, /* on */\n\t\"memory\": 64\n}");
	becomes("// {\n{\n\t\"net\": true }", "memory", "64",
			"// {\n{\n\t\"net\": true,\n\t\"memory\": 64 }");
}

/* Keys and braces in strings, comments and sections are none of the file's own. */
static void what_only_looks_like_it_is_left_alone(void **state)
{
	(void)state;
	becomes("{\"keys\": {\"image\": \"x\", \"a\": \"}{\\\"\"}, \"image\": \"dark\"}", "image", "light",
			"{\"keys\": {\"image\": \"x\", \"a\": \"}{\\\"\"}, \"image\": \"light\"}");
	becomes("{ // \"image\": \"no\"\n\"policies\": {}, /* \"image\": 1 */ \"net\": true}", "image",
			"light",
			"{ // \"image\": \"no\"\n\"policies\": {}, /* \"image\": 1 */ \"net\": true,\n\"image\": "
			"\"light\"}");
	becomes("{\"workdir\": \"/a//b/*c\"}", "image", "light",
			"{\"workdir\": \"/a//b/*c\", \"image\": \"light\"}");
	becomes("{\"im\\u0061ge\": \"dark\"}", "image", "light", "{\"im\\u0061ge\": \"light\"}");
}

static void values_are_written_so_that_they_are_read_again(void **state)
{
	struct trm_config config;
	struct trm_error why = {0};
	char *got;
	size_t n;

	(void)state;
	becomes("{}", "timeout", "1.5", "{\n\t\"timeout\": \"1.5\"\n}");
	becomes("{}", "memory", "2G", "{\n\t\"memory\": \"2G\"\n}");
	becomes("{}", "confirm", "off", "{\n\t\"confirm\": false\n}");
	assert_int_equal(
			trm_config_edit("{}", 2, trm_setting_find("workdir"), "/a\"b\\c", &got, &n, &why), 0);
	trm_config_default(&config);
	assert_int_equal(config_parse(&(struct config_target){.config = &config}, got, n, "it", &why), 0);
	assert_string_equal(config.workdir, "/a\"b\\c");
	free(got);
}

/* "007" is no number of JSON. */
static void numbers_are_bare_if_json_has_them(void **state)
{
	(void)state;
	becomes("{}", "memory", "0064", "{\n\t\"memory\": \"0064\"\n}");
	becomes("{}", "idle_timeout", "0", "{\n\t\"idle_timeout\": 0\n}");
}

static void a_file_that_cannot_be_changed_stays(void **state)
{
	(void)state;
	char folder[] = "/tmp/terrarium-store-XXXXXX", file[80], below[100];
	char text[16] = "";
	struct trm_error why = {0};
	const struct trm_setting *image = trm_setting_find("image");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(trm_config_store(folder, image, "light", &why), TRM_EINVAL); /* it is a folder */
	snprintf(file, sizeof file, "%s/config.json", folder);
	snprintf(below, sizeof below, "%s/config.json", file);
	FILE *f = fopen(file, "w");
	assert_non_null(f);
	fputs("[1]", f);
	fclose(f);
	assert_int_equal(trm_config_store(file, image, "light", &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "config.json cannot be changed: it is not a JSON object"));
	assert_true(trm_config_store(below, image, "light", &why) < 0); /* a file is no folder */
	f = fopen(file, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof text, f));
	fclose(f);
	assert_string_equal(text, "[1]");
	unlink(file);
	assert_int_equal(rmdir(folder), 0); /* nothing is left beside it */
}

static void what_is_no_object_is_refused(void **state)
{
	static const char *const bad[] = {"", "[]", "1", "{", "}", "{\"a\"}", "{} {}",
			"{\"net\": true /* open }", "\"{\"", "{\"net\": tru}", "{\"net\": true", "{]",
			"{\"a\":1]"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct trm_error why = {0};
		char *got = NULL;
		size_t n = 0;
		if (trm_config_edit(bad[i], strlen(bad[i]), trm_setting_find("image"), "light", &got, &n,
				    &why)
				!= TRM_EINVAL)
			fail_msg("%s became %s", bad[i], got);
		assert_null(got);
		assert_true(why.msg[0]);
	}
	struct trm_error why = {0};
	char *got = NULL;
	size_t n = 0;
	assert_int_equal(trm_config_edit("{\0}", 3, trm_setting_find("image"), "light", &got, &n, &why),
			TRM_EINVAL);
}

/* Every start of a file, and a file with any one byte changed: refused, or still an object that says it. */
static void broken_files_are_never_made_worse(void **state)
{
	static const char file[] =
			"{ // c\n \"net\": true, /* x */ \"keys\": {\"f9\": \"run\"},\n \"image\": \"a\\\"b\"\n}\n";
	char text[sizeof file];

	(void)state;
	for (size_t i = 0; i < sizeof file - 1; i++) {
		for (int c = 0; c < 256; c += 1) {
			struct trm_error why = {0};
			char *got = NULL;
			size_t n = 0;
			memcpy(text, file, sizeof file);
			text[i] = (char)c;
			if (trm_config_edit(text, sizeof file - 1, trm_setting_find("image"), "light", &got,
					    &n, &why)
					< 0)
				continue;
			assert_non_null(strstr(got, "\"light\""));
			free(got);
		}
		struct trm_error why = {0};
		char *got = NULL;
		size_t n = 0;
		assert_true(trm_config_edit(file, i, trm_setting_find("image"), "light", &got, &n, &why) < 0
				|| strstr(got, "\"light\""));
		free(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_value_is_replaced_where_it_stands),
			cmocka_unit_test(a_new_one_becomes_the_last),
			cmocka_unit_test(what_only_looks_like_it_is_left_alone),
			cmocka_unit_test(values_are_written_so_that_they_are_read_again),
			cmocka_unit_test(numbers_are_bare_if_json_has_them),
			cmocka_unit_test(a_file_that_cannot_be_changed_stays),
			cmocka_unit_test(what_is_no_object_is_refused),
			cmocka_unit_test(broken_files_are_never_made_worse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
