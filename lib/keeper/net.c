/* SPDX-License-Identifier: MIT */
#include "keeper/net.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/sysfile.h"
#include "keeper/nft.h"
#include "keeper/userns.h"

enum { MAX_OWN = 128, LOOPBACK_INDEX = 1, DNS_PORT = 53, NOT_STARTED = 125, HELPER_FILES = 1024 };

/* libslirp's fixed network of IPv6; its name server has the same last number as that of IPv4. */
static const struct cidr V6_SUBNET = {.family = 6, .bits = 64, .addr = {0xfd}};
static const struct cidr V6_DNS = {.family = 6, .bits = 128, .addr = {0xfd, [15] = NET_DNS}};
/* Of IPv6 only what is handed out for the internet. */
static const struct cidr V6_PUBLIC = {.family = 6, .bits = 3, .addr = {0x20}};
static const struct cidr V6_ALL = {.family = 6};

/* ---- the host's own addresses ---------------------------------------------------------- */

struct own {
	struct cidr addrs[MAX_OWN];
	size_t n;
	bool has_public_v6;
};

static void add_own(struct own *own, const struct sockaddr *sa)
{
	struct cidr c = {0};
	if (sa->sa_family == AF_INET) {
		c = (struct cidr){.family = 4, .bits = 32};
		memcpy(c.addr, &((const struct sockaddr_in *)sa)->sin_addr, 4);
	} else if (sa->sa_family == AF_INET6) {
		c = (struct cidr){.family = 6, .bits = 128};
		memcpy(c.addr, &((const struct sockaddr_in6 *)sa)->sin6_addr, 16);
	}
	if (!c.family || own->n == MAX_OWN)
		return;
	own->has_public_v6 |= cidr_holds(&V6_PUBLIC, &c);
	own->addrs[own->n++] = c;
}

static bool find_own(struct own *own)
{
	struct ifaddrs *all;
	*own = (struct own){0};
	if (getifaddrs(&all) < 0)
		return false;
	for (const struct ifaddrs *at = all; at; at = at->ifa_next)
		if (at->ifa_addr)
			add_own(own, at->ifa_addr);
	freeifaddrs(all);
	errno = EOVERFLOW;
	return own->n < MAX_OWN;
}

/* ---- the filter ----------------------------------------------------------------------------- */

static struct cidr subnet(const struct spec_msg *spec, uint8_t last, uint8_t bits)
{
	const uint32_t net = spec->net_subnet;
	return (struct cidr){.family = 4,
			.bits = bits,
			.addr = {(uint8_t)(net >> 24), (uint8_t)(net >> 16), (uint8_t)(net >> 8), last}};
}

static size_t n_open(const struct spec_msg *spec)
{
	return spec->net_open.n / sizeof(struct cidr);
}

static struct cidr get_open(const struct spec_msg *spec, size_t i)
{
	struct cidr c;
	memcpy(&c, spec->net_open.bytes + i * sizeof c, sizeof c);
	return c;
}

/* Of the stack's own addresses nothing but the name server's port: it asks the host's name server, wherever
 * that may be. */
static void rule_stack(struct nft *nft, const struct spec_msg *spec)
{
	const struct cidr dns = subnet(spec, NET_DNS, 32), all = subnet(spec, 0, 24);
	nft_accept_device(nft, 4, LOOPBACK_INDEX);
	nft_accept_device(nft, 6, LOOPBACK_INDEX);
	nft_rule(nft, &dns, IPPROTO_UDP, DNS_PORT, true);
	nft_rule(nft, &dns, IPPROTO_TCP, DNS_PORT, true);
	nft_rule(nft, &V6_DNS, IPPROTO_UDP, DNS_PORT, true);
	nft_rule(nft, &V6_DNS, IPPROTO_TCP, DNS_PORT, true);
	nft_accept_neighbours(nft);
	nft_rule(nft, &all, 0, 0, false);
	nft_rule(nft, &V6_SUBNET, 0, 0, false);
}

/* The refused ranges of one kind. */
static void rule_refused(struct nft *nft, enum cidr_kind kind)
{
	size_t n;
	const struct cidr_refused *rows = cidr_refused(&n);
	for (size_t i = 0; i < n; i++)
		if (rows[i].kind == kind)
			nft_rule(nft, &rows[i].range, 0, 0, false);
}

