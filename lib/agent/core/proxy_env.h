/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CORE_PROXY_ENV_H
#define TRM_AGENT_CORE_PROXY_ENV_H

/* What a container's programs are told of the host's network: proxies, package indexes, and a file with the
 * certificates that the host trusts. The client that has made the container sends it behind its HELLO
 * (wire/frame.h: CERTS, ENVIRON), so it is there before anything is started, and it lies in the agent's own
 * environment alone: no engine shows it, and no image that is saved has it. */

#include <stdbool.h>
#include <stddef.h>

struct proxy_env {
	char folder[64]; /* private; "": none */
	int fd;          /* of the file in it, while it is written; -1 */
	size_t n_bytes;
	bool has_failed; /* there is no room for it: no variable shall name it */
};

void proxy_env_init(struct proxy_env *proxy_env);
/* Removes the file. */
void proxy_env_finish(struct proxy_env *proxy_env);
/* Append to the file of certificates. False: more than PROXY_ENV_CERTS_MAX. A place that takes no file is no
 * error: then there is none. */
enum { PROXY_ENV_CERTS_MAX = 8 * 1024 * 1024 };
bool proxy_env_certs(struct proxy_env *proxy_env, const void *bytes, size_t n);
/* The file is complete. `env` has "NAME=value"; what is in cert_names becomes the file's path. What the
 * image, or the sandbox's user, has set already stays as it is. */
void proxy_env_environ(struct proxy_env *proxy_env, char **env, char **cert_names);

#endif
