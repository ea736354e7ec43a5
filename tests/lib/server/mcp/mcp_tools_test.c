/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>

#include "server/mcp/mcp_tools.h"

static const char *const images[] = {"microsandbox/python", "microsandbox/node", "terrarium/all", NULL};

static void names_of(const cJSON *list, char *out, size_t cap)
{
	const cJSON *item;
	out[0] = '\0';
	cJSON_ArrayForEach(item, list)
	{
		const cJSON *name = cJSON_IsString(item) ? item : cJSON_GetObjectItem(item, "name");
		size_t n = strlen(out);
		snprintf(out + n, cap - n, "%s ", name->valuestring);
	}
}

static void tools_are_listed(void **state)
{
	static const char *const required[] = {
			"sandbox ", "sandbox ", "sandbox code language ", "sandbox command ", ""};
	char names[256];
	cJSON *result = mcp_tools_list(images), *tool;
	size_t i = 0;
	(void)state;
	names_of(cJSON_GetObjectItem(result, "tools"), names, sizeof names);
	assert_string_equal(names, "sandbox_start sandbox_stop sandbox_run_code sandbox_run_command "
				   "sandbox_get_metrics ");
	cJSON_ArrayForEach(tool, cJSON_GetObjectItem(result, "tools"))
	{
		const cJSON *schema = cJSON_GetObjectItem(tool, "inputSchema");
		assert_string_equal(cJSON_GetObjectItem(schema, "type")->valuestring, "object");
		names_of(cJSON_GetObjectItem(schema, "required"), names, sizeof names);
		assert_string_equal(names, required[i++]);
		assert_non_null(mcp_tool_find(cJSON_GetObjectItem(tool, "name")->valuestring));
	}
	char *text = cJSON_PrintUnformatted(result);
	assert_non_null(strstr(
			text, "\"enum\":[\"microsandbox/python\",\"microsandbox/node\",\"terrarium/all\"]"));
	cJSON_free(text);
	cJSON_Delete(result);
}