/* A range that was opened wide does not open what is special in it: the host's own addresses want to be
 * named one by one, and metadata services by a range in theirs. */
static bool is_named(const struct cidr *open, enum cidr_kind kind)
{
	const struct cidr_refused *row = cidr_find_refused(open);
	return kind == CIDR_PRIVATE || (row && row->kind == kind);
}

static void rule_open(struct nft *nft, const struct spec_msg *spec, enum cidr_kind kind)
{
	for (size_t i = 0; i < n_open(spec); i++) {
		const struct cidr c = get_open(spec, i);
		if (is_named(&c, kind))
			nft_rule(nft, &c, 0, 0, true);
	}
}

static void rule_own(struct nft *nft, const struct spec_msg *spec, const struct own *own)
{
	for (size_t i = 0; i < n_open(spec); i++) {
		const struct cidr c = get_open(spec, i);
		if (cidr_is_single(&c))
			nft_rule(nft, &c, 0, 0, true);
	}
	for (size_t i = 0; i < own->n; i++)
		nft_rule(nft, &own->addrs[i], 0, 0, false);
}

/* The first rule that fits decides. What none fits is public. */
static int set_filter(const struct spec_msg *spec, const struct own *own)
{
	struct nft nft;
	nft_begin(&nft);
	rule_stack(&nft, spec);
	rule_refused(&nft, CIDR_NEVER);
	rule_own(&nft, spec, own);
	rule_open(&nft, spec, CIDR_LINK);
	rule_refused(&nft, CIDR_LINK);
	rule_open(&nft, spec, CIDR_PRIVATE);
	rule_refused(&nft, CIDR_PRIVATE);
	nft_rule(&nft, &V6_PUBLIC, 0, 0, true);
	nft_rule(&nft, &V6_ALL, 0, 0, false);
	return nft_commit(&nft);
}

/* ---- the namespace ------------------------------------------------------------------------------ */

static bool raise_loopback(void)
{
	struct ifreq req = {.ifr_name = "lo"};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool is_up = fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &req) == 0;
	req.ifr_flags |= IFF_UP;
	is_up = is_up && ioctl(fd, SIOCSIFFLAGS, &req) == 0;
	if (fd >= 0)
		close(fd);
	return is_up;
}

/* The device's address of IPv6 shall be there as soon as slirp4netns tells it: nobody else could have the
 * same one. Without it that takes two seconds. */
static void hurry_v6(void)
{
	sysfile_write("/proc/sys/net/ipv6/conf/default/accept_dad", "0");
	sysfile_write("/proc/sys/net/ipv6/conf/default/router_solicitation_delay", "0");
}

const char *net_enter(const struct spec_msg *spec, int *ret_user_fd, int *ret_net_fd)
{
	const unsigned uid = getuid(), gid = getgid();
	struct own own;
	if (!find_own(&own)) /* of the host: before it is left */
		return "list the host's addresses";
	if (!userns_enter(CLONE_NEWNET, 0, 0))
		return "make a user namespace with a network (see 'terrarium doctor')";
	if (!raise_loopback())
		return "start the loopback device";
	hurry_v6();
	errno = set_filter(spec, &own);
	if (errno)
		return "set the packet filter (nf_tables of the kernel)";
	*ret_user_fd = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	*ret_net_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (*ret_user_fd < 0 || *ret_net_fd < 0)
		return "open the namespaces";
	return userns_enter(0, uid, gid) ? NULL : "make a second user namespace";
}

/* ---- slirp4netns ---------------------------------------------------------------------------------- */

/* Descriptors that it is started with. */
enum helper_fd { HELPER_NET = 3, HELPER_READY, HELPER_EXIT, HELPER_FD_END };

static _Noreturn void die(const char *what)
{
	char line[200];
	int n = snprintf(line, sizeof line, "cannot %s: %s", what, strerror(errno));
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		_exit(NOT_STARTED + 1);
	_exit(NOT_STARTED);
}

/* On machines where only root may open it: a device of that name in a file system that nobody else sees.
 * Where that cannot be made, the machine's own must do. */
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

