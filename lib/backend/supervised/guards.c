/* SPDX-License-Identifier: MIT */
#include "backend/supervised/guards.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>

void guards_add(struct guard_list *l, const char *what, enum trm_strength strength, const char *fmt, ...)
{
	if (l->n == GUARDS_MAX)
		return;
	struct trm_guard *g = &l->row[l->n++];
	va_list args;
	g->strength = strength;
	snprintf(g->what, sizeof g->what, "%s", what);
	va_start(args, fmt);
	vsnprintf(g->how, sizeof g->how, fmt, args);
	va_end(args);
}

static unsigned in_mib(uint64_t bytes)
{
	return (unsigned)(bytes >> 20);
}

void guards_add_memory(struct guard_list *l, const struct trm_limits *want)
{
	bool is_v2 = l->ready->kind == LIMITS_CGROUP_V2;
	if (!(l->ready->limits & LIMIT_MEMORY))
		guards_add(l, "memory", TRM_WEAK,
				"%u MiB: RLIMIT_DATA for each process; all together checked every 100 ms, "
				"the biggest is killed; socket buffers are not counted",
				in_mib(want->mem_bytes));
	else
		guards_add(l, "memory", TRM_ENFORCED, "%u MiB, files included: %s%s", in_mib(want->mem_bytes),
				is_v2 ? "cgroup v2 memory.max" : "cgroup v1 memory.limit_in_bytes",
				l->ready->limits & LIMIT_SWAP ? ", no swap" : "; swap is not counted");
}

void guards_add_cpu(struct guard_list *l, const struct trm_limits *want)
{
	bool is_v2 = l->ready->kind == LIMITS_CGROUP_V2;
	double whole = ceil(want->cpus);
	if (l->ready->limits & LIMIT_CPU)
		guards_add(l, "cpu", TRM_ENFORCED, "%g core%s: %s", want->cpus, want->cpus == 1 ? "" : "s",
				is_v2 ? "cgroup v2 cpu.max" : "cgroup v1 cpu.cfs_quota_us");
	else
		guards_add(l, "cpu", whole > want->cpus ? TRM_WEAK : TRM_ENFORCED, "bound to %g core%s%s",
				whole, whole > 1 ? "s" : "",
				whole > want->cpus ? "; the fraction is not enforced" : "");
}

/* The part of a request that the host's own limit allows. */
static uint64_t allowed(int resource, uint64_t want)
{
	struct rlimit now;
	return getrlimit(resource, &now) == 0 && now.rlim_max < want ? now.rlim_max : want;
}

void guards_add_rlimits(struct guard_list *l, const struct trm_limits *want)
{
	guards_add(l, "file size", TRM_ENFORCED, "%u MiB: RLIMIT_FSIZE",
			in_mib(allowed(RLIMIT_FSIZE, want->file_bytes)));
	guards_add(l, "open files", TRM_ENFORCED, "%u in each process: RLIMIT_NOFILE",
			(unsigned)allowed(RLIMIT_NOFILE, want->open_files));
}

static void add_files(struct guard_list *l, const struct trm_limits *want, uint64_t disk_bytes)
{
	if (l->ready->is_shared)
		guards_add(l, "disk", TRM_ENFORCED,
				"%u MiB: one tmpfs holds /workspace, /tmp, /home/user and /dev/shm",
				in_mib(disk_bytes));
	else
		guards_add(l, "disk", TRM_WEAK,
				"%u MiB for each of /workspace, /tmp and /home/user: a tmpfs of its own",
				in_mib(disk_bytes));
	guards_add_rlimits(l, want);
}

static void add_net(struct guard_list *l, const struct trm_limits *want)
{
	if (!want->net && *want->net_allow_host)
		guards_add(l, "network", TRM_ENFORCED,
				"only to %.90s: a proxy outside of a network namespace",
				want->net_allow_host);
	else if (!want->net)
		guards_add(l, "network", TRM_ENFORCED,
				"off: a network namespace with only a loopback device");
	else if (*want->net_allow)
		guards_add(l, "network", TRM_ENFORCED,
				"on: slirp4netns; nf_tables refuses this host and local networks, but %s",
				want->net_allow);
	else
		guards_add(l, "network", TRM_ENFORCED,
				"on: slirp4netns; nf_tables refuses this host, private and metadata addresses");
}

static void add_local(struct guard_list *l, const struct trm_limits *want, uint64_t disk_bytes)
{
	const struct ready_msg *r = l->ready;
	bool is_strict = !(r->limits & LIMIT_MEMORY);
	guards_add_memory(l, want);
	guards_add_cpu(l, want);
	guards_add(l, "processes", TRM_ENFORCED, "%u with threads: %s", want->procs,
			r->limits & LIMIT_PIDS ? (r->kind == LIMITS_CGROUP_V2 ? "cgroup v2 pids.max"
									      : "cgroup v1 pids.max")
					       : "RLIMIT_NPROC in a user namespace of its own");
	add_files(l, want, disk_bytes);
	add_net(l, want);
	guards_add(l, "file system", TRM_ENFORCED, "the host's /usr read-only; everything else its own");
	guards_add(l, "system calls", TRM_ENFORCED, "seccomp: allow list and argument checks%s",
			is_strict ? ", strict" : "");
	guards_add(l, "namespaces", TRM_ENFORCED,
			"user, pid, mount, net, ipc, uts, cgroup; no further ones inside");
	if (r->uid)
		guards_add(l, "user", TRM_ENFORCED,
				"uid %u on the host, of this sandbox only; no capabilities", r->uid);
	else
		guards_add(l, "user", TRM_ENFORCED,
				"your own uid on the host, in a user namespace; no capabilities");
}

size_t guards_report(struct trm_guard *ret, const struct ready_msg *r, const struct trm_limits *want,
		uint64_t disk_bytes)
{
	struct guard_list l = {.row = ret, .ready = r};
	if (r->origin.backend && *r->origin.backend)
		guards_add_made(&l, want);
	else if (r->isolation != ISOLATION_NAMESPACES)
		guards_add_bare(&l, want, disk_bytes);
	else
		add_local(&l, want, disk_bytes);
	return l.n;
}
