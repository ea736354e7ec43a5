/* SPDX-License-Identifier: MIT */

/* Theory of operation. The keeper is the parent of one sandbox. It has a
 * session of its own, so that no terminal reaches it, and a line to the client
 * that started it. It makes the control groups, starts bubblewrap, and then waits:
 *
 *   the lifeline breaks     the client asked for the end, or ended itself
 *   the client ends         while a copy of the lifeline lives on in a process that it forked
 *   SIGTERM, SIGINT, SIGHUP somebody else asks
 *   bubblewrap ends         the agent is gone, or never came
 *
 * and in each case takes everything away again. All processes of the sandbox
 * die with bubblewrap (its child dies with it and is init of their PID
 * namespace); the keeper is their reaper, so when it has no child left, none
 * of them is left. Should the keeper itself be killed, bubblewrap dies too, and
 * what remains of directories and groups is swept by the next keeper. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/procstat.h"
#include "keeper/entry.h"
#include "keeper/file.h"
#include "keeper/group.h"
#include "keeper/launch.h"
#include "keeper/user.h"
#include "keeper/watchdog.h"
#include "wire/lifeline.h"

struct keeper {
	struct spec_msg spec;
	struct groups groups;
	struct user user;
	struct launch launch;
	struct watchdog watchdog;
	pid_t client;
	int client_fd; /* pidfd */
	int signal_fd;
	bool is_ending, was_asked;
	bool has_status; /* bubblewrap has been reaped */
	int status;
	size_t n_words;
	char words[LIFELINE_MAX_WORDS];
	char packet[LIFELINE_MAX_BYTES];
};

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
	k->client = getppid();
	/* Without it (before Linux 5.3) the lifeline must do. */
	k->client_fd = (int)syscall(SYS_pidfd_open, k->client, 0);
	setsid();
	prctl(PR_SET_NAME, "terrarium-keeper");
	return k->signal_fd >= 0 && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && chdir("/") == 0;
}

static void send_packet(struct buf *b)
{
	/* A client that is gone already needs no answer. */
	send(KEEPER_LIFELINE, buf_at(b), b->len, MSG_NOSIGNAL | MSG_DONTWAIT);
	buf_finish(b);
}

static struct ready_msg describe(const struct keeper *k)
{
	return (struct ready_msg){
			.kind = k->groups.kind,
			.limits = k->groups.limits,
			.is_shared = k->launch.is_shared,
			.uid = k->user.uid,
			.mem_dir = (char *)groups_dir(&k->groups, LIMIT_MEMORY),
			.pids_dir = (char *)groups_dir(&k->groups, LIMIT_PIDS),
			.cpuacct_dir = (char *)groups_dir(&k->groups, LIMIT_CPUACCT),
			.cpu_dir = (char *)groups_dir(&k->groups, LIMIT_CPU),
			.pressure_dir = (char *)groups_dir(&k->groups, LIMIT_PRESSURE),
			.space_fd = k->launch.space_fd,
	};
}

static void send_ready(const struct keeper *k)
{
	const struct ready_msg msg = describe(k);
	struct buf b;
	buf_init(&b, LIFELINE_MAX_BYTES);
	if (ready_msg_put(&b, &msg) == 0)
		send_packet(&b);
}

static uint64_t unix_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* For those who look for running sandboxes. Without it this one is not found, but works. */
static void note_info(const struct keeper *k)
{
	char command[256];
	struct procstat self;
	struct buf b;
	if (!procstat_read(getpid(), &self))
		return;
	const struct info_msg msg = {
			.keeper = self.pid,
			.keeper_start = self.start,
			.client = k->client,
			.command = procstat_command(k->client, command, sizeof command),
			.started_ms = unix_ms(),
			.mem_bytes = k->spec.mem_bytes,
			.disk_bytes = k->spec.disk_bytes,
			.file_bytes = k->spec.file_bytes,
			.cpus = k->spec.cpus,
			.procs = k->spec.procs,
			.open_files = k->spec.open_files,
			.ready = describe(k),
	};
	buf_init(&b, LIFELINE_MAX_BYTES);
	if (info_msg_put(&b, &msg) == 0)
		entry_note_info(KEEPER_ENTRY_DIR, buf_at(&b), b.len);
	buf_finish(&b);
}

static bool start(struct keeper *k)
{
	char self[4096];
	/* Bubblewrap's outer process counts as one that nobody inside sees. */
	const struct group_limits limits = {k->spec.mem_bytes, k->spec.procs + 1, k->spec.cpus};
	int r = user_take(&k->user);
	if (r < 0) {
		say(k, "cannot take a user of its own for the sandbox", -r);
		return false;
	}
	file_read("/proc/self/cgroup", self, sizeof self);
	groups_create(&k->groups, CGROUP_ROOT, self, &limits, k->client);
	r = launch_bwrap(&k->spec, &k->groups, k->user.uid, &k->launch);
	if (r < 0) {
		say(k, "cannot start a process", -r);
		return false;
	}
	entry_note_groups(KEEPER_ENTRY_DIR, &k->groups);
	k->watchdog = (struct watchdog){k->launch.pid, k->launch.space_fd, k->spec.mem_bytes, 0};
	close(KEEPER_LISTEN);
	close(KEEPER_AGENT);
	send_ready(k);
	note_info(k);
	return true;
}

