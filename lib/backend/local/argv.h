/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_ARGV_H
#define TRM_LOCAL_ARGV_H

/* Bubblewrap's arguments. They are the security model, so they are built in one place, from facts, and a
 * test compares them with a golden list. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/sandbox.h>

#include "backend/host/netenv.h"
#include "base/buf.h"
#include "wire/control.h"

/* Facts about this machine that the arguments depend on. */
enum {
	ARGV_USR_DIRS = 6, /* /bin /sbin /lib /lib32 /lib64 /libx32 */
	ARGV_ETC_FILES = 8,
	ARGV_NET_ETC_FILES = 5,
	ARGV_MASKS = 15,
	ARGV_PATH = 64,
	ARGV_PREPARED = 1024,
};

/* Additions for a network. */
struct argv_net {
	bool has_etc[ARGV_NET_ETC_FILES];
	struct netenv env;
};

/* The caller's requests. */
struct argv_request {
	const struct trm_mount *mounts; /* only guest and is_writable matter */
	size_t n_mounts;
	const char *const *env; /* "NAME=value" */
	size_t n_env;
	const char *workdir; /* NULL: /workspace */
};

struct argv_facts {
	/* Target of the symbolic link of that name; "." for a directory; "" if it does not exist. */
	char usr_dir[ARGV_USR_DIRS][ARGV_PATH];
	bool has_etc[ARGV_ETC_FILES];
	char localtime[ARGV_PATH];    /* where /etc/localtime points below /usr; "" if nowhere there */
	bool has_mask[ARGV_MASKS];    /* the file or directory exists, and others may read it */
	char prepared[ARGV_PREPARED]; /* folder of what compilers can use again; "": none */
	const struct argv_net *net;   /* NULL: no network */
	bool has_cache;               /* of packages */
	struct argv_request request;
};

/* The variables of all sandboxes, {"NAME", "value"}, ended by {NULL}. Paths are those in sandboxes with
 * namespaces. */
extern const char *const ARGV_ENVIRONMENT[][2];
/* The same of those without a network: package managers fail at once, and do not try for long. */
extern const char *const ARGV_OFFLINE[][2];
/* Files of the host's /etc for a network. */
extern const char *const ARGV_NET_FILES[ARGV_NET_ETC_FILES];

void argv_facts_find(struct argv_facts *ret);
void argv_net_find(struct argv_net *net); /* has_etc */

/* Append the arguments, each ended by NUL, as `bwrap --args` reads them. `is_shared`: the writable
 * directories lie under SPACE_PATH; otherwise each gets a tmpfs of disk_bytes. 0 or a code. */
int argv_build(struct buf *out, const struct argv_facts *facts, bool is_shared, uint64_t disk_bytes);

/* The contents of the files that bubblewrap makes in /etc, in the order of their descriptors. With a
 * network the caller adds resolv.conf. */
size_t argv_files(struct slice *ret, size_t cap);

#endif
