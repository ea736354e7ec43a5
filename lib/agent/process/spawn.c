/* SPDX-License-Identifier: MIT */
#include "agent/process/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "agent/core/agent.h"
#include "agent/process/exec.h"
#include "base/err.h"

extern char **environ;

enum {
	/* Ends for the child stay above all numbers that they get there. */
	FIRST_HIGH_FD = 32,
	MAX_ENDS = 5 + PROC_OUTPUTS + 4,
	/* Four times the default: fewer loop iterations under a flood. More would use up the user's
	 * budget for pipes (pipe-user-pages-soft: 64 MiB in total). */
	OUTPUT_PIPE_SIZE = 256 * 1024,
	CONTROL_IN = 3,
	CONTROL_OUT = 4,
	SCRIPT_IN = 5,
	FIRST_SPARE = 10,
	EXEC_ARGS = 8, /* those before the program's own */
};

/* The descriptors that the child gets, and their numbers there. */
struct ends {
	struct {
		int fd, number;
	} list[MAX_ENDS];
	size_t n;
};

static void ends_close(struct ends *ends)
{
	for (size_t i = 0; i < ends->n; i++)
		close(ends->list[i].fd);
	ends->n = 0;
}

/* Takes fd, also on an error. */
static int lend(struct ends *ends, int fd, int number)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_HIGH_FD);
	int error = errno;
	close(fd);
	errno = error;
	if (high < 0)
		return -1;
	ends->list[ends->n].fd = high;
	ends->list[ends->n++].number = number;
	return 0;
}

/* A pipe into the child as `number`; our end is *ret_fd. */
static int pipe_in(struct ends *ends, int number, int *ret_fd)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	if (fcntl(fds[1], F_SETFL, O_NONBLOCK) < 0 || lend(ends, fds[0], number) < 0) {
		close(fds[1]);
		return -1;
	}
	*ret_fd = fds[1];
	return 0;
}

static int pipe_out(struct ends *ends, int number, int *ret_fd)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	if (fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0 || lend(ends, fds[1], number) < 0) {
		close(fds[0]);
		return -1;
	}
	*ret_fd = fds[0];
	return 0;
}

static int plug_output(struct proc *proc, struct ends *ends, int number)
{
	struct output *output = &proc->outputs[proc->n_outputs++];
	return pipe_out(ends, number, &output->watch.fd);
}

static int plug_pipes(struct proc *proc, struct ends *ends, bool stdin_open)
{
	int fd;
	if (pipe_in(ends, 0, &fd) < 0)
		return -1;
	int read_fd = fcntl(ends->list[ends->n - 1].fd, F_DUPFD_CLOEXEC, FIRST_HIGH_FD);
	feed_open(&proc->feeds[FEED_STDIN], fd, read_fd, false);
	if (read_fd < 0)
		return -1;
	if (!stdin_open)
		feed_set_state(&proc->feeds[FEED_STDIN], STDIN_EOF);
	for (int number = 1; number <= 2; number++) {
		if (plug_output(proc, ends, number) < 0)
			return -1;
		fcntl(proc->outputs[proc->n_outputs - 1].watch.fd, F_SETPIPE_SZ, OUTPUT_PIPE_SIZE);
	}
	return 0;
}

static int plug_pty(struct proc *proc, struct ends *ends, uint16_t rows, uint16_t cols)
{
	struct winsize size = {.ws_row = rows, .ws_col = cols};
	int unlock = 0, master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (master < 0)
		return -1;
	/* Channel 1, stderr, stays empty: a terminal has one stream. */
	proc_output_init(&proc->outputs[0], proc, master, CHANNEL_STDOUT, true);
	proc->n_outputs = 2;
	if (fcntl(master, F_SETFL, O_NONBLOCK) < 0 || ioctl(master, TIOCSPTLCK, &unlock) < 0)
		return -1;
	if (rows && cols)
		ioctl(master, TIOCSWINSZ, &size);
	int writer = fcntl(master, F_DUPFD_CLOEXEC, 0); /* epoll wants one descriptor per watch */
	if (writer < 0)
		return -1;
	feed_open(&proc->feeds[FEED_STDIN], writer, -1, true);
	for (int number = 0; number <= 2; number++) {
		int slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (slave < 0 || lend(ends, slave, number) < 0)
			return -1;
	}
	return 0;
}

static int plug_control(struct proc *proc, struct ends *ends, const struct spawn_msg *msg)
{
	struct feed *script = &proc->feeds[FEED_SCRIPT];
	int fd;
	if (pipe_in(ends, CONTROL_IN, &fd) < 0)
		return -1;
	feed_open(&proc->feeds[FEED_CONTROL], fd, -1, false);
	if (pipe_in(ends, SCRIPT_IN, &fd) < 0)
		return -1;
	feed_open(script, fd, -1, false);
	script->ends = true;
	if (buf_append(&script->own, msg->script, msg->script_len) < 0) {
		errno = ENOMEM;
		return -1;
	}
	return pipe_out(ends, CONTROL_OUT, &proc->control.watch.fd);
}

