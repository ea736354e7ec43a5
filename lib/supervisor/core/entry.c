/* SPDX-License-Identifier: MIT */
#include "supervisor/core/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "sweep/sweep.h"

void entry_write_groups(int entry_fd, const struct groups *groups)
{
	char note[GROUP_MAX_DIRS * (GROUP_PATH + 1) + 1];
	size_t n = 0;
	sweep_groups(entry_fd); /* of a sandbox of the same name that was left behind */
	int fd = groups->n ? openat(entry_fd, GROUPS_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
			   : -1;
	if (fd < 0)
		return;
	for (size_t i = 0; i < groups->n; i++)
		n += (size_t)snprintf(note + n, sizeof note - n, "%s\n", groups->dir[i].path);
	if (write(fd, note, n) < 0)
		unlinkat(entry_fd, GROUPS_FILE, 0);
	close(fd);
}

void entry_write_info(int entry_fd, const void *bytes, size_t n)
{
	static const char unfinished[] = INFO_FILE ".new";
	int fd = openat(entry_fd, unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	bool is_whole = write(fd, bytes, n) == (ssize_t)n;
	close(fd);
	if (!is_whole || renameat(entry_fd, unfinished, entry_fd, INFO_FILE) < 0)
		unlinkat(entry_fd, unfinished, 0);
}

/* The state is a few bytes of constant length, written by one write(), so readers see the old or the new
 * state. */
void entry_write_state(int entry_fd, const struct state_msg *state)
{
	struct buf b;
	buf_init(&b, STATE_MAX_BYTES);
	int fd = openat(entry_fd, STATE_FILE, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool is_whole = fd >= 0 && state_msg_put(&b, state) == 0
			&& pwrite(fd, buf_at(&b), b.len, 0) == (ssize_t)b.len;
	if (fd >= 0)
		close(fd);
	/* Out of space: remove the file, because an unknown state is better than a wrong one. */
	if (!is_whole)
		unlinkat(entry_fd, STATE_FILE, 0);
	buf_finish(&b);
}

void entry_write_gone(int entry_fd, const struct buf *packet)
{
	int fd = openat(entry_fd, STATE_FILE, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	if (pwrite(fd, buf_at(packet), packet->len, STATE_GONE_AT) != (ssize_t)packet->len)
		unlinkat(entry_fd, STATE_FILE, 0); /* out of space: a truncated file cannot be parsed */
	close(fd);
}

void entry_remove(int run_fd, int entry_fd, const char *name, const char *run_path)
{
	/* If something is left, the next supervisor, or the next client that lists sandboxes, tries again. */
	if (sweep_held(run_fd, entry_fd, name))
		sweep_directory(run_fd, run_path);
}
