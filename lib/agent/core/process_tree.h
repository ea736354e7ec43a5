/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CORE_PROCESS_TREE_H
#define TRM_AGENT_CORE_PROCESS_TREE_H

/* The processes there are, from /proc, and who descends from whom. */

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tree_row {
	pid_t pid, ppid, session;
	char state;
	char name[16];        /* comm: may hold any bytes */
	uint64_t start_ticks; /* since boot: with the pid, the identity of a process */
	uint64_t cpu_ns;      /* CPU time of all its threads */
	uint64_t reaped_ns;   /* CPU time of the children it has waited for, to 10 ms */
	uint64_t mem_bytes;   /* resident */
	uint32_t threads;
	int stat_fd; /* of /proc/PID/stat, kept for the next tree_scan_again(); -1: none */
	bool selected;
};

struct tree {
	struct tree_row *rows; /* by rising pid */
	size_t n, cap;
	DIR *dir; /* /proc, open between scans */
	/* Of tree_scan_again(): */
	bool is_kept; /* all rows but our own have their stat_fd */
	bool has_loadavg;
	int loadavg_fd;   /* -1: there is none that could be used */
	pid_t newest;     /* when the rows were found */
	unsigned n_again; /* looks since then */
};

/* All processes now, nothing selected. TRM_EIO without /proc, TRM_ENOMEM. The tree was zeroed or scanned
 * before. */
int tree_scan(struct tree *tree);
/* The same for a tree that is looked at again and again: where no process has been started since the last
 * look, which the kernel tells, only those that are known are read, and not all of /proc; where none of them
 * has run either, nothing. A descriptor is kept for each, if they are not too many. */
int tree_scan_again(struct tree *tree);
void tree_finish(struct tree *tree);
/* Select the descendants of root: children of the selected, and the members of root's session
 * (orphans have another parent by then, and keep the session). With itself: root too. */
void tree_select(struct tree *tree, pid_t root, bool with_itself);

/* A number that all descendants of a process bear, whatever they do to their sessions and parents:
 * RLIMIT_LOCKS, which no kernel since 2.4.25 looks at, is inherited, can only be made less, and can be read
 * by everybody. tree_set_mark() is for the process itself, before it becomes the user's program. 0 is no
 * mark. */
uint64_t tree_first_mark(void); /* the next ones are one less each */
void tree_set_mark(uint64_t mark);

/* Send to root and all its descendants, also those that come while it is at it: also daemons, which changed
 * their session and whose parents were gone before, if they bear the mark (0: they are left alone). With
 * SIGKILL everybody is stopped first: who is stopped cannot fork away. root 0: only who bears the mark. */
void tree_signal(pid_t root, uint64_t mark, int signo);
/* Kill the descendants of root (0: nobody's) and orphans with theirs: those that bear the mark or, with mark
 * 0, all that have come to us. They are stopped first as above; of all only what was started
 * since then (ms of CLOCK_BOOTTIME; 0: whenever). Spared are the n processes that are given, root itself, and
 * what descends from the others of them. */
void tree_kill_leftovers(pid_t root, uint64_t mark, const pid_t *spared, size_t n, uint64_t since_ms);
/* One process, or with `has_tree` all that descends from it too: a descendant of ours (as PID 1: anybody but
 * us) whose start is still the one that was seen; 0: whatever it is. TRM_ENOENT: there is no such process
 * (any more). TRM_EPERM: not ours to signal. */
int tree_signal_one(pid_t pid, uint64_t start_ticks, int signo, bool has_tree);
/* Does it descend from this process, or is it not there? False without /proc. */
bool tree_is_below(pid_t pid);
/* As tree_signal, with the descendants only. */
void tree_signal_below(pid_t root, int signo);

#endif
