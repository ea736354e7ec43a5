/* SPDX-License-Identifier: MIT */
#include "term/rescue.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "term/term.h"

/* A signal handler has no other way to reach these; `armed` guards the rest. */
static struct {
	volatile sig_atomic_t armed;
	char bytes[512];
	size_t n;
	struct termios shell_mode;
} rescue;

void rescue_arm(const char *bytes, size_t n, const struct termios *shell_mode)
{
	rescue.armed = 0;
	rescue.n = n < sizeof(rescue.bytes) ? n : sizeof(rescue.bytes);
	memcpy(rescue.bytes, bytes, rescue.n);
	rescue.shell_mode = *shell_mode;
	rescue.armed = 1;
}

void rescue_disarm(void)
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
	for (size_t done = 0; done < rescue.n;) {
		ssize_t n = write(fd, rescue.bytes + done, rescue.n - done);
		if (n <= 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	tcsetattr(0, TCSANOW, &rescue.shell_mode);
	errno = saved_errno;
}
