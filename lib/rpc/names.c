/* SPDX-License-Identifier: MIT */
#include "rpc/names.h"

#include <stdbool.h>
#include <string.h>

#include "base/err.h"

const char *rpc_method_today(const char *method)
{
	static const struct {
		const char *old, *today;
	} names[] = {
			{"sandbox.getStatus", RPC_METRICS},
			{"sandbox.command.execute", RPC_COMMAND},
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(method, names[i].old))
			return names[i].today;
	return method;
}

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

int rpc_name_check(const char *what, const char *name, struct trm_error *reterr)
{
	size_t n = strlen(name);
	if (!n)
		return trm_error_set(reterr, TRM_EINVAL, "%s name cannot be empty", what);
	if (n > RPC_NAME_MAX)
		return trm_error_set(reterr, TRM_EINVAL, "%s name cannot exceed %d characters", what,
				RPC_NAME_MAX);
	for (size_t i = 0; i < n; i++)
		if (!is_alnum(name[i]) && name[i] != '-' && name[i] != '_')
			return trm_error_set(reterr, TRM_EINVAL,
					"%s name can only contain alphanumeric characters, hyphens, or underscores",
					what);
	if (!is_alnum(*name))
		return trm_error_set(reterr, TRM_EINVAL, "%s name must start with an alphanumeric character",
				what);
	return 0;
}
