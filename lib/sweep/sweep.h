/* SPDX-License-Identifier: MIT */
#ifndef TRM_SWEEP_H
#define TRM_SWEEP_H

/* Taking away what a dead supervisor has left behind: shared by supervisors, which do it for each other,
 * and by whoever looks for running sandboxes.
 *
 * A supervisor holds a lock (flock) on its sandbox's directory for as long as it lives, so one that
 * nobody holds belongs to nobody: its supervisor was killed, or the machine was started anew.
 *
 *   agent.sock   the agent listens here
 *   control.sock  the supervisor listens here
 *   groups       control groups of the sandbox, one path in a line
 *   folder       path of the folder of a sandbox without namespaces
 *   info         struct info_msg: what it is and how it is measured
 *   state        struct state_msg: what changes; what the last client has left; the supervisor's last words
 *
 * The files' names are in wire/control.h. */

#include <stdbool.h>
#include <stddef.h>

#define CGROUP_ROOT "/sys/fs/cgroup"
#define SWEEP_GROUP_PREFIX "terrarium-"
#define SWEEP_SUPERVISOR_NAME "terrarium-supervisor" /* of its process */

/* In the runtime directory itself: the supervisor's program, ended by a hash of its contents. No sandbox's
 * name begins with a dot. */
#define PROGRAM_PREFIX ".supervisor-"

/* Is that the name of a supervisor's control group? */
bool sweep_is_group(const char *name);
/* Kill all processes in the group of that path. */
void sweep_kill_group(const char *path);
/* Remove the groups that are noted in an entry, with what is in them. Only directories that look like
 * a supervisor's are touched, whatever the note says. False: a dying process is still in one. */
bool sweep_groups(int entry_fd);

/* Remove the folder that is noted in an entry, with all that is in it. Only a path that looks like a
 * supervisor's is touched. False: something is left. */
bool sweep_folder(int entry_fd);

/* Does somebody hold the entry? That is its supervisor, a process about to become it or, for a moment,
 * another sweep. */
bool sweep_is_held(int entry_fd);

/* Remove the files of an entry. */
void sweep_files(int entry_fd);

/* Remove the runtime directory, if no sandbox is in it any more. */
void sweep_directory(int run_fd, const char *run_path);

/* Remove one entry if nobody holds it and no dying process is left in its groups. */
bool sweep_entry(int run_fd, const char *name);
/* Remove all such entries. Returns how many were removed. */
size_t sweep_all(int run_fd);
/* Returns how many entries nobody holds. */
size_t sweep_left(int run_fd);

#endif
