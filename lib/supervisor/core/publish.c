/* SPDX-License-Identifier: MIT */
/* The supervisor's messages to its clients and to readers of its entry. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/procstat.h"
#include "base/sysfile.h"
#include "supervisor/core/entry.h"
#include "supervisor/core/supervisor.h"
#include "sweep/sweep.h"

/* The user of the sandbox's first process, as seen on this machine. */
static uint32_t uid_of(pid_t pid)
{
	char ids[64];
	unsigned uid = 0;
	procstat_status(pid, "Uid", ids, sizeof ids);
	return sscanf(ids, "%*u %u", &uid) == 1 ? uid : 0;
}

static struct ready_msg describe(const struct supervisor *k)
{
	return (struct ready_msg){
			.kind = k->groups->kind,
			.limits = k->groups->limits,
			.is_shared = k->launch_sandbox.is_shared,
			.uid = k->container.is_on ? uid_of(k->container.root_pid) : k->user.uid,
			.mem_dir = (char *)groups_dir(k->groups, LIMIT_MEMORY),
			.pids_dir = (char *)groups_dir(k->groups, LIMIT_PIDS),
			.cpuacct_dir = (char *)groups_dir(k->groups, LIMIT_CPUACCT),
			.cpu_dir = (char *)groups_dir(k->groups, LIMIT_CPU),
			.pressure_dir = (char *)groups_dir(k->groups, LIMIT_PRESSURE),
			.space_fd = k->launch_sandbox.space_fd,
			.n_outer = supervisor_outer(k),
			.origin = container_origin(&k->container),
			.isolation = k->spec.isolation,
			.landlock_abi = k->spec.landlock_abi,
			.folder = (char *)k->spec.folder,
	};
}

static void publish_message(const struct supervisor *k, const struct control_msg *msg)
{
	struct buf b;
	buf_init(&b, CONTROL_MAX_BYTES);
	if (control_put(&b, msg) == 0)
		clients_publish(&k->clients, &b);
	buf_finish(&b);
}

void supervisor_publish_progress(const struct supervisor *k, const char *words)
{
	publish_message(k, &(struct control_msg){.type = CONTROL_PROGRESS, .progress = words});
}

void supervisor_publish_lost(const struct supervisor *k, pid_t client, const char *words)
{
	struct buf b;
	buf_init(&b, CONTROL_MAX_BYTES);
	if (control_put(&b, &(struct control_msg){.type = CONTROL_LOST, .lost = words}) == 0)
		clients_publish_to(&k->clients, client, &b);
	buf_finish(&b);
}

/* Text that does not fit is cut: it is the end of a command's output. */
static void add_words(struct supervisor *k, const char *format, va_list args)
{
	const size_t room = sizeof k->words - k->n_words;
	const char *gap = k->n_words ? "; " : "";
	int n = snprintf(k->words + k->n_words, room, "%s", gap);
	n += vsnprintf(k->words + k->n_words + n, room - (size_t)n, format, args);
	k->n_words += (size_t)n < room ? (size_t)n : room - 1;
}

void supervisor_fail(struct supervisor *k, int code, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (!k->is_ending || (k->cause == GONE_REASON && !k->n_words)) {
		add_words(k, format, args);
		k->status = code;
		k->has_status = true; /* not the exit status of the agent, which is killed next */
		supervisor_end(k, GONE_REASON);
	}
	va_end(args);
}

void supervisor_add_reason(struct supervisor *k, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (sizeof k->words - k->n_words > 8)
		add_words(k, format, args);
	va_end(args);
}

void supervisor_publish_oom(const struct supervisor *k)
{
	publish_message(k, &(struct control_msg){.type = CONTROL_OOM, .oom_kills = k->watchdog.kills});
}

void supervisor_publish_refused(const struct supervisor *k)
{
	publish_message(k, &(struct control_msg){.type = CONTROL_REFUSED,
					   .n_refused = k->n_refused,
					   .refused = k->refused});
}

