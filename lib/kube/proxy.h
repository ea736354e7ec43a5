/* SPDX-License-Identifier: MIT */
#ifndef TRM_KUBE_PROXY_H
#define TRM_KUBE_PROXY_H

/* One `kubectl proxy` for all sandboxes of a user in a context. It listens on a private Unix socket and does
 * configuration, credentials and TLS for everybody; behind it the whole API is plain HTTP.
 *
 * Each proxy has a keeper, a process of ours, which starts kubectl and ends it. Whoever uses the proxy is
 * connected to the keeper for as long as that takes. Without such a connection for PROXY_IDLE_MS the keeper
 * ends the proxy, removes the files and ends itself. So neither a killed user nor a killed keeper leaves
 * anything running: kubectl dies with its keeper. In the runtime directory, which nobody else may read:
 *
 *   .kube-HASH.lock    (flock) whoever starts a keeper, or ends as one
 *   .kube-HASH.sock    the keeper listens here, and says in one line whether the proxy works
 *   .kube-HASH.api     the proxy
 *
 * HASH is made of the context and of what kubectl's configuration and credentials depend on. If the proxy
 * dies, the keeper ends, and the next user starts both again. */

#include <stddef.h>

enum { PROXY_IDLE_MS = 2000, PROXY_START_MS = 10 * 1000, PROXY_WORDS = 160 };

#define KUBE_FILES_PREFIX ".kube-"

struct proxy_use {
	int keeper_fd; /* the proxy is there for as long as this is open */
	char path[108];
};

/* Start the proxy unless it runs, and wait until it answers. `dir` is the runtime directory, `env` the
 * environment of kubectl. Returns 0, or a negative code with the reason as a sentence. */
int proxy_join(const char *dir, const char *program, const char *context, char *const *env,
		struct proxy_use *ret, char why[PROXY_WORDS]);
/* A new connection to the proxy, or -errno. */
int proxy_connect(const struct proxy_use *use);

/* ---- inner part: proxy_keeper.c ---- */

/* The files of one proxy. */
struct proxy_files {
	char lock[108], keeper[108], api[108];
};

/* The descriptor of the locked file, or -errno. Close it to release the lock. */
int proxy_lock(const struct proxy_files *files);
/* In the child: be the keeper, with a listening socket. */
_Noreturn void proxy_keep(const struct proxy_files *files, int listen_fd, const char *program,
		const char *context, char *const *env);

#endif
