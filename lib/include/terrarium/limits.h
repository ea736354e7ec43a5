/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_LIMITS_H
#define TERRARIUM_LIMITS_H

/* What a sandbox may use of this machine, and how strongly each limit is enforced. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_error;

enum { TRM_NET_ALLOW = 512, TRM_NET_HINT = 400 };

struct trm_limits {
	uint64_t mem_bytes;  /* of everything inside, files included (they live in memory) */
	double cpus;         /* cores, e.g. 0.5 */
	uint32_t procs;      /* processes and threads */
	uint64_t disk_bytes; /* of /workspace, /tmp and the home directory together */
	uint64_t file_bytes; /* largest single file */
	uint32_t open_files; /* per process */
	/* A user-mode network to the outside (local sandboxes: slirp4netns). It never reaches this
	 * machine's own services. Local networks (private, link-local and metadata addresses) are refused,
	 * except for the ranges in net_allow: "10.1.0.0/16, fd00::/8". A range does not open metadata
	 * services or this machine's own addresses; name each of those by itself. */
	bool net;
	char net_allow[TRM_NET_ALLOW];
	/* Without `net`: the only hosts that code may connect to, by name, through an HTTP proxy outside that
	 * its environment names (http_proxy and the like): "example.org, *.example.com, git.example.net:22".
	 * A "*." stands for one or more labels; without a port, 80 and 443 are meant. Names are resolved
	 * outside. Addresses that `net` would refuse are refused, except for those in net_allow, and for an
	 * address that stands in this list itself ("127.0.0.1:8080"). Nothing else is reached. Local
	 * sandboxes with namespaces; "" is none. */
	char net_allow_host[TRM_NET_ALLOW];
};

/* 512 MiB, 1.0 core, 128 processes, 256 MiB of files, 4096 descriptors, no network. */
#define TRM_LIMITS_INIT \
	{ \
		.mem_bytes = UINT64_C(512) << 20, .cpus = 1, .procs = 128, \
		.disk_bytes = UINT64_C(256) << 20, .file_bytes = UINT64_C(256) << 20, .open_files = 4096 \
	}
void trm_limits_default(struct trm_limits *limits);

/* Describe the network in a few words, for questions and lists: "no network"; "network ON"; "network ON,
 * also to 10.1.0.0/16"; "network ONLY to example.org". Returns `out`. */
const char *trm_limits_describe_net(const struct trm_limits *limits, char *out, size_t cap);

/* True if the sandbox has a network and this machine's proxy or package index would be passed to it
 * although it cannot reach them. `out` is then a sentence with the remedy. Only addresses can be checked in
 * advance, not names. */
bool trm_net_hint(const struct trm_limits *limits, char *out, size_t cap);

/* Check the limits. TRM_EINVAL with a sentence that names the invalid limit. */
int trm_limits_check(const struct trm_limits *limits, struct trm_error *reterr);

/* How strongly one limit is enforced in a sandbox, or on this machine. */
enum trm_strength { TRM_ENFORCED, TRM_WEAK, TRM_NOT_ENFORCED };

struct trm_guard {
	char what[24]; /* "memory", "cpu", "processes", "disk", "network", "system calls", … */
	char how[144]; /* "cgroup v1 memory.limit_in_bytes", "sampled every 100 ms", … */
	enum trm_strength strength;
};

/* Describe the network of a sandbox with these guards: "on", "hosts" (only named ones), "off", "off
 * (weakly)", "not cut off"; "n/a" if there are no guards. Returns `out`. */
const char *trm_guards_net_name(const struct trm_guard *guards, size_t n, const struct trm_limits *limits);

TRM_END_API

#endif
