/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CORE_PROXY_ENV_H
#define TRM_AGENT_CORE_PROXY_ENV_H

/* The host's proxies, package indexes and trusted certificates for programs in a container. The client that
 * makes the container sends them after its HELLO (wire/frame.h: CERTS, ENVIRON), so they arrive before any
 * program is started. They are only in the agent's own environment: no engine shows them, and no saved
 * image contains them. */

#include <stdbool.h>
#include <stddef.h>

struct proxy_env {
	char folder[64]; /* private; "": none */
	int fd;          /* of the file in it, while it is written; -1 */
	size_t n_bytes;
	bool has_failed; /* there was no room for it, so no variable must name it */
};

void proxy_env_init(struct proxy_env *proxy_env);
/* Removes the file. */
void proxy_env_finish(struct proxy_env *proxy_env);
/* Append to the file of certificates. Returns false beyond PROXY_ENV_CERTS_MAX. If no folder accepts a
 * file, there is none, which is no error. */
enum { PROXY_ENV_CERTS_MAX = 8 * 1024 * 1024 };
bool proxy_env_certs(struct proxy_env *proxy_env, const void *bytes, size_t n);
/* Complete the file and set the variables. `env` holds "NAME=value"; each variable in cert_names gets the
 * file's path. Variables that the image or the user has set stay as they are. */
void proxy_env_environ(struct proxy_env *proxy_env, char **env, char **cert_names);

#endif
