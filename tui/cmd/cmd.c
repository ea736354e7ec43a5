/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/sandbox.h>

#include "text/near.h"

static const struct cmd *const commands[] = {
#define ROW(name) &cmd_##name,
		CMD_LIST(ROW)
#undef ROW
};
#define N_COMMANDS (sizeof commands / sizeof *commands)

static const struct {
	const char *word;
	const struct cmd *cmd;
} words[] = {
		{"--help", &cmd_help},
		{"-h", &cmd_help},
		{"--version", &cmd_version},
		{"-V", &cmd_version},
};

const struct cmd *const *cmd_table(size_t *ret_count)
{
	*ret_count = N_COMMANDS;
	return commands;
}

const struct cmd *cmd_find(const char *word)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(word, commands[i]->name)
				|| (commands[i]->alias && !strcmp(word, commands[i]->alias)))
			return commands[i];
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(word, words[i].word))
			return words[i].cmd;
	return NULL;
}

const struct cmd *cmd_nearest(const char *word)
{
	struct near near = near_to(word, strlen(word));
	for (size_t i = 0; i < N_COMMANDS; i++)
		near_try(&near, commands[i]->name);
	return near.best ? cmd_find(near.best) : NULL;
}

static void on_sigpipe(int signo)
{
	(void)signo;
}

void cmd_prepare(void)
{
	/* A descriptor opened later must not become somebody's stdout. */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF
				&& open("/dev/null", fd ? O_WRONLY : O_RDONLY) < 0)
			return;
	/* A handler and not SIG_IGN, which children would inherit. */
	struct sigaction action = {.sa_handler = on_sigpipe, .sa_flags = SA_RESTART};
	sigaction(SIGPIPE, &action, NULL);
}

int cmd_fail(const char *fmt, ...)
{
	char line[1024];
	va_list args;
	va_start(args, fmt);
	vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	for (char *p = line; *p; p++) /* File names and arguments may hold anything. */
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	fprintf(stderr, "terrarium: %s\n", line);
	return CMD_FAILED;
}

void cmd_note_net(const struct trm_sandbox *sandbox)
{
	char hint[TRM_NET_HINT];
	if (!trm_sandbox_is_attached(sandbox) && trm_net_hint(trm_sandbox_limits(sandbox), hint, sizeof hint))
		cmd_fail("note: %s", hint);
}

void cmd_die_of_pipe(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGPIPE);
	_exit(CMD_SIGNALLED + SIGPIPE);
}

/* An error that stdio met earlier has left no errno; but a pipe tells. */
static bool is_pipe_without_reader(int fd)
{
	struct pollfd p = {.fd = fd};
	return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

int cmd_flush(void)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return CMD_OK;
	if (errno == EPIPE || is_pipe_without_reader(STDOUT_FILENO))
		cmd_die_of_pipe();
	return errno ? cmd_fail("cannot write the output: %s", strerror(errno))
		     : cmd_fail("cannot write all of the output");
}
