/* SPDX-License-Identifier: MIT */

/* Runs at build time: writes the sandbox's seccomp programs as a C header, so that starting a sandbox
 * neither needs nor loads libseccomp.
 *
 * Two programs are stacked; the kernel obeys the stricter answer.
 *   calls      allow list by name, default ENOSYS
 *   arguments  default allow; refuses some calls by their arguments
 * One program cannot do both: in libseccomp a rule without arguments overrides the rules of the same call
 * with arguments. Both kill a process that makes calls of another architecture (i386, x32).
 *
 * Each program has a strict variant, for sandboxes without a memory cgroup. Both variants exist again for
 * sandboxes without namespaces ("bare"): there sockets, System V objects and message queues would belong
 * to this machine. Two further programs are added to those where Landlock is old ("older").
 *
 * Arguments that the kernel reads as 32 bits are compared under a 32-bit mask, or refused unless all 64
 * bits fit. A filter that looks at more bits than the kernel can be passed by setting the upper bits
 * (CVE-2019-7303). */

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "backend/local/seccomp_lists.h"

#define LOW32 0xffffffffu

static void check_seccomp(int r, const char *what)
{
	if (r >= 0)
		return;
	fprintf(stderr, "seccomp_gen: %s: %s\n", what, strerror(-r));
	exit(1);
}

enum variant {
	STRICT = 1,      /* no control group counts the memory */
	BARE = 2,        /* no namespaces */
	NETWORK = 4,     /* bare, with this machine's network */
	NO_TRUNCATE = 8, /* Landlock has no right for emptying files (before ABI 3) */
};

/* ---- rules by name ------------------------------------------------------ */

