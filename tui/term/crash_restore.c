/* SPDX-License-Identifier: MIT */
#include "term/crash_restore.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "term/term.h"
#include "text/bytes.h"

/* Global, because a signal handler can reach it in no other way. `armed` guards the rest. */
static struct {
	volatile sig_atomic_t armed;
	char bytes[512];
	size_t n;
	struct termios shell_mode;
} rescue;

void crash_restore_arm(const char *bytes, size_t n, const struct termios *shell_mode)
{
	rescue.armed = 0;
	rescue.n = n < sizeof(rescue.bytes) ? n : sizeof(rescue.bytes);
	memcpy(rescue.bytes, bytes, rescue.n);
	rescue.shell_mode = *shell_mode;
	rescue.armed = 1;
}

void crash_restore_disarm(void)
{
	rescue.armed = 0;
}

void term_emergency_restore(void)
{
	int saved_errno = errno;
	if (!rescue.armed)
		return;
	rescue.armed = 0;
	int fd = isatty(1) ? 1 : 0; /* while a frame is painted, 1 is not the terminal (curses.c) */
	write_fully(fd, rescue.bytes, rescue.n);
	tcsetattr(0, TCSANOW, &rescue.shell_mode);
	errno = saved_errno;
}

/* On a crash, restore the terminal first. Then the signal acts as usual: the handler runs only once. */
static void on_crash(int signo)
{
	term_emergency_restore();
	raise(signo);
}

void term_watch_crashes(void)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	static char stack[32768]; /* a separate stack, because the crash may be a stack overflow */
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)};

	sigaltstack(&alternate, NULL);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
		sigaction(crashes[i], &action, NULL);
}
