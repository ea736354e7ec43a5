/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_SANDBOX_OPTS_H
#define TERRARIUM_SANDBOX_OPTS_H

/* How a sandbox is made: where, with which limits, and what is in it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/container.h>
#include <terrarium/isolation.h>
#include <terrarium/limits.h>
#include <terrarium/mounts.h>
#include <terrarium/remote.h>

TRM_BEGIN_API

struct trm_error;

enum {
	TRM_ENV_MAX = 128,    /* variables per sandbox */
	TRM_ENV_BYTES = 8192, /* all of them, including their NULs */
	TRM_GROUP_BYTES = 96, /* longest group, including the NUL */
};

struct trm_sandbox_opts {
	size_t size;                  /* sizeof(struct trm_sandbox_opts), as TRM_SANDBOX_OPTS_INIT sets it */
	const char *backend;          /* "local", "microsandbox", "fake", or a recipe's name; NULL: local */
	const char *name;             /* NULL: "sandbox-" and 8 hex digits; see trm_sandbox_name_check() */
	struct trm_limits limits;     /* start from trm_limits_default() */
	uint32_t start_timeout_ms;    /* 0: 180 000 */
	uint32_t metrics_interval_ms; /* 0: no metrics; else 200 to 60 000 */
	bool metrics_with_processes;
	/* with a network: also pass on passwords and tokens in the settings of proxies and indexes */
	bool net_credentials;
	/* Keep the sandbox: it survives trm_sandbox_close() and the end of this process, however that
	 * happens, with all its state. trm_sandbox_attach() (terrarium/registry.h) reconnects to it. The
	 * next two fields apply while it is kept. */
	bool keep;
	/* it ends after this long without a client and without anything running; 0: never */
	uint32_t idle_timeout_ms;
	uint32_t max_lifetime_ms; /* it ends this long after its start, even with clients; 0: never */
	/* cb->progress also gets each command that is run for the sandbox, as a line that begins with "$ ":
	 * "$ create: docker run …". Values of variables are not in it. */
	bool is_verbose;
	/* A local sandbox without a network is not to see the cache of packages (terrarium/install.h):
	 * mountinfo tells where that lies, and the cache what has been installed. Packages can then not be
	 * installed. */
	bool hides_packages;
	bool limits_lifetime; /* max_lifetime_ms applies even if it is not kept; the default is false */
	/* borrowed until trm_sandbox_open() returns, including its strings */
	struct trm_remote_opts server;
	struct trm_container_opts container; /* likewise */
	/* Only for trm_sandbox_attach(): we only observe. An observer is not counted as a client and does
	 * not keep the sandbox from being idle. */
	bool is_observer;
	/* The parts of the host that are visible inside; none by default. Borrowed until trm_sandbox_open()
	 * returns, including the strings. TRM_ENOTSUP if the backend has no mounts. */
	const struct trm_mount *mounts;
	size_t n_mounts;
	/* "NAME=value", for everything that runs inside; overrides the sandbox's own variables. Borrowed
	 * likewise. */
	const char *const *env;
	size_t n_env;
	/* The directory for processes whose options name none, and for paths that do not begin with '/'. It
	 * is created, writable, if it is missing, unless it is below a mount. NULL: /workspace. */
	const char *workdir;
	/* Its manager, for lists of sandboxes: "serve:5555/default". One line of text without control
	 * characters. NULL: none. */
	const char *group;
	/* For the backend "local". Other backends have their own isolation and accept only
	 * TRM_ISOLATION_AUTO. */
	enum trm_isolation isolation;
	/* Tag of the snapshot that it starts from (terrarium/snapshot.h). NULL: none. `backend` is NULL or
	 * the snapshot's, and a container has no other image. The files count against the new sandbox's
	 * limits: TRM_ETOOBIG if they do not fit. */
	const char *from;
};

/* Check the options as trm_sandbox_open() does: mounts (all together), env, workdir and group. TRM_EINVAL
 * or TRM_ETOOBIG with a sentence. Opening the sandbox checks whether `host` exists. */
int trm_sandbox_opts_check(const struct trm_sandbox_opts *opts, struct trm_error *reterr);

/* Check a name: [A-Za-z0-9][A-Za-z0-9._-]{0,63}, because it is also a directory. TRM_EINVAL with a
 * sentence. */
int trm_sandbox_name_check(const char *name, struct trm_error *reterr);

/* Defaults: not kept; if kept, 8 hours idle and 7 days in all. */
#define TRM_SANDBOX_OPTS_INIT \
	{ \
		.size = sizeof(struct trm_sandbox_opts), .limits = TRM_LIMITS_INIT, \
		.idle_timeout_ms = 8 * 60 * 60 * 1000, .max_lifetime_ms = 7 * 24 * 60 * 60 * 1000 \
	}
void trm_sandbox_opts_init(struct trm_sandbox_opts *opts, size_t size);
#define trm_sandbox_opts_default(opts) trm_sandbox_opts_init(opts, sizeof *(opts))

TRM_END_API

#endif
