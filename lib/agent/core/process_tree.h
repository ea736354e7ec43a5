/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CORE_PROCESS_TREE_H
#define TRM_AGENT_CORE_PROCESS_TREE_H

/* The running processes, from /proc, and their descendants. */

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
	uint64_t reaped_ns;   /* CPU time of the children that it has waited for, in 10 ms ticks */
	uint64_t mem_bytes;   /* resident */
	uint32_t threads;
	int stat_fd; /* of /proc/PID/stat, kept for the next tree_scan_again(); -1: none */
	bool selected;
};

struct tree {
	struct tree_row *rows; /* sorted by pid */
	size_t n, cap;
	DIR *dir; /* /proc, open between scans */
	/* Of tree_scan_again(): */
	bool is_kept; /* all rows but our own have their stat_fd */
	bool has_loadavg;
	int loadavg_fd;   /* -1: there is no usable one */
	pid_t newest;     /* when the rows were found */
	unsigned n_again; /* scans since then */
};

/* Scan all processes and select none. The tree must be zeroed or scanned before. Fails with TRM_EIO without
 * /proc, and with TRM_ENOMEM. */
int tree_scan(struct tree *tree);
/* The same for a tree that is scanned repeatedly. If no process was started since the last scan, only the
 * known processes are read rather than all of /proc. If none of them has run, nothing is read. A descriptor
 * is kept for each process, if there are not too many. */
int tree_scan_again(struct tree *tree);
void tree_finish(struct tree *tree);
/* Select the descendants of root: children of selected processes, and members of root's session, because
 * orphans change their parent but keep the session. Selects root only if `with_itself`. */
void tree_select(struct tree *tree, pid_t root, bool with_itself);

/* The process tag: a number in RLIMIT_LOCKS that all descendants of a process have, whatever they do to
 * their sessions and parents. No kernel since 2.4.25 uses that limit. It is inherited, can only be lowered,
 * and can be read by everybody. tree_set_mark() is called by the process itself before it executes the
 * user's program. 0 is no tag. */
uint64_t tree_first_mark(void); /* each further tag is one less */
void tree_set_mark(uint64_t mark);

/* Send a signal to root and all its descendants, including processes that start meanwhile. Daemons that
 * left the session and have lost their parents get it if they have the tag (0: they do not). For SIGKILL
 * all of them are stopped first, because a stopped process cannot fork. If root is 0, only tagged processes
 * get it. */
void tree_signal(pid_t root, uint64_t mark, int signo);
/* Kill the descendants of root (0: of nobody), and orphans with their descendants: those with the tag or,
 * if mark is 0, all orphans. They are stopped first, as above. Only processes started since `since_ms` are
 * killed (CLOCK_BOOTTIME; 0: all). Root, the n processes in `spared`, and the descendants of these n are
 * left alone. */
void tree_kill_leftovers(pid_t root, uint64_t mark, const pid_t *spared, size_t n, uint64_t since_ms);
/* Signal one process or, with `has_tree`, its descendants as well. It must be a descendant of ours (as PID
 * 1: any process but us) and have the given start time (0: any). Fails with TRM_ENOENT if there is no such
 * process any more, with TRM_EPERM if it is not ours. */
int tree_signal_one(pid_t pid, uint64_t start_ticks, int signo, bool has_tree);
/* True if the process descends from this one, or does not exist. False without /proc. */
bool tree_is_below(pid_t pid);
/* Like tree_signal(), but only for the descendants. */
void tree_signal_below(pid_t root, int signo);

#endif
