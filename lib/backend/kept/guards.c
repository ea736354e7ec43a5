/* SPDX-License-Identifier: MIT */
#include "backend/kept/guards.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>

struct list {
	struct trm_guard *row;
	size_t n;
};

static void tell(struct list *l, const char *what, enum trm_strength strength, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));

static void tell(struct list *l, const char *what, enum trm_strength strength, const char *fmt, ...)
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

static unsigned mib(uint64_t bytes)
{
	return (unsigned)(bytes >> 20);
}

static void tell_memory(struct list *l, const struct ready_msg *r, const struct trm_limits *want)
{
	bool is_v2 = r->kind == LIMITS_CGROUP_V2;
	if (!(r->limits & LIMIT_MEMORY))
		tell(l, "memory", TRM_WEAK,
				"%u MiB: RLIMIT_DATA for each process; all together looked at every 100 ms, "
				"the biggest is killed; socket buffers are not counted",
				mib(want->mem_bytes));
	else
		tell(l, "memory", TRM_ENFORCED, "%u MiB, files included: %s%s", mib(want->mem_bytes),
				is_v2 ? "cgroup v2 memory.max" : "cgroup v1 memory.limit_in_bytes",
				r->limits & LIMIT_SWAP ? ", no swap" : "; swap is not counted");
}

static void tell_cpu(struct list *l, const struct ready_msg *r, const struct trm_limits *want)
{
	bool is_v2 = r->kind == LIMITS_CGROUP_V2;
	double whole = ceil(want->cpus);
	if (r->limits & LIMIT_CPU)
		tell(l, "cpu", TRM_ENFORCED, "%g cores: %s", want->cpus,
				is_v2 ? "cgroup v2 cpu.max" : "cgroup v1 cpu.cfs_quota_us");
	else
		tell(l, "cpu", whole > want->cpus ? TRM_WEAK : TRM_ENFORCED, "bound to %g core%s%s", whole,
				whole > 1 ? "s" : "",
				whole > want->cpus ? "; the fraction is not enforced" : "");
}

/* What the host's own limit leaves of a wish. */
static uint64_t allowed(int resource, uint64_t want)
{
	struct rlimit now;
	return getrlimit(resource, &now) == 0 && now.rlim_max < want ? now.rlim_max : want;
}

static void tell_files(
		struct list *l, const struct ready_msg *r, const struct trm_limits *want, uint64_t disk_bytes)
{
	if (r->is_shared)
		tell(l, "disk", TRM_ENFORCED,
				"%u MiB: one tmpfs holds /workspace, /tmp, /home/user and /dev/shm",
				mib(disk_bytes));
	else
		tell(l, "disk", TRM_WEAK,
				"%u MiB for each of /workspace, /tmp and /home/user: a tmpfs of its own",
				mib(disk_bytes));
	tell(l, "file size", TRM_ENFORCED, "%u MiB: RLIMIT_FSIZE",
			mib(allowed(RLIMIT_FSIZE, want->file_bytes)));
	tell(l, "open files", TRM_ENFORCED, "%u in each process: RLIMIT_NOFILE",
			(unsigned)allowed(RLIMIT_NOFILE, want->open_files));
}

static void tell_net(struct list *l, const struct trm_limits *want)
{
	if (!want->net)
		tell(l, "network", TRM_ENFORCED, "off: a network namespace with only a loopback device");
	else if (*want->net_allow)
		tell(l, "network", TRM_ENFORCED,
				"on: slirp4netns; nf_tables refuses this host and local networks, but %s",
				want->net_allow);
	else
		tell(l, "network", TRM_ENFORCED,
				"on: slirp4netns; nf_tables refuses this host, private and metadata addresses");
}

size_t guards_tell(struct trm_guard *ret, const struct ready_msg *r, const struct trm_limits *want,
		uint64_t disk_bytes)
{
	struct list l = {.row = ret};
	if (r->origin.backend && *r->origin.backend)
		return guards_tell_made(ret, r, want);
	bool is_strict = !(r->limits & LIMIT_MEMORY);
	tell_memory(&l, r, want);
	tell_cpu(&l, r, want);
	tell(&l, "processes", TRM_ENFORCED, "%u with threads: %s", want->procs,
			r->limits & LIMIT_PIDS ? (r->kind == LIMITS_CGROUP_V2 ? "cgroup v2 pids.max"
									      : "cgroup v1 pids.max")
					       : "RLIMIT_NPROC in a user namespace of its own");
	tell_files(&l, r, want, disk_bytes);
	tell_net(&l, want);
	tell(&l, "file system", TRM_ENFORCED, "the host's /usr read-only; everything else its own");
	tell(&l, "system calls", TRM_ENFORCED, "seccomp: allow list and argument checks%s",
			is_strict ? ", strict" : "");
	tell(&l, "namespaces", TRM_ENFORCED,
			"user, pid, mount, net, ipc, uts, cgroup; no further ones inside");
	if (r->uid)
		tell(&l, "user", TRM_ENFORCED, "uid %u on the host, of this sandbox only; no capabilities",
				r->uid);
	else
		tell(&l, "user", TRM_ENFORCED,
				"your own uid on the host, in a user namespace; no capabilities");
	return l.n;
}
