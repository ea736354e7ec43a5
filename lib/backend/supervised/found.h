/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_SUPERVISED_FOUND_H
#define TRM_BACKEND_SUPERVISED_FOUND_H

/* Sandboxes that others have started: their entries in the runtime directory, and what can be
 * measured of them from outside. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/registry.h>

#include "backend/host/rundir.h"
#include "backend/host/stats.h"
#include "wire/control.h"

struct trm_error;

/* The runtime directory if there is one that may be used: its descriptor; TRM_ENOENT: there is none. */
int found_open_dir(struct trm_error *reterr);

/* What the entry says of itself. TRM_ENOENT: there is none of that name, or it is not up yet. */
int found_read(int run_fd, const char *name, struct info_msg *ret, struct trm_error *reterr);
/* Does the supervisor live that wrote it, and hold the entry of that name? */
bool found_is_alive(int run_fd, const char *name, const struct info_msg *info);
void found_limits(const struct info_msg *info, struct trm_limits *ret);
const char *found_workdir(const struct info_msg *info); /* as long as the info lives */
/* Into what is all zero. */
void found_requested(const struct info_msg *info, struct trm_requested *ret);

/* What changes. False: it is not known. */
bool found_state(int run_fd, const char *name, struct state_msg *ret);

/* One entry, for who looks at it more than once. */
struct found_entry {
	char path[RUNDIR_PATH + 72];
	int fd;       /* of its directory; -1: there is none */
	int state_fd; /* of STATE_FILE; -1: there is none */
};
/* Opens it and reads what it says of itself, as found_read(). */
int found_open(struct found_entry *ret, const char *name, struct info_msg *ret_info,
		struct trm_error *reterr);
void found_close(struct found_entry *entry); /* takes one of which only the descriptors are -1 */
void found_close_directory(struct found_entry *entry);
bool found_entry_state(const struct found_entry *entry, struct state_msg *ret);
/* What the supervisor has said last of all, for who was not connected to it then. False: it did not, or was
 * killed. To be freed with control_finish(). */
bool found_entry_gone(const struct found_entry *entry, struct control_msg *ret);
/* Its supervisor holds the lock of its directory: one of the signs of life, and the cheapest. */
bool found_entry_is_held(const struct found_entry *entry);

/* The languages of the kernels that run there, as a mask of 1 << trm_lang.index: children of the agent with
 * a kernel's command line. (Code in the sandbox can imitate one.) False: its processes cannot be seen from
 * here. */
bool found_kernels(const struct info_msg *info, unsigned *ret_mask);

/* Take away what a supervisor that was killed has left: its directory, and its groups as soon as what died
 * with it is out of them, which takes milliseconds. At most FOUND_SWEEP_MS. */
enum { FOUND_SWEEP_MS = 300 };
void found_sweep(void);

/* Signal the supervisor, and nobody else. TRM_ENOENT: it has ended. */
int found_kill(pid_t supervisor, uint64_t supervisor_start, int signo, struct trm_error *reterr);
/* Wait until it has ended. TRM_ETIMEDOUT: it has not. */
int found_wait(pid_t supervisor, uint64_t supervisor_start, uint64_t timeout_ms, struct trm_error *reterr);

/* Resident memory of what descends from a process, added up: quick, and too much where pages are shared. */
uint64_t found_memory_below(pid_t root);

/* All processes of the machine at one moment: for sandboxes that no control group counts. */
struct crowd {
	struct procstat *all;
	size_t n, cap;
};
/* False: no memory, or no /proc. */
bool crowd_take(struct crowd *crowd);
void crowd_finish(struct crowd *crowd); /* takes a zeroed object */
/* Sum over what descends from `root`; its children, bubblewrap's outer process among them, are no processes
 * of the sandbox. */
void crowd_sample(const struct crowd *crowd, pid_t root, struct trm_sample *sample);

#endif
