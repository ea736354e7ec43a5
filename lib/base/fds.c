/* SPDX-License-Identifier: MIT */
#include "base/fds.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void close_between(int first, unsigned last)
{
	if (first < 0 || (unsigned)first > last || syscall(SYS_close_range, (unsigned)first, last, 0u) == 0)
		return;
	for (int fd = first; fd < 1024 && (unsigned)fd <= last; fd++) /* Linux before 5.9 */
		close(fd);
}

void fds_close_from(int first)
{
	close_between(first, ~0u);
}

void fds_close_all_but(int fd)
{
	if (fd > 0)
		close_between(0, (unsigned)fd - 1);
	close_between(fd + 1, ~0u);
}

/* Descriptors are first moved behind the targets, so that none is overwritten. */
bool fds_place(const int *fds, size_t n)
{
	int moved[FDS_PLACE_MAX];
	if (n > FDS_PLACE_MAX) {
		errno = EMFILE;
		return false;
	}
	for (size_t i = 0; i < n; i++)
		if ((moved[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, (int)n)) < 0)
			return false;
	for (size_t i = 0; i < n; i++)
		if (dup2(moved[i], (int)i) < 0)
			return false;
	fds_close_from((int)n);
	return true;
}
