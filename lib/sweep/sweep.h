/* SPDX-License-Identifier: MIT */
#ifndef TRM_SWEEP_H
#define TRM_SWEEP_H

/* Removes what a dead supervisor has left. Supervisors use it for each other, and so do programs that
 * look for running sandboxes.
 *
 * A supervisor holds a lock (flock) on its sandbox's directory for as long as it lives. A directory that
 * is not locked is a leftover: its supervisor was killed, or the machine was restarted.
 *
 *   agent.sock    the agent listens here
 *   control.sock  the supervisor listens here
 *   groups        control groups of the sandbox, one path per line
 *   folder        path of the folder of a sandbox without namespaces
 *   info          struct info_msg: properties of the sandbox, and how to measure it
 *   state         struct state_msg: what changes; then the supervisor's last message
 *
 * wire/control.h has the names of the files. */

#include <stdbool.h>
#include <stddef.h>

#define CGROUP_ROOT "/sys/fs/cgroup"
#define SWEEP_GROUP_PREFIX "terrarium-"
#define SWEEP_SUPERVISOR_NAME "terrarium-supervisor" /* of its process */

/* In the runtime directory itself: the supervisor's program, ended by a hash of its contents. No sandbox's
 * name begins with a dot. */
#define PROGRAM_PREFIX ".supervisor-"

/* In the runtime directory too: the reason why a kept container sandbox of that name has ended by itself.
 * The file contains the backend, a newline, and a sentence. It is removed when a sandbox of that name
 * starts, or after a week. */
#define ENDED_PREFIX ".ended-"
enum { ENDED_NAME = sizeof ENDED_PREFIX + 72, ENDED_BYTES = 640 };

/* Write how the sandbox has ended, and remove such files that are too old. */
void sweep_note_end(int run_fd, const char *name, const char *backend, const char *words);
/* Remove that file, because a sandbox of that name is running. */
void sweep_forget_end(int run_fd, const char *name);

/* Remove the notes of pools (wire/pool_note.h) whose programs are gone. */
void sweep_pool_notes(int run_fd);

/* True if this is the name of a supervisor's control group. */
bool sweep_is_group(const char *name);
/* Kill all processes in the group of that path. */
void sweep_kill_group(const char *path);
/* Remove the groups that are noted in an entry, with all processes in them. Only directories that look
 * like a supervisor's are touched, whatever the note says. False: a dying process is still in one. */
bool sweep_groups(int entry_fd);

/* Remove the folder that is noted in an entry, with its contents. Only a path that looks like a
 * supervisor's is touched, and only if it belongs to this user or to a sandbox's. False: something is left.
 */
bool sweep_folder(int entry_fd);

/* Remove a folder with all that hostile code has put into it, but nothing that is mounted in it. False:
 * something is left. */
bool sweep_tree(const char *path);

/* Is the entry locked? Its supervisor holds the lock, or a process about to become the supervisor, or for
 * a moment another sweep. */
bool sweep_is_held(int entry_fd);

/* Remove the runtime directory, if no sandbox is in it any more. */
void sweep_directory(int run_fd, const char *run_path);

/* The one list of what an entry stands for: its groups with the processes in them, its folder, its files, and
 * the directory itself. The caller holds the lock. False: something is left, and so is the entry. */
bool sweep_held(int run_fd, int entry_fd, const char *name);
/* Remove one entry if nobody holds it and no dying process is left in its groups. */
bool sweep_entry(int run_fd, const char *name);
/* Remove all such entries. Returns how many were removed. */
size_t sweep_all(int run_fd);
/* Returns how many entries nobody holds. */
size_t sweep_left(int run_fd);

/* Call `fn` for each name that begins with `prefix`; "": for each that is not hidden. Returns how often that
 * was true. */
typedef bool sweep_name_fn(int dir_fd, const char *name);
size_t sweep_each(int dir_fd, const char *prefix, sweep_name_fn *fn);

#endif
