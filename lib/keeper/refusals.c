/* SPDX-License-Identifier: MIT */
#include "keeper/refusals.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/stall.h"
#include "keeper/group.h"

static int open_in(const char *dir, const char *file, int flags)
{
	char path[GROUP_PATH + 64];
	int n = snprintf(path, sizeof path, "%s/%s", dir, file);
	return n > 0 && (size_t)n < sizeof path ? open(path, flags | O_CLOEXEC) : -1;
}

/* A file of events is readable at once until it was read: kernfs_fop_poll() in fs/kernfs/file.c. */
static bool is_zero(int fd, const char *key)
{
	char text[512];
	uint64_t value;
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return stall_find_number(text, key, &value) && !value;
}

static int open_events(const char *dir, const char *file, const char *key)
{
	int fd = open_in(dir, file, O_RDONLY);
	if (fd < 0 || is_zero(fd, key))
		return fd;
	close(fd);
	return -1;
}

/* Version 1 signals an eventfd: Documentation/admin-guide/cgroup-v1/memory.rst, "OOM Control". */
static int open_oom_signal(const char *dir)
{
	char text[32];
	int file = open_events(dir, "memory.oom_control", "oom_kill");
	int control = open_in(dir, "cgroup.event_control", O_WRONLY);
	int fd = file < 0 || control < 0 ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int n = snprintf(text, sizeof text, "%d %d", fd, file);
	bool is_set = fd >= 0 && write(control, text, (size_t)n) == n && is_zero(file, "oom_kill");
	if (file >= 0)
		close(file);
	if (control >= 0)
		close(control);
	if (is_set || fd < 0)
		return fd;
	close(fd);
	return -1;
}

void refusals_begin(struct refusals *r, enum limits_kind kind, const char *mem_dir, const char *pids_dir)
{
	bool is_v2 = kind == LIMITS_CGROUP_V2;
	*r = (struct refusals)REFUSALS_NONE;
	if (kind != LIMITS_CGROUP_V1 && !is_v2)
		return;
	if (*mem_dir)
		r->memory_fd = is_v2 ? open_events(mem_dir, "memory.events", "oom_kill")
				     : open_oom_signal(mem_dir);
	r->memory_poll = is_v2 ? POLLPRI : POLLIN;
	if (*pids_dir && is_v2)
		r->procs_fd = open_events(pids_dir, "pids.events", "max");
	r->unmet = (r->memory_fd >= 0 ? UNMET_MEMORY : 0) | (r->procs_fd >= 0 ? UNMET_PROCS : 0);
}

static void stop(struct refusals *r, int *fd, enum unmet_bit bit)
{
	r->unmet &= (uint8_t)~bit;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void refusals_end(struct refusals *r)
{
	stop(r, &r->memory_fd, UNMET_MEMORY);
	stop(r, &r->procs_fd, UNMET_PROCS);
}

void refusals_poll(const struct refusals *r, struct pollfd fds[REFUSALS_POLLS])
{
	fds[0] = (struct pollfd){.fd = r->memory_fd, .events = r->memory_poll};
	fds[1] = (struct pollfd){.fd = r->procs_fd, .events = POLLPRI};
}

/* Version 2 wakes us as well when memory is short and nobody was killed: it is near enough. */
bool refusals_hear(struct refusals *r, const struct pollfd fds[REFUSALS_POLLS])
{
	uint8_t before = r->unmet;
	if (fds[0].revents)
		stop(r, &r->memory_fd, UNMET_MEMORY);
	if (fds[1].revents)
		stop(r, &r->procs_fd, UNMET_PROCS);
	return r->unmet != before;
}
