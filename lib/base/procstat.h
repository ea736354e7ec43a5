/* SPDX-License-Identifier: MIT */
#ifndef TRM_PROCSTAT_H
#define TRM_PROCSTAT_H

/* Information about one process from /proc: see proc(5). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct procstat {
	pid_t pid, ppid, session;
	uint32_t threads;
	uint64_t start;         /* ticks since boot: with the pid, the identity of a process */
	uint64_t cpu_ns;        /* of its threads, including dead ones; precise to 10 ms */
	uint64_t waited_cpu_ns; /* of children that it has waited for */
	char state;             /* R, S, D, Z … */
	uint64_t mem_bytes;     /* resident */
	char name[16];          /* may hold any bytes */
};

bool procstat_read(pid_t pid, struct procstat *ret);
/* The same from the text of /proc/PID/stat, which is changed. False: it is invalid. */
bool procstat_parse(char *text, pid_t pid, struct procstat *ret);
/* Write its command line in one line, or else its name; cleaned. "" if it is gone. Returns out. */
char *procstat_command(pid_t pid, char *out, size_t cap);
/* Soft RLIMIT_LOCKS, by which descendants are tagged: Linux does not enforce it, and children inherit it. 0:
 * unknown, or no limit. */
uint64_t procstat_tag(pid_t pid);
/* Write the value of a line of /proc/PID/status, such as "Threads". False, and "": unknown. */
bool procstat_status(pid_t pid, const char *key, char *out, size_t cap);
/* The children that one thread of a process has forked; the first thread's id is the pid. Returns how many of
 * them there are room for in `ret`, and -1 if /proc does not tell. */
ssize_t procstat_children(pid_t pid, pid_t thread, pid_t *ret, size_t cap);
/* Our own umask. Unlike umask(), this does not change it for a moment for all threads. 022 if /proc does
 * not show it. */
mode_t procstat_umask(void);

#endif