static bool has_name(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

static void add_names(scmp_filter_ctx ctx, uint32_t action, const char *const *names, unsigned variant)
{
	for (; *names; names++) {
		int nr = seccomp_syscall_resolve_name(*names);
		if (nr == __NR_SCMP_ERROR || nr < 0)
			continue; /* unknown here, or not a call of this architecture */
		if (variant & BARE
				&& (has_name(CALLS_MISSING_BARE, *names)
						|| has_name(CALLS_REFUSED_BARE, *names)))
			continue;
		check_seccomp(seccomp_rule_add(ctx, action, nr, 0), *names);
	}
}

static void fill_calls(scmp_filter_ctx ctx, unsigned variant)
{
	add_names(ctx, SCMP_ACT_ALLOW, CALLS_ALLOWED, variant);
	add_names(ctx, SCMP_ACT_ERRNO(EPERM), CALLS_REFUSED, variant);
	if (!(variant & STRICT))
		add_names(ctx, SCMP_ACT_ALLOW, CALLS_ALLOWED_COUNTED, variant);
	if (variant & BARE)
		add_names(ctx, SCMP_ACT_ERRNO(EPERM), CALLS_REFUSED_BARE, 0);
}

/* ---- rules by argument --------------------------------------------------- */

/* Compare all 64 bits of an argument with a value. */
static struct scmp_arg_cmp compare_arg(unsigned arg, enum scmp_compare how, uint64_t value)
{
	return (struct scmp_arg_cmp){.arg = arg, .op = how, .datum_a = value};
}

/* Compare those bits of an argument that are in the mask. */
static struct scmp_arg_cmp masked(unsigned arg, uint64_t mask, uint64_t value)
{
	return (struct scmp_arg_cmp){.arg = arg, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value};
}

static void refuse1(scmp_filter_ctx ctx, int error, int nr, struct scmp_arg_cmp a)
{
	check_seccomp(seccomp_rule_add_array(ctx, SCMP_ACT_ERRNO((uint32_t)error), nr, 1, &a), "rule");
}

static void refuse2(scmp_filter_ctx ctx, int error, int nr, struct scmp_arg_cmp a, struct scmp_arg_cmp b)
{
	struct scmp_arg_cmp both[] = {a, b};
	check_seccomp(seccomp_rule_add_array(ctx, SCMP_ACT_ERRNO((uint32_t)error), nr, 2, both), "rule");
}

/* Requests that push input into a terminal or take over the machine's consoles. */
static void refuse_ioctls(scmp_filter_ctx ctx)
{
	static const uint32_t requests[] = {
			TIOCSTI, 0x541c,            /* TIOCLINUX */
			TIOCCONS, TIOCSETD, 0x5437, /* TIOCVHANGUP */
	};
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
		refuse1(ctx, EPERM, SCMP_SYS(ioctl), masked(1, LOW32, requests[i]));
}

/* New namespaces. clone3 is not in the allow list, because its flags lie in memory. */
static void refuse_namespaces(scmp_filter_ctx ctx)
{
	static const uint32_t flags[] = {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
			CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
#if defined(__s390__) || defined(__s390x__)
		struct scmp_arg_cmp has_flag = masked(1, flags[i], flags[i]);
#else
		struct scmp_arg_cmp has_flag = masked(0, flags[i], flags[i]);
#endif
		refuse1(ctx, EPERM, SCMP_SYS(clone), has_flag);
	}
}

/* Allow streams and datagrams, except rarely used protocols whose modules the kernel would load for us. */
static void refuse_internet(scmp_filter_ctx ctx, int family)
{
	enum { TYPE_MASK = 0xf, DCCP = 33, L2TP = 115, SMC = 256 };
	static const int types[] = {SOCK_RAW, SOCK_RDM, SOCK_SEQPACKET, SOCK_DCCP, SOCK_PACKET};
	static const uint32_t protocols[] = {DCCP, L2TP, IPPROTO_SCTP, IPPROTO_UDPLITE, SMC};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		refuse2(ctx, EPERM, SCMP_SYS(socket), compare_arg(0, SCMP_CMP_EQ, (uint64_t)family),
				masked(1, TYPE_MASK, (uint64_t)types[i]));
	for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
		refuse2(ctx, EPROTONOSUPPORT, SCMP_SYS(socket), compare_arg(0, SCMP_CMP_EQ, (uint64_t)family),
				masked(2, LOW32, protocols[i]));
}

/* Families that are not bound to the network namespace (AF_VSOCK leads to the hypervisor), or that only
 * widen the kernel's attack surface. */
static void refuse_sockets(scmp_filter_ctx ctx, unsigned variant)
{
	enum { LAST_FAMILY = 63 };
	static const int wanted[] = {AF_INET, AF_NETLINK, AF_INET6, AF_UNIX};
	/* Before ABI 9 Landlock does not block sockets with a path, such as a container engine's. */
	const size_t n_wanted = sizeof wanted / sizeof *wanted - (variant & BARE ? 1 : 0);
	for (int family = 0; family <= LAST_FAMILY; family++) {
		bool is_wanted = false;
		for (size_t i = 0; i < n_wanted; i++)
			is_wanted |= family == wanted[i];
		if (!is_wanted)
			refuse1(ctx, EAFNOSUPPORT, SCMP_SYS(socket), masked(0, LOW32, (uint32_t)family));
	}
	refuse1(ctx, EAFNOSUPPORT, SCMP_SYS(socket), compare_arg(0, SCMP_CMP_GT, LAST_FAMILY));
	refuse2(ctx, EPROTONOSUPPORT, SCMP_SYS(socket), compare_arg(0, SCMP_CMP_EQ, AF_NETLINK),
			compare_arg(2, SCMP_CMP_GT, 0)); /* 0: NETLINK_ROUTE */
	refuse_internet(ctx, AF_INET);
	refuse_internet(ctx, AF_INET6);
	/* For other families the kernel would create a socket before it finds that they have no pairs. */
	refuse1(ctx, EAFNOSUPPORT, SCMP_SYS(socketpair), compare_arg(0, SCMP_CMP_NE, AF_UNIX));
}

/* Calls that act on the agent, which is process 1 of the sandbox and belongs to the same user: code could
 * starve the agent. Groups and users include the agent, so only single processes may be named. */
static void refuse_agent(scmp_filter_ctx ctx)
{
	enum { AGENT = 1, IOPRIO_WHO_PROCESS = 1 };
	static const char *const by_first[] = {
			"sched_setscheduler", "sched_setparam", "sched_setattr", "sched_setaffinity", NULL};
	for (const char *const *name = by_first; *name; name++)
		refuse1(ctx, EPERM, seccomp_syscall_resolve_name(*name), masked(0, LOW32, AGENT));
	refuse1(ctx, EPERM, SCMP_SYS(setpriority), compare_arg(0, SCMP_CMP_NE, PRIO_PROCESS));
	refuse1(ctx, EPERM, SCMP_SYS(setpriority), masked(1, LOW32, AGENT));
	refuse1(ctx, EPERM, SCMP_SYS(ioprio_set), compare_arg(0, SCMP_CMP_NE, IOPRIO_WHO_PROCESS));
	refuse1(ctx, EPERM, SCMP_SYS(ioprio_set), masked(1, LOW32, AGENT));
}

/* The priorities of other processes. These may be the agent or, if the sandbox has no user of its own,
 * any process of the same user. The agent's number is not known here, so a process can only change its
 * own priority. */
static void refuse_others(scmp_filter_ctx ctx)
{
	enum { IOPRIO_WHO_PROCESS = 1 };
	static const char *const by_first[] = {
			"sched_setscheduler", "sched_setparam", "sched_setattr", "sched_setaffinity", NULL};
	for (const char *const *name = by_first; *name; name++)
		refuse1(ctx, EPERM, seccomp_syscall_resolve_name(*name), compare_arg(0, SCMP_CMP_NE, 0));
	refuse1(ctx, EPERM, SCMP_SYS(setpriority), compare_arg(0, SCMP_CMP_NE, PRIO_PROCESS));
	refuse1(ctx, EPERM, SCMP_SYS(setpriority), compare_arg(1, SCMP_CMP_NE, 0));
	refuse1(ctx, EPERM, SCMP_SYS(ioprio_set), compare_arg(0, SCMP_CMP_NE, IOPRIO_WHO_PROCESS));
	refuse1(ctx, EPERM, SCMP_SYS(ioprio_set), compare_arg(1, SCMP_CMP_NE, 0));
}

/* Datagram sockets, which for unix sockets includes "raw" ones: either end of a pair can send to any socket
 * file, or connect to it. The ends of streams and sequenced packets stay connected to each other. */
static void refuse_datagram_pairs(scmp_filter_ctx ctx)
{
	enum { TYPE_MASK = 0xf };
	for (int type = 0; type <= TYPE_MASK; type++)
		if (type != SOCK_STREAM && type != SOCK_SEQPACKET)
			refuse1(ctx, EACCES, SCMP_SYS(socketpair), masked(1, TYPE_MASK, (uint64_t)type));
}

/* Refuse open flags: bits of the mask that have this value. */
static void refuse_open(scmp_filter_ctx ctx, uint32_t mask, uint32_t value)
{
	int by_path = seccomp_syscall_resolve_name("open");
	if (by_path >= 0) /* new architectures have none */
		refuse1(ctx, EACCES, by_path, masked(1, mask, value));
	refuse1(ctx, EACCES, SCMP_SYS(openat), masked(2, mask, value));
}

/* Landlock asks for no right when a file is opened neither for reading nor for writing, which is what the
 * access mode 3 means. Such a descriptor can lock any file, and before ABI 5 control any device. */
enum { ACCESS_MODE = 3, NEITHER = 3 }; /* O_ACCMODE has a further bit in musl */

/* Without a network no sockets at all: there is no network namespace that would contain them. */
static void refuse_reach(scmp_filter_ctx ctx, unsigned variant)
{
	if (!(variant & BARE)) {
		refuse_sockets(ctx, variant);
		refuse_agent(ctx);
		return;
	}
	if (variant & NETWORK) {
		refuse_sockets(ctx, variant);
	} else {
		refuse1(ctx, EACCES, SCMP_SYS(socket), compare_arg(0, SCMP_CMP_GE, 0));
		refuse1(ctx, EAFNOSUPPORT, SCMP_SYS(socketpair), compare_arg(0, SCMP_CMP_NE, AF_UNIX));
	}
	refuse_datagram_pairs(ctx);
	refuse_open(ctx, ACCESS_MODE, NEITHER);
	refuse_others(ctx);
}

/* Calls that a newer Landlock would refuse. Without scopes one kill(-1) reaches the agent and, if the sandbox
 * has no user of its own, all processes of the same user. Without a right for it, a file that may only be
 * read is emptied by opening it; openat2() is refused to all (seccomp_lists.h). */
static void fill_older(scmp_filter_ctx ctx, unsigned variant)
{
	refuse1(ctx, EPERM, SCMP_SYS(kill), masked(0, LOW32, LOW32));
	if (!(variant & NO_TRUNCATE))
		return;
	check_seccomp(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(truncate), 0), "truncate");
	refuse_open(ctx, ACCESS_MODE | O_TRUNC, O_RDONLY | O_TRUNC);
}

