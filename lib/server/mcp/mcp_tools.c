/* SPDX-License-Identifier: MIT */
#include "server/mcp/mcp_tools.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <terrarium/error.h>

#include "rpc/names.h"
#include "rpc/put.h"

enum mcp_type { TYPE_TEXT, TYPE_IMAGE, TYPE_WHOLE, TYPE_TEXTS, TYPE_CONFIG };

struct mcp_field {
	const char *name;
	enum mcp_type type;
	bool is_required;
	const char *description;
};

static const struct mcp_field config_fields[] = {
		{"image", TYPE_IMAGE, false,
				"Image to start the sandbox from: it decides which languages there are"},
		{"memory", TYPE_WHOLE, false, "Memory limit in MiB"},
		{"cpus", TYPE_WHOLE, false, "Number of CPUs"},
		{"volumes", TYPE_TEXTS, false, "Folders of the host to be mounted, as HOST:GUEST"},
		{"ports", TYPE_TEXTS, false, "Port mappings, as HOST:GUEST"},
		{"envs", TYPE_TEXTS, false, "Environment variables, as KEY=VALUE"},
		{NULL, 0, false, NULL},
};

#define SANDBOX(what) \
	{ \
		"sandbox", TYPE_TEXT, true, what \
	}
#define NAMESPACE \
	{ \
		"namespace", TYPE_TEXT, false, "Namespace of the sandbox (default: \"default\")" \
	}
#define TIMEOUT \
	{ \
		"timeout", TYPE_WHOLE, false, "Seconds after which it is stopped (default: no limit)" \
	}
#define END \
	{ \
		NULL, 0, false, NULL \
	}

static const struct mcp_field start_fields[] = {SANDBOX("Name of the sandbox to start"), NAMESPACE,
		{"config", TYPE_CONFIG, false,
				"Sandbox configuration; needed for a sandbox that was never started before"},
		END};
static const struct mcp_field stop_fields[] = {SANDBOX("Name of the sandbox to stop"), NAMESPACE, END};
static const struct mcp_field code_fields[] = {SANDBOX("Name of the sandbox, which must have been started"),
		NAMESPACE, {"code", TYPE_TEXT, true, "Code to run"},
		{"language", TYPE_TEXT, true, "Programming language, e.g. \"python\" or \"nodejs\""},
		{"libraries", TYPE_TEXTS, false,
				"Packages that the code needs, e.g. \"numpy\" or \"rich>=13\"; they are installed first"},
		TIMEOUT, END};
static const struct mcp_field command_fields[] = {
		SANDBOX("Name of the sandbox, which must have been started"), NAMESPACE,
		{"command", TYPE_TEXT, true, "Program to run: no shell is involved unless this is one"},
		{"args", TYPE_TEXTS, false, "Its arguments"}, TIMEOUT, END};
static const struct mcp_field metrics_fields[] = {
		{"sandbox", TYPE_TEXT, false, "Name of one sandbox (default: all)"},
		{"namespace", TYPE_TEXT, false, "Namespace to look at, \"*\" for all (default: \"default\")"},
		END};

static const struct mcp_tool tools[] = {
		{"sandbox_start", RPC_START,
				"Start a sandbox: an isolated place to run code and commands in, which keeps its state "
				"until it is stopped. Stop it when you have finished, since it holds memory until then.",
				start_fields},
		{"sandbox_stop", RPC_STOP,
				"Stop a sandbox. Its files come back when a sandbox of the same name is started; the variables of its "
				"code do not.",
				stop_fields},
		{"sandbox_run_code", RPC_RUN,
				"Run code in a sandbox that was started with sandbox_start, and wait for its end. Variables "
				"and imports stay from one call to the next. Exceptions are reported on stderr.",
				code_fields},
		{"sandbox_run_command", RPC_COMMAND,
				"Run a command in a sandbox that was started with sandbox_start, and wait for its end.",
				command_fields},
		{"sandbox_get_metrics", RPC_METRICS,
				"Tell which sandboxes there are, whether they are running, and how much CPU, memory and "
				"disk they use.",
				metrics_fields},
};

/* ---- schemas ---- */

static cJSON *field_schema(const struct mcp_field *field, const char *const *images);

