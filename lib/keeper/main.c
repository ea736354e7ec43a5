/* SPDX-License-Identifier: MIT */
/* The keeper's start and end; what happens in between is in live.c, what it is for in keeper.h. */
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

#include "base/sysfile.h"
#include "keeper/entry.h"
#include "keeper/folder.h"
#include "keeper/heir.h"
#include "keeper/keeper.h"
#include "keeper/scope.h"
#include "sweep/sweep.h"

/* ---- start -------------------------------------------------------------------- */

static void say(struct keeper *k, const char *what, int error)
{
	k->n_words = (size_t)snprintf(k->words, sizeof k->words, "%s: %s", what, strerror(error));
}

static bool get_spec(struct keeper *k)
{
	ssize_t n = recv(KEEPER_LIFELINE, k->packet, sizeof k->packet, 0);
	return n > 0 && spec_msg_get(k->packet, (size_t)n, &k->spec) == 0;
}

/* Whatever priority its maker runs with is not for what runs inside: code of a realtime class would leave
 * nothing of a processor to others, and fits into no group that limits it. Not by the C library, as musl has
 * no such function. What cannot be left makes the groups say so. */
static void leave_priority(void)
{
	const struct sched_param none = {0};
	long policy = syscall(SYS_sched_getscheduler, 0);
	if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE)
		syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &none);
	if (getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
}

