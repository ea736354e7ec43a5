/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_HOST_RUNDIR_H
#define TRM_BACKEND_HOST_RUNDIR_H

/* The runtime directory: one entry for each running local sandbox of this user, with the sockets of its
 * agent and its supervisor.
 *
 *   $XDG_RUNTIME_DIR/terrarium/NAME/agent.sock, control.sock
 *
 * Without XDG_RUNTIME_DIR (unset, or the directory does not exist) it is /run/terrarium for root, and
 * /tmp/terrarium-UID for others, or /dev/shm/terrarium-UID where the former cannot be written to. An
 * XDG_RUNTIME_DIR that belongs to somebody else, or that others may write to, is refused with the reason. The
 * same holds for a "terrarium" in it that is not the user's own or not 0700.
 *
 * That mode keeps other users away from the sockets. In addition, supervisor and agent accept only peers
 * of their own user (SO_PEERCRED), and a client talks only to sockets that its own user made. (The agent
 * of a sandbox that root has started cannot tell users apart: its user namespace has none of the host's.)
 *
 * An entry lives while some process (its supervisor) holds a lock on it. */

#include <stddef.h>

#include <terrarium/sandbox.h>

struct trm_error;

enum { RUNDIR_PATH = 256 };

/* Find or make the directory. Its descriptor, or a negative code. */
int rundir_open(char path[RUNDIR_PATH], struct trm_error *reterr);

/* The same without making the directory. TRM_ENOENT: it does not exist yet. */
int rundir_find(char path[RUNDIR_PATH], struct trm_error *reterr);

/* Only its path, if it exists and is safe: 0 or a negative code, as rundir_find(). */
int rundir_find_path(char path[RUNDIR_PATH], struct trm_error *reterr);

struct rundir_entry {
	char path[RUNDIR_PATH]; /* of the runtime directory */
	char name[72];
	int run_fd, entry_fd; /* entry_fd holds the lock; a process that inherits it keeps the lock */
};

/* Make the entry and lock it. TRM_EEXIST if a sandbox of that name is running. */
int rundir_entry_make(struct rundir_entry *ret, const char *name, struct trm_error *reterr);
/* Close the descriptors. The entry stays for the process that holds the lock now. Accepts a zeroed one. */
void rundir_entry_leave(struct rundir_entry *e);
/* Remove the entry, and close the descriptors. Accepts a zeroed one. */
void rundir_entry_remove(struct rundir_entry *e);

/* Make two listening sockets in the entry, and a non-blocking connection to the agent's, which waits in
 * its backlog. */
int rundir_listen(const struct rundir_entry *e, int *ret_agent_fd, int *ret_control_fd, int *ret_stream_fd,
		struct trm_error *reterr);

/* Make a non-blocking connection to one of the two sockets (AGENT_FILE, CONTROL_FILE) of a running
 * sandbox, whose entry is open and has that path. TRM_ENOENT: no sandbox of that name; TRM_EPERM:
 * somebody else made the socket; TRM_ETIMEDOUT: its queue of connections is full. */
enum { RUNDIR_TIMEOUT_S = 5 };
int rundir_connect(
		const char *path, int entry_fd, const char *name, const char *file, struct trm_error *reterr);

/* Wait until the supervisor of an entry has recorded who has connected and disconnected so far; a process
 * that has just ended may still be counted. Waits at most RUNDIR_NOTE_MS. A supervisor that does not
 * answer has nothing to record. */
enum { RUNDIR_NOTE_MS = 200 };
void rundir_wait_noted(int entry_fd);

/* Variables as an entry stores them: only the names, with commas between, because values may be secrets. */
void rundir_list_env(const char *const *env, size_t n_env, char out[TRM_ENV_BYTES]);

#endif
