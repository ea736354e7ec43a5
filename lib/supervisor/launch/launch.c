/* SPDX-License-Identifier: MIT */
#include "supervisor/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/privilege.h"
#include "base/rlimit.h"
#include "base/sysfile.h"
#include "supervisor/launch/confine.h"
#include "supervisor/launch/mount_view.h"
#include "supervisor/limits/folder.h"
#include "supervisor/limits/seed.h"
#include "supervisor/limits/user.h"
#include "supervisor/net/net.h"

enum { BWRAP_MAX_FDS = BWRAP_FILES + CONTROL_MAX_FILES + 1 + CONTROL_MAX_MOUNTS };
_Static_assert((int)BWRAP_MAX_FDS <= (int)FDS_PLACE_MAX, "fds_place() takes them all");

/* Exit status of a child that failed before it could execute bubblewrap. */
enum { NOT_STARTED = 125 };

/* Stdout and stderr of the child are the pipe that the supervisor reads. */
static _Noreturn void die(const char *what)
{
	char line[256];
	int n = snprintf(line, sizeof line, "cannot %s: %s", what, strerror(errno));
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		_exit(NOT_STARTED + 1);
	_exit(NOT_STARTED);
}

#define SET_LIMIT "set a resource limit (prlimit64)"

/* ---- limits ----------------------------------------------------------------- */

/* Guards promise these limits, so nothing starts without them. */
static void set_rlimits(const struct spec_msg *spec, const struct groups *groups)
{
	const struct {
		int resource;
		uint64_t most;
	} limits[] = {
			/* 1, not 0: with 0 the kernel still runs a core_pattern that is a pipe, as root on
			 * the host (fs/coredump.c). */
			{RLIMIT_CORE, 1},
			{RLIMIT_NOFILE, spec->open_files},
			{RLIMIT_FSIZE, spec->file_bytes},
			{RLIMIT_MEMLOCK, 1 << 20},
			{RLIMIT_MSGQUEUE, 64 << 10},
			{RLIMIT_SIGPENDING, 1024},
			{RLIMIT_RTPRIO, 0},
			{RLIMIT_NICE, 0},
			/* Without a group. Not AS: just-in-time compilers reserve far more memory than they
			 * use. */
			{RLIMIT_DATA, spec->mem_bytes},
	};
	const size_t n = sizeof limits / sizeof *limits - (groups->limits & LIMIT_MEMORY ? 1 : 0);
	for (size_t i = 0; i < n; i++)
		if (!rlimit_set(limits[i].resource, limits[i].most, limits[i].most))
			die(SET_LIMIT);
}

/* Without a group the CPU limit is rounded to whole cores, and the strict filter keeps code from changing
 * it. */
static void limit_cores(double cpus)
{
	cpu_set_t have, want;
	CPU_ZERO(&want);
	if (sched_getaffinity(0, sizeof have, &have) < 0)
		return;
	int n_have = CPU_COUNT(&have), n_want = (int)ceil(cpus);
	int skip = n_want < n_have ? (int)(getpid() % n_have) : 0; /* spread sandboxes over the cores */
	for (int i = 0; i < 2 * CPU_SETSIZE && n_want > 0; i++) {
		int cpu = i % CPU_SETSIZE;
		if (!CPU_ISSET(cpu, &have) || CPU_ISSET(cpu, &want) || skip-- > 0)
			continue;
		CPU_SET(cpu, &want);
		n_want--;
	}
	sched_setaffinity(0, sizeof want, &want);
	setpriority(PRIO_PROCESS, 0, 10);
}

/* ---- descriptors -------------------------------------------------------------- */

/* Returns a pipe that holds `n` bytes and has no writer. Fails if they do not fit. */
static int pipe_with(const char *bytes, size_t n)
{
	int fd[2];
	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK) < 0)
		die("make a pipe");
	if (n > 0 && write(fd[1], bytes, n) != (ssize_t)n)
		die("pass bubblewrap its arguments");
	close(fd[1]);
	fcntl(fd[0], F_SETFL, 0);
	return fd[0];
}

static void arrange(const struct spec_msg *spec, bool is_shared, bool is_strict)
{
	int fds[BWRAP_MAX_FDS];
	size_t n = BWRAP_FILES;
	struct slice args = is_shared ? spec->args_shared : spec->args_separate;
	struct slice calls = is_strict ? spec->calls_strict : spec->calls;
	struct slice arguments = is_strict ? spec->arguments_strict : spec->arguments;
	fds[0] = pipe_with(NULL, 0); /* not a file of the host: code could open that anew through /proc */
	fds[1] = STDERR_FILENO;
	fds[2] = STDERR_FILENO;
	fds[BWRAP_LISTEN] = SUPERVISOR_LISTEN;
	fds[BWRAP_ARGS] = pipe_with(args.bytes, args.n);
	fds[BWRAP_CALLS] = pipe_with(calls.bytes, calls.n);
	fds[BWRAP_ARGUMENTS] = pipe_with(arguments.bytes, arguments.n);
	fds[BWRAP_AGENT] = SUPERVISOR_AGENT;
	for (size_t i = 0; i < spec->n_files; i++)
		fds[n++] = pipe_with(spec->files[i].bytes, spec->files[i].n);
	if (spec->has_certs)
		fds[n++] = SUPERVISOR_CERTS;
	for (int i = 0; i < (int)spec->n_mounts && !is_shared; i++)
		fds[n++] = SUPERVISOR_MOUNTS + i;
	if (!fds_place(fds, n))
		die("arrange descriptors");
}