static int put_gone(struct buf *out, struct supervisor *k, uint64_t oom_kills)
{
	k->words[k->n_words] = '\0';
	const struct gone_msg msg = {
			.cause = k->cause,
			.pid = k->asked_by,
			.after_ms = k->after_ms,
			.status = k->status,
			.oom_kills = oom_kills,
			.words = k->words,
			.command = k->asker,
	};
	return control_put(out, &(struct control_msg){.type = CONTROL_GONE, .gone = msg});
}

void supervisor_save_gone(struct supervisor *k, uint64_t oom_kills)
{
	struct buf b;
	buf_init(&b, CONTROL_MAX_BYTES);
	if (put_gone(&b, k, oom_kills) == 0)
		entry_write_gone(SUPERVISOR_ENTRY_DIR, &b);
	buf_finish(&b);
}

void supervisor_publish_gone(struct supervisor *k, uint64_t oom_kills)
{
	struct buf b;
	buf_init(&b, CONTROL_MAX_BYTES);
	clients_let_in(&k->clients); /* a client that has just connected must get it, too */
	if (put_gone(&b, k, oom_kills) == 0)
		clients_publish(&k->clients, &b);
	buf_finish(&b);
}

/* ---- the entry --------------------------------------------------------------------- */

/* Lets other programs find this sandbox. Without it the sandbox still works. */
static void supervisor_save_info(const struct supervisor *k)
{
	char command[256], boot_id[BOOT_ID_BYTES];
	struct procstat self;
	struct buf b;
	if (!procstat_read(getpid(), &self))
		return;
	sysfile_read("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
	const struct info_msg msg = {
			.supervisor = self.pid,
			.supervisor_start = self.start,
			.client = k->starter,
			.command = procstat_command(k->starter, command, sizeof command),
			.started_ms = clock_wall_ms(),
			.mem_bytes = k->spec.mem_bytes,
			.disk_bytes = k->spec.disk_bytes,
			.file_bytes = k->spec.file_bytes,
			.cpus = k->spec.cpus,
			.procs = k->spec.procs,
			.open_files = k->spec.open_files,
			.ready = describe(k),
			.idle_timeout_ms = k->spec.idle_timeout_ms,
			.max_lifetime_ms = k->spec.max_lifetime_ms,
			.boot_id = boot_id,
			.has_net = *k->spec.slirp != '\0' || k->spec.shares_net || k->container.plan.has_net,
			.net_allow = (char *)k->spec.net_allow,
			.group = (char *)k->spec.group,
			.workdir = (char *)k->spec.workdir,
			.mounts = (char *)k->spec.mounts,
			.env = (char *)k->spec.env,
			.engine = (char *)k->spec.engine,
			.from = (char *)k->spec.from,
			.net_hosts = (char *)k->spec.net_hosts,
	};
	buf_init(&b, INFO_MAX_BYTES);
	if (info_msg_put(&b, &msg) == 0)
		entry_write_info(SUPERVISOR_ENTRY_DIR, buf_at(&b), b.len);
	buf_finish(&b);
}

void supervisor_save_state(const struct supervisor *k)
{
	struct state_msg msg = {
			.is_kept = k->is_kept,
			.n_clients = (uint32_t)clients_count(&k->clients),
			.active_ms = k->idle.since_ms,
	};
	memcpy(msg.group, k->clients.group, sizeof msg.group);
	entry_write_state(SUPERVISOR_ENTRY_DIR, &msg);
}

/* The entry first: whoever learns that the sandbox is ready must be able to find it. */
void supervisor_announce(struct supervisor *k)
{
	k->is_announced = true;
	sweep_forget_end(SUPERVISOR_RUN_DIR, k->spec.name);
	supervisor_save_state(k);
	supervisor_save_info(k);
	publish_message(k, &(struct control_msg){.type = CONTROL_READY, .ready = describe(k)});
}
