/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/config.h"

static int parse(struct trm_config *c, const char *text, struct trm_error *why)
{
	struct trm_program_settings none = {0};
	trm_config_default(c);
	return config_parse(&(struct config_target){.config = c, .own = &none}, text, strlen(text), "c.json",
			why);
}

/* A library that shares the file with the workbench. */
static void keys_of_a_program_are_its_own(void **state)
{
	(void)state;
	struct mine {
		uint32_t speed;
		bool is_loud;
	} mine;
	static const struct trm_setting rows[] = {
			{"speed", "--speed", 0, "TERRARIUM_SPEED", "N", "3", TRM_SETTING_COUNT, 1, 9, false,
					false, "how fast", offsetof(struct mine, speed), sizeof(uint32_t)},
			{"loud", "--loud", 0, "TERRARIUM_LOUD", "on|off", "off", TRM_SETTING_SWITCH, 0, 0,
					false, false, "how loud", offsetof(struct mine, is_loud),
					sizeof(bool)},
	};
	struct trm_config_origin origins[2] = {0};
	struct trm_program_settings own = {rows, 2, &mine, origins};
	struct trm_config c;
	struct config_target with = {.config = &c, .own = &own}, without = {.config = &c};
	struct trm_error why = {0};
	static const char text[] = "{ \"memory\": 64,\n \"speed\": 7, \"loud\": true }",
			  wrong[] = "{ \"speed\": 10 }", typo[] = "{ \"spede\": 3 }";
	trm_config_default(&c);
	assert_int_equal(config_parse(&with, text, strlen(text), "c.json", &why), 0);
	assert_int_equal(mine.speed, 7);
	assert_true(mine.is_loud);
	assert_int_equal(origins[0].from, TRM_FROM_FILE);
	assert_int_equal(origins[0].line, 2);
	assert_int_equal(config_parse(&with, wrong, strlen(wrong), "c.json", &why), TRM_EINVAL);
	assert_string_equal(why.msg, "c.json:1:3: \"speed\": 10: must be at most 9");
	assert_int_equal(config_parse(&with, typo, strlen(typo), "c.json", &why), TRM_EINVAL);
	assert_string_equal(why.msg, "c.json:1:3: unknown setting \"spede\"; did you mean \"speed\"?");
	c.limits.mem_bytes = 0;
	assert_int_equal(config_parse(&without, text, strlen(text), "c.json", &why), 0);
	assert_int_equal(c.limits.mem_bytes, 64 << 20);
}

static void comments_are_allowed(void **state)
{
	(void)state;
	struct trm_config c;
	static const char text[] =
			"// mine\n{\n  /* two\n lines */ \"memory\": 256, // \"cpus\": 0\n"
			"  \"image\": \"a//b /* c */\", \"confirm\": false, \"timeout\": \"1m\"\n}\n";
	assert_int_equal(parse(&c, text, NULL), 0);
	assert_int_equal(c.limits.mem_bytes, 256 << 20);
	assert_string_equal(c.image, "a//b /* c */");
	assert_false(c.confirm);
	assert_int_equal(c.timeout_ms, 60000);
}

static void ranges_may_be_a_list(void **state)
{
	(void)state;
	struct trm_config c;
	struct trm_error why = {0};
	assert_int_equal(parse(&c, "{ \"net\": true, \"net_allow\": [\"10.1.0.0/16\", \"fd00::/8\"] }", NULL),
			0);
	assert_true(c.limits.net);
	assert_string_equal(c.limits.net_allow, "10.1.0.0/16,fd00::/8");
	assert_int_equal(parse(&c, "{ \"net_allow\": [] }", NULL), 0);
	assert_string_equal(c.limits.net_allow, "");
	assert_int_equal(parse(&c, "{ \"net_allow\": \"10.1.0.0/16, fd00::/8\" }", NULL), 0);
	assert_int_equal(parse(&c, "{ \"net_allow\": [10] }", &why), TRM_EINVAL);
	assert_int_equal(parse(&c, "{ \"net_allow\": [\"127.0.0.1\"] }", &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "can never be opened"));
	assert_int_equal(parse(&c, "{ \"net_allow_host\": [\"a.org\", \"*.b.org:22\"] }", NULL), 0);
	assert_string_equal(c.limits.net_allow_host, "a.org,*.b.org:22");
	assert_int_equal(parse(&c, "{ \"net_allow_host\": \"http://a\" }", &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "is no host"));
}

