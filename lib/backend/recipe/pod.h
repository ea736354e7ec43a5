/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_RECIPE_POD_H
#define TRM_BACKEND_RECIPE_POD_H

/* What Terrarium asks Kubernetes for: a list of the objects of one sandbox, as JSON for `kubectl create`.
 *
 *   Pod             one container, POD_CONTAINER, whose first process is the agent. It has no rights that a
 *                   pod can do without, no token of a service account, and ends by itself after a day.
 *   ConfigMap       of the same name: the agent's program, which both containers mount.
 *   NetworkPolicy   of the same name, and only if no container may cut the network.
 *
 * Without a network there are two ways, and the supervisor tries the second only if the cluster refuses the
 * first: a container POD_CUT that takes the network devices of the pod down, for which it has NET_ADMIN and
 * nothing else; and a NetworkPolicy, which nobody enforces in some clusters. POD_CUT runs beside the
 * sandbox's container, whose agent serves nobody until the devices are down: after an init container a
 * kubelet waits for up to a second. With a manifest it is an init container, because what a manifest adds
 * would have the network for a moment. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/sandbox.h>

struct buf;
struct cJSON;
struct trm_error;

#define POD_CONTAINER "sandbox"
#define POD_CUT "cut-network"

enum {
	POD_NAME_BYTES = 64,              /* longest name, which is a host name as well, with the NUL */
	POD_AGENT_MAX = (1 << 20) - 4096, /* longest program that fits into a ConfigMap */
	POD_LINGER_S = 300,               /* the agent ends when nobody has been connected for so long */
	POD_LIFETIME_S = 24 * 60 * 60,    /* without a limit of its own */
	POD_LIFETIME_SLACK_S = 60,        /* our own limit comes first */
	POD_REQUEST_MIB = 32,             /* reserved on the node; the limits may be much higher */
	POD_CUT_MIB = 64,                 /* limit of the container that cuts the network */
	POD_USER = 1000,
};

enum pod_cut { POD_KEEPS_NET, POD_CUT_BESIDE, POD_CUT_BY_INIT, POD_CUT_BY_POLICY };

struct pod_spec {
	const char *name;               /* pod_name() */
	const char *key;                /* of the agent */
	const char *supervisor, *owner; /* for annotation and label, by which others find orphans */
	const char *adoptable;          /* trm_kube_opts.adoptable; NULL: the pod ends with its client */
	const char *image;
	const char *user; /* UID[:GID]; NULL: POD_USER */
	const char *workdir;
	const char *service_account, *runtime_class; /* NULL: the cluster's default */
	const char *arch;                            /* of the agent's program: "amd64" */
	const void *agent;
	size_t agent_n;
	bool read_only; /* for root: everybody else's root is read-only anyway */
	uint64_t max_lifetime_ms;
	struct trm_limits limits;
	const char *const *env; /* NAME=value */
	size_t n_env;
	enum pod_cut cut;
	/* The pod is a template's, which waits for agents to be started in it: there is no key, and its
	 * engine limits its life. */
	bool is_template;
	const char *map;              /* name of the agent's ConfigMap; NULL: that of the pod */
	const struct cJSON *manifest; /* to be merged into the pod (pod_merge.h); NULL: none */
	struct buf *changes;          /* what it changes; NULL: nobody wants to know */
};

/* Make a pod's name of one of ours, in place: lowercase letters, digits and hyphens, not longer than a host
 * name. Its last eight characters stay, because they make it unique. */
void pod_name(char *name);
/* UID[:GID]; `ret_gid` is the uid without a group. TRM_EINVAL for a name: only an image knows those. */
int pod_user(const char *user, uint32_t *ret_uid, uint32_t *ret_gid, struct trm_error *reterr);
/* Append the list. TRM_ETOOBIG, TRM_ENOMEM, TRM_EINVAL. */
int pod_put(struct buf *out, const struct pod_spec *spec, struct trm_error *reterr);

enum { POD_POOL_SIZE = 2 };
/* The same with the objects that agent-sandbox makes pods from, as text for people: the agent's ConfigMap, a
 * SandboxTemplate spec->name, and a SandboxWarmPool of the same name with POD_POOL_SIZE pods. */
int pod_template_put(struct buf *out, const struct pod_spec *spec, struct trm_error *reterr);

#endif