static void fill_arguments(scmp_filter_ctx ctx, unsigned variant)
{
	refuse_ioctls(ctx);
	refuse_namespaces(ctx);
	refuse_reach(ctx, variant);
	/* Only the query: some personalities switch off address randomization. */
	refuse1(ctx, EPERM, SCMP_SYS(personality), compare_arg(0, SCMP_CMP_NE, LOW32));
	/* Only the caller's own limits. */
	refuse1(ctx, EPERM, SCMP_SYS(prlimit64), compare_arg(0, SCMP_CMP_NE, 0));
	if (!(variant & STRICT))
		return;
	/* Shared anonymous memory escapes RLIMIT_DATA; the affinity is the CPU limit. */
	const uint32_t shared_anonymous = MAP_SHARED | MAP_ANONYMOUS;
	refuse1(ctx, EPERM, SCMP_SYS(mmap), masked(3, shared_anonymous, shared_anonymous));
	refuse1(ctx, EPERM, SCMP_SYS(sched_setaffinity), compare_arg(0, SCMP_CMP_GE, 0));
}

/* ---- out ------------------------------------------------------------------- */

struct program {
	const char *name;
	uint32_t otherwise;
	void (*fill)(scmp_filter_ctx ctx, unsigned variant);
	unsigned variant;
};

