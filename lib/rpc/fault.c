/* SPDX-License-Identifier: MIT */
#include "rpc/fault.h"

static const struct rpc_fault faults[] = {
#define X(name, http, shape, code, text) [RPC_##name] = {http, RPC_SHAPE_##shape, code, text},
		RPC_FAULTS(X)
#undef X
};

const struct rpc_fault *rpc_fault(enum rpc_fault_id id)
{
	return &faults[id];
}
