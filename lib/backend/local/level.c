/* SPDX-License-Identifier: MIT */
#include "backend/local/level.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/host/machine.h"
#include "backend/local/calls.h"
#include "backend/local/refusal.h"
#include "base/err.h"
#include "base/landlock.h"
#include "base/sysfile.h"

/* ---- trying -------------------------------------------------------------------------- */

/* The first step that a child could not do, and its errno; 0 if all steps worked. */
struct attempt {
	const char *step;
	int error;
};

/* Steps are tried in a child, which reports a failure through a pipe. */
static void fail_attempt(int fd, const char *step)
{
	const struct attempt attempt = {step, errno};
	(void)!write(fd, &attempt, sizeof attempt); /* the child has the same strings at the same addresses */
	_exit(1);
}

static struct attempt try_steps(void (*fn)(int fd))
{
	struct attempt result = {"fork", EAGAIN};
	int fd[2];
	if (pipe2(fd, O_CLOEXEC) < 0)
		return (struct attempt){"pipe2", errno};
	pid_t pid = fork();
	if (pid == 0) {
		fn(fd[1]);
		_exit(0);
	}
	close(fd[1]);
	if (pid > 0 && read(fd[0], &result, sizeof result) != sizeof result)
		result = (struct attempt){"", 0};
	close(fd[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	return result;
}

/* ---- namespaces -------------------------------------------------------------------- */

#define MOUNT_PROC "mount of /proc"

/* A sandbox that root starts has a user of its own, so this test must have one, too. */
static void become_nobody(void)
{
	enum { NOBODY = 65534 };
	if (geteuid() == 0 && setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0)
		(void)!setresuid(NOBODY, NOBODY, NOBODY);
}

/* Do what bubblewrap does. A namespace may be granted and still be useless (AppArmor). A new /proc is
 * refused where parts of the old one are hidden. Profiles of containers refuse one call and allow the
 * next. */
static void enter_namespaces(int fd)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		fail_attempt(fd, "mount");
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		fail_attempt(fd, MOUNT_PROC);
	if (sethostname("sandbox", strlen("sandbox")) < 0)
		fail_attempt(fd, "sethostname");
	if (chdir("/proc") < 0 || syscall(SYS_pivot_root, ".", ".") < 0)
		fail_attempt(fd, "pivot_root");
}

static void try_namespaces(int fd)
{
	become_nobody();
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS) < 0)
		fail_attempt(fd, "unshare");
	pid_t pid = fork();
	if (pid < 0)
		fail_attempt(fd, "fork");
	if (pid == 0) {
		enter_namespaces(fd);
		_exit(0);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

/* Try bubblewrap itself in a child: it may have a right that we lack (an AppArmor profile). */
static _Noreturn void try_bwrap(const char *bwrap)
{
	setpgid(0, 0);
	become_nobody();
	int null_fd = open("/dev/null", O_RDWR);
	if (null_fd < 0 || dup2(null_fd, 0) < 0 || dup2(null_fd, 1) < 0 || dup2(null_fd, 2) < 0)
		_exit(1);
	char *env[] = {NULL};
	execle(bwrap, "bwrap", "--unshare-all", "--hostname", "sandbox", "--ro-bind", "/", "/", "--proc",
			"/proc", "--dev", "/dev", "--", bwrap, "--version", NULL, env);
	_exit(1);
}

static bool bwrap_works(const char *bwrap)
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0)
		try_bwrap(bwrap);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (pid > 0)
		kill(-pid, SIGKILL); /* bubblewrap's child may still wait for it */
	return pid > 0 && status == 0;
}