static int plug_all(struct proc *proc, struct ends *ends, const struct spawn_msg *msg)
{
	int r = msg->flags & SPAWN_PTY ? plug_pty(proc, ends, msg->rows, msg->cols)
				       : plug_pipes(proc, ends, msg->flags & SPAWN_STDIN_OPEN);
	if (r == 0 && msg->flags & SPAWN_CONTROL)
		r = plug_control(proc, ends, msg);
	for (uint32_t i = 0; r == 0 && i < 2 * msg->spare_sets; i++)
		r = plug_output(proc, ends, FIRST_SPARE + (int)i);
	if (r == 0 && proc->agent->rules_fd >= 0) {
		int copy = fcntl(proc->agent->rules_fd, F_DUPFD_CLOEXEC, 0);
		r = copy < 0 ? -1 : lend(ends, copy, EXEC_RULES_FD);
	}
	return r == 0 ? pipe_out(ends, EXEC_REPORT_FD, &proc->report.fd) : r;
}

static size_t count(char *const *strv)
{
	size_t n = 0;
	while (strv && strv[n])
		n++;
	return n;
}

/* The directory that a client names, or "" for the agent's own. The agent is in the requested working
 * directory, or in a replacement if that could not be made. A client means it by naming exactly that
 * directory or, in a container, /workspace if another was requested or /workspace does not exist. */
static const char *start_dir(const struct agent *agent, const char *cwd, char path[AGENT_PATH_BYTES])
{
	bool is_usual = agent->is_container && strcmp(cwd, "/workspace") == 0
			&& (agent->workdir || access(cwd, F_OK) < 0);
	bool is_asked = agent->workdir && strcmp(cwd, agent->workdir) == 0;
	return is_usual || is_asked ? "" : agent_path(agent, cwd, path);
}

/* The strings are borrowed. NULL: no memory. */
static char **exec_argv(const struct proc *proc, const struct spawn_msg *msg, const char *flags,
		const char *nproc, const char *mark, char path[AGENT_PATH_BYTES])
{
	size_t n = count(msg->argv);
	char **argv = calloc(EXEC_ARGS + n + 1, sizeof *argv);
	if (!argv)
		return NULL;
	const char *const before[EXEC_ARGS] = {"terrarium-agent", "exec", flags, nproc, mark,
			start_dir(proc->agent, msg->cwd, path), proc->agent->roots ? proc->agent->roots : "",
			"--"};
	memcpy(argv, before, sizeof before);
	memcpy(argv + EXEC_ARGS, msg->argv, n * sizeof *argv);
	return argv;
}

static bool is_overridden(const char *entry, char *const *env)
{
	size_t n = strcspn(entry, "=");
	for (size_t i = 0; env && env[i]; i++)
		if (strncmp(env[i], entry, n) == 0 && (env[i][n] == '=' || !env[i][n]))
			return true;
	return false;
}

/* The agent's own environment with the message's laid over it. The strings are borrowed. */
static char **exec_env(const struct spawn_msg *msg)
{
	size_t n = 0, n_over = count(msg->env);
	char **env = calloc(count(environ) + n_over + 1, sizeof *env);
	if (!env)
		return NULL;
	for (size_t i = 0; environ && environ[i]; i++)
		if (!is_overridden(environ[i], msg->env))
			env[n++] = environ[i];
	for (size_t i = 0; i < n_over; i++)
		if (strchr(msg->env[i], '='))
			env[n++] = msg->env[i];
	return env;
}

/* A session of its own, default signal handling, and only the descriptors lent. Returns an errno. */
static int start(pid_t *ret_pid, const struct ends *ends, char **argv, char **env)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t all, none;
	int r = posix_spawn_file_actions_init(&actions);
	if (r)
		return r;
	for (size_t i = 0; !r && i < ends->n; i++)
		r = posix_spawn_file_actions_adddup2(&actions, ends->list[i].fd, ends->list[i].number);
	sigfillset(&all);
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
	if (!r)
		r = posix_spawn(ret_pid, "/proc/self/exe", &actions, &attr, argv, env);
	if (r == ENOENT) /* no /proc */
		r = posix_spawn(ret_pid, (const char *)getauxval(AT_EXECFN), &actions, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return r;
}

/* The flag that protects the agent from the program, as in exec.h. */
static const char *guard_of(const struct agent *agent)
{
	return agent->is_init ? "" : !agent->folder ? "s" : agent->rules_fd >= 0 ? "l" : "d";
}

int spawn_process(struct proc *proc, const struct spawn_msg *msg, uint32_t nproc, struct trm_error *reterr)
{
	struct ends ends = {.n = 0};
	char flags[8], limit[16], mark[24], path[AGENT_PATH_BYTES];
	snprintf(flags, sizeof flags, "-%s%s%s", guard_of(proc->agent), msg->flags & SPAWN_PTY ? "t" : "",
			msg->flags & SPAWN_ELSEWHERE ? "e" : "");
	snprintf(limit, sizeof limit, "%u", nproc);
	snprintf(mark, sizeof mark, "%llu", (unsigned long long)proc->mark);
	int error = plug_all(proc, &ends, msg) < 0 ? errno : 0;
	if (!error) {
		char **argv = exec_argv(proc, msg, flags, limit, mark, path), **env = exec_env(msg);
		error = argv && env ? start(&proc->pid, &ends, argv, env) : ENOMEM;
		free(argv);
		free(env);
	}
	ends_close(&ends);
	if (error == EAGAIN)
		return trm_error_set(reterr, TRM_EBUSY,
				"%s: cannot be started: the sandbox's process limit is reached",
				msg->argv[0]);
	return error ? trm_error_set_errno(
			       reterr, error, "%s: cannot be started in the sandbox", msg->argv[0])
		     : 0;
}
