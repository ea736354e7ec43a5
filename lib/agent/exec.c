/* SPDX-License-Identifier: MIT */
#include "agent/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/tree.h"
#include "base/err.h"

/* From linux/landlock.h, which a musl toolchain need not have; the same numbers on all architectures. */
enum {
	SYS_LANDLOCK_CREATE_RULESET = 444,
	SYS_LANDLOCK_RESTRICT_SELF = 446,
	LANDLOCK_VERSION_FLAG = 1,
	LANDLOCK_SCOPE_SIGNAL_FLAG = 1 << 1,
	LANDLOCK_ABI_WITH_SCOPES = 6,
};

struct landlock_attr {
	uint64_t handled_fs, handled_net, scoped;
};

/* Best effort: a kernel without it leaves the agent open to signals, no more. */
static void scope_signals(void)
{
	struct landlock_attr attr = {.scoped = LANDLOCK_SCOPE_SIGNAL_FLAG};
	if (syscall(SYS_LANDLOCK_CREATE_RULESET, NULL, 0, LANDLOCK_VERSION_FLAG) < LANDLOCK_ABI_WITH_SCOPES)
		return;
	int rules = (int)syscall(SYS_LANDLOCK_CREATE_RULESET, &attr, sizeof attr, 0);
	if (rules < 0)
		return;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		syscall(SYS_LANDLOCK_RESTRICT_SELF, rules, 0);
	close(rules);
}

/* When memory runs out in the sandbox the kernel shall take the user's programs, not the agent. */
static void offer_to_oom_killer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0) {
		/* Allowed to everybody; where it is not, nothing is lost but the preference. */
	}
	close(fd);
}

static void limit_processes(rlim_t n)
{
	struct rlimit limit;
	if (!n || getrlimit(RLIMIT_NPROC, &limit) < 0)
		return;
	if (limit.rlim_max != RLIM_INFINITY && n > limit.rlim_max)
		n = limit.rlim_max;
	limit = (struct rlimit){n, n};
	setrlimit(RLIMIT_NPROC, &limit);
}

static int fail(enum exec_step step, int error)
{
	struct exec_report report = {step, error};
	ssize_t n = write(EXEC_REPORT_FD, &report, sizeof report);
	return n == sizeof report ? 127 : 126;
}

/* Is there such a program, here or along PATH? */
static bool find_program(const char *name, char path[PATH_MAX])
{
	const char *at = getenv("PATH");
	if (strchr(name, '/') || !at)
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, F_OK) == 0;
	for (;; at++) {
		int n = (int)strcspn(at, ":");
		if (snprintf(path, PATH_MAX, "%.*s/%s", n, at, name) < PATH_MAX && access(path, F_OK) == 0)
			return true;
		at += n;
		if (!*at)
			return false;
	}
}

static bool is_script(const char *path)
{
	char start[2] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is_read = fd >= 0 && read(fd, start, sizeof start) == sizeof start;
	if (fd >= 0)
		close(fd);
	return !is_read || (start[0] == '#' && start[1] == '!');
}

/* What execvp() does not tell apart: a script whose interpreter is missing is "not found", a program made
 * for another C library as well, and one that is nowhere is "not permitted" when a folder of PATH cannot be
 * entered. */
static int fail_program(const char *name, int error)
{
	char path[PATH_MAX];
	bool is_there = find_program(name, path);
	if (error == ENOENT && is_there)
		return fail(is_script(path) ? EXEC_INTERPRETER : EXEC_LOADER, error);
	return fail(EXEC_PROGRAM, error == EACCES && !is_there ? ENOENT : error);
}

/* The code may have locked the directory, or taken it away: that is to be mended from somewhere. */
static bool enter(const char *cwd, bool may_be_elsewhere)
{
	char words[PATH_MAX + 200];
	if (chdir(cwd) == 0)
		return true;
	int error = errno;
	if (!may_be_elsewhere || chdir("/") < 0) {
		errno = error;
		return false;
	}
	int n = snprintf(words, sizeof words, "terrarium: %s cannot be entered (%s): starting in /\n", cwd,
			strerror(error));
	if (n > 0 && (size_t)n < sizeof words && write(STDERR_FILENO, words, (size_t)n) < 0) {
		/* Nobody reads it: it starts all the same. */
	}
	return true;
}

int agent_exec(char **argv)
{
	enum { FLAGS, NPROC, MARK, CWD, DASHES, PROGRAM };
	for (int i = 0; i <= PROGRAM; i++)
		if (!argv[i])
			return 125;
	fcntl(EXEC_REPORT_FD, F_SETFD, FD_CLOEXEC);
	if (strchr(argv[FLAGS], 't') && ioctl(0, TIOCSCTTY, 0) < 0)
		return fail(EXEC_TTY, errno);
	if (*argv[CWD] && !enter(argv[CWD], strchr(argv[FLAGS], 'e')))
		return fail(EXEC_CWD, errno);
	offer_to_oom_killer();
	tree_bear_mark(strtoull(argv[MARK], NULL, 10));
	limit_processes((rlim_t)strtoul(argv[NPROC], NULL, 10));
	if (strchr(argv[FLAGS], 's')) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		scope_signals();
	}
	execvp(argv[PROGRAM], argv + PROGRAM);
	return fail_program(argv[PROGRAM], errno);
}

void exec_sentence(const struct exec_report *report, const char *name, struct trm_error *ret)
{
	int error = report->error;
	if (report->step == EXEC_CWD)
		trm_error_set_errno(ret, error, "%s: the directory to start it in cannot be entered", name);
	else if (report->step == EXEC_TTY)
		trm_error_set_errno(ret, error, "%s: its terminal cannot be set up", name);
	else if (report->step == EXEC_INTERPRETER)
		trm_error_set(ret, TRM_ENOENT,
				"%s: the interpreter named in its first line is not found in the sandbox",
				name);
	else if (report->step == EXEC_LOADER)
		trm_error_set(ret, TRM_ENOENT,
				"%s: made for another C library: the loader that it names is not found in the "
				"sandbox",
				name);
	else if (error == ENOENT || error == ENOTDIR)
		trm_error_set(ret, TRM_ENOENT, "%s: not found in the sandbox", name);
	else if (error == EACCES)
		trm_error_set(ret, TRM_EPERM, "%s: not an executable file, or not permitted in the sandbox",
				name);
	else if (error == ENOEXEC)
		trm_error_set(ret, TRM_ENOTSUP,
				"%s: not a program for this machine, and no script with a #! line", name);
	else
		trm_error_set_errno(ret, error, "%s: cannot be started in the sandbox", name);
}