static int tell_refusal(const struct attempt *tried, struct trm_error *reterr)
{
	char profile[64];
	const struct machine_switch *off = machine_userns_switch();
	refusal_apparmor(profile, sizeof profile);
	if (strcmp(tried->step, MOUNT_PROC) == 0 && refusal_is_proc_masked())
		return trm_error_set(reterr, TRM_ENOTSUP,
				"namespaces cannot be made: parts of /proc are hidden here, so no new /proc can "
				"be mounted");
	if (refusal_has_seccomp() && (tried->error == EPERM || tried->error == ENOSYS))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"namespaces cannot be made: a seccomp profile refuses %s", tried->step);
	if (*profile && (tried->error == EPERM || tried->error == EACCES))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"namespaces cannot be made: the AppArmor profile %s refuses %s", profile,
				tried->step);
	if (off)
		return trm_error_set(reterr, TRM_ENOTSUP, "user namespaces cannot be made: %s", off->reason);
	return trm_error_set_errno(reterr, tried->error, "namespaces cannot be made: the kernel refuses %s%s",
			tried->step, tried->error == EINVAL ? " (it was built without CONFIG_USER_NS)" : "");
}

static int check_namespaces(struct trm_error *reterr)
{
	char bwrap[MACHINE_PATH];
	struct trm_error why = {0};
	struct attempt tried = try_steps(try_namespaces);
	int r = machine_find_bwrap(bwrap, &why);
	if (tried.error && (r < 0 || !bwrap_works(bwrap)))
		return tell_refusal(&tried, reterr);
	return r < 0 ? trm_error_set(reterr, r, "%s", why.msg) : 0;
}

/* ---- Landlock ---------------------------------------------------------------------- */

/* The kernel's answer: a version, or -1 with errno. */
static long ask_landlock(void)
{
	enum { VERSION_FLAG = 1 };
	return syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_FLAG);
}

bool level_is_abi(const char *text)
{
	enum { DIGITS = 3 };
	size_t n = strspn(text, "0123456789");
	return n && n <= DIGITS && !text[n];
}

uint32_t level_landlock_abi(void)
{
	const char *most = getenv(LEVEL_ABI_VARIABLE);
	long abi = ask_landlock(), limit = most && level_is_abi(most) ? strtol(most, NULL, 10) : abi;
	if (abi < 0)
		return 0;
	return (uint32_t)(limit < abi ? limit : abi);
}

/* Try each call that confines a sandbox, with rules that allow nothing. */
static void try_landlock(int fd)
{
	struct sock_filter allow_all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = {1, &allow_all};
	int rules = landlock_create(level_landlock_abi(), false), root = open("/", O_PATH | O_CLOEXEC);
	if (rules < 0)
		fail_attempt(fd, "landlock_create_ruleset");
	if (landlock_allow(rules, level_landlock_abi(), root, LANDLOCK_READ_DIR) < 0)
		fail_attempt(fd, "landlock_add_rule");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		fail_attempt(fd, "prctl(PR_SET_NO_NEW_PRIVS)");
	if (landlock_enter(rules) < 0)
		fail_attempt(fd, "landlock_restrict_self");
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		fail_attempt(fd, "prctl(PR_SET_SECCOMP)");
}

static bool is_older_than_landlock(const struct utsname *system)
{
	int major = 0, minor = 0;
	sscanf(system->release, "%d.%d", &major, &minor);
	return major < 5 || (major == 5 && minor < 13);
}

static int tell_no_landlock(int error, struct trm_error *reterr)
{
	struct utsname system = {0};
	uname(&system);
	if (error == ENOSYS && is_older_than_landlock(&system))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"there is no Landlock: Linux %.40s is older than 5.13", system.release);
	if (error == EOPNOTSUPP)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"there is no Landlock: it is missing in lsm= of the kernel's command line");
	if (refusal_has_seccomp())
		return trm_error_set(reterr, TRM_ENOTSUP,
				"there is no Landlock: a seccomp profile refuses landlock_create_ruleset");
	return trm_error_set(reterr, TRM_ENOTSUP, "there is no Landlock: %s",
			error == ENOSYS ? "the kernel was built without CONFIG_SECURITY_LANDLOCK"
					: strerror(error));
}