static void write_bytes(FILE *out, const char *name, FILE *program)
{
	int c, n = 0;
	fprintf(out, "static const unsigned char seccomp_%s[] __attribute__((aligned(8))) = {", name);
	rewind(program);
	while ((c = fgetc(program)) != EOF)
		fprintf(out, "%s%d,", n++ % 24 ? "" : "\n\t", c);
	fprintf(out, "\n};\n");
}

static void write_program(FILE *out, const struct program *p)
{
	FILE *bpf = tmpfile();
	scmp_filter_ctx ctx = seccomp_init(p->otherwise);
	if (!bpf || !ctx)
		check_seccomp(-ENOMEM, "cannot make a filter");
	check_seccomp(seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS),
			"foreign architectures");
	/* A binary tree: the kernel tries every call when it loads a program, and needs only a quarter of
	 * the time. */
	check_seccomp(seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2), "a binary tree");
	p->fill(ctx, p->variant);
	check_seccomp(seccomp_export_bpf(ctx, fileno(bpf)), "cannot export a filter");
	write_bytes(out, p->name, bpf);
	seccomp_release(ctx);
	fclose(bpf);
}

struct arch {
	uint32_t token;
	const char *macro;   /* the macro that the compiler defines for it */
	const char *machine; /* the value of uname() there */
};

static const struct arch *native_arch(void)
{
	static const struct arch known[] = {
			{SCMP_ARCH_X86_64, "__x86_64__", "x86_64"},
			{SCMP_ARCH_AARCH64, "__aarch64__", "aarch64"},
			{SCMP_ARCH_PPC64LE, "__powerpc64__", "ppc64le"},
			{SCMP_ARCH_S390X, "__s390x__", "s390x"},
			{SCMP_ARCH_RISCV64, "__riscv", "riscv64"},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].token == seccomp_arch_native())
			return &known[i];
	fprintf(stderr, "seccomp_gen: no system call filter for this processor architecture\n");
	exit(1);
}

int main(int argc, char **argv)
{
	static const struct program programs[] = {
			{"calls", SCMP_ACT_ERRNO(ENOSYS), fill_calls, 0},
			{"arguments", SCMP_ACT_ALLOW, fill_arguments, 0},
			{"calls_strict", SCMP_ACT_ERRNO(ENOSYS), fill_calls, STRICT},
			{"arguments_strict", SCMP_ACT_ALLOW, fill_arguments, STRICT},
			{"calls_bare", SCMP_ACT_ERRNO(ENOSYS), fill_calls, BARE},
			{"calls_bare_strict", SCMP_ACT_ERRNO(ENOSYS), fill_calls, BARE | STRICT},
			{"arguments_bare", SCMP_ACT_ALLOW, fill_arguments, BARE},
			{"arguments_bare_strict", SCMP_ACT_ALLOW, fill_arguments, BARE | STRICT},
			{"arguments_bare_network", SCMP_ACT_ALLOW, fill_arguments, BARE | NETWORK},
			{"arguments_bare_network_strict", SCMP_ACT_ALLOW, fill_arguments,
					BARE | NETWORK | STRICT},
			{"older_no_scopes", SCMP_ACT_ALLOW, fill_older, BARE},
			{"older_no_truncate", SCMP_ACT_ALLOW, fill_older, BARE | NO_TRUNCATE},
	};
	if (argc != 2) {
		fprintf(stderr, "usage: seccomp_gen HEADER\n");
		return 2;
	}
	const struct arch *arch = native_arch();
	FILE *out = fopen(argv[1], "w");
	if (!out) {
		perror(argv[1]);
		return 1;
	}
	fprintf(out, "/* Made by seccomp_gen.c. */\n#ifndef %s\n#error \"the filters are for %s\"\n#endif\n",
			arch->macro, arch->machine);
	fprintf(out, "#define SECCOMP_MACHINE \"%s\"\n", arch->machine);
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		write_program(out, &programs[i]);
	return fclose(out) ? 1 : 0;
}
