/* SPDX-License-Identifier: MIT */
#ifndef TRM_KUBE_POD_STATE_H
#define TRM_KUBE_POD_STATE_H

/* A pod's state as a line of the steps READY and INSPECT (wire/plan.h), from its JSON. It says the same as
 * the templates of the recipe `kubernetes` (recipes.json). Pure. */

#include <stddef.h>

#include "base/json_scan.h"

/* In pods of ours (backend/recipe/pod.h). */
#define KUBE_MAIN "sandbox"
#define KUBE_CUT "cut-network"

enum { POD_STATE = 640 };

/* "state 0x1F exit code 0x1F killed for memory 0x1F words", without a newline. Returns out. */
char *pod_state_format(struct json_value pod, const char *container, char out[POD_STATE]);

#endif
