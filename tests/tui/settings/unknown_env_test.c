/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "settings/settings.h"

static void note(void *user, const char *name, const char *nearest)
{
	char *reported = user;
	size_t n = strlen(reported);
	snprintf(reported + n, 512 - n, "%s -> %s\n", name, nearest ? nearest : "nothing");
}

/* What is told of an environment of just this. */
static const char *reported_of(const char *variable)
{
	static char reported[512];
	const char *env[] = {"PATH=/bin", variable, NULL};
	char **before = environ;
	reported[0] = '\0';
	environ = (char **)env;
	setting_unknown_env(note, reported);
	environ = before;
	return reported;
}

static void what_means_nothing_is_reported_with_what_was_meant(void **state)
{
	(void)state;
	assert_string_equal(reported_of("TERRARIUM_LANGUAGE=bash"),
			"TERRARIUM_LANGUAGE -> TERRARIUM_LANG\n"); /* its key */
	assert_string_equal(
			reported_of("TERRARIUM_LANGUAGES=bash"), "TERRARIUM_LANGUAGES -> TERRARIUM_LANG\n");
	assert_string_equal(reported_of("TERRARIUM_MEMROY="), "TERRARIUM_MEMROY -> TERRARIUM_MEMORY\n");
	assert_string_equal(reported_of("TERRARIUM_METRIC-INTERVAL"),
			"TERRARIUM_METRIC-INTERVAL -> TERRARIUM_METRICS_INTERVAL\n");
	assert_string_equal(reported_of("TERRARIUM_API_KEY=x"), "TERRARIUM_API_KEY -> MSB_API_KEY\n");
	assert_string_equal(reported_of("TERRARIUM_CONFG=x"), "TERRARIUM_CONFG -> TERRARIUM_CONFIG\n");
	assert_string_equal(reported_of("TERRARIUM_FAVORITE_COLOR=blue"),
			"TERRARIUM_FAVORITE_COLOR -> nothing\n");
	assert_string_equal(reported_of("TERRARIUM_=x"), "TERRARIUM_ -> nothing\n");
	assert_string_equal(reported_of("terrarium_lang=x"), "");
}

static void what_is_known_is_not_reported(void **state)
{
	char text[96];
	(void)state;
	for (size_t i = 0; i < setting_count(); i++) {
		snprintf(text, sizeof text, "%s=1", setting_row(i)->env);
		assert_string_equal(reported_of(text), "");
	}
	assert_string_equal(reported_of("TERRARIUM_CONFIG=/x"), "");
	assert_string_equal(reported_of("TERRARIUM_DATA=/x"), "");
	assert_string_equal(reported_of("TERRARIUM_GRAMMARS=/x"), "");
}

static void long_names_are_cut(void **state)
{
	char text[400] = "TERRARIUM_";
	(void)state;
	memset(text + strlen(text), 'A', sizeof text - strlen(text) - 1);
	text[sizeof text - 1] = '\0';
	const char *reported = reported_of(text);
	assert_int_equal(strcspn(reported, " "), 95);
	assert_non_null(strstr(reported, "-> nothing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(what_means_nothing_is_reported_with_what_was_meant),
			cmocka_unit_test(what_is_known_is_not_reported),
			cmocka_unit_test(long_names_are_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
