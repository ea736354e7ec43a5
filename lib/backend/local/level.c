/* SPDX-License-Identifier: MIT */
#include "backend/local/level.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/local/machine.h"
#include "base/err.h"

/* ---- namespaces -------------------------------------------------------------------- */

/* A sandbox that root starts has a user of its own: the same must hold for this look. */
static void become_nobody(void)
{
	enum { NOBODY = 65534 };
	if (geteuid() == 0 && setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0)
		(void)!setresuid(NOBODY, NOBODY, NOBODY);
}

/* In a child: the two things that fail where namespaces are restricted. A namespace may be granted and then
 * be good for nothing (AppArmor), and a new /proc is refused where parts of the old one are hidden
 * (containers). */
static _Noreturn void try_namespaces(void)
{
	int status;
	become_nobody();
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID) < 0)
		_exit(1);
	pid_t pid = fork();
	if (pid == 0)
		_exit(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0
				|| mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)
						   < 0);
	_exit(pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0);
}

static bool can_make_namespaces(void)
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0)
		try_namespaces();
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return pid > 0 && status == 0;
}

/* In a child: bubblewrap may hold a right that we do not (a profile of AppArmor). */
static _Noreturn void try_bwrap(const char *bwrap, int words_fd)
{
	become_nobody();
	int null_fd = open("/dev/null", O_RDWR);
	if (null_fd < 0 || dup2(null_fd, 0) < 0 || dup2(null_fd, 1) < 0 || dup2(words_fd, 2) < 0)
		_exit(1);
	char *env[] = {NULL};
	execle(bwrap, "bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
			"--", bwrap, "--version", NULL, env);
	_exit(1);
}

/* True, or its last line in `words`. */
static bool bwrap_works(const char *bwrap, char *words, size_t cap)
{
	int fd[2], status = -1;
	words[0] = '\0';
	if (pipe2(fd, O_CLOEXEC) < 0)
		return false;
	pid_t pid = fork();
	if (pid == 0)
		try_bwrap(bwrap, fd[1]);
	close(fd[1]);
	ssize_t n = pid > 0 ? read(fd[0], words, cap - 1) : -1;
	words[n > 0 ? n : 0] = '\0';
	words[strcspn(words, "\n")] = '\0';
	close(fd[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return pid > 0 && status == 0;
}

static bool is_in_container(void)
{
	return access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0;
}

#define CONTAINER_OPTIONS \
	"--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined"

const char *level_cure(void)
{
	static const char container[] =
			"start the container with " CONTAINER_OPTIONS " (in devcontainer.json: \"runArgs\")";
	static _Thread_local char advice[MACHINE_ADVICE];
	if (machine_userns_is_off(advice))
		return advice;
	return is_in_container() ? container : "";
}

static int check_namespaces(struct trm_error *reterr)
{
	char bwrap[MACHINE_PATH], words[160];
	int r = machine_find_bwrap(bwrap, reterr);
	if (r < 0 || can_make_namespaces() || bwrap_works(bwrap, words, sizeof words))
		return r;
	const char *what = !strncmp(words, "bwrap: ", 7) ? words + 7 : words;
	return trm_error_set(reterr, TRM_ENOTSUP, "%s may not create namespaces%s%s%s",
			is_in_container() ? "this container" : "bubblewrap", *what ? " (" : "", what,
			*what ? ")" : "");
}

/* ---- Landlock ---------------------------------------------------------------------- */

/* The answer of the kernel: a version, or -1 with errno. */
static long ask_landlock(void)
{
	enum { VERSION_FLAG = 1 };
	return syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_FLAG);
}

uint32_t level_landlock_abi(void)
{
	const char *most = getenv("TERRARIUM_LANDLOCK_ABI");
	long abi = ask_landlock(), limit = most && *most ? strtol(most, NULL, 10) : abi;
	if (abi < 0 || limit < 0)
		return 0;
	return (uint32_t)(limit < abi ? limit : abi);
}

static int check_landlock(struct trm_error *reterr)
{
	if (level_landlock_abi() > 0)
		return 0;
	long abi = ask_landlock();
	const char *why =
			abi >= 0          ? "TERRARIUM_LANDLOCK_ABI says so"
			: errno == ENOSYS ? "the kernel is older than 5.13, or was built without it"
			: errno == EOPNOTSUPP
					? "it is switched off: add lsm=landlock,… to the kernel's command line"
					: "a seccomp profile refuses landlock_create_ruleset";
	return trm_error_set(reterr, TRM_ENOTSUP, "there is no Landlock: %s", why);
}

/* ---- choosing ------------------------------------------------------------------------ */

int level_check(enum isolation level, struct trm_error *reterr)
{
	int r = level == ISOLATION_NONE ? 0 : machine_check_filters(reterr);
	if (r < 0 || level == ISOLATION_NONE)
		return r;
	return level == ISOLATION_NAMESPACES ? check_namespaces(reterr) : check_landlock(reterr);
}

static int refuse(const char *name, const struct trm_error *why, struct trm_error *reterr)
{
	const char *cure = strcmp(name, "namespaces") == 0 ? level_cure() : "";
	return trm_error_set(reterr, TRM_ENOTSUP, "the isolation level '%s' does not work here: %s%s%s", name,
			why->msg, *cure ? ": " : "", cure);
}

int level_choose(enum trm_isolation want, enum isolation *ret, struct trm_error *reterr)
{
	struct trm_error why = {0}, why_too = {0};
	switch (want) {
	case TRM_ISOLATION_NAMESPACES:
		*ret = ISOLATION_NAMESPACES;
		return level_check(*ret, &why) < 0 ? refuse("namespaces", &why, reterr) : 0;
	case TRM_ISOLATION_LANDLOCK:
		*ret = ISOLATION_LANDLOCK;
		return level_check(*ret, &why) < 0 ? refuse("landlock", &why, reterr) : 0;
	case TRM_ISOLATION_NONE: *ret = ISOLATION_NONE; return 0;
	case TRM_ISOLATION_AUTO: break;
	}
	*ret = ISOLATION_NAMESPACES;
	if (level_check(*ret, &why) == 0)
		return 0;
	*ret = ISOLATION_LANDLOCK;
	if (level_check(*ret, &why_too) == 0)
		return 0;
	return trm_error_set(reterr, TRM_ENOISOLATION,
			"this machine offers no isolation: %s; %s. With --isolation none the code runs with all "
			"your rights",
			why.msg, why_too.msg);
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