static void lists_hold_anything(void **state)
{
	(void)state;
	struct trm_config c;
	struct trm_error why = {0};
	struct trm_config_lists lists;
	struct trm_sandbox_opts opts;
	char text[200];
	setenv("PASSED_ON", "a,b", 1);
	unsetenv("NOT_SET");
	assert_int_equal(parse(&c,
					 "{ \"mount\": [\"a:/a\", \"b:c:/b:rw\"], \"workdir\": \"/a\","
					 " \"env\": [\"A=1\\n2,3\", \"PASSED_ON\", \"NOT_SET\"] }",
					 &why),
			0);
	trm_config_sandbox_opts(&c, &lists, &opts);
	assert_int_equal(opts.n_mounts, 2);
	assert_string_equal(opts.mounts[0].host, "a");
	assert_false(opts.mounts[0].is_writable);
	assert_string_equal(opts.mounts[1].host, "b:c");
	assert_string_equal(opts.mounts[1].guest, "/b");
	assert_true(opts.mounts[1].is_writable);
	assert_int_equal(opts.n_env, 2);
	assert_string_equal(opts.env[0], "A=1\n2,3");
	assert_string_equal(opts.env[1], "PASSED_ON=a,b");
	assert_string_equal(opts.workdir, "/a");
	trm_config_get(&c, trm_setting_find("mount"), text, sizeof text);
	assert_string_equal(text, "a:/a:ro\nb:c:/b:rw");
	trm_config_get(&c, trm_setting_find("env"), text, sizeof text);
	assert_string_equal(text, "A\nPASSED_ON");
	assert_string_equal(trm_config_get(&c, trm_setting_find("mount"), text, 8), "a:/a:ro");
	assert_int_equal(trm_config_set(&c, trm_setting_find("mount"), "x:/y\nz:/z", "M", NULL), 0);
	trm_config_get(&c, trm_setting_find("mount"), text, sizeof text);
	assert_string_equal(text, "x:/y:ro\nz:/z:ro");
	assert_int_equal(trm_config_set(&c, trm_setting_find("env"), "NOT_SET", "E", &why), TRM_ENOENT);
}

static void lists_are_checked(void **state)
{
	(void)state;
	struct trm_config c = {0}, before = {0};
	struct trm_error why = {0};
	char text[9000] = "A=";
	assert_int_equal(parse(&c, "{ \"mount\": [\"a\"] }", &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "c.json:1:3: \"mount\": 'a' is not HOST:GUEST"));
	assert_int_equal(parse(&c, "{ \"mount\": [1] }", &why), TRM_EINVAL);
	assert_int_equal(parse(&c, "{ \"mount\": { } }", &why), TRM_EINVAL);
	assert_int_equal(parse(&c, "{ \"env\": \"1x=\" }", &why), TRM_EINVAL);
	trm_config_default(&c);
	before = c;
	memset(text + 2, 'x', sizeof text - 3);
	assert_int_equal(trm_config_add(&c, trm_setting_find("env"), text, "E", &why), TRM_ETOOBIG);
	assert_memory_equal(&c, &before, sizeof c);
	assert_int_equal(parse(&c, "{ \"mount\": [], \"env\": \"\" }", &why), 0);
	assert_null(trm_list_next(c.mounts, NULL));
}

static void an_empty_file_sets_nothing(void **state)
{
	(void)state;
	struct trm_config c = {0}, plain = {0};
	trm_config_default(&plain);
	static const char *const texts[] = {"", " \n", "// nothing\n", "{}", "/**/{ }"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_int_equal(parse(&c, texts[i], NULL), 0);
		assert_memory_equal(&c, &plain, sizeof c);
	}
}

