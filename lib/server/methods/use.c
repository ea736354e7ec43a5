/* SPDX-License-Identifier: MIT */
#include "server/methods/use.h"

#include <stdlib.h>

#include "server/jsonrpc/call.h"
#include "server/jsonrpc/server.h"
#include "server/sandboxes/fleet.h"

void use_end(struct use *u)
{
	if (u->kind->finish)
		u->kind->finish(u);
	if (u->served)
		served_unuse(u->served);
	free(u);
}

void use_fail(struct use *u, const struct trm_error *why)
{
	if (u->served && u->served->state == SERVED_STOPPING)
		call_fail(u->call, RPC_INTERNAL, "sandbox '%s' in namespace '%s' was stopped", u->target.name,
				u->target.space);
	else
		call_fail(u->call, RPC_INTERNAL, "%s", why->msg);
	use_end(u);
}

static void on_served(void *user, struct served *served, const struct trm_error *why, const char *note)
{
	struct use *u = user;
	struct trm_error own = *why;
	(void)note;
	u->served = why->code ? NULL : served;
	if (why->code && why->code != TRM_ENOMEM)
		u->call->reason = "not-running";
	if (own.code || u->kind->begin(u, &own) < 0)
		use_fail(u, &own);
}

static void on_gone(struct call *call, void *user)
{
	struct use *u = user;
	if (u->served)
		u->kind->gone(u);
	else
		fleet_use_cancel(call->server->fleet, u->target.space, u->target.name, u);
}

void use_begin(struct call *call, const struct use_kind *kind)
{
	struct trm_error why = {0};
	struct target target;
	if (!target_read(call, true, &target))
		return;
	struct use *u = calloc(1, kind->size);
	if (!u) {
		call_fail(call, RPC_INTERNAL, "out of memory");
		return;
	}
	*u = (struct use){.kind = kind, .call = call, .target = target};
	call->on_gone = on_gone;
	call->user = u;
	if (kind->read(u, &why) < 0) {
		call_fail(call, kind->wrong_params, "Invalid params for %s: %s", call->method, why.msg);
		use_end(u);
		return;
	}
	fleet_use(call->server->fleet, target.space, target.name, on_served, u);
}
