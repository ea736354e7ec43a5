/* SPDX-License-Identifier: MIT */
/* sandbox.start and sandbox.stop. */
#include <cJSON.h>
#include <stdio.h>

#include "rpc/params.h"
#include "server/jsonrpc/call.h"
#include "server/jsonrpc/method.h"
#include "server/jsonrpc/server.h"
#include "server/methods/target.h"
#include "server/sandboxes/fleet.h"

static void finish(struct call *call, struct served *served, const struct trm_error *why, const char *note,
		const char *done)
{
	char text[768];
	if (why->code) {
		target_fail(call, why);
		return;
	}
	snprintf(text, sizeof text, "Sandbox %s %s successfully%s%s", served->name, done, *note ? "; " : "",
			note);
	call_result(call, cJSON_CreateString(text));
}

static void on_started(void *user, struct served *served, const struct trm_error *why, const char *note)
{
	finish(user, served, why, note, "started");
}

static void on_stopped(void *user, struct served *served, const struct trm_error *why, const char *note)
{
	finish(user, served, why, note, "stopped");
}

void method_start(struct call *call)
{
	struct target target;
	struct rpc_config config;
	struct trm_error why = {0};
	const cJSON *json = NULL;
	if (!target_read_checked(call, &target))
		return;
	if (rpc_get_object(call->params, "config", &json, &why) < 0
			|| rpc_config_read(&config, json, &why) < 0)
		target_fail(call, &why);
	else
		fleet_start(call->server->fleet, target.space, target.name, json, on_started, call);
}

void method_stop(struct call *call)
{
	struct target target;
	if (target_read_checked(call, &target))
		fleet_stop(call->server->fleet, target.space, target.name, on_stopped, call);
}
