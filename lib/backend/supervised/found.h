/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_SUPERVISED_FOUND_H
#define TRM_BACKEND_SUPERVISED_FOUND_H

/* Sandboxes that other programs have started: their entries in the runtime directory, and what can be
 * measured of them from outside. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/registry.h>

#include "backend/host/rundir.h"
#include "backend/host/stats.h"
#include "wire/control.h"

struct trm_error;

/* Open the runtime directory if it exists and is safe: a descriptor; TRM_ENOENT: it does not exist. */
int found_open_dir(struct trm_error *reterr);

/* Read the entry's information. TRM_ENOENT: there is no sandbox of that name, or it is not up yet. */
int found_read(int run_fd, const char *name, struct info_msg *ret, struct trm_error *reterr);
/* Does the supervisor that wrote the information live, and hold the entry of that name? */
bool found_is_alive(int run_fd, const char *name, const struct info_msg *info);
void found_limits(const struct info_msg *info, struct trm_limits *ret);
/* The isolation level in force; TRM_ISOLATION_AUTO: the sandbox is not a local one. */
enum trm_isolation found_isolation(const struct ready_msg *ready);
const char *found_workdir(const struct info_msg *info); /* as long as the info lives */
/* `ret` must be all zero. */
void found_requested(const struct info_msg *info, struct trm_requested *ret);

/* Read the changing state. False: unknown. */
bool found_state(int run_fd, const char *name, struct state_msg *ret);

/* One entry, for programs that look at it more than once. */
struct found_entry {
	char path[RUNDIR_PATH + 72];
	int fd;       /* of its directory; -1: there is none */
	int state_fd; /* of STATE_FILE; -1: there is none */
};
/* Open an entry and read its information, as found_read(). */
int found_open(struct found_entry *ret, const char *name, struct info_msg *ret_info,
		struct trm_error *reterr);
void found_close(struct found_entry *entry); /* accepts one with only its descriptors set to -1 */
void found_close_directory(struct found_entry *entry);
bool found_entry_state(const struct found_entry *entry, struct state_msg *ret);
/* The supervisor's last message, for clients that were not connected then. False: there is none, or the
 * supervisor was killed. Free it with control_finish(). */
bool found_entry_gone(const struct found_entry *entry, struct control_msg *ret);
/* Does the supervisor hold the lock of its directory? This is the cheapest sign of life. */
bool found_entry_is_held(const struct found_entry *entry);

/* The languages of the sandbox's kernels, as a mask of 1 << trm_lang.index: children of the agent with a
 * kernel's command line. (Code in the sandbox can imitate one.) False: its processes are not visible from
 * here. */
bool found_kernels(const struct info_msg *info, unsigned *ret_mask);

/* Remove what a killed supervisor has left: its directory, and its groups once the dying processes have
 * left them, which takes milliseconds. At most FOUND_SWEEP_MS. */
enum { FOUND_SWEEP_MS = 300 };
void found_sweep(void);

/* Signal exactly this supervisor. TRM_ENOENT: it has ended. */
int found_kill(pid_t supervisor, uint64_t supervisor_start, int signo, struct trm_error *reterr);
/* Wait until it has ended. TRM_ETIMEDOUT: it still runs. */
int found_wait(pid_t supervisor, uint64_t supervisor_start, uint64_t timeout_ms, struct trm_error *reterr);

/* Resident memory of all descendants of a process: quick, and too high if pages are shared. */
uint64_t found_memory_below(pid_t root);

/* All processes of the machine at one moment: for sandboxes that no control group counts. */
struct crowd {
	struct procstat *all;
	size_t n, cap;
};
/* False: no memory, or no /proc. */
bool crowd_take(struct crowd *crowd);
void crowd_finish(struct crowd *crowd); /* accepts a zeroed object */
/* Sum over the descendants of `root`. Its children, among them bubblewrap's outer process, do not count
 * as processes of the sandbox. */
void crowd_sample(const struct crowd *crowd, pid_t root, struct trm_sample *sample);

#endif