/* ---- the child ----------------------------------------------------------------- */

/* The report to the supervisor. Descriptors follow in the order of the fields. */
struct report {
	bool is_shared, has_space, has_net, has_wire, has_proxy;
};
enum { REPORT_FILES = 5 };

static size_t count_files(const struct report *r)
{
	return r->has_space + 2 * (size_t)r->has_net + r->has_wire + r->has_proxy;
}

union rights {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(REPORT_FILES * sizeof(int))];
};

static void report(int to, const struct report *r, const int *fds)
{
	union rights control = {0};
	const size_t n = count_files(r);
	struct iovec iov = {.iov_base = (void *)r, .iov_len = sizeof *r};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	if (n) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
		struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	}
	if (sendmsg(to, &msg, MSG_NOSIGNAL) < 0)
		die("report to the supervisor");
}

static void make_net(const struct spec_msg *spec, bool has_tun, struct net_ends *ret)
{
	const char *failed = *spec->slirp ? net_enter(spec, has_tun, ret) : net_enter_named(ret);
	if (!failed)
		return;
	dprintf(STDERR_FILENO, NET_FAILED "cannot %s: %s", failed, strerror(errno));
	_exit(NOT_STARTED);
}

/* Report how the files are held, with a descriptor of the tmpfs for measuring it. If there is to be a
 * network, set it up and send its namespaces, too. */
static void make_and_report(const struct spec_msg *spec, int to, bool is_shared, bool has_tun)
{
	int fds[REPORT_FILES], n = 0;
	struct net_ends ends = NET_ENDS_NONE;
	struct report r = {.is_shared = is_shared,
			.has_net = *spec->slirp != '\0',
			.has_proxy = *spec->net_hosts != '\0'};
	fds[n] = is_shared ? open(SPACE_PATH, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	r.has_space = fds[n] >= 0;
	n += r.has_space;
	if (r.has_net || r.has_proxy)
		make_net(spec, has_tun, &ends);
	r.has_wire = ends.veth_relay_fd >= 0;
	const int of_net[] = {ends.user_fd, ends.net_fd, ends.veth_relay_fd, ends.proxy_fd};
	for (size_t i = 0; i < sizeof of_net / sizeof *of_net; i++)
		if (of_net[i] >= 0)
			fds[n++] = of_net[i];
	report(to, &r, fds);
}

/* Find the text of one mount, without its mode and newline. */
static int find_mount(const struct spec_msg *spec, uint32_t which, const char **ret)
{
	const char *at = spec->mounts;
	for (; which && *at; which--)
		at += strcspn(at, "\n") + 1;
	*ret = at;
	int n = (int)strcspn(at, "\n");
	return n > 3 ? n - 3 : n;
}

/* Copy what the snapshot has into the sandbox's files. */
static void fill_space(const struct spec_msg *spec, bool is_shared, uint32_t uid)
{
	const char *failed = "mount the file system for its files here: only bubblewrap may do that";
	if (!*spec->from)
		return;
	errno = EPERM;
	if (is_shared)
		failed = seed_copy(SPACE_PATH "/workspace", SPACE_PATH "/home", uid);
	if (!failed)
		return;
	dprintf(STDERR_FILENO, SNAPSHOT_FAILED "cannot %s: %s", failed, strerror(errno));
	_exit(NOT_STARTED);
}

static bool make_space(const struct spec_msg *spec, bool is_root, uint32_t uid)
{
	struct mount_view_failure failure;
	const char *mount;
	bool is_made = mount_view_make(is_root, uid, spec, &failure);
	if (is_made || !failure.what)
		return is_made;
	int n = find_mount(spec, failure.which, &mount);
	dprintf(STDERR_FILENO, MOUNT_FAILED "%.*s: cannot %s: %s", n, mount, failure.what,
			strerror(failure.error));
	_exit(NOT_STARTED);
}

/* Unblock all signals, and make the supervisor's death end this process. */
static void end_with(pid_t supervisor)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* again, because the change of user has cleared it */
	if (getppid() != supervisor)
		_exit(NOT_STARTED);
}