static void become(uint32_t uid)
{
	if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
		die("change to the sandbox's own user");
	prctl(PR_SET_DUMPABLE, 1);
}

/* It is not trusted more than it must be: what it parses comes from the sandbox. */
static void limit_helper(void)
{
	const struct rlimit files = {HELPER_FILES, HELPER_FILES}, core = {1, 1}, none = {0, 0};
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_CORE, &core); /* see set_rlimits() in launch.c */
	setrlimit(RLIMIT_FSIZE, &none);
	sysfile_write("/proc/self/oom_score_adj", "500");
}

static void place(const int *fds, int n)
{
	int moved[HELPER_FD_END];
	for (int i = 0; i < n; i++) {
		moved[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, n);
		if (moved[i] < 0)
			die("arrange descriptors");
	}
	for (int i = 0; i < n; i++)
		if (dup2(moved[i], i) < 0)
			die("arrange descriptors");
	if (syscall(SYS_close_range, (unsigned)n, ~0u, 0u) < 0)
		for (int fd = n; fd < HELPER_FILES; fd++) /* Linux before 5.9 */
			close(fd);
}

static _Noreturn void run(const struct spec_msg *spec, bool has_v6)
{
	char cidr[CIDR_TEXT], net_path[32], ready[8], quit[8];
	const struct cidr net = subnet(spec, 0, 24);
	sigset_t none;
	cidr_format(&net, cidr);
	snprintf(net_path, sizeof net_path, "/proc/self/fd/%d", HELPER_NET);
	snprintf(ready, sizeof ready, "%d", HELPER_READY);
	snprintf(quit, sizeof quit, "%d", HELPER_EXIT);
	char *argv[] = {"slirp4netns", "--configure", "--mtu=65520", "--disable-host-loopback",
			"--enable-sandbox", "--enable-seccomp", "--cidr", cidr, "--ready-fd", ready,
			"--exit-fd", quit, "--netns-type=path", net_path, "tap0", NULL, NULL};
	char *env[] = {NULL};
	if (has_v6) {
		argv[15] = argv[14];
		argv[14] = argv[13];
		argv[13] = "--enable-ipv6";
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execve(spec->slirp, argv, env);
	die("start slirp4netns");
}

static _Noreturn void helper(const struct spec_msg *spec, uint32_t uid, int user_fd, const int *fds)
{
	struct own own;
	dup2(fds[STDERR_FILENO], STDERR_FILENO);
	find_own(&own);
	limit_helper();
	if (uid) {
		show_tun(uid);
		become(uid);
	}
	if (setns(user_fd, CLONE_NEWUSER) < 0)
		die("enter the sandbox's user namespace");
	place(fds, HELPER_FD_END);
	run(spec, own.has_public_v6);
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

int net_start(struct net *net, const struct spec_msg *spec, const struct groups *groups, uint32_t uid,
		int user_fd, int net_fd)
{
	enum { READY, EXIT, WORDS };
	int pipes[3][2];
	*net = (struct net)NET_NONE;
	if (!make_pipes(pipes))
		return -errno;
	/* Nobody reads all that it may have to say later. */
	fcntl(pipes[WORDS][0], F_SETFL, O_NONBLOCK);
	fcntl(pipes[WORDS][1], F_SETFL, O_NONBLOCK);
	const int fds[HELPER_FD_END] = {STDIN_FILENO, STDOUT_FILENO, pipes[WORDS][1], net_fd, pipes[READY][1],
			pipes[EXIT][0]};
	*net = (struct net){
			.ready_fd = pipes[READY][0], .exit_fd = pipes[EXIT][1], .words_fd = pipes[WORDS][0]};
	net->pid = groups_fork(groups);
	if (!net->pid)
		helper(spec, uid, user_fd, fds);
	int error = net->pid < 0 ? errno : 0;
	close(pipes[READY][1]);
	close(pipes[EXIT][0]);
	close(pipes[WORDS][1]);
	if (error)
		net_finish(net);
	return -error;
}

/* The first line that is no warning: those after it tell who failed in turn. */
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
	const int fds[] = {net->ready_fd, net->exit_fd, net->words_fd};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*net = (struct net)NET_NONE;
}
