/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/recipe.h>

#include "backend/recipe/engine_args.h"

static struct trm_recipe *docker, *msb;

static int open_recipes(void **state)
{
	(void)state;
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	return trm_recipe_load("docker", NULL, &docker, NULL) || trm_recipe_load("msb", NULL, &msb, NULL);
}

static int close_recipes(void **state)
{
	(void)state;
	trm_recipe_free(docker);
	trm_recipe_free(msb);
	return 0;
}

static int check(const char *arg, struct trm_error *why)
{
	const struct trm_container_opts opts = {
			.engine_args = (const char *const[]){arg}, .n_engine_args = 1};
	return engine_args_check(&opts, docker, why);
}

static void test_which_pass(void **state)
{
	static const char *const good[] = {"--shm-size=1g", "--cap-add=SYS_PTRACE", "-eA=b", "--init",
			"--gpus=all", "--env=A=b c", "--memory-reservation=1g", "--network-alias=x"};
	static const char *const bad[] = {"", "-", "--", "alpine", "--name=x", "--memory=2g", "-m2g",
			"--memory", "-m", "--network=host", "--net=host", "--entrypoint=sh", "--rm", "-it",
			"--runtime=runsc", "--label=a\nb"};
	struct trm_error why;
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (check(good[i], &why) < 0)
			fail_msg("%s: %s", good[i], why.msg);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (check(bad[i], &why) != TRM_EINVAL)
			fail_msg("'%s' should be refused", bad[i]);
	assert_int_equal(check("--memory=2g", &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "Terrarium sets --memory itself, by the setting memory"));
}

static void test_where_they_have_no_place(void **state)
{
	struct trm_container_opts opts = {.engine_args = (const char *const[]){"--init"}, .n_engine_args = 1};
	struct trm_error why;
	(void)state;
	assert_int_equal(engine_args_check(&opts, msb, &why), TRM_ENOTSUP);
	opts.container = "there";
	assert_int_equal(engine_args_check(&opts, docker, &why), TRM_EINVAL);
	opts = (struct trm_container_opts){.runtime = "runsc"};
	assert_int_equal(engine_args_check(&opts, docker, &why), 0);
	assert_int_equal(engine_args_check(&opts, msb, &why), TRM_ENOTSUP);
	opts.runtime = "-x";
	assert_int_equal(engine_args_check(&opts, docker, &why), TRM_EINVAL);
}

static void test_list(void **state)
{
	const struct trm_container_opts opts = {.engine_args = (const char *const[]){"--init", "--env=A=b c"},
			.n_engine_args = 2,
			.runtime = "runsc"};
	char list[TRM_ENGINE_ARGS_BYTES];
	(void)state;
	engine_args_list(&opts, list);
	assert_string_equal(list, "--runtime=runsc\n--init\n--env=A=b c\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_which_pass),
			cmocka_unit_test(test_where_they_have_no_place), cmocka_unit_test(test_list)};
	return cmocka_run_group_tests(tests, open_recipes, close_recipes);
}