static void errors_name_the_place(void **state)
{
	(void)state;
	static const struct {
		const char *text, *sentence;
	} bad[] = {
			{"{\n  // é\n  \"memroy\": 5\n}",
					"c.json:3:3: unknown setting \"memroy\"; did you mean \"memory\"?"},
			{"{ \"cpus\": 1, \"qqqqqqqq\": 1 }",
					"c.json:1:14: unknown setting \"qqqqqqqq\"; see 'terrarium help settings'"},
			{"{ \"image\": \"{,é\", \"cpus\": 0 }",
					"c.json:1:19: \"cpus\": 0: must be at least 0.01 cores"},
			{"{\n\t\"memory\": 5.5 }", "c.json:2:2: \"memory\": 5.5: must be at least 16 MiB"},
			{"{ \"memory\": [512] }",
					"c.json:1:3: \"memory\" must be a plain value, such as 512"},
			{"{ \"cpus\": 1,\n\"cpus\": 2 }",
					"c.json:2:1: this setting was already given above; keep one of the two"},
			{"{ \"cpus\": 1\n /* open", "c.json:2:2: this comment is never closed"},
			{"\n[1]", "c.json:2:1: a config is one object: { \"memory\": 512, … }"},
			{"{\"image\": \"\xff\"}", "c.json:1:12: this is not UTF-8 text"},
			{"{\n  \"image\": \"dark\\\\\\u0000er\"}",
					"c.json:2:19: \\u0000 is not allowed in a string here"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct trm_config c = {0}, plain = {0};
		struct trm_error why = {0};
		trm_config_default(&plain);
		assert_int_equal(parse(&c, bad[i].text, &why), TRM_EINVAL);
		assert_string_equal(why.msg, bad[i].sentence);
		assert_memory_equal(&c, &plain, sizeof c);
	}
}

static void broken_json_names_the_place(void **state)
{
	(void)state;
	static const struct {
		const char *text, *place;
	} bad[] = {
			{"{\n  // comment, {\n  \"memory\": }\n", "c.json:3:13: "},
			{"{ \"memory\": 512,, }", "c.json:1:"},
			{"{ , }", "c.json:1:3: "},
			{"{ \"memory\": 512 } x", "c.json:1:19: "},
			{"{ memory: 512 }", "c.json:1:3: "},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct trm_config c;
		struct trm_error why = {0};
		assert_int_equal(parse(&c, bad[i].text, &why), TRM_EINVAL);
		assert_memory_equal(why.msg, bad[i].place, strlen(bad[i].place));
	}
}

/* As it stays when the last lines are commented out. */
static void a_last_comma_is_no_mistake(void **state)
{
	struct trm_config c;
	struct trm_error why = {0};

	(void)state;
	assert_int_equal(parse(&c, "{ \"memory\": 512,\n // \"cpus\": 2,\n}", &why), 0);
	assert_int_equal(parse(&c, "{ \"image\": \",}\", }", &why), 0);
	assert_string_equal(c.image, ",}");
}

/* Every prefix of a config, and every config with one byte changed, ends in a verdict. */
static void damage_is_survived(void **state)
{
	(void)state;
	static const char whole[] =
			"{ /* c */ \"memory\": 512, \"image\": \"\\u00e9 x\", // d\n\"confirm\": true }";
	static const char bytes[] = {0, '"', '\\', '{', '}', ',', '/', '*', '\n', '\xff', '9'};
	struct trm_config c;
	for (size_t n = 0; n < sizeof whole; n++) {
		char *exact = malloc(n + 1);
		memcpy(exact, whole, n);
		trm_config_default(&c);
		config_parse(&(struct config_target){.config = &c}, exact, n, "c.json", NULL);
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < sizeof bytes; k++) {
				exact[i] = bytes[k];
				config_parse(&(struct config_target){.config = &c}, exact, n, "c.json", NULL);
				exact[i] = whole[i];
			}
		free(exact);
	}
}