static cJSON *object_schema(const struct mcp_field *fields, const char *const *images)
{
	cJSON *schema = cJSON_CreateObject(), *properties = cJSON_CreateObject(),
	      *required = cJSON_CreateArray();
	for (const struct mcp_field *field = fields; field->name; field++) {
		rpc_put(&properties, field->name, field_schema(field, images));
		if (field->is_required)
			rpc_append(&required, cJSON_CreateString(field->name));
	}
	rpc_put_text(&schema, "type", "object");
	rpc_put(&schema, "properties", properties);
	rpc_put(&schema, "required", required);
	return schema;
}

static cJSON *typed(const char *type)
{
	cJSON *schema = cJSON_CreateObject();
	rpc_put_text(&schema, "type", type);
	return schema;
}

static cJSON *field_schema(const struct mcp_field *field, const char *const *images)
{
	cJSON *schema = NULL, *offered;
	switch (field->type) {
	case TYPE_TEXT: schema = typed("string"); break;
	case TYPE_IMAGE:
		schema = typed("string");
		offered = cJSON_CreateArray();
		for (; *images; images++)
			rpc_append(&offered, cJSON_CreateString(*images));
		rpc_put(&schema, "enum", offered);
		break;
	case TYPE_WHOLE:
		schema = typed("integer");
		rpc_put_number(&schema, "minimum", 0);
		break;
	case TYPE_TEXTS:
		schema = typed("array");
		rpc_put(&schema, "items", typed("string"));
		break;
	case TYPE_CONFIG: schema = object_schema(config_fields, images); break;
	}
	rpc_put_text(&schema, "description", field->description);
	return schema;
}

cJSON *mcp_tools_list(const char *const *images)
{
	cJSON *result = cJSON_CreateObject(), *list = cJSON_CreateArray();
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
		cJSON *tool = cJSON_CreateObject();
		rpc_put_text(&tool, "name", tools[i].name);
		rpc_put_text(&tool, "description", tools[i].description);
		rpc_put(&tool, "inputSchema", object_schema(tools[i].fields, images));
		rpc_append(&list, tool);
	}
	rpc_put(&result, "tools", list);
	return result;
}

/* ---- arguments ---- */

const struct mcp_tool *mcp_tool_find(const char *name)
{
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	}
	return NULL;
}

static bool is_texts(const cJSON *value)
{
	const cJSON *item;
	if (!cJSON_IsArray(value))
		return false;
	cJSON_ArrayForEach(item, value)
	{
		if (!cJSON_IsString(item))
			return false;
	}
	return true;
}

static bool is_whole(const cJSON *value)
{
	return cJSON_IsNumber(value) && value->valuedouble >= 0
	       && floor(value->valuedouble) == value->valuedouble;
}

static int check_fields(const struct mcp_field *fields, const cJSON *object, const char *where,
		struct trm_error *reterr);

/* `where` precedes the name of the field in messages: "config." or "". */
static int check_field(const struct mcp_field *field, const cJSON *value, const char *where,
		struct trm_error *reterr)
{
	const char *wanted = NULL;
	switch (field->type) {
	case TYPE_TEXT:
	case TYPE_IMAGE: wanted = cJSON_IsString(value) ? NULL : "a string"; break;
	case TYPE_WHOLE: wanted = is_whole(value) ? NULL : "a whole number, 0 or more"; break;
	case TYPE_TEXTS: wanted = is_texts(value) ? NULL : "an array of strings"; break;
	case TYPE_CONFIG:
		if (cJSON_IsObject(value))
			return check_fields(config_fields, value, "config.", reterr);
		wanted = "an object";
		break;
	}
	if (!wanted)
		return 0;
	return trm_error_set(reterr, TRM_EINVAL, "argument '%s%s' must be %s", where, field->name, wanted);
}

static int check_fields(const struct mcp_field *fields, const cJSON *object, const char *where,
		struct trm_error *reterr)
{
	for (const struct mcp_field *field = fields; field->name; field++) {
		const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, field->name);
		int r = 0;
		if (value && !cJSON_IsNull(value))
			r = check_field(field, value, where, reterr);
		else if (field->is_required)
			r = trm_error_set(
					reterr, TRM_EINVAL, "argument '%s%s' is missing", where, field->name);
		if (r < 0)
			return r;
	}
	return 0;
}

int mcp_tool_check(const struct mcp_tool *tool, const cJSON *arguments, struct trm_error *reterr)
{
	if (arguments && !cJSON_IsNull(arguments) && !cJSON_IsObject(arguments))
		return trm_error_set(reterr, TRM_EINVAL, "'arguments' must be an object");
	return check_fields(tool->fields, arguments, "", reterr);
}
