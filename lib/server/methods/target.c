/* SPDX-License-Identifier: MIT */
#include "server/methods/target.h"

#include "rpc/names.h"
#include "rpc/params.h"
#include "server/jsonrpc/call.h"

void target_fail(struct call *call, const struct trm_error *why)
{
	if (why->code == TRM_EINVAL)
		call_fail_params(call, why->msg);
	else
		call_fail(call, RPC_INTERNAL, "%s", why->msg);
}

static int read_names(const struct call *call, bool is_needed, struct target *ret, struct trm_error *why)
{
	*ret = (struct target){.space = RPC_NAMESPACE};
	int r = !call->params && !is_needed ? 0 : rpc_params_check(call->params, why);
	if (r < 0 || !call->params)
		return r;
	r = is_needed ? rpc_need_text(call->params, "sandbox", &ret->name, why)
		      : rpc_get_text(call->params, "sandbox", &ret->name, why);
	return r < 0 ? r : rpc_get_text(call->params, "namespace", &ret->space, why);
}

bool target_read(struct call *call, bool is_needed, struct target *ret)
{
	struct trm_error why = {0};
	int r = read_names(call, is_needed, ret, &why);
	if (r < 0)
		target_fail(call, &why);
	return r == 0;
}

bool target_read_checked(struct call *call, struct target *ret)
{
	struct trm_error why = {0};
	int r = read_names(call, true, ret, &why);
	if (r == 0)
		r = rpc_name_check("Sandbox", ret->name, &why);
	if (r == 0)
		r = rpc_name_check("Namespace", ret->space, &why);
	if (r < 0)
		target_fail(call, &why);
	return r == 0;
}
