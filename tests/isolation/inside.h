/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ISOLATION_INSIDE_H
#define TESTS_ISOLATION_INSIDE_H

/* A local sandbox and programs in it, as plain calls that wait (with a deadline). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <terrarium/terrarium.h>

enum { INSIDE_DEADLINE_MS = 60000, INSIDE_TEXT = 16 * 1024 };

/* Of all sandboxes here: TRM_ISOLATION_NAMESPACES or TRM_ISOLATION_LANDLOCK. */
extern enum trm_isolation inside_isolation;

/* Do signals stay in the sandbox? Landlock's scopes do that, from ABI 6 on. */
bool inside_contains_signals(void);

struct inside {
	struct trm_loop *loop;
	struct trm_sandbox *sandbox;
	bool is_ready, is_closed;
	struct trm_error why; /* of closing */
	unsigned n_metrics;
	struct trm_sample sample; /* the newest */
};

struct outcome {
	bool is_over;
	struct trm_exit exit; /* exit_code -1 and signal 0: it never ran */
	struct trm_error why;
	size_t n;
	char text[INSIDE_TEXT]; /* stdout and stderr, NUL-terminated */
};

/* Open with these limits (NULL: the default ones) and wait until it is ready. */
void inside_open(struct inside *in, const struct trm_limits *limits);
/* The same without asserting: 0, or the code of what went wrong, with in->why. */
int inside_try_open(struct inside *in, const char *name, const struct trm_limits *limits);
void inside_close(struct inside *in);
void inside_wait(struct inside *in, const bool *flag);
void inside_wait_closed(struct inside *in);
/* A fresh sample of the metrics. */
void inside_measure(struct inside *in);

/* Run a program to its end. */
void inside_run(struct inside *in, const char *const *argv, struct outcome *ret);
/* Run a Python program; its output. Asserts that it ended well. */
const char *inside_python(struct inside *in, const char *code, struct outcome *ret);
/* Start a program and leave it running. */
struct trm_proc *inside_start(struct inside *in, const char *const *argv, struct outcome *ret);

/* ---- what the host sees ------------------------------------------------------- */

/* The supervisor that is our child (there is one at a time). */
pid_t host_supervisor(void);
/* Only child of a process; 0 if it has none. */
pid_t host_child_of(pid_t pid);
pid_t host_bwrap(pid_t supervisor); /* its only child that has children */
pid_t host_agent(pid_t supervisor);
/* Does it run? A process that only waits to be reaped does not. */
bool host_is_alive(pid_t pid);
/* How many processes have this word in their command line. */
unsigned host_count_processes(const char *word);
/* How many control groups are named after a supervisor. */
unsigned host_count_groups(pid_t supervisor);
/* Is there an entry of that name in the runtime directory? */
bool host_has_entry(const char *name);
/* The folder of a sandbox without namespaces, from its entry; "" with them. */
void host_folder(const char *name, char *out, size_t cap);
/* Contents of a file of /proc; NUL bytes become blanks. The length, or -1. */
ssize_t host_read(const char *path, char *out, size_t cap);
/* Wait until holds(user), at most for the deadline; returns the milliseconds it took, or fails. */
double host_wait(bool (*holds)(void *user), void *user);
double host_now_ms(void);

#endif