/* ---- life ---------------------------------------------------------------------- */

static void hear_words(struct keeper *k)
{
	char bytes[4096];
	ssize_t n;
	while ((n = read(k->launch.words_fd, bytes, sizeof bytes)) > 0) {
		size_t room = sizeof k->words - 1 - k->n_words;
		size_t take = (size_t)n < room ? (size_t)n : room;
		memcpy(k->words + k->n_words, bytes, take);
		k->n_words += take;
	}
	if (n == 0 || errno != EAGAIN) {
		close(k->launch.words_fd);
		k->launch.words_fd = -1;
	}
}

static void note_end(struct keeper *k, pid_t pid, int status)
{
	if (pid != k->launch.pid || k->has_status)
		return;
	k->status = status;
	k->has_status = true;
	k->is_ending = true;
}

static void reap(struct keeper *k)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		note_end(k, pid, status);
}

static void hear_signals(struct keeper *k)
{
	struct signalfd_siginfo info;
	while (read(k->signal_fd, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGCHLD)
			reap(k);
		else
			k->is_ending = k->was_asked = true;
	}
}

/* Anything on the lifeline means its end, for the client sends nothing after the spec; so does
 * the end of the client itself. */
static void hear_client(struct keeper *k)
{
	k->is_ending = k->was_asked = true;
}

static void look(struct keeper *k)
{
	if (!watchdog_look(&k->watchdog))
		return;
	struct buf b;
	buf_init(&b, LIFELINE_MAX_BYTES);
	if (oom_msg_put(&b, k->watchdog.kills) == 0)
		send_packet(&b);
}

static void live(struct keeper *k)
{
	bool is_watching = !(k->groups.limits & LIMIT_MEMORY);
	while (!k->is_ending) {
		struct pollfd fds[] = {
				{.fd = KEEPER_LIFELINE, .events = POLLIN},
				{.fd = k->signal_fd, .events = POLLIN},
				{.fd = k->launch.words_fd, .events = POLLIN},
				{.fd = k->client_fd, .events = POLLIN},
		};
		int n = poll(fds, 4, is_watching ? WATCHDOG_PERIOD_MS : -1);
		if (n > 0 && fds[2].revents)
			hear_words(k);
		if (n > 0 && fds[1].revents)
			hear_signals(k);
		if (n > 0 && (fds[0].revents || fds[3].revents))
			hear_client(k);
		if (is_watching && !k->is_ending)
			look(k);
	}
}

/* ---- end ------------------------------------------------------------------------ */

static void send_gone(struct keeper *k, uint64_t oom_kills)
{
	struct buf b;
	buf_init(&b, LIFELINE_MAX_BYTES);
	k->words[k->n_words] = '\0';
	const struct gone_msg msg = {k->was_asked, k->status, oom_kills, k->words};
	if (gone_msg_put(&b, &msg) == 0)
		send_packet(&b);
}

static bool kill_children(void)
{
	pid_t pids[64];
	size_t n = watchdog_children(getpid(), pids, 64);
	for (size_t i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	return n > 0;
}

/* Bubblewrap takes its child along when it dies, but for a moment at its start: then the child, which
 * waits for a word from it, comes to us instead. */
static void end_all(struct keeper *k)
{
	int status;
	while (kill_children()) {
		pid_t pid = waitpid(-1, &status, 0);
		note_end(k, pid, status);
	}
}

static void tear_down(struct keeper *k)
{
	end_all(k);
	if (k->launch.words_fd >= 0)
		hear_words(k);
	uint64_t oom_kills = k->watchdog.kills + groups_oom_kills(&k->groups);
	groups_remove(&k->groups);
	entry_remove(KEEPER_RUN_DIR, KEEPER_ENTRY_DIR, k->spec.name, k->spec.run_path);
	user_release(&k->user);
	send_gone(k, oom_kills);
}

int main(void)
{
	static struct keeper k; /* large, and all zero: it takes no room in the program file */
	k.launch = (struct launch){.words_fd = -1, .space_fd = -1};
	if (!settle(&k) || !get_spec(&k))
		return 125;
	if (start(&k)) {
		/* While bubblewrap builds: others' leftovers. */
		entry_sweep(KEEPER_RUN_DIR);
		user_sweep(KEEPER_RUN_DIR);
		live(&k);
	}
	tear_down(&k);
	return 0;
}
