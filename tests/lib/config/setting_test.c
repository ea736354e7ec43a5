/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <terrarium/config.h>
#include <terrarium/error.h>

#include "config/config.h"

static void table_is_sound(void **state)
{
	(void)state;
	size_t n;
	const struct trm_setting *s = trm_settings(&n);
	for (size_t i = 0; i < n; i++) {
		assert_true(!strncmp(s[i].option, "--", 2));
		assert_true(!strncmp(s[i].env, "TERRARIUM_", 10) || !strncmp(s[i].env, "MSB_", 4));
		assert_ptr_equal(trm_setting_find(s[i].name), &s[i]);
		assert_ptr_equal(trm_setting_find(s[i].option), &s[i]);
		assert_ptr_equal(trm_setting_find(s[i].env), &s[i]);
		struct trm_config config;
		struct trm_error why = {0};
		trm_config_default(&config);
		assert_int_equal(trm_config_set(&config, &s[i], s[i].fallback, s[i].name, &why), 0);
		char text[64];
		trm_config_get(&config, &s[i], text, sizeof text);
		assert_string_equal(text, s[i].fallback);
	}
	assert_null(trm_setting_find("nonsense"));
}

static void passwords_in_addresses_are_not_reported(void **state)
{
	static const struct {
		const char *url, *reported;
	} some[] = {
			{"http://host:5555/x@y", "http://host:5555/x@y"},
			{"http://user:secret@host:5555", "http://user:***@host:5555"},
			{"https://user:a@b:c@host/p", "https://user:***@host/p"},
			{"http://token@host", "http://***@host"},
			{"user:secret@host", "user:***@host"},
	};
	const struct trm_setting *s = trm_setting_find("server_url");
	struct trm_config c;
	char text[64], little[12];
	(void)state;
	trm_config_default(&c);
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		assert_int_equal(trm_config_set(&c, s, some[i].url, "x", NULL), 0);
		assert_string_equal(c.server_url, some[i].url);
		assert_string_equal(trm_config_get(&c, s, text, sizeof text), some[i].reported);
		trm_config_get(&c, s, little, sizeof little);
		assert_memory_equal(little, text, sizeof little - 1);
	}
}

