/* SPDX-License-Identifier: MIT */
/* The process of a command: its descriptors, its error messages, its end. */
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
	/* A descriptor that is opened later must not become stdin, stdout or stderr. Writing to one of these
	 * that was closed must fail, as it would have before. */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF
				&& open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
	/* The program must be able to use the files that it creates. */
	const mode_t mask = umask(077);
	umask(mask & 077);
	/* A handler instead of SIG_IGN, because children would inherit SIG_IGN. */
	struct sigaction action = {.sa_handler = on_sigpipe, .sa_flags = SA_RESTART};
	sigaction(SIGPIPE, &action, NULL);
}

/* A program fails only once. Its JSON output repeats the message of stderr. */
static char clean[3 * 1024];

int cmd_fail(const char *fmt, ...)
{
	char text[1024], line[1100];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	option_names_put(text, line, sizeof line);
	trm_text_clean_line(clean, sizeof clean, line, strlen(line)); /* names may contain anything */
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

/* If stdio met the error earlier, errno is lost. Polling still shows whether a pipe has lost its reader. */
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
