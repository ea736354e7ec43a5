/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ISOLATION_ATTACK_H
#define TESTS_ISOLATION_ATTACK_H

/* attack KEY=VALUE…: tries to get out of where it runs, one attempt per process, and prints a line for each:
 *
 *   open CATEGORY NAME: how        it got out, or reached a part of the kernel that is closed to sandboxes
 *   shut CATEGORY NAME: why        refused
 *   none CATEGORY NAME: why        this machine gives it to nobody (the kernel lacks it, a capability is
 * missing)
 *
 * Nothing that it does harms when it succeeds: calls of the administrator get arguments that the kernel only
 * rejects behind its check for permission, files are opened and not written.
 *
 * Keys: victim (a process to be attacked; 0: it makes one of its own for each attempt), and where the host's
 * bait lies: see struct target. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct target {
	pid_t victim;       /* in a sandbox the agent */
	pid_t bait;         /* a process of the host with the word in arguments and environment */
	const char *word;   /* a secret, nowhere to be found; also names the abstract socket and the host's
			       files */
	const char *dir;    /* of the host, with a file "bait" in it, and a socket "socket" */
	int port4, port6;   /* that answer on the host's loopback devices */
	const char *host;   /* its name */
	const char *spaces; /* its namespaces, as their links read, with commas between */
	int key;            /* of System V message queue and semaphores of the host */
	bool spares;        /* the victim: nothing keeps signals from it, and it would end the attack */
};

enum verdict { SHUT, OPEN, LACKING };

/* Room for the reason, filled by those who return a verdict. */
struct found {
	char how[200];
};

struct attempt {
	const char *category, *name;
	enum verdict (*try)(const struct target *t, struct found *f);
	/* Capability without which even a program in no sandbox is refused; 0: none. (CAP_CHOWN is 0: not
	 * of interest.) */
	int needs;
};

struct attempts {
	const struct attempt *list;
	size_t n;
};

struct attempts attempts_files(void);
struct attempts attempts_processes(void);
struct attempts attempts_network(void);
struct attempts attempts_calls(void);
struct attempts attempts_rights(void);

enum verdict say(struct found *f, enum verdict v, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Of what a system call has returned: shut if it was refused for want of permission, or does not exist. */
enum verdict of_call(struct found *f, long r);
/* Open if the file can be opened so. */
enum verdict of_open(struct found *f, const char *path, int flags);
/* Does the file hold the text? (The first 64 KiB; NUL bytes count as blanks.) */
bool file_has(const char *path, const char *text);
bool has_cap(int cap);

#endif
