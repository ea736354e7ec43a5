/* SPDX-License-Identifier: MIT */
/* The limits of a sandbox without namespaces, and their weaknesses. */
#include "backend/supervised/guards.h"

#include <string.h>
#include <sys/statvfs.h>

#include "base/landlock.h"

static void add_level(struct guard_list *l)
{
	if (l->ready->isolation == ISOLATION_NONE)
		guards_add(l, "isolation", TRM_NOT_ENFORCED,
				"none: code runs with all rights of the user who started it");
	else
		guards_add(l, "isolation", TRM_WEAK,
				"Landlock (ABI %u) and seccomp, without namespaces: weaker than those",
				l->ready->landlock_abi);
}

static void add_processes(struct guard_list *l, const struct trm_limits *want)
{
	const struct ready_msg *r = l->ready;
	if (r->limits & LIMIT_PIDS)
		guards_add(l, "processes", TRM_ENFORCED, "%u with threads: cgroup %s pids.max", want->procs,
				r->kind == LIMITS_CGROUP_V2 ? "v2" : "v1");
	else if (r->uid)
		guards_add(l, "processes", TRM_ENFORCED, "%u with threads: RLIMIT_NPROC of a user of its own",
				want->procs);
	else if (r->isolation == ISOLATION_NONE)
		guards_add(l, "processes", TRM_WEAK,
				"%u with threads: RLIMIT_NPROC, which does not limit root", want->procs);
	else
		guards_add(l, "processes", TRM_WEAK,
				"%u with threads: RLIMIT_NPROC, which counts all of your processes",
				want->procs);
}

static void add_disk(struct guard_list *l, uint64_t disk_bytes)
{
	struct statvfs fs;
	bool is_noexec = statvfs(l->ready->folder, &fs) == 0 && fs.f_flag & ST_NOEXEC;
	guards_add(l, "disk", TRM_WEAK,
			"%u MiB in %s: checked every 100 ms; when full, files that are counted cannot grow%s",
			(unsigned)(disk_bytes >> 20), l->ready->folder,
			is_noexec ? "; mounted noexec, so no program in it can be executed" : "");
}

static void add_net(struct guard_list *l, const struct trm_limits *want)
{
	if (l->ready->isolation == ISOLATION_NONE)
		guards_add(l, "network", TRM_NOT_ENFORCED, "this machine's");
	else if (want->net)
		guards_add(l, "network", TRM_NOT_ENFORCED,
				"on: this machine's own, local services and private addresses included: nothing "
				"filters it");
	else
		guards_add(l, "network", TRM_ENFORCED, "off: seccomp refuses sockets%s",
				l->ready->landlock_abi >= LANDLOCK_ABI_TCP ? ", Landlock TCP" : "");
}

static void add_files(struct guard_list *l)
{
	if (l->ready->isolation == ISOLATION_NONE)
		guards_add(l, "file system", TRM_NOT_ENFORCED, "this machine's");
	else if (l->ready->uid)
		guards_add(l, "file system", TRM_ENFORCED,
				"/usr and a few files of /etc read-only, and its own folder; other names can be "
				"seen, not read");
	else
		guards_add(l, "file system", TRM_WEAK,
				"/usr, a few files of /etc, its own folder; modes and times of your files can be "
				"changed");
}

/* Signals, and the visibility of other processes. */
static void add_others(struct guard_list *l)
{
	const struct ready_msg *r = l->ready;
	if (r->isolation == ISOLATION_NONE)
		guards_add(l, "other processes", TRM_NOT_ENFORCED,
				"visible, and can be signaled like your own");
	else if (r->landlock_abi >= LANDLOCK_ABI_SCOPES)
		guards_add(l, "other processes", TRM_ENFORCED,
				"neither seen in /proc nor signaled: Landlock's scopes");
	else
		guards_add(l, "other processes", TRM_WEAK,
				"not seen in /proc; %s can be signaled: scopes need Linux 6.12",
				r->uid ? "the agent" : "the agent, the supervisor and your processes");
}

static void add_user(struct guard_list *l)
{
	if (l->ready->uid)
		guards_add(l, "user", TRM_ENFORCED, "uid %u, of this sandbox only; no capabilities",
				l->ready->uid);
	else
		guards_add(l, "user", TRM_WEAK, "your own%s",
				l->ready->isolation == ISOLATION_NONE ? "" : "; no capabilities");
}

void guards_add_bare(struct guard_list *l, const struct trm_limits *want, uint64_t disk_bytes)
{
	add_level(l);
	guards_add_memory(l, want);
	guards_add_cpu(l, want);
	add_processes(l, want);
	add_disk(l, disk_bytes);
	guards_add_rlimits(l, want);
	add_net(l, want);
	add_files(l);
	if (l->ready->isolation == ISOLATION_LANDLOCK)
		guards_add(l, "system calls", TRM_ENFORCED,
				"seccomp: allow list and argument checks, no shared memory objects or queues%s",
				l->ready->limits & LIMIT_MEMORY ? "" : "; strict");
	else
		guards_add(l, "system calls", TRM_NOT_ENFORCED, "all");
	add_others(l);
	add_user(l);
}
