/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_HOST_NETENV_H
#define TRM_BACKEND_HOST_NETENV_H

/* What programs in a sandbox with a network are told of the host's ways outside: proxies, package indexes,
 * certificates. It comes from our environment and from pip's and npm's configuration, and goes into the
 * sandbox's environment; certificates that lie where the sandbox sees no files go along as one file. A local
 * sandbox sees some of the host's files, a container none.
 *
 * Credentials stay out unless they are asked for: user and password in addresses, npm's tokens. Everything
 * else of our environment stays out anyway.
 *
 * Sources: pip, "Configuration"; npm, "npmrc"; curl(1), ENVIRONMENT; OpenSSL, SSL_CTX_load_verify_locations.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

/* Where the certificates are inside of a local sandbox; in a container the agent knows (wire/frame.h), and
 * this is but what stands for it. */
#define NETENV_CERTS "/etc/host-certificates.pem"
enum { NETENV_FILES = 8 };

struct netenv {
	struct buf vars;  /* "NAME" NUL "value" NUL …; each name once */
	struct buf certs; /* what is to be at NETENV_CERTS; empty: nothing */
	bool has_credentials;
	bool sees_host; /* the directories of a distribution's authorities among it */
	struct {
		dev_t dev;
		ino_t ino;
	} taken[NETENV_FILES]; /* which files `certs` is made of: several variables may name the same */
	size_t n_taken;
};

/* Look everywhere. What cannot be read, or is absurdly long, is left out. */
void netenv_find(struct netenv *env, bool has_credentials, bool sees_host);
void netenv_finish(struct netenv *env); /* takes a zeroed object */

/* ---- inner parts, apart for the tests ---- */

/* Only the first value of a name counts. `is_address`: may hold credentials. */
void netenv_put(struct netenv *env, const char *name, const char *value, bool is_address);
/* The same for the path of a file of certificates. */
void netenv_put_certs(struct netenv *env, const char *name, const char *path);
/* Settings from the text of a configuration file; the text is changed. */
void netenv_read_pip(struct netenv *env, char *text);
void netenv_read_npm(struct netenv *env, char *text);
/* Remove "user:password@" from addresses, in place. A proxy is one address, and has no path. */
void netenv_strip(char *text, bool is_proxy);
/* pip's and npm's files, the one that counts most first. */
void netenv_read_files(struct netenv *env);
/* A whole file of at most max bytes, ended by NUL, malloc'd; NULL: there is none that can be used. */
char *netenv_load(const char *path, size_t max);

#endif