static int check_landlock(struct trm_error *reterr)
{
	if (ask_landlock() < 0)
		return tell_no_landlock(errno, reterr);
	if (level_landlock_abi() == 0)
		return trm_error_set(
				reterr, TRM_ENOTSUP, "there is no Landlock: " LEVEL_ABI_VARIABLE " says so");
	struct attempt tried = try_steps(try_landlock);
	if (!tried.error)
		return 0;
	return trm_error_set(reterr, TRM_ENOTSUP, "Landlock cannot be used: %s refuses %s (%s)",
			refusal_has_seccomp() ? "a seccomp profile" : "the kernel", tried.step,
			strerror(tried.error));
}

/* ---- users --------------------------------------------------------------------------- */

#define MORE_USERS "map more users into the namespace, or start terrarium as another user"

/* Root's sandboxes have users of their own. A namespace that root has made may have no other user than root
 * itself, and as root no code should run. */
static bool has_only_root(void)
{
	char map[256];
	unsigned inside, outside, n, more;
	return geteuid() == 0 && sysfile_read("/proc/self/uid_map", map, sizeof map) > 0
	       && sscanf(map, "%u %u %u %u", &inside, &outside, &n, &more) == 3 && outside == 0 && n == 1;
}

/* ---- cures ------------------------------------------------------------------------------- */

static void cure_landlock(char out[LEVEL_CURE])
{
	long abi = ask_landlock();
	if (abi < 0 && errno == EOPNOTSUPP)
		snprintf(out, LEVEL_CURE,
				"put landlock first in lsm= on the kernel's command line (/etc/default/grub, then "
				"update-grub, and reboot)");
	else if (refusal_has_seccomp())
		snprintf(out, LEVEL_CURE, "%s",
				refusal_is_in_container()
						? "start the container with --security-opt seccomp=unconfined, or in a "
						  "newer Docker, whose profile allows Landlock"
						: "allow the call in the profile");
	else if (abi < 0)
		snprintf(out, LEVEL_CURE, "start a kernel from 5.13 on that has CONFIG_SECURITY_LANDLOCK");
}

static void cure_namespaces(char out[LEVEL_CURE])
{
	char bwrap[MACHINE_PATH];
	struct trm_error why = {0};
	const struct machine_switch *off = machine_userns_switch();
	if (!try_steps(try_namespaces).error && machine_find_bwrap(bwrap, &why) < 0) {
		const char *colon = strrchr(why.msg, ':');
		snprintf(out, LEVEL_CURE, "%s", colon ? colon + 2 : "");
		return;
	}
	refusal_container_cure(out, LEVEL_CURE);
	if (!*out && off)
		snprintf(out, LEVEL_CURE, "%s", off->cure);
}

void level_cure(enum isolation level, char out[LEVEL_CURE])
{
	*out = '\0';
	if (level_check(level, NULL) == 0)
		return;
	if (has_only_root())
		snprintf(out, LEVEL_CURE, MORE_USERS);
	else if (level == ISOLATION_NAMESPACES)
		cure_namespaces(out);
	else
		cure_landlock(out);
}

/* ---- choosing ------------------------------------------------------------------------ */

int level_check(enum isolation level, struct trm_error *reterr)
{
	int r = level == ISOLATION_NONE ? 0 : machine_check_filters(reterr);
	if (r < 0 || level == ISOLATION_NONE)
		return r;
	if (has_only_root())
		return trm_error_set(reterr, TRM_ENOTSUP,
				"a sandbox needs a user of its own, and this user namespace has only root");
	return level == ISOLATION_NAMESPACES ? check_namespaces(reterr) : check_landlock(reterr);
}

/* Set an error with the cure, unless the reason already ends with it. */
static int refuse_level(
		const char *name, enum isolation level, const struct trm_error *why, struct trm_error *reterr)
{
	char cure[LEVEL_CURE];
	level_cure(level, cure);
	if (strstr(why->msg, cure))
		*cure = '\0';
	return trm_error_set(reterr, TRM_ENOTSUP, "the isolation level '%s' does not work here: %s%s%s", name,
			why->msg, *cure ? ": " : "", cure);
}

