/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_MCP_MCP_TOOLS_H
#define TRM_SERVER_MCP_MCP_TOOLS_H

/* The tools and prompts that the Model Context Protocol shows. Each tool is a method
 * of JSON-RPC with a name and a schema of its own. The tools are those of microsandbox's server (its mcp.rs):
 * the methods of its releases 0.2.x, with the same names and arguments. New are "timeout", an optional
 * namespace ("default"), and errors for wrong types. */

#include <stdbool.h>

struct cJSON;
struct trm_error;
struct mcp_field;

struct mcp_tool {
	const char *name;   /* "sandbox_run_code" */
	const char *method; /* "sandbox.repl.run" */
	const char *description;
	const struct mcp_field *fields; /* its arguments; the last one has the name NULL */
};

/* NULL: there is none of that name. */
const struct mcp_tool *mcp_tool_find(const char *name);
/* Check the arguments against the tool's schema. Unknown members are ignored. Returns 0, or TRM_EINVAL with
 * a message that names the argument. The method itself checks texts, names and limits. */
int mcp_tool_check(const struct mcp_tool *tool, const struct cJSON *arguments, struct trm_error *reterr);

/* Results of tools/list, prompts/list and prompts/get, owned by the caller. NULL: out of memory. `images`
 * are those that a sandbox may be started from, NULL-terminated. */
struct cJSON *mcp_tools_list(const char *const *images);
struct cJSON *mcp_prompts_list(void);
/* `params` are those of prompts/get. TRM_EINVAL: no such prompt, or an argument is no text. */
int mcp_prompt_get(const struct cJSON *params, struct cJSON **ret, struct trm_error *reterr);

#endif
