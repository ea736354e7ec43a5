/* SPDX-License-Identifier: MIT */
/* The start and the end of the supervisor. event_loop.c holds what happens in between, and supervisor.h
 * explains the whole. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sysfile.h"
#include "supervisor/core/cleanup.h"
#include "supervisor/core/entry.h"
#include "supervisor/core/supervisor.h"
#include "supervisor/limits/folder.h"
#include "supervisor/limits/shm.h"
#include "supervisor/limits/systemd_scope.h"
#include "sweep/sweep.h"

/* ---- start -------------------------------------------------------------------- */

static void fail_with_errno(struct supervisor *k, const char *what, int error)
{
	k->n_words = (size_t)snprintf(k->words, sizeof k->words, "%s: %s", what, strerror(error));
}

static bool get_spec(struct supervisor *k)
{
	ssize_t n = recv(SUPERVISOR_CLIENT, k->packet, sizeof k->packet, 0);
	return n > 0 && spec_msg_get(k->packet, (size_t)n, &k->spec) == 0;
}

/* The sandbox must not inherit the scheduling class of the client. A realtime process would leave other
 * programs no processor time and cannot be moved into a group that limits it. These are system calls
 * because musl has no such function. If they fail, making the groups reports the reason. */
static void leave_priority(void)
{
	const struct sched_param none = {0};
	long policy = syscall(SYS_sched_getscheduler, 0);
	if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE)
		syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &none);
	if (getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
}

static bool init_supervisor(struct supervisor *k)
{
	sigset_t signals;
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGUSR2);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	k->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	for (int fd = SUPERVISOR_CLIENT; fd < SUPERVISOR_FD_END; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	k->starter = getppid();
	clients_init(&k->clients, SUPERVISOR_CONTROL);
	clients_add(&k->clients, SUPERVISOR_CLIENT, k->starter);
	k->owner_fd = SUPERVISOR_CLIENT;
	setsid();
	leave_priority();
	prctl(PR_SET_NAME, "terrarium-supervisor");
	return k->signal_fd >= 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && chdir("/") == 0;
}

static void make_groups(struct supervisor *k)
{
	char self[4096];
	const struct group_limits limits = {k->spec.mem_bytes,
			k->spec.procs + 1
					+ (*k->spec.slirp                    ? NET_PROCS
							: *k->spec.net_hosts ? PROXY_PROCS
									     : 0),
			k->spec.cpus};
	sysfile_read("/proc/self/cgroup", self, sizeof self);
	groups_create(k->groups, CGROUP_ROOT, self, &limits, k->starter);
	if (k->groups->limits & LIMIT_MEMORY || !scope_enter(CGROUP_ROOT))
		return;
	groups_remove(k->groups);
	sysfile_read("/proc/self/cgroup", self, sizeof self);
	groups_create(k->groups, CGROUP_ROOT, self, &limits, k->starter);
}

/* From now on the sandbox can be kept, and the time limits count. */
static void set_clocks(struct supervisor *k)
{
	k->started_ms = clock_ms();
	k->is_kept = k->spec.is_kept;
	idle_init(&k->idle, k->spec.idle_timeout_ms, k->started_ms);
}

/* Without isolation, code runs as the user who started the sandbox. */
static bool take_user(struct supervisor *k)
{
	int r = k->spec.isolation == ISOLATION_NONE ? 0 : user_take(&k->user);
	*k->uid = k->user.uid;
	if (r < 0)
		fail_with_errno(k, "cannot reserve a user for the sandbox", -r);
	return r == 0;
}

static bool make_folder(struct supervisor *k)
{
	if (k->spec.isolation == ISOLATION_NAMESPACES)
		return true;
	const char *failed = folder_make(&k->spec, k->user.uid);
	if (failed)
		k->n_words = (size_t)snprintf(k->words, sizeof k->words, "cannot %s %s: %s", failed,
				k->spec.folder, strerror(errno));
	return !failed;
}

