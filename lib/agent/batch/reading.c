/* SPDX-License-Identifier: MIT */
#include "agent/batch/reading.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/procstat.h"

static bool reads_stdin(pid_t pid)
{
	char path[64];
	long number = -1;
	unsigned long fd = 1;
	snprintf(path, sizeof path, "/proc/%d/syscall", (int)pid);
	FILE *f = fopen(path, "re");
	bool is_known = f && fscanf(f, "%ld 0x%lx", &number, &fd) == 2;
	if (f)
		fclose(f);
	return is_known && number == SYS_read && fd == 0;
}

/* How often it has waited for anything. The number is different for each wait. */
static unsigned long waits(pid_t pid)
{
	char value[32];
	return procstat_status(pid, "voluntary_ctxt_switches", value, sizeof value) ? strtoul(value, NULL, 10)
										    : 0;
}

void reading_poll(struct reading *r, pid_t pid)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	if (!reads_stdin(pid) || poll(&in, 1, 0) > 0)
		return;
	unsigned long wait = waits(pid);
	if (wait == r->known_wait)
		return;
	r->known_wait = wait;
	r->tell(r->user);
}

static bool never_interrupts(void)
{
	return false;
}

int reading_wait(struct reading *r, pid_t pid)
{
	return reading_wait_or_kill(r, pid, never_interrupts, 0);
}

int reading_wait_or_kill(struct reading *r, pid_t pid, bool (*interrupts)(void), int ticks)
{
	int status = 0, waited = 0;
	pid_t ended;
	struct pollfd fd = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	/* Without such a descriptor we notice the end a little later. */
	while (!(ended = waitpid(pid, &status, WNOHANG)) || (ended < 0 && errno == EINTR))
		if (poll(&fd, 1, READING_TICK_MS) == 0) {
			reading_poll(r, pid);
			waited += interrupts();
			if (waited > ticks)
				kill(pid, SIGKILL);
		}
	if (fd.fd >= 0)
		close(fd.fd);
	return status;
}
