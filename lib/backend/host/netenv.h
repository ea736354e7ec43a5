/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_HOST_NETENV_H
#define TRM_BACKEND_HOST_NETENV_H

/* The host's ways to the network, for programs in a sandbox with a network: proxies, package indexes,
 * certificates. They come from our environment and from pip's and npm's configuration, and go into the
 * sandbox's environment. Certificates that the sandbox cannot see go along as one file. A local sandbox
 * sees some of the host's files, a container none.
 *
 * Credentials are left out unless requested: user and password in addresses, npm's tokens. The rest of
 * our environment is always left out.
 *
 * Sources: pip, "Configuration"; npm, "npmrc"; curl(1), ENVIRONMENT; OpenSSL,
 * SSL_CTX_load_verify_locations. */

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

/* The path of the certificates in a local sandbox. In a container only the agent knows the path
 * (wire/frame.h), and this is a placeholder. */
#define NETENV_CERTS "/etc/host-certificates.pem"
enum { NETENV_FILES = 8 };

struct netenv {
	struct buf vars;  /* "NAME" NUL "value" NUL …; each name once */
	struct buf certs; /* contents of NETENV_CERTS; empty: nothing */
	bool has_credentials;
	bool sees_host; /* the sandbox sees the host's usual directories of certificate authorities */
	struct {
		dev_t dev;
		ino_t ino;
	} taken[NETENV_FILES]; /* files that `certs` is made of: several variables may name the same file */
	size_t n_taken;
};

/* Search everywhere. Files that cannot be read or are too long are left out. */
void netenv_find(struct netenv *env, bool has_credentials, bool sees_host);
/* Certificates alone. */
void netenv_find_certs(struct netenv *env);
void netenv_finish(struct netenv *env); /* accepts a zeroed object */

/* ---- inner parts, public for the tests ---- */

/* Only the first value of a name counts. `is_address`: the value may hold credentials. */
void netenv_put(struct netenv *env, const char *name, const char *value, bool is_address);
/* The same for the path of a file with certificates. */
void netenv_put_certs(struct netenv *env, const char *name, const char *path);
/* Settings from the text of a configuration file; the text is changed. */
void netenv_read_pip(struct netenv *env, char *text);
void netenv_read_npm(struct netenv *env, char *text);
/* Remove "user:password@" from addresses, in place. A proxy is a single address without a path. */
void netenv_strip(char *text, bool is_proxy);
/* Read pip's and npm's files, beginning with the one that takes precedence. */
void netenv_read_files(struct netenv *env);
/* Read a whole file of at most max bytes; NUL-terminated, malloc'd. NULL: it cannot be used. */
char *netenv_load(const char *path, size_t max);

#endif