static void start_watchdog(struct supervisor *k)
{
	uint64_t mem_bytes = k->groups->limits & LIMIT_MEMORY ? 0 : k->spec.mem_bytes;
	if (k->spec.isolation == ISOLATION_NAMESPACES) {
		watchdog_init(&k->watchdog, k->launch_sandbox.pid, k->launch_sandbox.space_fd, mem_bytes);
		return;
	}
	int fd = open(k->spec.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	watchdog_init_bare(&k->watchdog, k->launch_sandbox.pid, fd,
			strncmp(k->spec.folder, "/dev/shm/", 9) == 0, mem_bytes);
	watchdog_limit_disk(&k->watchdog, k->user.uid, k->spec.disk_bytes, k->spec.file_bytes);
}

static bool start(struct supervisor *k)
{
	int r;
	if (!take_user(k) || !make_folder(k))
		return false;
	make_groups(k);
	if (*k->spec.slirp)
		addr_watch_begin(&k->addr_watch); /* before the filter is made, so that no change is missed */
	r = launch_sandbox(&k->spec, k->groups, k->user.uid, &k->launch_sandbox);
	if (r < 0) {
		fail_with_errno(k, "cannot start a process", -r);
		return false;
	}
	entry_write_groups(SUPERVISOR_ENTRY_DIR, k->groups);
	start_watchdog(k);
	close(SUPERVISOR_LISTEN);
	close(SUPERVISOR_AGENT);
	close(SUPERVISOR_CERTS);
	close(SUPERVISOR_PLAN);
	set_clocks(k);
	const struct net_ends *net = &k->launch_sandbox.net;
	if (net->net_fd >= 0 || net->proxy_fd >= 0)
		r = supervisor_start_net(k);
	if (net->net_fd < 0 && r == 0)
		supervisor_announce(k);
	if (r < 0)
		fail_with_errno(k, NET_FAILED "cannot start a process", -r);
	return r == 0;
}

static bool start_recipe(struct supervisor *k)
{
	set_clocks(k);
	watchdog_init(&k->watchdog, 0, -1, 0);
	return container_start(k);
}

/* ---- end ------------------------------------------------------------------------ */

static bool kill_children(const struct supervisor *k)
{
	pid_t pids[64];
	size_t n = watchdog_children(getpid(), pids, 64), killed = 0;
	for (size_t i = 0; i < n; i++)
		killed += pids[i] != k->cleanup && kill(pids[i], SIGKILL) == 0;
	return killed > 0;
}

/* Bubblewrap takes its child along when it dies, except for a moment at its start. Then the child still
 * waits for bubblewrap and becomes our child instead. */
static void end_all(struct supervisor *k)
{
	int status;
	if (k->spec.isolation != ISOLATION_NAMESPACES && !k->spec.has_plan && k->launch_sandbox.pid)
		folder_kill(getpid(), k->user.uid);
	while (kill_children(k)) {
		pid_t pid = waitpid(-1, &status, 0);
		supervisor_child_ended(k, pid, status);
	}
}

static void tear_down(struct supervisor *k)
{
	container_end(k);
	net_finish(&k->net);
	end_all(k);
	supervisor_read_stderr(k);
	uint64_t oom_kills = k->watchdog.kills + groups_oom_kills(k->groups);
	/* Groups of an engine are not ours to remove. */
	bool is_empty = k->spec.has_plan || groups_remove(k->groups);
	shm_clear(k->spec.isolation == ISOLATION_LANDLOCK ? k->user.uid : 0);
	supervisor_save_gone(k, oom_kills);
	entry_remove(SUPERVISOR_RUN_DIR, SUPERVISOR_ENTRY_DIR, k->spec.name, k->spec.run_path);
	user_release(&k->user);
	if (is_empty) /* otherwise the cleanup process continues */
		cleanup_dismiss(k->cleanup);
	supervisor_publish_gone(k, oom_kills);
}

int main(int argc, char **argv)
{
	static struct supervisor k; /* static, because it is large and must be zeroed */
	k.launch_sandbox = (struct launch_sandbox)LAUNCH_NONE;
	k.net = (struct net)NET_NONE;
	k.addr_watch.fd = -1;
	k.groups = cleanup_shared(sizeof *k.groups);
	k.uid = cleanup_shared(sizeof *k.uid);
	if (argc < 1 || !k.groups || !k.uid || !init_supervisor(&k) || !get_spec(&k))
		return 125;
	if (k.spec.has_plan)
		container_load(&k);
	k.cleanup = cleanup_start(&k, argv[0]);
	if (k.spec.has_plan ? start_recipe(&k) : start(&k)) {
		/* Remove leftovers of other sandboxes while bubblewrap starts. */
		sweep_all(SUPERVISOR_RUN_DIR);
		user_sweep(SUPERVISOR_RUN_DIR);
		supervisor_run(&k);
	}
	tear_down(&k);
	return 0;
}
