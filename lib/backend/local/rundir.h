/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_RUNDIR_H
#define TRM_LOCAL_RUNDIR_H

/* The runtime directory: one entry for each running local sandbox of this
 * user, with the socket of its agent.
 *
 *   $XDG_RUNTIME_DIR/terrarium/NAME/agent.sock
 *
 * else /run/terrarium for root and /tmp/terrarium-UID for others. Both
 * directories are 0700 and belong to the user, or they are not used. An entry
 * lives while somebody (its keeper) holds a lock on it. */

#include <stddef.h>

struct trm_error;

enum { RUNDIR_PATH = 256 };

/* Find or make the directory. Its descriptor, or a negative code. */
int rundir_open(char path[RUNDIR_PATH], struct trm_error *reterr);

/* The same without making it. TRM_ENOENT: nobody has made one yet. */
int rundir_find(char path[RUNDIR_PATH], struct trm_error *reterr);

struct rundir_entry {
	char path[RUNDIR_PATH]; /* of the runtime directory */
	char name[72];
	int run_fd, entry_fd; /* entry_fd holds the lock, and hands it on when inherited */
};

/* Make the entry and lock it. TRM_EEXIST if a sandbox of that name is running. */
int rundir_entry_make(struct rundir_entry *ret, const char *name, struct trm_error *reterr);
/* Close the descriptors; the entry stays, for whoever holds the lock now. Takes a zeroed one. */
void rundir_entry_leave(struct rundir_entry *e);
/* Take it away again, and leave. */
void rundir_entry_remove(struct rundir_entry *e);

/* A listening socket in the entry and a non-blocking connection to it, which is
 * in its backlog until somebody accepts. */
int rundir_listen(const struct rundir_entry *e, int *ret_listen_fd, int *ret_stream_fd,
		struct trm_error *reterr);

#endif
