/* SPDX-License-Identifier: MIT */
/* Starts slirp4netns and, if /dev/net/tun is not available, the relay that carries frames to it; or the proxy
 * for named hosts. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/sysfile.h"
#include "supervisor/limits/user.h"
#include "supervisor/net/net.h"
#include "supervisor/net/proxy.h"
#include "supervisor/net/veth_relay.h"

enum { NOT_STARTED = 125, HELPER_FILES = 1024 };

/* Descriptors of slirp4netns. HELPER_WHERE is the network namespace, or the directory for its socket. */
enum helper_fd { HELPER_WHERE = 3, HELPER_READY, HELPER_EXIT, HELPER_FD_END };

static _Noreturn void die(const char *what)
{
	char line[200];
	int n = snprintf(line, sizeof line, "cannot %s: %s", what, strerror(errno));
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		_exit(NOT_STARTED + 1);
	_exit(NOT_STARTED);
}

/* On some machines only root may open /dev/net/tun. There, make a device of that name in a private file
 * system. If that fails, the machine's own device is used. */
static void show_tun(uint32_t uid)
{
	const mode_t before = umask(0);
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		die("make a mount namespace");
	if (mount("tmpfs", "/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755,size=4096,nr_inodes=8") < 0)
		die("mount a tmpfs");
	if (mkdir("/dev/net", 0755) < 0 || mknod("/dev/net/tun", S_IFCHR | 0600, makedev(10, 200)) < 0
			|| chown("/dev/net/tun", uid, uid) < 0)
		umount2("/dev", MNT_DETACH);
	umask(before);
}

/* Limit slirp4netns, because it parses data that comes from the sandbox. */
static void limit_helper(void)
{
	const struct rlimit files = {HELPER_FILES, HELPER_FILES}, core = {1, 1}, none = {0, 0};
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_CORE, &core); /* see set_rlimits() in launch.c */
	setrlimit(RLIMIT_FSIZE, &none);
	sysfile_write("/proc/self/oom_score_adj", "500");
}

struct words {
	const char *word[24];
	size_t n;
};

static void add_arg(struct words *w, const char *word)
{
	w->word[w->n++] = word;
}

static _Noreturn void run(const struct spec_msg *spec, bool has_v6, bool has_wire)
{
	char cidr[CIDR_TEXT], where[48], ready[24], quit[24], *env[] = {NULL};
	const struct cidr net = net_address(spec, 0, 24);
	struct words w = {.n = 0};
	sigset_t none;
	cidr_format(&net, cidr);
	snprintf(where, sizeof where, "/proc/self/fd/%d%s", HELPER_WHERE, has_wire ? "/" NET_SOCKET : "");
	snprintf(ready, sizeof ready, "--ready-fd=%d", HELPER_READY);
	snprintf(quit, sizeof quit, "--exit-fd=%d", HELPER_EXIT);
	static const char *const always[] = {"slirp4netns", "--disable-host-loopback", "--enable-sandbox",
			"--enable-seccomp", "--cidr"};
	static const char *const tap[] = {"--configure", "--mtu=65520", "--netns-type=path"};
	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		add_arg(&w, always[i]);
	add_arg(&w, cidr);
	add_arg(&w, ready);
	add_arg(&w, quit);
	if (has_v6)
		add_arg(&w, "--enable-ipv6");
	for (size_t i = 0; i < sizeof tap / sizeof *tap && !has_wire; i++)
		add_arg(&w, tap[i]);
	if (has_wire)
		add_arg(&w, "--target-type=bess");
	add_arg(&w, where);
	if (!has_wire)
		add_arg(&w, NET_DEVICE);
	add_arg(&w, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execve(spec->slirp, (char **)w.word, env);
	die("start slirp4netns");
}

static _Noreturn void helper(
		const struct spec_msg *spec, uint32_t uid, const struct net_ends *ends, const int *fds)
{
	static struct net_own own; /* static, because it is large */
	const bool has_wire = ends->veth_relay_fd >= 0, has_v6 = net_find_own(&own) && net_has_v6(&own);
	dup2(fds[STDERR_FILENO], STDERR_FILENO);
	limit_helper();
	if (uid && !has_wire)
		show_tun(uid);
	if (uid && !user_become(uid))
		die("change to the sandbox's own user");
	if (setns(ends->user_fd, CLONE_NEWUSER) < 0)
		die("enter the sandbox's user namespace");
	if (!fds_place(fds, HELPER_FD_END))
		die("arrange descriptors");
	run(spec, has_v6, has_wire);
}

/* ---- the other process ----------------------------------------------------------------- */

/* The relay needs no rights, and keeps only its two descriptors open. */
static _Noreturn void relay(uint32_t uid, int veth_relay_fd)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d/" NET_DIR "/" NET_SOCKET, SUPERVISOR_ENTRY_DIR);
	prctl(PR_SET_NAME, "terrarium-wire");
	int line_fd = veth_relay_connect(path);
	unlink(path);
	unlinkat(SUPERVISOR_ENTRY_DIR, NET_DIR, AT_REMOVEDIR);
	if (line_fd < 0)
		_exit(NOT_STARTED);
	const int fds[] = {STDIN_FILENO, STDOUT_FILENO, STDOUT_FILENO, veth_relay_fd, line_fd};
	if (!fds_place(fds, 5))
		die("arrange descriptors");
	if (uid && !user_become(uid))
		die("change to the sandbox's own user");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	veth_relay_carry(3, 4);
}

