/* SPDX-License-Identifier: MIT */
/* Who fetches the same packages at the same time takes turns: the second finds in the cache what the first
 * has brought. A lock (flock) on asked/KEY.lock ends with its process, whatever ends that. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "install/install.h"

void turn_init(struct turn *turn)
{
	*turn = (struct turn){.fd = -1};
}

/* The file is removed by whoever had the lock: it may be another one by now. */
static bool is_same_file(const struct turn *turn)
{
	struct stat here, there;
	return fstat(turn->fd, &here) == 0 && stat(turn->path, &there) == 0 && here.st_dev == there.st_dev
	       && here.st_ino == there.st_ino;
}

bool turn_take(struct turn *turn, const struct tool_opts *opts)
{
	enum { TRIES = 20 };
	if (turn->fd >= 0 || !set_lock_path(opts, turn->path))
		return true; /* without a cache nothing can be shared */
	for (int i = 0; i < TRIES; i++) {
		turn->fd = open(turn->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (turn->fd < 0) {
			log_write(LOG_WARNING, "cannot lock %s: %s", turn->path, strerror(errno));
			return true;
		}
		bool is_locked = flock(turn->fd, LOCK_EX | LOCK_NB) == 0;
		if (is_locked && is_same_file(turn))
			return true;
		close(turn->fd);
		turn->fd = -1;
		if (!is_locked)
			return false;
	}
	return false;
}

void turn_end(struct turn *turn)
{
	if (turn->fd < 0)
		return;
	unlink(turn->path);
	close(turn->fd);
	turn->fd = -1;
}
