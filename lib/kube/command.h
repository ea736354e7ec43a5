/* SPDX-License-Identifier: MIT */
#ifndef TRM_KUBE_COMMAND_H
#define TRM_KUBE_COMMAND_H

/* The command lines of kubectl that the recipes `kubernetes` and `agent-sandbox` have, and that lib/kube can
 * do without kubectl. A shell script of a recipe that does several things has a name in place of the shell's
 * ($0): by that it is known. Pure. */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum kube_verb {
	KUBE_NONE,   /* another command: only kubectl can do it */
	KUBE_CREATE, /* create --filename - */
	KUBE_WATCH,  /* get pod POD --watch: lines for a step READY (wire/plan.h) */
	KUBE_EXEC,   /* exec POD -- COMMAND */
	KUBE_DELETE, /* delete --ignore-not-found --wait=false KIND/NAME … */
	KUBE_LIST,   /* get pods,configmaps --selector dev.terrarium=1: lines for a step LIST (wire/plan.h) */
	KUBE_CLAIM,  /* sh -c … claim NAME SUPERVISOR OWNER UNTIL KIND FROM kubectl … */
	KUBE_AWAIT_CLAIM, /* sh -c … await-claim CLAIM KIND TEMPLATE TEMPLATE CONFIGMAP kubectl … */
	KUBE_RELEASE,     /* delete CLAIMS --field-selector metadata.name=NAME … */
	KUBE_LIST_CLAIMS  /* get CLAIMS --selector … */
};

#define KUBE_LABEL "dev.terrarium=1" /* of all objects of ours */

/* Of agent-sandbox: what is listed and released, and which of them. */
#define KUBE_CLAIMS "sandboxclaims.extensions.agents.x-k8s.io,sandboxwarmpools.extensions.agents.x-k8s.io"
#define KUBE_CLAIMS_SELECTOR "dev.terrarium=1,!dev.terrarium.suspended"

enum { KUBE_TARGETS = 4, KUBE_NAME = 254, KUBE_OPERANDS = 6 };
enum { CLAIM_NAME, CLAIM_SUPERVISOR, CLAIM_OWNER, CLAIM_UNTIL, CLAIM_KIND, CLAIM_FROM };
enum { AWAITED_NAME, AWAITED_KIND, AWAITED_CONFIGMAP = 4 };

/* Borrowed from the arguments. */
struct kube_command {
	enum kube_verb verb;
	const char *program;
	const char *context, *space; /* NULL: kubectl chooses */
	const char *pod, *container; /* of WATCH and EXEC */
	bool has_stdin;
	char *const *args;                 /* of EXEC: what runs in the pod, up to NULL */
	const char *targets[KUBE_TARGETS]; /* of DELETE */
	size_t n_targets;
	const char *name;      /* of RELEASE */
	char *const *operands; /* of CLAIM and AWAIT_CLAIM: see the numbers above */
};

void kube_command_read(char *const *argv, struct kube_command *ret);
/* Append the path of `pods/NAME` and the like: "/api/v1/namespaces/SPACE/pods/NAME". An empty name stands for
 * the collection. TRM_EINVAL: the kind is unknown, or a name could be something else in a path. */
int kube_path_put(struct buf *out, const char *space, const char *kind, const char *name);
/* Append the path by which one object is watched. TRM_EINVAL, as above. */
int kube_watch_path_put(struct buf *out, const char *space, const char *kind, const char *name);
/* Append the path by which a command is executed in a pod. TRM_EINVAL, as above. */
int kube_exec_path_put(struct buf *out, const char *space, const struct kube_command *command);

#endif