/* A sandbox without namespaces: its folder exists, and the agent is executed directly. */
static _Noreturn void bare_child(
		const struct spec_msg *spec, const struct groups *groups, uint32_t uid, int report_fd)
{
	const pid_t supervisor = getppid();
	struct confinement c = {.spec = spec, .uid = uid, .is_strict = !(groups->limits & LIMIT_MEMORY)};
	sysfile_write("/proc/self/oom_score_adj", "500");
	const struct rlimit mark = {folder_mark(supervisor), folder_mark(supervisor)};
	/* In a sandbox of another Terrarium the mark cannot be raised above that one's. */
	if (setrlimit(RLIMIT_LOCKS, &mark) < 0 && !rlimit_set(RLIMIT_LOCKS, mark.rlim_cur, mark.rlim_max))
		die(SET_LIMIT);
	if (!(groups->limits & LIMIT_CPU))
		limit_cores(spec->cpus);
	if (spec->isolation == ISOLATION_LANDLOCK)
		privilege_drop_bounds();
	if (uid && !user_become(uid))
		die("change to the sandbox's own user (setgroups, setresgid, setresuid)");
	const struct report r = {0};
	report(report_fd, &r, NULL);
	const char *failed = confine_prepare(&c);
	if (failed)
		die(failed);
	const int fds[] = {pipe_with(NULL, 0), STDERR_FILENO, STDERR_FILENO, SUPERVISOR_LISTEN,
			SUPERVISOR_AGENT, c.code_rules_fd < 0 ? STDERR_FILENO : c.code_rules_fd,
			c.agent_rules_fd < 0 ? STDERR_FILENO : c.agent_rules_fd};
	if (!fds_place(fds, sizeof fds / sizeof *fds))
		die("arrange descriptors");
	set_rlimits(spec, groups);
	const uint64_t tasks = confine_count_tasks() + spec->procs;
	if (!uid && !(groups->limits & LIMIT_PIDS) && !rlimit_set(RLIMIT_NPROC, tasks, tasks))
		die(SET_LIMIT);
	end_with(supervisor);
	die(confine_exec(&c));
}

static _Noreturn void child(
		const struct spec_msg *spec, const struct groups *groups, uint32_t uid, int report_fd)
{
	const pid_t supervisor = getppid();
	bool is_strict = !(groups->limits & LIMIT_MEMORY), has_tun = *spec->slirp && net_has_tun();
	sysfile_write("/proc/self/oom_score_adj", "500");
	bool is_root_made = uid && make_space(spec, true, uid);
	if (is_root_made)
		fill_space(spec, true, uid);
	if (uid && !user_become(uid))
		die("change to the sandbox's own user (setgroups, setresgid, setresuid)");
	bool is_shared = is_root_made || make_space(spec, false, 0);
	if (!is_root_made)
		fill_space(spec, is_shared, 0);
	if (!(groups->limits & LIMIT_CPU))
		limit_cores(spec->cpus);
	make_and_report(spec, report_fd, is_shared, has_tun);
	arrange(spec, is_shared, is_strict);
	set_rlimits(spec, groups);
	end_with(supervisor);
	char args[16], listen_fd[16];
	snprintf(args, sizeof args, "%d", BWRAP_ARGS);
	snprintf(listen_fd, sizeof listen_fd, "%d", BWRAP_LISTEN);
	char *argv[] = {"bwrap", "--args", args, "--", AGENT_PATH, "serve", listen_fd, NULL}, *env[] = {NULL};
	execve(spec->bwrap, argv, env);
	die("start bubblewrap");
}

/* ---- the supervisor's side --------------------------------------------------------- */

/* If the child has failed it sends no report. */
static void read_report(int from, struct launch_sandbox *ret)
{
	struct report r = {0};
	union rights control;
	int fds[REPORT_FILES];
	struct iovec iov = {.iov_base = &r, .iov_len = sizeof r};
	struct msghdr msg = {.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control.bytes,
			.msg_controllen = sizeof control.bytes};
	if (recvmsg(from, &msg, MSG_CMSG_CLOEXEC) != sizeof r)
		return;
	const size_t n = count_files(&r);
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	ret->is_shared = r.is_shared;
	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS
			|| c->cmsg_len != CMSG_LEN(n * sizeof(int)))
		return;
	memcpy(fds, CMSG_DATA(c), n * sizeof(int));
	const int *at = fds;
	if (r.has_space)
		ret->space_fd = *at++;
	if (r.has_net) {
		ret->net.user_fd = *at++;
		ret->net.net_fd = *at++;
	}
	if (r.has_wire)
		ret->net.veth_relay_fd = *at++;
	if (r.has_proxy)
		ret->net.proxy_fd = *at;
}

int launch_sandbox(const struct spec_msg *spec, const struct groups *groups, uint32_t uid,
		struct launch_sandbox *ret)
{
	int words[2], line[2];
	*ret = (struct launch_sandbox)LAUNCH_NONE;
	if (pipe2(words, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) < 0) {
		int error = -errno;
		close(words[0]);
		close(words[1]);
		return error;
	}
	ret->pid = groups_fork(groups, words[1]);
	if (!ret->pid) {
		dup2(words[1], STDERR_FILENO);
		if (spec->isolation == ISOLATION_NAMESPACES)
			child(spec, groups, uid, line[1]);
		bare_child(spec, groups, uid, line[1]);
	}
	int error = ret->pid < 0 ? -errno : 0;
	close(words[1]);
	close(line[1]);
	if (error)
		close(words[0]);
	else
		read_report(line[0], ret);
	ret->words_fd = error ? -1 : words[0];
	close(line[0]);
	return error;
}
