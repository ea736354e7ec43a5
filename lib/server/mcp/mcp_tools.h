/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_MCP_MCP_TOOLS_H
#define TRM_SERVER_MCP_MCP_TOOLS_H

/* What the Model Context Protocol shows of us: tools, which are the five methods of JSON-RPC under names and
 * with schemas of their own, and prompts. Names and arguments are those of microsandbox's server (its
 * mcp.rs); what is new are "timeout", a namespace that may be missing ("default"), and that wrong types are
 * told. */

#include <stdbool.h>

struct cJSON;
struct trm_error;
struct mcp_field;

struct mcp_tool {
	const char *name;   /* "sandbox_run_code" */
	const char *method; /* "sandbox.repl.run" */
	const char *description;
	const struct mcp_field *fields; /* its arguments; ends with name NULL */
};

/* NULL: there is none of that name. */
const struct mcp_tool *mcp_tool_find(const char *name);
/* Do the arguments fit the tool's schema? (Members that it does not have are nobody's business.) 0, or
 * TRM_EINVAL with a sentence that names the argument. Texts, names and limits are the method's own matter. */
int mcp_tool_check(const struct mcp_tool *tool, const struct cJSON *arguments, struct trm_error *reterr);

/* Results of tools/list, prompts/list and prompts/get: the caller's; NULL when out of memory. `images`: what
 * a sandbox may be started from, NULL-terminated. */
struct cJSON *mcp_tools_list(const char *const *images);
struct cJSON *mcp_prompts_list(void);
/* `params` of prompts/get. TRM_EINVAL: no such prompt, or arguments that are no texts. */
int mcp_prompt_get(const struct cJSON *params, struct cJSON **ret, struct trm_error *reterr);

#endif
