/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_CONTAINER_H
#define TERRARIUM_CONTAINER_H

/* Sandboxes that are containers: of docker, podman, and other backends that are recipes. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_recipe;
struct trm_kube_left;

enum {
	TRM_ENGINE_ARGS_MAX = 32,     /* options for an engine per sandbox */
	TRM_ENGINE_ARGS_BYTES = 4096, /* all of them, including their NULs */
};

/* For backends whose sandboxes are pods of Kubernetes. NULL: what kubectl or the cluster chooses. */
struct trm_kube_opts {
	const char *context;         /* of kubectl's configuration */
	const char *space;           /* namespace of the pod */
	const char *service_account; /* of a new pod; its token is not mounted */
	const char *runtime_class;   /* of a new pod: "gvisor", "kata" */
	/* A file with the manifest of a Pod, YAML or JSON, that is merged into that of a new pod. What the
	 * sandbox cannot do without stays (TRM_EINVAL); limits and security settings may be replaced. */
	const char *manifest;
	/* For agent-sandbox, which makes pods from templates: one of these two is required. */
	const char *warm_pool;        /* SandboxWarmPool to claim a pod from */
	const char *sandbox_template; /* SandboxTemplate to make a new pod from */
	bool resumes; /* go on with the suspended sandbox of this name (trm_registry_suspend()) */
	/* Remove what others of this user and host name left in the namespace, even from another PID
	 * namespace or boot: for a server that alone has this host name and replaces one that has ended. */
	bool takes_over;
	/* If the client ends, or closes its handle (trm_sandbox_close()), the pod stays with all that runs in
	 * it. A later server of this user and host name finds it by this text (trm_kube_left()) and goes on
	 * with it. Without a connection for five minutes its agent ends. At most TRM_KUBE_ADOPTABLE bytes
	 * with the NUL, else TRM_EINVAL, and without quotes, backslashes and control characters; TRM_ENOTSUP
	 * if the recipe has no step "take". NULL: the pod ends with its client. */
	const char *adoptable;
	/* Go on with this pod in place of a new one. If that fails, it is removed. NULL: make one. */
	const struct trm_kube_left *left;
	/* How pods are reached. NULL or "auto": over one `kubectl proxy` for all sandboxes of the user in the
	 * context, and by `kubectl exec` where that cannot be used. "exec": by a kubectl for each connection.
	 * Else TRM_EINVAL. */
	const char *transport;
};

/* A pod that an earlier server has left (trm_kube_opts.adoptable). */
enum { TRM_KUBE_ADOPTABLE = 160, TRM_KUBE_POD = 64, TRM_KUBE_KEY = 33 };
struct trm_kube_left {
	char adoptable[TRM_KUBE_ADOPTABLE]; /* as the earlier server named it; hostile text */
	char pod[TRM_KUBE_POD], key[TRM_KUBE_KEY];
	unsigned version; /* 0: a container has cut its network; 1: a policy */
};

/* For backends that are recipes (terrarium/recipe.h: "docker", "podman", "micromamba", "kubernetes", "msb"
 * and your own). Other
 * backends ignore it. A zeroed struct is valid. An option that the recipe does not support is TRM_ENOTSUP. */
struct trm_container_opts {
	/* NULL: the recipe named opts->backend, from the config file `config` (NULL: the usual one) or
	 * built in. The sandbox shares ownership of the recipe. */
	const struct trm_recipe *recipe;
	const char *config;
	/* NULL: a small official image for `language` (NULL: "python"); pulled if it is missing */
	const char *image;
	const char *language;
	const char *dockerfile; /* a file, or a folder that contains a Dockerfile, to build the image from */
	/* Name or id of an existing container: started if it is stopped, never stopped or removed. For pods
	 * POD or POD/CONTAINER. */
	const char *container;
	/* NAME[:GROUP] or UID[:GID]. NULL: the image's user, or 1000 if that is root */
	const char *user;
	const char *commit_tag; /* save the container as this image at the end */
	bool commit_overwrites; /* even if it was made from that image */
	/* do not remove the image at the end if it was pulled or built for the sandbox */
	bool keep_image;
	bool read_only; /* make its root read-only; the working directory, /tmp and the home stay writable */
	/* Further options for the engine's command that creates the container, one word each:
	 * "--shm-size=1g". Options that Terrarium sets itself are TRM_EINVAL. */
	const char *const *engine_args;
	size_t n_engine_args;
	/* OCI runtime of the engine: "runsc", "kata". NULL: its default. TRM_ENOTSUP if it has none of that
	 * name. */
	const char *runtime;
	/* Environment of micromamba in the container; NULL: "base". TRM_ENOTSUP if the recipe has none. */
	const char *environment;
	struct trm_kube_opts kube; /* an option that the recipe does not support is TRM_ENOTSUP */
};

/* The image for a language (NULL: python) if container.image is NULL. */
const char *trm_container_image(const char *language);

/* Prefix of the names of images that are built from container.dockerfile. */
#define TRM_BUILT_IMAGE "terrarium-build:"

/* Describe in whole sentences what is done to the existing container that opts->container names, so that a
 * person can agree to it. `user` is as in the options. Returns `out`. */
enum { TRM_CONTAINER_BYTES = 1280 }; /* enough for it */
const char *trm_container_describe(
		const char *backend, const char *container, const char *user, char *out, size_t cap);

struct trm_sandbox_opts;
struct trm_error;

/* The name of the SandboxTemplate and the SandboxWarmPool that trm_kube_template() makes if the options name
 * none (kube.sandbox_template). */
#define TRM_KUBE_TEMPLATE "terrarium"

/* Make the objects from which agent-sandbox makes pods that hold our agent, as a JSON list for `kubectl apply
 * --server-side`: a ConfigMap with the agent, a SandboxTemplate and a SandboxWarmPool. Image, user, limits,
 * environment, working directory and the options of pods are those of `opts`. A pod of it has no rights that
 * it can do without, and no token. Free *ret_text with free(). TRM_EINVAL, TRM_ETOOBIG, TRM_ENOMEM. */
int trm_kube_template(const struct trm_sandbox_opts *opts, char **ret_text, struct trm_error *reterr);

/* Find the pods that servers of this user and host name have left in the namespace. Waits for the cluster.
 * Backend, context and namespace are those of `opts`. Free *ret_left with free(). TRM_ENOTSUP: the backend
 * has no pods that could be left; TRM_EINVAL, TRM_EIO with the reason of the cluster, TRM_ETIMEDOUT,
 * TRM_ENOMEM. */
int trm_kube_left(const struct trm_sandbox_opts *opts, struct trm_kube_left **ret_left, size_t *ret_n,
		struct trm_error *reterr);

TRM_END_API

#endif