static int read_dotenv(struct trm_config *c, const char *text, struct trm_error *why)
{
	struct config_target target = {.config = c};
	trm_config_default(c);
	return dotenv_parse(&target, text, strlen(text), ".env", why);
}

static void dotenv_is_read(void **state)
{
	(void)state;
	static const char text[] =
			"# c\nOTHER=1\nexport TERRARIUM_MEMORY=\"64\" # c\n TERRARIUM_CPUS = 2  # two\n"
			"TERRARIUM_IMAGE='a # b'\nTERRARIUM_NEW_THING=1\nTERRARIUM_DISK=\nTERRARIUM_TIMEOUT\n"
			"nonsense here\nTERRARIUM_NAME=${OTHER}-${NOBODY:-x}\r\n'TERRARIUM_KEEP'=on";
	struct trm_config c;
	assert_int_equal(read_dotenv(&c, text, NULL), 0);
	assert_int_equal(c.limits.mem_bytes, 64 << 20);
	assert_true(c.limits.cpus == 2);
	assert_string_equal(c.image, "a # b");
	assert_int_equal(c.limits.disk_bytes, 256 << 20);
	assert_int_equal(c.timeout_ms, 30000);
	assert_string_equal(c.name, "1-x");
	assert_true(c.keep);
}

static void dotenv_errors_name_the_line(void **state)
{
	(void)state;
	struct trm_config c;
	struct trm_error why = {0};
	assert_int_equal(read_dotenv(&c, "A=1\nTERRARIUM_CPUS=0\n", &why), TRM_EINVAL);
	assert_string_equal(why.msg, ".env:2: TERRARIUM_CPUS 0: must be at least 0.01 cores");
	assert_int_equal(read_dotenv(&c, "A='1\n2'\n\nTERRARIUM_CPUS=0\n", &why), TRM_EINVAL);
	assert_memory_equal(why.msg, ".env:4:", 7);
	assert_int_equal(read_dotenv(&c, "TERRARIUM_CONFIRM=off", &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "a folder must not decide it"));
	assert_true(c.confirm);
}

static void dotenv_leaves_the_environment_alone(void **state)
{
	(void)state;
	struct trm_config c;
	setenv("TERRARIUM_CPUS", "", 1);
	assert_int_equal(read_dotenv(&c, "TERRARIUM_CPUS=2\nTERRARIUM_MEMORY=99\nTERRARIUM_MEMORY=64", NULL),
			0);
	unsetenv("TERRARIUM_CPUS");
	assert_true(c.limits.cpus == 1);
	assert_int_equal(c.limits.mem_bytes, 64 << 20);
}

/* Each line doubles the one before. */
static void dotenv_does_not_grow_without_end(void **state)
{
	(void)state;
	static char text[4000] = "A=0123456789\n";
	struct trm_error why = {0};
	struct trm_config c;
	while (strlen(text) + 20 < sizeof text)
		strcat(text, "A=${A}${A}\n");
	assert_int_equal(read_dotenv(&c, text, &why), TRM_ETOOBIG);
	assert_string_equal(why.msg, ".env: the values are longer than 16 MiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(comments_are_allowed),
			cmocka_unit_test(keys_of_a_program_are_its_own),
			cmocka_unit_test(ranges_may_be_a_list),
			cmocka_unit_test(lists_hold_anything),
			cmocka_unit_test(lists_are_checked),
			cmocka_unit_test(an_empty_file_sets_nothing),
			cmocka_unit_test(errors_name_the_place),
			cmocka_unit_test(broken_json_names_the_place),
			cmocka_unit_test(a_last_comma_is_no_mistake),
			cmocka_unit_test(damage_is_survived),
			cmocka_unit_test(dotenv_is_read),
			cmocka_unit_test(dotenv_errors_name_the_line),
			cmocka_unit_test(dotenv_leaves_the_environment_alone),
			cmocka_unit_test(dotenv_does_not_grow_without_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
