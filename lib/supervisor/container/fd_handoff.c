/* SPDX-License-Identifier: MIT */
#include "supervisor/container/fd_handoff.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "sweep/sweep.h"
#include "wire/plan.h"

/* Binds by a path below /proc/self/fd, because the path of the runtime directory may be too long for
 * sun_path. */
static int listen_in(int share_fd)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/" SHARE_SOCKET, share_fd);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* Everybody who can reach the socket may connect: the image decides which user the agent is. */
	if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || fchmodat(share_fd, SHARE_SOCKET, 0666, 0) < 0
			|| listen(fd, 1) < 0) {
		int error = errno;
		close(fd);
		return -error;
	}
	return fd;
}

int handoff_open(struct handoff *d, int entry_fd)
{
	*d = (struct handoff)HANDOFF_NONE;
	handoff_remove(entry_fd);
	if (mkdirat(entry_fd, SHARE_DIR, 0755) < 0)
		return -errno;
	int fd = openat(entry_fd, SHARE_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Fchmod, because the umask may have removed bits. */
	int r = fchmod(fd, 0755) < 0 ? -errno : listen_in(fd);
	close(fd);
	if (r < 0)
		return r;
	d->listen_fd = r;
	return 0;
}

int handoff_let_in(struct handoff *d, int agent_fd)
{
	struct ucred who;
	socklen_t n = sizeof who;
	int fd = accept4(d->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return -errno;
	int r = handoff_hand(fd, agent_fd);
	if (r < 0) {
		close(fd);
		return r;
	}
	d->line_fd = fd;
	d->pid = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 ? who.pid : 0;
	return 0;
}

int handoff_handle(struct handoff *d)
{
	char packet[HANDOFF_REPORT_MAX];
	ssize_t n = recv(d->line_fd, packet, sizeof packet, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	int r = n <= 0 ? TRM_EPROTO : handoff_report_get(packet, (size_t)n, &d->report);
	d->has_report = r == 0;
	return r;
}

void handoff_close(struct handoff *d, int entry_fd)
{
	if (d->listen_fd < 0)
		return;
	close(d->listen_fd);
	d->listen_fd = -1;
	unlinkat(entry_fd, SHARE_DIR "/" SHARE_SOCKET, 0);
}

void handoff_finish(struct handoff *d, int entry_fd)
{
	handoff_close(d, entry_fd);
	if (d->line_fd >= 0)
		close(d->line_fd);
	handoff_report_finish(&d->report);
	*d = (struct handoff)HANDOFF_NONE;
}

void handoff_remove(int entry_fd)
{
	unlinkat(entry_fd, SHARE_DIR "/" SHARE_SOCKET, 0);
	unlinkat(entry_fd, SHARE_DIR, AT_REMOVEDIR);
}
