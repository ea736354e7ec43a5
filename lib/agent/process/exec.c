/* SPDX-License-Identifier: MIT */
#include "agent/process/exec.h"

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

#include "agent/batch/batch.h"
#include "agent/core/agent.h"
#include "agent/core/process_tree.h"
#include "base/batch.h"
#include "base/err.h"
#include "base/landlock.h"
#include "base/rlimit.h"

/* Best effort: without it, code can signal the agent, but nothing worse. */
static void scope_signals(void)
{
	int rules = landlock_create_scopes();
	if (rules < 0)
		return;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		landlock_enter(rules);
	close(rules);
}

struct part {
	const char *path;
	uint64_t rights;
};

/* A directory that cannot be opened is not allowed. */
static void allow_part(int rules, uint32_t abi, int dir_fd, const struct part *part)
{
	int fd = openat(dir_fd, part->path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return;
	landlock_allow(rules, abi, fd, part->rights);
	close(fd);
}

static void allow_parts(int rules, uint32_t abi, const char *dir, const struct part *parts, size_t n)
{
	int dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; dir_fd >= 0 && i < n; i++)
		allow_part(rules, abi, dir_fd, &parts[i]);
	if (dir_fd >= 0)
		close(dir_fd);
}

/* Allow the parts of /proc that reveal no process. */
static void allow_proc(int rules, uint32_t abi)
{
	static const struct part parts[] = {
			{"cpuinfo", LANDLOCK_READ_FILE},
			{"filesystems", LANDLOCK_READ_FILE},
			{"loadavg", LANDLOCK_READ_FILE},
			{"meminfo", LANDLOCK_READ_FILE},
			{"stat", LANDLOCK_READ_FILE},
			{"sys", LANDLOCK_READ_FILE | LANDLOCK_READ_DIR},
			{"uptime", LANDLOCK_READ_FILE},
			{"version", LANDLOCK_READ_FILE},
			{"vmstat", LANDLOCK_READ_FILE},
	};
	allow_parts(rules, abi, "/proc", parts, sizeof parts / sizeof *parts);
}

/* Allow the parts of /proc/self that interpreters read. The rest shows this machine's network and mounts.
 * Of the directories `fd` and `task` only the names are visible. */
static void allow_self(int rules, uint32_t abi)
{
	char children[48];
	const struct part parts[] = {
			{children, LANDLOCK_READ_FILE},
			{"cgroup", LANDLOCK_READ_FILE},
			{"cmdline", LANDLOCK_READ_FILE},
			{"comm", LANDLOCK_READ_FILE | LANDLOCK_WRITE_FILE},
			{"environ", LANDLOCK_READ_FILE},
			{"fd", LANDLOCK_READ_DIR},
			{"fdinfo", LANDLOCK_READ_FILE | LANDLOCK_READ_DIR},
			{"io", LANDLOCK_READ_FILE},
			{"limits", LANDLOCK_READ_FILE},
			{"maps", LANDLOCK_READ_FILE},
			{"oom_score_adj", LANDLOCK_READ_FILE},
			{"smaps", LANDLOCK_READ_FILE},
			{"smaps_rollup", LANDLOCK_READ_FILE},
			{"stat", LANDLOCK_READ_FILE},
			{"statm", LANDLOCK_READ_FILE},
			{"status", LANDLOCK_READ_FILE},
			{"task", LANDLOCK_READ_DIR},
	};
	snprintf(children, sizeof children, "task/%d/children", (int)getpid());
	allow_parts(rules, abi, "/proc/self", parts, sizeof parts / sizeof *parts);
}

static void allow_roots(int rules, uint32_t abi, const char *roots)
{
	char path[NAME_MAX + 2];
	for (size_t n; *roots; roots += n + (roots[n] == '/')) {
		n = strcspn(roots, "/");
		snprintf(path, sizeof path, "/%.*s", (int)n, roots);
		allow_part(rules, abi, AT_FDCWD, &(struct part){path, LANDLOCK_NARROW});
	}
}

