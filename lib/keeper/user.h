/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEEPER_USER_H
#define TRM_KEEPER_USER_H

/* A user of its own for each sandbox that root starts. Without it the code
 * inside would be the host's root to every check that looks at the number
 * alone: file owners, RLIMIT_NPROC, /proc/sys.
 *
 * The numbers are 61000 and up, ending before systemd's dynamic users (61184).
 * One is taken by locking a file of its name, and free again when the lock goes,
 * however the keeper ends. */

#include <stdint.h>

enum { USER_FIRST = 61000, USER_COUNT = 184 };

struct user {
	uint32_t uid; /* 0: none was needed */
	int dir_fd, lock_fd;
};

/* 0, or -errno; -EUSERS when all are taken. */
int user_take(struct user *ret);
void user_release(struct user *u); /* takes one without a lock */

/* Remove lock files in `dir_fd` that nobody holds. */
void user_sweep(int dir_fd);

#endif
