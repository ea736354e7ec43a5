/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_USER_H
#define TRM_SUPERVISOR_LIMITS_USER_H

/* A separate user for each sandbox that root starts. Otherwise the code inside would be the host's root to
 * every check of the number alone: file owners, RLIMIT_NPROC, /proc/sys.
 *
 * wire/folder.h has the numbers. They begin at 61000 and end before systemd's dynamic users (61184). When
 * these are taken, the numbers from 1879048192 follow, which systemd's table of users (systemd.io/UIDS-GIDS)
 * lists as unused. In a PID namespace other than the machine's, such as a container's, and in a mount
 * namespace other than that of process 1, the second range comes first; a container that does not map it has
 * only the first. A number is taken by locking a file of its name. It is free again when the lock is
 * released, however the supervisor ends. */

#include <stdbool.h>
#include <stdint.h>

struct user {
	uint32_t uid; /* 0: none is needed */
	int dir_fd, lock_fd;
};

/* Take a user if we are root. In a user namespace with only a few users (a rootless container) root is an
 * ordinary user of the host, and none is needed. Returns 0 or -errno; -EUSERS if all are taken. */
int user_take(struct user *ret);

/* Take over the user of a dead supervisor. Returns false if another supervisor has taken it since; that one
 * has then killed the leftover processes. */
bool user_take_over(struct user *ret, uint32_t uid);

/* user_map_holds() says whether the map (text of /proc/self/uid_map) contains all of these users,
 * user_map_moves_root() whether root is another user outside. */
bool user_map_holds(const char *map, uint32_t first, uint32_t count);
bool user_map_moves_root(const char *map);
void user_release(struct user *u); /* accepts one without a lock */

/* Change this process to the user, for good. False: see errno. */
bool user_become(uint32_t uid);

/* Remove the unlocked lock files in `dir_fd`. */
void user_sweep(int dir_fd);

/* As root: remove the unlocked files in all lock directories, and the directories that are then empty. */
void user_inherit(void);

#endif