static bool settle(struct keeper *k)
{
	sigset_t signals;
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	k->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	for (int fd = KEEPER_LIFELINE; fd < KEEPER_FD_END; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	k->starter = getppid();
	clients_init(&k->clients, KEEPER_DOOR);
	clients_add(&k->clients, KEEPER_LIFELINE, k->starter);
	k->owner_fd = KEEPER_LIFELINE;
	setsid();
	leave_priority();
	prctl(PR_SET_NAME, "terrarium-keeper");
	return k->signal_fd >= 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && chdir("/") == 0;
}

static void make_groups(struct keeper *k)
{
	char self[4096];
	const struct group_limits limits = {k->spec.mem_bytes,
			k->spec.procs + 1 + (*k->spec.slirp ? NET_PROCS : 0), k->spec.cpus};
	sysfile_read("/proc/self/cgroup", self, sizeof self);
	groups_create(k->groups, CGROUP_ROOT, self, &limits, k->starter);
	if (k->groups->limits & LIMIT_MEMORY || !scope_enter(CGROUP_ROOT))
		return;
	groups_remove(k->groups);
	sysfile_read("/proc/self/cgroup", self, sizeof self);
	groups_create(k->groups, CGROUP_ROOT, self, &limits, k->starter);
}

/* From now on it can be kept, and ends in time. */
static void set_clocks(struct keeper *k)
{
	k->started_ms = keeper_now_ms();
	k->is_kept = k->spec.is_kept;
	idle_init(&k->idle, k->spec.idle_timeout_ms, k->started_ms);
}

/* Without isolation code runs as whoever has started it. */
static bool take_user(struct keeper *k)
{
	int r = k->spec.isolation == ISOLATION_NONE ? 0 : user_take(&k->user);
	*k->uid = k->user.uid;
	if (r < 0)
		say(k, "cannot reserve a user for the sandbox", -r);
	return r == 0;
}

static bool make_folder(struct keeper *k)
{
	if (k->spec.isolation == ISOLATION_NAMESPACES)
		return true;
	const char *failed = folder_make(&k->spec, k->user.uid);
	if (failed)
		k->n_words = (size_t)snprintf(k->words, sizeof k->words, "cannot %s %s: %s", failed,
				k->spec.folder, strerror(errno));
	return !failed;
}

static void start_watchdog(struct keeper *k)
{
	uint64_t mem_bytes = k->groups->limits & LIMIT_MEMORY ? 0 : k->spec.mem_bytes;
	if (k->spec.isolation == ISOLATION_NAMESPACES) {
		watchdog_init(&k->watchdog, k->launch.pid, k->launch.space_fd, mem_bytes);
		return;
	}
	int fd = open(k->spec.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	watchdog_init_bare(&k->watchdog, k->launch.pid, fd, strncmp(k->spec.folder, "/dev/shm/", 9) == 0,
			mem_bytes);
	watchdog_limit_disk(&k->watchdog, k->user.uid, k->spec.disk_bytes, k->spec.file_bytes);
}

static bool start(struct keeper *k)
{
	int r;
	if (!take_user(k) || !make_folder(k))
		return false;
	make_groups(k);
	if (*k->spec.slirp)
		roam_begin(&k->roam); /* before the filter is made */
	r = launch(&k->spec, k->groups, k->user.uid, &k->launch);
	if (r < 0) {
		say(k, "cannot start a process", -r);
		return false;
	}
	entry_note_groups(KEEPER_ENTRY_DIR, k->groups);
	start_watchdog(k);
	close(KEEPER_LISTEN);
	close(KEEPER_AGENT);
	close(KEEPER_CERTS);
	close(KEEPER_PLAN);
	set_clocks(k);
	if (k->launch.net.net_fd < 0)
		keeper_announce(k);
	else
		r = keeper_start_net(k);
	if (r < 0)
		say(k, NET_FAILED "cannot start a process", -r);
	return r == 0;
}

static bool start_recipe(struct keeper *k)
{
	set_clocks(k);
	watchdog_init(&k->watchdog, 0, -1, 0);
	return recipe_start(k);
}

/* ---- end ------------------------------------------------------------------------ */

static bool kill_children(const struct keeper *k)
{
	pid_t pids[64];
	size_t n = watchdog_children(getpid(), pids, 64), killed = 0;
	for (size_t i = 0; i < n; i++)
		killed += pids[i] != k->heir && kill(pids[i], SIGKILL) == 0;
	return killed > 0;
}

/* Bubblewrap takes its child along when it dies, but for a moment at its start: then the child, which
 * waits for a word from it, comes to us instead. */
static void end_all(struct keeper *k)
{
	int status;
	if (k->spec.isolation != ISOLATION_NAMESPACES && !k->spec.has_plan && k->launch.pid)
		folder_kill(getpid(), k->user.uid);
	while (kill_children(k)) {
		pid_t pid = waitpid(-1, &status, 0);
		keeper_note_end(k, pid, status);
	}
}

static void tear_down(struct keeper *k)
{
	recipe_end(k);
	net_finish(&k->net);
	end_all(k);
	keeper_hear_words(k);
	uint64_t oom_kills = k->watchdog.kills + groups_oom_kills(k->groups);
	bool is_empty = k->spec.has_plan || groups_remove(k->groups); /* others' groups are others' */
	folder_clear_shm(k->spec.isolation == ISOLATION_LANDLOCK ? k->user.uid : 0);
	keeper_note_gone(k, oom_kills);
	entry_remove(KEEPER_RUN_DIR, KEEPER_ENTRY_DIR, k->spec.name, k->spec.run_path);
	user_release(&k->user);
	if (is_empty) /* else it goes on where we give up */
		heir_dismiss(k->heir);
	keeper_tell_gone(k, oom_kills);
}

int main(int argc, char **argv)
{
	static struct keeper k; /* large, and all zero: it takes no room in the program file */
	k.launch = (struct launch)LAUNCH_NONE;
	k.net = (struct net)NET_NONE;
	k.roam.fd = -1;
	k.groups = heir_shared(sizeof *k.groups);
	k.uid = heir_shared(sizeof *k.uid);
	if (argc < 1 || !k.groups || !k.uid || !settle(&k) || !get_spec(&k))
		return 125;
	if (k.spec.has_plan)
		recipe_load(&k);
	k.heir = heir_start(&k, argv[0]);
	if (k.spec.has_plan ? start_recipe(&k) : start(&k)) {
		/* While bubblewrap builds: others' leftovers. */
		sweep_all(KEEPER_RUN_DIR);
		user_sweep(KEEPER_RUN_DIR);
		keeper_live(&k);
	}
	tear_down(&k);
	return 0;
}