static void values_are_typed(void **state)
{
	(void)state;
	struct trm_config c;
	trm_config_default(&c);
	static const struct {
		const char *key, *text;
	} good[] = {
			{"memory", "512Mi"},
			{"memory", "512MB"},
			{"memory", "1G"},
			{"disk", "64MiB"},
			{"cpus", "0.5"},
			{"timeout", "250ms"},
			{"grace", "1m"},
			{"confirm", "OFF"},
			{"policy", "light"},
			{"processes", "64"},
			{"metrics_interval", "0.2"},
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_int_equal(trm_config_set(&c, trm_setting_find(good[i].key), good[i].text, "x", NULL),
				0);
	assert_int_equal(c.limits.mem_bytes, 1 << 30);
	assert_int_equal(c.limits.disk_bytes, 64 << 20);
	assert_true(c.limits.cpus == 0.5);
	assert_int_equal(c.timeout_ms, 250);
	assert_int_equal(c.grace_ms, 60000);
	assert_false(c.confirm);
	assert_string_equal(c.policy, "light");
	assert_int_equal(c.limits.procs, 64);
	assert_int_equal(c.metrics_interval_ms, 200);
	assert_int_equal(trm_config_set(&c, trm_setting_find("timeout"), "0", "x", NULL), 0);
	assert_int_equal(c.timeout_ms, 0);
}

static void impossible_values_are_sentences(void **state)
{
	(void)state;
	static const struct {
		const char *option, *text, *sentence;
	} bad[] = {
			{"--memory", "-1", "--memory -1: must be at least 16 MiB"},
			{"--memory", "lots", "--memory lots: must be a number of MiB, such as 512 or 2G"},
			{"--memory", "", "--memory '': must be a number of MiB, such as 512 or 2G"},
			{"--memory", "99999999999", "--memory 99999999999: must be at most 1048576 MiB"},
			{"--memory", "nan", "--memory nan: must be a number of MiB, such as 512 or 2G"},
			{"--cpus", "0", "--cpus 0: must be at least 0.01 cores"},
			{"--cpus", "1,5", "--cpus 1,5: must be a number of cores, such as 1 or 0.5"},
			{"--processes", "9.5", "--processes 9.5: must be a whole number"},
			{"--timeout", "-3",
					"--timeout -3: must be at least 0.001 seconds, or 0 for no limit"},
			{"--metrics-interval", "0.1", "--metrics-interval 0.1: must be at least 0.2 seconds"},
			{"--metrics-interval", "61", "--metrics-interval 61: must be at most 60 seconds"},
			{"--confirm", "maybe", "--confirm maybe: must be on or off"},
			{"--policy", "", "--policy '': must not be empty"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct trm_config c = {0}, before = {0};
		struct trm_error why = {0};
		trm_config_default(&c);
		before = c;
		int r = trm_config_set(&c, trm_setting_find(bad[i].option), bad[i].text, bad[i].option, &why);
		assert_int_equal(r, TRM_EINVAL);
		assert_string_equal(why.msg, bad[i].sentence);
		assert_memory_equal(&c, &before, sizeof c);
	}
}

static void what_is_refused_changes_nothing(void **state)
{
	static struct trm_config before, after;
	static const char *const odd[] = {"", "-1", "nan", "1e999", "\xff", "\x1b", "1 2", "/nonexistent"};
	struct trm_error why;
	size_t n;
	(void)state;
	const struct trm_setting *s = trm_settings(&n);
	trm_config_default(&before);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
			memcpy(&after, &before, sizeof after);
			if (trm_config_set(&after, &s[i], odd[k], s[i].name, &why) < 0)
				assert_memory_equal((char *)&after + s[i].offset,
						(char *)&before + s[i].offset, s[i].size);
		}
}

static void a_typo_finds_its_setting(void **state)
{
	(void)state;
	struct config_target plain = {0};
	assert_string_equal(config_nearest(&plain, "memroy"), "memory");
	assert_string_equal(config_nearest(&plain, "metrics-interval"), "metrics_interval");
	assert_null(config_nearest(&plain, "zzzzzzzzzz"));
}

/* ---- a setting that a person has chosen ---- */

static void stored(const char *before, const char *value, const char *wanted)
{
	char path[] = "/tmp/terrarium-store-XXXXXX", text[200];
	int fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, before, strlen(before)) == (ssize_t)strlen(before));
	close(fd);
	assert_int_equal(trm_config_store(path, trm_setting_find("trust"), value, NULL), 0);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	unlink(path);
	assert_string_equal(text, wanted);
}

static void a_choice_is_written_and_comments_stay(void **state)
{
	(void)state;
	stored("{\n}\n", "local", "{\n\t\"trust\": \"local\"\n}\n");
	stored("// mine\n{ /* a */ \"memory\": 9 }\n", "all",
			"// mine\n{ /* a */ \"memory\": 9,\n\t\"trust\": \"all\" }\n");
	stored("{ \"x\": {\"trust\": 1},\n\"trust\" /* b */: \"docker\", // c\n\"memory\": 9 }",
			"docker,local",
			"{ \"x\": {\"trust\": 1},\n\"trust\" /* b */: \"docker,local\", // c\n\"memory\": 9 }");
}

static void backends_are_trusted_by_name(void **state)
{
	(void)state;
	assert_false(trm_config_trusts("", "local"));
	assert_true(trm_config_trusts("docker, local", "local"));
	assert_true(trm_config_trusts("docker, local", "docker"));
	assert_false(trm_config_trusts("docker, local", "loca"));
	assert_false(trm_config_trusts("docker, local", "podman"));
	assert_true(trm_config_trusts("all", "podman"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(table_is_sound),
			cmocka_unit_test(passwords_in_addresses_are_not_reported),
			cmocka_unit_test(values_are_typed),
			cmocka_unit_test(impossible_values_are_sentences),
			cmocka_unit_test(what_is_refused_changes_nothing),
			cmocka_unit_test(a_typo_finds_its_setting),
			cmocka_unit_test(a_choice_is_written_and_comments_stay),
			cmocka_unit_test(backends_are_trusted_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
