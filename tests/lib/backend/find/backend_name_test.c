/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/recipe.h>

static char path[] = "/tmp/backend-find-XXXXXX";

static int write_config(void **state)
{
	static const char text[] =
			"{\"backends\": {\"DOCKER\": {\"like\": \"docker\"}, \"Box\": {\"like\": \"podman\"}, "
			"\"LOCAL\": {\"like\": \"podman\"}}}";
	int fd = mkstemp(path);
	(void)state;
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	return fd < 0 || write(fd, text, sizeof text - 1) < 0 || close(fd) < 0;
}

static int remove_config(void **state)
{
	(void)state;
	return unlink(path);
}

static void test_exact_names_come_first(void **state)
{
	static const struct {
		const char *asked, *with_config, *without;
	} rows[] = {
			{"local", "local", "local"},
			{"Local", "local", "local"},
			{"LOCAL", "LOCAL", "local"},
			{"docker", "docker", "docker"},
			{"DOCKER", "DOCKER", "docker"},
			{"Podman", "podman", "podman"},
			{"box", "Box", "box"},
			{"Box", "Box", "Box"},
			{"MicroSandbox", "microsandbox", "microsandbox"},
			{"MSB", "msb", "msb"},
			{"nosuch", "nosuch", "nosuch"},
			{"", "", ""},
	};
	char out[TRM_RECIPE_NAME];
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_string_equal(
				trm_backend_name(rows[i].asked, path, out, sizeof out), rows[i].with_config);
		assert_string_equal(trm_backend_name(rows[i].asked, NULL, out, sizeof out), rows[i].without);
	}
}

static void test_a_recipe_is_found_in_any_case(void **state)
{
	struct trm_recipe *recipe;
	struct trm_error why;
	(void)state;
	assert_int_equal(trm_recipe_load("bOX", path, &recipe, &why), 0);
	assert_string_equal(trm_recipe_name(recipe), "Box");
	trm_recipe_free(recipe);
	assert_int_equal(trm_recipe_load("DOCKER", path, &recipe, &why), 0);
	assert_string_equal(trm_recipe_name(recipe), "DOCKER");
	trm_recipe_free(recipe);
	assert_int_equal(trm_recipe_load("nosuch", path, &recipe, &why), TRM_ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact_names_come_first),
			cmocka_unit_test(test_a_recipe_is_found_in_any_case)};
	return cmocka_run_group_tests(tests, write_config, remove_config);
}
