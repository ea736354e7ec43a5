/* SPDX-License-Identifier: MIT */
#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "rpc/names.h"
#include "rpc/put.h"
#include "server/mcp/mcp_tools.h"

static const struct prompt {
	const char *name, *description;
	const char *sandbox; /* the default */
	const char *kind, *image, *use;
} prompts[] = {
		{"create_python_sandbox", "Create a Python development sandbox", "python-sandbox", "Python",
				"microsandbox/python", "Python code"},
		{"create_node_sandbox", "Create a Node.js development sandbox", "node-sandbox", "Node.js",
				"microsandbox/node", "JavaScript"},
};

static void add_argument(cJSON **list, const char *name, const char *description, bool is_required)
{
	cJSON *argument = cJSON_CreateObject();
	rpc_put_text(&argument, "name", name);
	rpc_put_text(&argument, "description", description);
	rpc_put_bool(&argument, "required", is_required);
	rpc_append(list, argument);
}

cJSON *mcp_prompts_list(void)
{
	cJSON *result = cJSON_CreateObject(), *list = cJSON_CreateArray();
	for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
		cJSON *prompt = cJSON_CreateObject(), *arguments = cJSON_CreateArray();
		rpc_put_text(&prompt, "name", prompts[i].name);
		rpc_put_text(&prompt, "description", prompts[i].description);
		add_argument(&arguments, "sandbox_name", "Name for the new sandbox", true);
		add_argument(&arguments, "namespace", "Namespace for the sandbox", false);
		rpc_put(&prompt, "arguments", arguments);
		rpc_append(&list, prompt);
	}
	rpc_put(&result, "prompts", list);
	return result;
}

/* An argument of a prompt, or its default. */
static int take_argument(const cJSON *arguments, const char *name, const char **ret, struct trm_error *reterr)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(arguments, name);
	if (!value || cJSON_IsNull(value))
		return 0;
	if (!cJSON_IsString(value))
		return trm_error_set(reterr, TRM_EINVAL, "argument '%s' must be a string", name);
	*ret = value->valuestring;
	return 0;
}

__attribute__((format(printf, 1, 2))) static char *say(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	return text;
}

static cJSON *prompt_result(const struct prompt *prompt, const char *sandbox, const char *namespace)
{
	char *text = say(
			"Create a %s sandbox named '%s' in namespace '%s' using the sandbox_start tool with this "
			"configuration:\n\n"
			"- Image: %s\n- Memory: 512 MiB\n- CPUs: 1\n\n"
			"It is then ready to run %s with sandbox_run_code and programs with sandbox_run_command, in "
			"/workspace. Stop it with sandbox_stop when it is no longer needed.",
			prompt->kind, sandbox, namespace, prompt->image, prompt->use);
	cJSON *result = cJSON_CreateObject(), *messages = cJSON_CreateArray(),
	      *message = cJSON_CreateObject(), *content = cJSON_CreateObject();
	rpc_put_text(&content, "type", "text");
	rpc_put(&content, "text", text ? cJSON_CreateString(text) : NULL);
	rpc_put_text(&message, "role", "user");
	rpc_put(&message, "content", content);
	rpc_append(&messages, message);
	rpc_put_text(&result, "description", prompt->description);
	rpc_put(&result, "messages", messages);
	free(text);
	return result;
}

static const struct prompt *find(const char *name)
{
	for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
		if (strcmp(prompts[i].name, name) == 0)
			return &prompts[i];
	}
	return NULL;
}

int mcp_prompt_get(const cJSON *params, cJSON **ret, struct trm_error *reterr)
{
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(params, "name");
	const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(params, "arguments");
	if (!cJSON_IsString(name))
		return trm_error_set(reterr, TRM_EINVAL, "'name' is missing, or not a string");
	const struct prompt *prompt = find(name->valuestring);
	if (!prompt)
		return trm_error_set(reterr, TRM_EINVAL, "there is no prompt '%s'", name->valuestring);
	if (arguments && !cJSON_IsNull(arguments) && !cJSON_IsObject(arguments))
		return trm_error_set(reterr, TRM_EINVAL, "'arguments' must be an object");
	const char *sandbox = prompt->sandbox, *namespace = RPC_NAMESPACE;
	int r = take_argument(arguments, "sandbox_name", &sandbox, reterr);
	if (r == 0)
		r = take_argument(arguments, "namespace", &namespace, reterr);
	if (r < 0)
		return r;
	*ret = prompt_result(prompt, sandbox, namespace);
	return *ret ? 0 : trm_error_set(reterr, TRM_ENOMEM, "out of memory");
}
