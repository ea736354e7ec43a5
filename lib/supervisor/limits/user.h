/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_USER_H
#define TRM_SUPERVISOR_LIMITS_USER_H

/* A user of its own for each sandbox that root starts. Without it the code
 * inside would be the host's root to every check that looks at the number
 * alone: file owners, RLIMIT_NPROC, /proc/sys.
 *
 * The numbers are 61000 and up, ending before systemd's dynamic users (61184), and when these are taken,
 * 1879048192 and up, which systemd's table of users (systemd.io/UIDS-GIDS) lists as unused. In a PID
 * namespace that is not the machine's, such as a container's, the latter come first; a container that does
 * not know them has only the former. One is taken by locking a file of its name, and free again when the lock
 * goes, however the supervisor ends. */

#include <stdbool.h>
#include <stdint.h>

enum { USER_FIRST = 61000, USER_COUNT = 184, USER_MORE_FIRST = 1879048192, USER_MORE_COUNT = 4096 };

struct user {
	uint32_t uid; /* 0: none was needed */
	int dir_fd, lock_fd;
};

/* Take one if we are root. In a user namespace that knows only a few users (a rootless
 * container) root is an ordinary user to the host, and none is needed. 0, or -errno; -EUSERS when
 * all are taken. */
int user_take(struct user *ret);

/* That of a supervisor who has died, unless another has taken it since (who has then killed what was left of
 * it). True: it is ours. */
bool user_take_over(struct user *ret, uint32_t uid);

/* Does the map (text of /proc/self/uid_map) hold all of these users, and is our root somebody
 * else outside? */
bool user_map_holds(const char *map, uint32_t first, uint32_t count);
bool user_map_moves_root(const char *map);
void user_release(struct user *u); /* takes one without a lock */

/* Remove lock files in `dir_fd` that nobody holds. */
void user_sweep(int dir_fd);

/* As root: those wherever they may be, and the directories that are empty then. */
void user_inherit(void);

#endif
