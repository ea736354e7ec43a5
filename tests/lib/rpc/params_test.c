/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <cjson/cJSON.h>
#include <string.h>

#include <terrarium/error.h>

#include "rpc/names.h"
#include "rpc/params.h"

static void a_config_is_read(void **state)
{
	struct rpc_config config;
	cJSON *json = cJSON_Parse(
			"{\"image\":\"microsandbox/python\",\"memory\":512,\"cpus\":2.0,\"volumes\":null,"
			"\"envs\":[\"A=B\"],\"scripts\":{\"start\":\"x\"},\"workdir\":null,\"unknown\":{}}");
	(void)state;
	assert_int_equal(rpc_config_read(&config, json, NULL), 0);
	assert_string_equal(config.image, "microsandbox/python");
	assert_int_equal(config.memory_mib, 512);
	assert_int_equal(config.cpus, 2);
	assert_null(config.volumes);
	assert_null(config.workdir);
	assert_int_equal(cJSON_GetArraySize(config.envs), 1);
	assert_int_equal(cJSON_GetArraySize(config.scripts), 1);
	cJSON_Delete(json);
	assert_int_equal(rpc_config_read(&config, NULL, NULL), 0);
	assert_null(config.image);
}

static void bad_configs_are_reported(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
			{"{\"cpus\":1.5}", "`cpus` must be a whole number that is not negative"},
			{"{\"memory\":-1}", "`memory` must be a whole number that is not negative"},
			{"{\"memory\":\"512\"}", "`memory` must be a whole number that is not negative"},
			{"{\"memory\":1e300}", "`memory` must be a whole number that is not negative"},
			{"{\"cpus\":256}", "`cpus` must be at most 255"},
			{"{\"memory\":4294967296}", "`memory` must be at most 4294967295"},
			{"{\"image\":1}", "`image` must be a string"},
			{"{\"envs\":{}}", "`envs` must be a list of strings"},
			{"{\"ports\":[1]}", "`ports` must be a list of strings"},
			{"{\"scripts\":{\"a\":1}}", "`scripts` must be an object whose values are strings"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct rpc_config config;
		struct trm_error why = {0};
		cJSON *json = cJSON_Parse(bad[i].text);
		assert_int_equal(rpc_config_read(&config, json, &why), TRM_EINVAL);
		assert_string_equal(why.msg, bad[i].says);
		cJSON_Delete(json);
	}
}

static void lists_have_an_end(void **state)
{
	struct rpc_config config;
	struct trm_error why = {0};
	cJSON *json = cJSON_CreateObject(), *ports = cJSON_AddArrayToObject(json, "ports");
	(void)state;
	for (int i = 0; i < RPC_CONFIG_LIST_MAX; i++)
		cJSON_AddItemToArray(ports, cJSON_CreateString("80"));
	assert_int_equal(rpc_config_read(&config, json, NULL), 0);
	cJSON_AddItemToArray(ports, cJSON_CreateString("80"));
	assert_int_equal(rpc_config_read(&config, json, &why), TRM_EINVAL);
	assert_string_equal(why.msg, "`ports` may have 256 entries at most");
	cJSON_Delete(json);
}

static void params_are_read(void **state)
{
	struct trm_error why = {0};
	const char *text = "before";
	uint64_t number = 7;
	bool flag = false;
	cJSON *json = cJSON_Parse("{\"a\":\"x\",\"n\":3,\"b\":true,\"nothing\":null,\"A\":1}");
	(void)state;
	assert_int_equal(rpc_params_check(json, NULL), 0);
	assert_int_equal(rpc_params_check(NULL, &why), TRM_EINVAL);
	assert_int_equal(rpc_need_text(json, "a", &text, NULL), 0);
	assert_string_equal(text, "x");
	assert_int_equal(rpc_need_text(json, "nothing", &text, &why), TRM_EINVAL);
	assert_string_equal(why.msg, "missing field `nothing`");
	assert_int_equal(rpc_get_text(json, "absent", &text, NULL), 0);
	assert_string_equal(text, "x");
	assert_int_equal(rpc_get_number(json, "absent", 9, &number, NULL), 0);
	assert_int_equal(number, 7);
	assert_int_equal(rpc_get_number(json, "n", 9, &number, NULL), 0);
	assert_int_equal(number, 3);
	assert_int_equal(rpc_get_bool(json, "b", &flag, NULL), 0);
	assert_true(flag);
	assert_int_equal(rpc_get_bool(json, "n", &flag, NULL), TRM_EINVAL);
	cJSON_Delete(json);
}

static void names_follow_the_rules(void **state)
{
	static const struct {
		const char *name, *says;
	} cases[] = {
			{"A_b-9", NULL},
			{"0", NULL},
			{"", "sandbox name cannot be empty"},
			{"a b", "sandbox name can only contain alphanumeric characters, hyphens, or underscores"},
			{"a/b", "sandbox name can only contain alphanumeric characters, hyphens, or underscores"},
			{"..", "sandbox name can only contain alphanumeric characters, hyphens, or underscores"},
			{"\xc3\xa9", "sandbox name can only contain alphanumeric characters, hyphens, or underscores"},
			{"*", "sandbox name can only contain alphanumeric characters, hyphens, or underscores"},
			{"-a", "sandbox name must start with an alphanumeric character"},
			{"_a", "sandbox name must start with an alphanumeric character"},
	};
	char longest[RPC_NAME_MAX + 2];
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trm_error why = {0};
		int code = rpc_name_check("sandbox", cases[i].name, &why);
		assert_int_equal(code, cases[i].says ? TRM_EINVAL : 0);
		if (cases[i].says)
			assert_string_equal(why.msg, cases[i].says);
	}
	memset(longest, 'a', sizeof longest);
	longest[RPC_NAME_MAX] = '\0';
	assert_int_equal(rpc_name_check("sandbox", longest, NULL), 0);
	longest[RPC_NAME_MAX] = 'a';
	longest[RPC_NAME_MAX + 1] = '\0';
	assert_int_equal(rpc_name_check("sandbox", longest, NULL), TRM_EINVAL);
}

static void old_methods_have_new_names(void **state)
{
	(void)state;
	assert_string_equal(rpc_method_today("sandbox.getStatus"), RPC_METRICS);
	assert_string_equal(rpc_method_today("sandbox.command.execute"), RPC_COMMAND);
	assert_string_equal(rpc_method_today(RPC_RUN), RPC_RUN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_config_is_read),
			cmocka_unit_test(bad_configs_are_reported),
			cmocka_unit_test(lists_have_an_end),
			cmocka_unit_test(params_are_read),
			cmocka_unit_test(names_follow_the_rules),
			cmocka_unit_test(old_methods_have_new_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