/* Returns the descriptor of a directory in which slirp4netns may make its socket as another user, or -1. */
static int make_socket_dir(uint32_t uid)
{
	if (mkdirat(SUPERVISOR_ENTRY_DIR, NET_DIR, 0700) < 0 && errno != EEXIST)
		return -1;
	if (uid && fchownat(SUPERVISOR_ENTRY_DIR, NET_DIR, uid, uid, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	return openat(SUPERVISOR_ENTRY_DIR, NET_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool make_pipes(int pipes[3][2])
{
	for (int i = 0; i < 3; i++) {
		if (pipe2(pipes[i], O_CLOEXEC) == 0)
			continue;
		int error = errno;
		while (i-- > 0) {
			close(pipes[i][0]);
			close(pipes[i][1]);
		}
		errno = error;
		return false;
	}
	return true;
}

/* Start both processes. Returns 0 or an errno. */
static int start_both(struct net *net, const struct spec_msg *spec, const struct groups *groups, uint32_t uid,
		const struct net_ends *ends, const int *fds)
{
	net->pid = groups_fork(groups, fds[STDERR_FILENO]);
	if (!net->pid)
		helper(spec, uid, ends, fds);
	if (net->pid < 0 || ends->veth_relay_fd < 0)
		return net->pid < 0 ? errno : 0;
	net->relay_pid = groups_fork(groups, fds[STDERR_FILENO]);
	if (!net->relay_pid)
		relay(uid, ends->veth_relay_fd);
	return net->relay_pid < 0 ? errno : 0;
}

int net_start(struct net *net, const struct spec_msg *spec, const struct groups *groups, uint32_t uid,
		const struct net_ends *ends)
{
	enum { READY, EXIT, WORDS };
	int pipes[3][2], where = ends->veth_relay_fd >= 0 ? make_socket_dir(uid) : ends->net_fd;
	*net = (struct net)NET_NONE;
	if (where < 0 || !make_pipes(pipes))
		return -errno;
	/* Later messages are not read, so writing them must not block. */
	fcntl(pipes[WORDS][0], F_SETFL, O_NONBLOCK);
	fcntl(pipes[WORDS][1], F_SETFL, O_NONBLOCK);
	const int fds[HELPER_FD_END] = {
			STDIN_FILENO, STDOUT_FILENO, pipes[WORDS][1], where, pipes[READY][1], pipes[EXIT][0]};
	*net = (struct net){.ready_fd = pipes[READY][0],
			.exit_fd = pipes[EXIT][1],
			.words_fd = pipes[WORDS][0],
			.refused_fd = -1};
	int error = start_both(net, spec, groups, uid, ends, fds);
	close(pipes[READY][1]);
	close(pipes[EXIT][0]);
	close(pipes[WORDS][1]);
	if (where != ends->net_fd)
		close(where);
	if (error)
		net_finish(net);
	return -error;
}

/* ---- the proxy ----------------------------------------------------------------------------- */

/* It needs two descriptors and no rights. */
static _Noreturn void proxy(const struct spec_msg *spec, uint32_t uid, int listen_fd, int word_fd)
{
	const int fds[] = {STDIN_FILENO, STDOUT_FILENO, STDOUT_FILENO, listen_fd, word_fd};
	sigset_t none;
	prctl(PR_SET_NAME, "terrarium-proxy");
	limit_helper();
	if (!fds_place(fds, 5))
		die("arrange descriptors");
	if (uid && !user_become(uid))
		die("change to the sandbox's own user");
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	proxy_serve(spec, 3, 4);
}

int net_start_proxy(struct net *net, const struct spec_msg *spec, const struct groups *groups, uint32_t uid,
		const struct net_ends *ends)
{
	int words[2];
	*net = (struct net)NET_NONE;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, words) < 0)
		return -errno;
	net->pid = groups_fork(groups, STDERR_FILENO);
	if (!net->pid)
		proxy(spec, uid, ends->proxy_fd, words[1]);
	int error = net->pid < 0 ? errno : 0;
	close(words[1]);
	net->refused_fd = words[0];
	if (error)
		net_finish(net);
	return -error;
}

/* The first line that is no warning. The lines after it only repeat the failure. */
static const char *first_word(char *text)
{
	char *rest;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (strncmp(line, "WARNING", strlen("WARNING")))
			return line;
	return "";
}

bool net_is_up(struct net *net, char *out, size_t cap)
{
	char byte, text[1024];
	bool is_up = read(net->ready_fd, &byte, 1) == 1;
	close(net->ready_fd);
	net->ready_fd = -1;
	ssize_t n = is_up ? 0 : read(net->words_fd, text, sizeof text - 1);
	text[n > 0 ? n : 0] = '\0';
	const char *why = first_word(text);
	if (!is_up)
		snprintf(out, cap, NET_FAILED "%s", *why ? why : "slirp4netns has ended");
	return is_up;
}

void net_finish(struct net *net)
{
	const int fds[] = {net->ready_fd, net->exit_fd, net->words_fd, net->refused_fd};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*net = (struct net)NET_NONE;
}
