/* SPDX-License-Identifier: MIT */
/* The limits of a sandbox that a recipe's engine has made: those that were requested, and those of them
 * that are visible in this machine's control groups. */
#include "backend/supervised/guards.h"

#include <stdio.h>
#include <string.h>

#include "base/sysfile.h"
#include "wire/fd_handoff.h"

/* A limit that a control group shows, or that was only requested, or neither. */
static void add_limit(struct guard_list *l, const char *what, const char *much, uint32_t ask, uint32_t seen)
{
	const struct origin_msg *o = &l->ready->origin;
	bool is_seen = l->ready->limits & seen, is_asked = o->asks & ask;
	const char *kind = l->ready->kind == LIMITS_CGROUP_V2 ? "cgroup v2" : "cgroup v1";
	if (is_seen && is_asked)
		guards_add(l, what, TRM_ENFORCED, "%s: %s of the container, set by %.40s", much, kind,
				o->backend);
	else if (is_seen)
		guards_add(l, what, TRM_ENFORCED, "the container's own limit, by %s", kind);
	else if (is_asked)
		guards_add(l, what, TRM_WEAK,
				"%s: requested from %.40s, which enforces it; not visible from here", much,
				o->backend);
	else
		guards_add(l, what, TRM_NOT_ENFORCED, "%s",
				o->is_adopted ? "an existing container keeps its own limits"
					      : "the recipe asks for no limit");
}

/* Version 1 counts sockets beside the memory. The supervisor limits them if it may. */
static bool has_free_sockets(const struct ready_msg *ready)
{
	const uint64_t infinite = UINT64_C(1) << 62;
	char path[600];
	uint64_t bytes;
	if (ready->kind != LIMITS_CGROUP_V1 || !(ready->limits & LIMIT_MEMORY))
		return false;
	snprintf(path, sizeof path, "%.512s/memory.kmem.tcp.limit_in_bytes", ready->mem_dir);
	return !sysfile_read_u64(path, &bytes) || bytes >= infinite;
}

static void add_limits(struct guard_list *l, const struct trm_limits *want)
{
	char much[48];
	snprintf(much, sizeof much, "%u MiB%s", (unsigned)(want->mem_bytes >> 20),
			l->ready->limits & LIMIT_SWAP ? ", no swap" : "");
	add_limit(l, "memory", much, ASK_MEMORY, LIMIT_MEMORY);
	if (has_free_sockets(l->ready))
		guards_add(l, "socket memory", TRM_WEAK,
				"cgroup v1 does not count data in TCP sockets with it, and that data has no limit: a limit needs root");
	snprintf(much, sizeof much, "%g core%s", want->cpus, want->cpus == 1 ? "" : "s");
	add_limit(l, "cpu", much, ASK_CPU, LIMIT_CPU);
	snprintf(much, sizeof much, "%u with threads", want->procs);
	add_limit(l, "processes", much, ASK_PROCS, LIMIT_PIDS);
}

static void add_files(struct guard_list *l, const struct trm_limits *want)
{
	uint32_t asks = l->ready->origin.asks;
	if (asks & ASK_DISK)
		guards_add(l, "disk", TRM_WEAK, "%u MiB for each writable directory, requested from %.40s",
				(unsigned)(want->disk_bytes >> 20), l->ready->origin.backend);
	else
		guards_add(l, "disk", TRM_NOT_ENFORCED, "%.40s stores the files: they may fill its disk",
				l->ready->origin.backend);
	if (asks & ASK_FILE_SIZE)
		guards_add(l, "file size", TRM_ENFORCED, "%u MiB: RLIMIT_FSIZE",
				(unsigned)(want->file_bytes >> 20));
	else
		guards_add(l, "file size", TRM_NOT_ENFORCED, "no limit");
	if (asks & ASK_OPEN_FILES)
		guards_add(l, "open files", TRM_ENFORCED, "%u in each process: RLIMIT_NOFILE",
				want->open_files);
}

