/* SPDX-License-Identifier: MIT */
/* What each command does as a process: its descriptors, its last words, its end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/text.h>

#include "cmd/cmd.h"
#include "stream/option_names.h"

static void on_sigpipe(int signo)
{
	(void)signo;
}

void cmd_prepare(void)
{
	/* A descriptor opened later must not become somebody's stdout; and what is written to one that was
	 * closed fails as it would there. */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF
				&& open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
	/* What we make we must be able to use ourselves. */
	const mode_t mask = umask(077);
	umask(mask & 077);
	/* A handler and not SIG_IGN, which children would inherit. */
	struct sigaction action = {.sa_handler = on_sigpipe, .sa_flags = SA_RESTART};
	sigaction(SIGPIPE, &action, NULL);
}

/* A program fails once: its line of JSON repeats what stderr says. */
static char clean[3 * 1024];

int cmd_fail(const char *fmt, ...)
{
	char text[1024], line[1100];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	option_names_put(text, line, sizeof line);
	trm_text_clean_line(clean, sizeof clean, line, strlen(line)); /* names may hold anything */
	fprintf(stderr, "terrarium: %s\n", clean);
	return CMD_FAILED;
}

const char *cmd_last_failure(void)
{
	return clean;
}

void cmd_die_of_pipe(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGPIPE);
	_exit(CMD_SIGNALED + SIGPIPE);
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
