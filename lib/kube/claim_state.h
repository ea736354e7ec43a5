/* SPDX-License-Identifier: MIT */
#ifndef TRM_KUBE_CLAIM_STATE_H
#define TRM_KUBE_CLAIM_STATE_H

/* Claims of agent-sandbox as JSON: those that we make, and the states of those that we watch. The
 * templates and scripts of the recipe `agent-sandbox` (recipes.json) do the same: change both together. Pure.
 */

#include <stdbool.h>

#include "base/buf.h"
#include "base/json_scan.h"
#include "kube/command.h"
#include "kube/pod_state.h"

/* Append a SandboxClaim, or the SandboxWarmPool of one, from the operands of KUBE_CLAIM (command.h). */
int claim_object_put(struct buf *out, const char *kind, char *const *operands);
/* A line of a step READY without a newline; "": nothing new is to be told. `kind` is that of the claim: a
 * missing pool is final only for one that somebody else made. Returns out. */
char *claim_state_format(struct json_value claim, bool is_deleted, const char *kind, bool has_pod,
		char out[POD_STATE]);
/* The name of the pod that the claim is bound to, or "". Returns out. */
char *claim_pod(struct json_value claim, char out[KUBE_NAME]);
/* As pod_state_format(), of the pod's main container. The line for a running pod has its name too, and the
 * path of our agent if the pod has mounted the ConfigMap of that name. Returns out. */
char *claim_pod_state_format(struct json_value pod, const char *configmap, char out[POD_STATE]);

#endif
