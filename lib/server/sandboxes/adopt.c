/* SPDX-License-Identifier: MIT */
/* The sandboxes that an earlier server has left for this one. */
#include "server/sandboxes/adopt.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/sandbox.h>

#include "base/err.h"
#include "base/log.h"
#include "server/sandboxes/fleet_internal.h"

void adopt_format_name(const struct served *served, char out[TRM_KUBE_ADOPTABLE])
{
	snprintf(out, TRM_KUBE_ADOPTABLE, "%s/%s", served->space->name, served->name);
}

/* "NAMESPACE/NAME". The cluster is not trusted. */
static bool split_adoptable(const char *text, char space[RPC_NAME_MAX + 1], char name[RPC_NAME_MAX + 1])
{
	const size_t n = strcspn(text, "/");
	if (n > RPC_NAME_MAX || !text[n] || strlen(text + n + 1) > RPC_NAME_MAX)
		return false;
	memcpy(space, text, n);
	space[n] = '\0';
	memcpy(name, text + n + 1, strlen(text + n + 1) + 1);
	return rpc_name_check("namespace", space, NULL) == 0 && rpc_name_check("sandbox", name, NULL) == 0;
}

/* If this server does not remember what the sandbox was started with, it may have any language. */
static bool has_adopted_config(struct served *served)
{
	if (served->config)
		return true;
	served->config = cJSON_CreateObject();
	return cJSON_AddStringToObject(served->config, "image", "terrarium/all");
}

/* One that runs already has been adopted: of two with the same name the second ends by itself. */
static void adopt_pod(struct fleet *fleet, const struct trm_kube_left *left)
{
	char space[RPC_NAME_MAX + 1], name[RPC_NAME_MAX + 1];
	struct served *served;
	struct trm_error why = {0};
	if (!split_adoptable(left->adoptable, space, name)
			|| sandbox_table_find_or_add(fleet, space, name, true, &served, &why) < 0
			|| served->state != SERVED_STOPPED || !has_adopted_config(served)) {
		log_write(LOG_WARNING, "the pod '%s' of an earlier server cannot be adopted", left->pod);
		return;
	}
	served->left = left;
	lifecycle_start(served);
	served->left = NULL;
}

int adopt_all(struct fleet *fleet, struct trm_error *reterr)
{
	struct trm_sandbox_opts opts;
	struct trm_kube_left *left;
	size_t n;
	if (!fleet->opts.adopts)
		return 0;
	trm_sandbox_opts_default(&opts);
	opts.backend = fleet->opts.backend;
	opts.container = fleet->opts.container;
	int r = trm_kube_left(&opts, &left, &n, reterr);
	if (r < 0)
		return err_wrap(reterr, r, "cannot look for sandboxes of an earlier server");
	for (size_t i = 0; i < n; i++)
		adopt_pod(fleet, &left[i]);
	free(left);
	return 0;
}
