/* SPDX-License-Identifier: MIT */
#include "recipe/recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "base/buf.h"
#include "cmocka_all.h"

static const char nowhere[] = "/nonexistent/config.json";

static struct trm_recipe *load(const char *name)
{
	struct trm_recipe *recipe = NULL;
	struct trm_error why = {0};
	if (trm_recipe_load(name, nowhere, &recipe, &why) < 0)
		fail_msg("%s", why.msg);
	return recipe;
}

/* The commands of a step as one line: arguments apart by '|', commands by ';'. */
static const char *expand(
		const struct trm_recipe *recipe, enum recipe_step step, const struct recipe_facts *facts)
{
	static char line[8192];
	struct trm_error why = {0};
	struct buf out;
	buf_init(&out, sizeof line);
	if (recipe_expand(recipe, step, facts, &out, &why) < 0)
		snprintf(line, sizeof line, "ERROR %s", why.msg);
	else
		snprintf(line, sizeof line, "%.*s", (int)out.len, out.len ? buf_at(&out) : "");
	for (size_t i = 0; strncmp(line, "ERROR", 5) != 0 && i < out.len; i++) {
		char c = buf_at(&out)[i];
		line[i] = c ? c : i && line[i - 1] == '|' ? ';' : '|';
		line[i + 1] = 0;
	}
	buf_finish(&out);
	return line;
}

static void test_built_in(void **state)
{
	static const char *const names[] = {"docker", "podman", "msb"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct trm_recipe *recipe = load(names[i]);
		assert_string_equal(trm_recipe_name(recipe), names[i]);
		assert_true(*trm_recipe_about(recipe));
		assert_true(recipe_has(recipe, STEP_CONNECT));
		trm_recipe_free(recipe);
	}
}

static struct recipe_facts facts_of_a_container(void)
{
	static const struct recipe_mount mounts[] = {{"/data, \"x\"", "/in", false}, {"/out", "/out", true}};
	static const char *const options[] = {"--user", "1000"};
	return (struct recipe_facts){
			.value = {[FACT_NAME] = "box",
					[FACT_IMAGE] = "debian:12",
					[FACT_MEMORY_BYTES] = "536870912",
					[FACT_CPUS] = "0.5",
					[FACT_PROCS] = "128",
					[FACT_OPEN_FILES] = "4096",
					[FACT_UID] = "0",
					[FACT_AGENT] = "/run/a",
					[FACT_SHARE] = "/run/s",
					[FACT_KEY] = "00ff"},
			.mounts = mounts,
			.n_mounts = 2,
			.options = options,
			.n_options = 2,
	};
}

static void test_create_the_direct_way(void **state)
{
	struct trm_recipe *recipe = load("docker");
	struct recipe_facts facts = facts_of_a_container();
	const char *line = expand(recipe, STEP_CREATE, &facts);
	(void)state;
	assert_non_null(strstr(line, "docker|create|--name|box|"));
	assert_non_null(strstr(line, "|dev.terrarium.keeper=\1keeper\1|"));
	assert_non_null(strstr(line, "|--mount|type=bind,\"src=/data, \"\"x\"\"\",\"dst=/in\",readonly|"));
	assert_non_null(strstr(line, "|--mount|type=bind,\"src=/out\",\"dst=/out\"|"));
	assert_non_null(strstr(line, "|--network|none|"));
	assert_non_null(strstr(line, "|debian:12|/.terrarium/agent|container|--door|/.terrarium/door/sock|--user|1000|"));
	assert_null(strstr(line, "--key"));
	facts.value[FACT_SHARE] = NULL;
	facts.value[FACT_NET] = "on";
	line = expand(recipe, STEP_CREATE, &facts);
	assert_null(strstr(line, "--door"));
	assert_null(strstr(line, "--network"));
	assert_non_null(strstr(line, "|debian:12|/.terrarium/agent|container|--key|00ff|--user|1000|"));
	trm_recipe_free(recipe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_built_in),
			cmocka_unit_test(test_create_the_direct_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