/* A ruleset that all programs share would show each of them the earlier ones, and grow. */
static bool enter_own_rules(const char *roots)
{
	const uint32_t abi = landlock_abi();
	int rules = landlock_create_narrow(abi);
	if (rules < 0)
		return false;
	allow_roots(rules, abi, roots);
	allow_proc(rules, abi);
	allow_self(rules, abi);
	bool is_entered = landlock_enter(rules) == 0;
	close(rules);
	return is_entered;
}

/* Code never runs without its rules. */
static bool enter_rules(const char *roots)
{
	fcntl(EXEC_RULES_FD, F_SETFD, FD_CLOEXEC);
	signal(SIGXFSZ, SIG_IGN); /* a full disk is an error, not an end: supervisor/limits/watchdog.h */
	return landlock_enter(EXEC_RULES_FD) == 0 && enter_own_rules(roots);
}

/* When memory runs out, the kernel must kill the user's programs rather than the agent. */
static void offer_to_oom_killer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0) {
		/* Everybody may do this. Where it fails, only the preference is lost. */
	}
	close(fd);
}

static int fail(enum exec_step step, int error)
{
	struct exec_report report = {step, error};
	ssize_t n = write(EXEC_REPORT_FD, &report, sizeof report);
	return n == sizeof report ? 127 : 126;
}

/* Does the program exist, here or along PATH? */
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

/* execvp() reports some cases misleadingly. A missing interpreter of a script, or a program for another C
 * library, is "not found". A missing program is "not permitted" if a folder of PATH cannot be entered. */
static int fail_program(const char *name, int error)
{
	char path[PATH_MAX];
	bool is_there = find_program(name, path);
	if (error == ENOENT && is_there)
		return fail(is_script(path) ? EXEC_INTERPRETER : EXEC_LOADER, error);
	return fail(EXEC_PROGRAM, error == EACCES && !is_there ? ENOENT : error);
}

/* Code may have locked or removed the directory, and repairing that needs a process elsewhere. */
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
		/* Nobody reads it: the program starts anyway. */
	}
	return true;
}

int agent_exec(char **argv)
{
	enum { FLAGS, NPROC, MARK, CWD, ROOTS, DASHES, PROGRAM };
	for (int i = 0; i <= PROGRAM; i++)
		if (!argv[i])
			return 125;
	fcntl(EXEC_REPORT_FD, F_SETFD, FD_CLOEXEC);
	if (strchr(argv[FLAGS], 't') && ioctl(0, TIOCSCTTY, 0) < 0)
		return fail(EXEC_TTY, errno);
	if (*argv[CWD] && !enter(argv[CWD], strchr(argv[FLAGS], 'e')))
		return fail(EXEC_CWD, errno);
	offer_to_oom_killer();
	tree_set_mark(strtoull(argv[MARK], NULL, 10));
	const rlim_t nproc = (rlim_t)strtoul(argv[NPROC], NULL, 10);
	if (nproc && !rlimit_set(RLIMIT_NPROC, nproc, nproc))
		return fail(EXEC_LIMIT, errno);
	if (strpbrk(argv[FLAGS], "sdl"))
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (strchr(argv[FLAGS], 's'))
		scope_signals();
	if (strchr(argv[FLAGS], 'l') && !enter_rules(argv[ROOTS]))
		return fail(EXEC_RULES, errno);
	if (!strcmp(argv[PROGRAM], BATCH_PROGRAM)) {
		close(EXEC_REPORT_FD);
		return batch_drive(argv + PROGRAM);
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
	else if (report->step == EXEC_LIMIT)
		trm_error_set_errno(ret, error, "%s: its limit of processes cannot be set", name);
	else if (report->step == EXEC_RULES)
		trm_error_set_errno(ret, error, "%s: the Landlock rules cannot be entered", name);
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