static const enum isolation LEVELS[] = {ISOLATION_NAMESPACES, ISOLATION_LANDLOCK}; /* the strongest first */

static int choose_best(enum isolation *ret, struct trm_error *reterr)
{
	struct trm_error why[2] = {{0}};
	for (int i = 0; i < 2; i++)
		if (level_check(LEVELS[i], &why[i]) == 0) {
			*ret = LEVELS[i];
			return 0;
		}
	const bool are_same = strcmp(why[0].msg, why[1].msg) == 0;
	return trm_error_set(reterr, TRM_ENOISOLATION,
			"this machine offers no isolation: %s%s%s. 'terrarium doctor' explains how to fix it; with "
			"the isolation level none (isolation) the code runs with all your rights",
			why[0].msg, are_same ? "" : "; ", are_same ? "" : why[1].msg);
}

/* The calls that every level needs. */
static int check_any(struct trm_error *reterr)
{
	if (access("/proc/self/fd", F_OK) < 0)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"no sandbox can run, as /proc is not mounted (mount -t proc proc /proc)");
	return calls_check(reterr);
}

int level_choose(enum trm_isolation want, enum isolation *ret, struct trm_error *reterr)
{
	static const enum isolation wanted[] = {
			[TRM_ISOLATION_NAMESPACES] = ISOLATION_NAMESPACES,
			[TRM_ISOLATION_LANDLOCK] = ISOLATION_LANDLOCK,
			[TRM_ISOLATION_NONE] = ISOLATION_NONE,
	};
	struct trm_error why = {0};
	int r = check_any(reterr);
	if (r < 0 || want == TRM_ISOLATION_AUTO)
		return r < 0 ? r : choose_best(ret, reterr);
	if ((unsigned)want > TRM_ISOLATION_NONE)
		return trm_error_set(reterr, TRM_EINVAL, "there is no isolation level %d", (int)want);
	*ret = wanted[want];
	return level_check(*ret, &why) < 0 ? refuse_level(trm_isolation_name(want), *ret, &why, reterr) : 0;
}

enum trm_isolation trm_isolation_best(struct trm_error *ret_why)
{
	struct trm_error why = {0};
	enum isolation level;
	int r = level_choose(TRM_ISOLATION_AUTO, &level, &why);
	if (r == 0 && level == ISOLATION_LANDLOCK)
		level_check(ISOLATION_NAMESPACES, &why);
	if (ret_why)
		*ret_why = why;
	return r < 0                         ? TRM_ISOLATION_NONE
	       : level == ISOLATION_LANDLOCK ? TRM_ISOLATION_LANDLOCK
					     : TRM_ISOLATION_NAMESPACES;
}

static size_t explain_level(enum isolation level, char *out, size_t cap)
{
	char cure[LEVEL_CURE];
	struct trm_error why = {0};
	if (level_check(level, &why) == 0)
		return 0;
	level_cure(level, cure);
	const char *name = level == ISOLATION_NAMESPACES ? "namespaces" : "landlock";
	int n = snprintf(out, cap, "%s: %s\n%s%s%s", name, why.msg, *cure ? "  cure: " : "", cure,
			*cure ? "\n" : "");
	return n < 0 ? 0 : (size_t)n < cap ? (size_t)n : cap - 1;
}

char *trm_isolation_explain(char out[TRM_ISOLATION_WORDS])
{
	size_t used = 0;
	*out = '\0';
	for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++)
		used += explain_level(LEVELS[i], out + used, TRM_ISOLATION_WORDS - used);
	return out;
}

static const char *const NAMES[] = {"auto", "namespaces", "landlock", "none"};

const char *trm_isolation_name(enum trm_isolation level)
{
	return (size_t)level < sizeof NAMES / sizeof *NAMES ? NAMES[level] : "auto";
}

bool trm_isolation_find(const char *name, enum trm_isolation *ret)
{
	for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
		if (strcmp(name, NAMES[i]) == 0) {
			*ret = (enum trm_isolation)i;
			return true;
		}
	return false;
}
