/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CONTAINER_STEP_H
#define TRM_SUPERVISOR_CONTAINER_STEP_H

/* A step of a plan (wire/plan.h) while it runs: its commands, one after the other, each in a process group of
 * its own, which is killed as a whole when the time is over. Nothing here blocks: the owner polls, and reaps.
 */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/plan.h"

enum {
	STEP_OUT_BYTES = 32 * 1024, /* kept of stdout and of stderr: the last ones */
	STEP_ERR_BYTES = 2048,
	STEP_WORDS = 640, /* a sentence */
	STEP_POLLS = 2
};

/* What came last of a stream; of it the last `cap` bytes. */
struct step_tail {
	int fd;
	bool is_cut; /* the beginning is missing */
	size_t n;
};

enum step_end { STEP_RUNS, STEP_DONE, STEP_FAILED, STEP_LATE, STEP_STOPPED };

/* What commands need to know beside the plan. */
struct step_facts {
	const struct plan_msg *plan;
	const char *id, *supervisor; /* for the marks */
};

struct step {
	enum plan_step which;
	const struct step_facts *facts;
	struct slice rest; /* commands that are still to be run */
	int in_fd;         /* for their standard input; -1: nothing */
	pid_t pid;         /* of the one that runs; 0: none */
	int status;
	uint64_t due_ms;
	enum step_end end;
	char command[96]; /* for sentences: its program and first word. Others may be secrets */
	struct step_tail out, err;
	char out_bytes[STEP_OUT_BYTES + 1], err_bytes[STEP_ERR_BYTES + 1];
};

/* Start the first command. One without commands is done at once. `facts` and `in_fd` are borrowed until its
 * end; the file is read from its beginning by each command. */
void step_begin(struct step *s, const struct step_facts *facts, enum plan_step which, int in_fd,
		uint64_t now_ms);
static inline bool step_is_over(const struct step *s)
{
	return s->end != STEP_RUNS && !s->pid;
}
/* For poll(): STEP_POLLS of them. */
void step_poll(const struct step *s, struct pollfd *fds);
void step_read(struct step *s);
/* A child has been reaped: if it was ours, on to the next command. */
void step_child_ended(struct step *s, pid_t pid, int status);
/* Kill what takes too long. */
void step_pass_time(struct step *s, uint64_t now_ms);
/* Ask it to end, and kill it if it does not: an engine's command that is killed in the middle leaves things
 * behind that no other one finds. Its end comes by step_child_ended(). */
void step_stop(struct step *s, uint64_t now_ms);

/* All of it at once, by somebody who has nothing else to do and no other child. True: it went well. */
bool step_run(struct step *s, const struct step_facts *facts, enum plan_step which, int in_fd);

/* The last line of stdout that is not empty, as it came, up to a NUL. Returns out. */
char *step_last_line(const struct step *s, char *out, size_t cap);
/* Why it failed, as a sentence. Returns out. */
char *step_describe_failure(const struct step *s, char *out, size_t cap);

/* ---- for others that run commands ---- */

/* Fork and execute the first command of a step, with these as stdin, stdout and stderr; in a process group of
 * its own, and it dies with the supervisor. The pid, or -errno. */
pid_t step_spawn(const struct step_facts *facts, struct slice step, int in_fd, int out_fd, int err_fd);
/* Program and first word of the first command. */
void step_describe(struct slice step, char *out, size_t cap);
/* Read what is there into the tail. False: the other end is closed. */
bool step_tail_read(struct step_tail *tail, char *bytes, size_t cap);
/* The end of what a command has said, in one line. Returns out. */
char *step_clean_tail(const char *bytes, size_t n, char *out, size_t cap);

#endif
