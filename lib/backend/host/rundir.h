/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_HOST_RUNDIR_H
#define TRM_BACKEND_HOST_RUNDIR_H

/* The runtime directory: one entry for each running local sandbox of this
 * user, with the sockets of its agent and its supervisor.
 *
 *   $XDG_RUNTIME_DIR/terrarium/NAME/agent.sock, control.sock
 *
 * Where there is no XDG_RUNTIME_DIR (unset, or not there): /run/terrarium for root, /tmp/terrarium-UID for
 * others. An XDG_RUNTIME_DIR that belongs to somebody else, or that others may write to, is refused
 * with the reason; so is a "terrarium" in it that is not the user's own or not 0700.
 *
 * That mode is what keeps others out: no other user can reach the sockets. Besides, the supervisor lets in
 * only peers of its own user (SO_PEERCRED), so does the agent, and a client talks only to sockets that its
 * own user made. (The agent of a sandbox that root has started cannot tell users apart: its user namespace
 * has none of the host's.)
 *
 * An entry lives while somebody (its supervisor) holds a lock on it. */

#include <stddef.h>

#include <terrarium/sandbox.h>

struct trm_error;

enum { RUNDIR_PATH = 256 };

/* Find or make the directory. Its descriptor, or a negative code. */
int rundir_open(char path[RUNDIR_PATH], struct trm_error *reterr);

/* The same without making it. TRM_ENOENT: nobody has made one yet. */
int rundir_find(char path[RUNDIR_PATH], struct trm_error *reterr);

/* Its path alone, when it is there and fit: 0 or a negative code, as rundir_find(). */
int rundir_look(char path[RUNDIR_PATH], struct trm_error *reterr);

struct rundir_entry {
	char path[RUNDIR_PATH]; /* of the runtime directory */
	char name[72];
	int run_fd, entry_fd; /* entry_fd holds the lock, and hands it on when inherited */
};

/* Make the entry and lock it. TRM_EEXIST if a sandbox of that name is running. */
int rundir_entry_make(struct rundir_entry *ret, const char *name, struct trm_error *reterr);
/* Close the descriptors; the entry stays, for whoever holds the lock now. Takes a zeroed one. */
void rundir_entry_leave(struct rundir_entry *e);
/* Take it away again, and leave. Takes a zeroed one. */
void rundir_entry_remove(struct rundir_entry *e);

/* Two listening sockets in the entry, and a non-blocking connection to the agent's, which is
 * in its backlog until somebody accepts. */
int rundir_listen(const struct rundir_entry *e, int *ret_agent_fd, int *ret_door_fd, int *ret_stream_fd,
		struct trm_error *reterr);

/* A non-blocking connection to one of the two (AGENT_FILE, CONTROL_FILE) of a running sandbox, whose entry is
 * open and has that path. TRM_ENOENT: there is none of that name; TRM_EPERM: somebody else made the socket;
 * TRM_ETIMEDOUT: so many wait for it already that it has not even taken note of us. */
enum { RUNDIR_TIMEOUT_S = 5 };
int rundir_connect(
		const char *path, int entry_fd, const char *name, const char *file, struct trm_error *reterr);

/* Wait until the supervisor of an entry has noted who has come and gone so far: a process that has just ended
 * may be counted yet. At most RUNDIR_NOTE_MS; who does not answer has nothing to note. */
enum { RUNDIR_NOTE_MS = 200 };
void rundir_wait_noted(int entry_fd);

/* Variables as an entry has them: names alone, with commas between; values may be secrets. */
void rundir_list_env(const char *const *env, size_t n_env, char out[TRM_ENV_BYTES]);

#endif
