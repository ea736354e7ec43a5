/* SPDX-License-Identifier: MIT */
#ifndef TRM_KUBE_DOING_H
#define TRM_KUBE_DOING_H

/* Private to the commands of kube.c and claim.c. */

#include "base/json_scan.h"
#include "kube/command.h"
#include "kube/kube.h"
#include "kube/proxy.h"

enum { KUBE_DONE = 0, KUBE_FAILED = 1, KUBE_UNDONE = -1 };

/* A command in progress. */
struct doing {
	const struct kube_place *place;
	const struct kube_command *command;
	struct proxy_use use;
	char space[KUBE_NAME];
};

/* Create an object of a kind that kube_path_put() knows. Returns KUBE_DONE, KUBE_FAILED after telling the
 * refusal in kubectl's words, or, only if it is the first, KUBE_UNDONE. */
int kube_create_object(const struct doing *d, struct json_value object, bool is_first);
/* Delete an object; one that is not there is fine. Returns KUBE_DONE or KUBE_UNDONE. */
int kube_delete_object(const struct doing *d, const char *kind, const char *name);
/* Append a line of a step LIST for each object of the kind that `query` selects. Without contents only the
 * metadata are asked for. */
bool kube_list_kind(const struct doing *d, const char *kind, const char *query, bool has_contents,
		struct buf *out);

/* ---- claim.c: agent-sandbox ---- */

/* Create a claim, and for a template a pool of its own. */
int claim_create(const struct doing *d);
/* Tell the states of a claim and then of its pod as lines of a step READY, until the API ends a watch. */
int claim_await(const struct doing *d);
/* Delete a claim and its pool, if they are ours and not suspended. */
int claim_release(const struct doing *d);
/* List claims and pools as a step LIST does. */
int claim_list(const struct doing *d);

#endif