static void arguments_are_checked(void **state)
{
	static const struct {
		const char *tool, *arguments, *why;
	} cases[] = {
			{"sandbox_start", "{\"sandbox\":\"a\"}", NULL},
			{"sandbox_start", "{\"sandbox\":\"a\",\"namespace\":null,\"config\":null,\"odd\":1}",
					NULL},
			{"sandbox_start",
					"{\"sandbox\":\"a\",\"config\":{\"image\":\"x\",\"memory\":512,\"cpus\":1.0,"
					"\"envs\":[\"A=1\"],\"volumes\":[]}}",
					NULL},
			{"sandbox_start", "{}", "argument 'sandbox' is missing"},
			{"sandbox_start", "null", "argument 'sandbox' is missing"},
			{"sandbox_start", "[]", "'arguments' must be an object"},
			{"sandbox_start", "\"sandbox\"", "'arguments' must be an object"},
			{"sandbox_start", "{\"sandbox\":7}", "argument 'sandbox' must be a string"},
			{"sandbox_start", "{\"sandbox\":\"a\",\"config\":[]}",
					"argument 'config' must be an object"},
			{"sandbox_start", "{\"sandbox\":\"a\",\"config\":{\"memory\":\"512\"}}",
					"argument 'config.memory' must be a whole number, 0 or more"},
			{"sandbox_start", "{\"sandbox\":\"a\",\"config\":{\"cpus\":1.5}}",
					"argument 'config.cpus' must be a whole number, 0 or more"},
			{"sandbox_start", "{\"sandbox\":\"a\",\"config\":{\"memory\":-1}}",
					"argument 'config.memory' must be a whole number, 0 or more"},
			{"sandbox_start", "{\"sandbox\":\"a\",\"config\":{\"envs\":\"A=1\"}}",
					"argument 'config.envs' must be an array of strings"},
			{"sandbox_start", "{\"sandbox\":\"a\",\"config\":{\"envs\":[1]}}",
					"argument 'config.envs' must be an array of strings"},
			{"sandbox_run_code",
					"{\"sandbox\":\"a\",\"code\":\"1\",\"language\":\"python\",\"timeout\":5}",
					NULL},
			{"sandbox_run_code", "{\"sandbox\":\"a\",\"code\":\"1\"}",
					"argument 'language' is missing"},
			{"sandbox_run_code", "{\"sandbox\":\"a\",\"code\":[\"1\"],\"language\":\"python\"}",
					"argument 'code' must be a string"},
			{"sandbox_run_code",
					"{\"sandbox\":\"a\",\"code\":\"1\",\"language\":\"python\",\"timeout\":true}",
					"argument 'timeout' must be a whole number, 0 or more"},
			{"sandbox_run_command", "{\"sandbox\":\"a\",\"command\":\"ls\",\"args\":{}}",
					"argument 'args' must be an array of strings"},
			{"sandbox_get_metrics", "{}", NULL},
			{"sandbox_get_metrics", "{\"namespace\":1}", "argument 'namespace' must be a string"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trm_error why = {0};
		cJSON *arguments = cJSON_Parse(cases[i].arguments);
		assert_non_null(arguments);
		int r = mcp_tool_check(mcp_tool_find(cases[i].tool), arguments, &why);
		assert_int_equal(r, cases[i].why ? TRM_EINVAL : 0);
		assert_string_equal(why.msg, cases[i].why ? cases[i].why : "");
		cJSON_Delete(arguments);
	}
	assert_int_equal(mcp_tool_check(mcp_tool_find("sandbox_get_metrics"), NULL, NULL), 0);
	assert_null(mcp_tool_find("sandbox"));
	assert_null(mcp_tool_find(""));
}

static void prompts_are_reported(void **state)
{
	static const struct {
		const char *params, *part; /* NULL: none */
	} cases[] = {
			{"{\"name\":\"create_python_sandbox\"}",
					"named 'python-sandbox' in namespace 'default'"},
			{"{\"name\":\"create_node_sandbox\",\"arguments\":null}", "named 'node-sandbox'"},
			{"{\"name\":\"create_node_sandbox\",\"arguments\":{\"sandbox_name\":\"n\",\"namespace\":\"m\"}}",
					"Node.js sandbox named 'n' in namespace 'm'"},
			{"{\"name\":\"create_ruby_sandbox\"}", NULL},
			{"{\"name\":7}", NULL},
			{"{}", NULL},
			{"7", NULL},
			{"{\"name\":\"create_node_sandbox\",\"arguments\":[]}", NULL},
			{"{\"name\":\"create_node_sandbox\",\"arguments\":{\"sandbox_name\":1}}", NULL},
	};
	char names[128];
	cJSON *list = mcp_prompts_list();
	(void)state;
	names_of(cJSON_GetObjectItem(list, "prompts"), names, sizeof names);
	assert_string_equal(names, "create_python_sandbox create_node_sandbox ");
	cJSON_Delete(list);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trm_error why = {0};
		cJSON *params = cJSON_Parse(cases[i].params), *result = NULL;
		int r = mcp_prompt_get(params, &result, &why);
		assert_int_equal(r, cases[i].part ? 0 : TRM_EINVAL);
		assert_true(!cases[i].part == !!why.msg[0]);
		if (result) {
			const cJSON *message = cJSON_GetArrayItem(cJSON_GetObjectItem(result, "messages"), 0);
			const cJSON *content = cJSON_GetObjectItem(message, "content");
			assert_string_equal(cJSON_GetObjectItem(message, "role")->valuestring, "user");
			assert_non_null(strstr(
					cJSON_GetObjectItem(content, "text")->valuestring, cases[i].part));
		}
		cJSON_Delete(result);
		cJSON_Delete(params);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(tools_are_listed),
			cmocka_unit_test(arguments_are_checked),
			cmocka_unit_test(prompts_are_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