/* Seen from here: the network of the sandbox's first process. */
static bool has_only_loopback(int32_t pid)
{
	char path[48], text[4096];
	unsigned n = 0;
	bool has_loopback = false;
	snprintf(path, sizeof path, "/proc/%d/net/dev", (int)pid);
	if (pid <= 0 || sysfile_read(path, text, sizeof text) <= 0)
		return false;
	for (const char *at = text, *colon; (colon = strchr(at, ':')); at = colon + 1) {
		has_loopback |= colon - text >= 2 && !strncmp(colon - 2, "lo", 2);
		n++;
	}
	return n == 1 && has_loopback;
}

/* A pod's network: how it is cut, and whether that was seen to hold. */
static void add_cut_net(struct guard_list *l)
{
	const struct origin_msg *o = &l->ready->origin;
	if (o->net_seen == NET_SEEN_NONE)
		guards_add(l, "network", TRM_ENFORCED,
				"off: a container of its own took its devices down; seen from inside");
	else if (o->net_seen == NET_SEEN_OPEN)
		guards_add(l, "network", TRM_NOT_ENFORCED,
				"ON: the API service answers from inside, so this cluster does not enforce the NetworkPolicy (%.70s)",
				o->note);
	else if (o->version)
		guards_add(l, "network", TRM_WEAK,
				"off by NetworkPolicy, if the cluster enforces it%s (%.70s)",
				o->net_seen == NET_SEEN_DEAF ? "; the API service did not answer from inside"
							     : "",
				o->note);
	else
		guards_add(l, "network", TRM_NOT_ENFORCED,
				"ON: a container of its own took its devices down, and one is up again");
}

static void add_net(struct guard_list *l)
{
	const struct origin_msg *o = &l->ready->origin;
	if (o->asks & ASK_CUT) {
		add_cut_net(l);
		return;
	}
	if (o->asks & ASK_NO_NET && has_only_loopback(o->root_pid))
		guards_add(l, "network", TRM_ENFORCED,
				"off: a network namespace with only a loopback device, by %.40s", o->backend);
	else if (o->asks & ASK_NO_NET)
		guards_add(l, "network", TRM_WEAK, "off: %.40s %s a container without one", o->backend,
				o->is_adopted ? "says that it is" : "was asked for");
	else if (o->is_adopted || !(o->asks & ASK_NET))
		guards_add(l, "network", TRM_NOT_ENFORCED, "the container's own network");
	else
		guards_add(l, "network", TRM_NOT_ENFORCED,
				"on: %.40s's own network, which may lead to this machine and local networks",
				o->backend);
}

/* How clients reach the agent, and why not directly. */
static void add_way(struct guard_list *l)
{
	const struct origin_msg *o = &l->ready->origin;
	const char *note = o->asks & ASK_CUT ? "" : o->note; /* there it is about the network */
	note = o->stream && *o->stream ? o->stream : note;
	if (o->way == WAY_DIRECT)
		guards_add(l, "stream", TRM_ENFORCED, "a socket straight to the agent in it");
	else if (o->way == WAY_PROXY)
		guards_add(l, "stream", TRM_ENFORCED,
				"over one kubectl proxy for all sandboxes of the context");
	else
		guards_add(l, "stream", TRM_WEAK, "through a command of %.40s for each connection%s%.70s",
				o->backend, *note ? ": " : "", note);
}

void guards_add_made(struct guard_list *l, const struct trm_limits *limits)
{
	const struct origin_msg *o = &l->ready->origin;
	guards_add(l, "isolation", TRM_WEAK, "provided by %.40s%s%.70s", o->backend,
			*o->image       ? ": made from "
			: o->is_adopted ? ": the existing "
					: "",
			*o->image       ? o->image
			: o->is_adopted ? o->where
					: "");
	add_limits(l, limits);
	add_files(l, limits);
	add_net(l);
	if (o->asks & ASK_READ_ONLY)
		guards_add(l, "file system", TRM_WEAK, "the root is read-only, requested from %.40s",
				o->backend);
	guards_add(l, "user", o->asks & ASK_FEW_CAPS ? TRM_ENFORCED : TRM_WEAK, "%.60s inside%s",
			*o->user ? o->user : "the image's",
			o->asks & ASK_FEW_CAPS ? "; no capabilities" : "");
	add_way(l);
	if (*o->words)
		guards_add(l, "not done", TRM_WEAK, "%.140s", o->words);
}
