/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_RECIPE_POD_MERGE_H
#define TRM_BACKEND_RECIPE_POD_MERGE_H

/* A pod's manifest of the user's (--pod-manifest), merged into ours as Kubernetes merges patches: objects key
 * by key, null removes, lists of things with names by name, and tolerations and such added. A container
 * without a name is ours. What the sandbox cannot do without stays as it is: the names, our labels, the
 * command of our container, the agent's volume, the init container that cuts the network. */

#include <stddef.h>

struct buf;
struct cJSON;
struct trm_error;

enum { POD_MANIFEST_MAX = 256 << 10 }; /* bytes */

/* Parse a manifest: JSON of a Pod. TRM_EINVAL with what is wrong. Free it with cJSON_Delete(). */
int pod_manifest_parse(const char *json, size_t n, struct cJSON **ret, struct trm_error *reterr);

/* Merge `manifest` into the object `pod`. Each limit and each security setting of ours that it replaces, and
 * each right that it adds, is appended to `changes` (may be NULL) as a line: "spec.hostPID: true".
 * TRM_EINVAL if it names something that must stay, TRM_ENOMEM. */
int pod_merge(struct cJSON *pod, const struct cJSON *manifest, struct buf *changes, struct trm_error *reterr);

#endif
