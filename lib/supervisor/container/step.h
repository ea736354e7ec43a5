/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CONTAINER_STEP_H
#define TRM_SUPERVISOR_CONTAINER_STEP_H

/* A running step of a plan (wire/plan.h). Its commands run one after the other. Each has a process group of
 * its own, which is killed as a whole when the step's time is over. Nothing here blocks: the owner polls
 * and reaps. */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/command_words.h"
#include "kube/kube.h"
#include "wire/plan.h"

enum {
	STEP_OUT_BYTES = 32 * 1024, /* the last bytes of stdout and of stderr that are kept */
	STEP_ERR_BYTES = 2048,
	STEP_WORDS = 640, /* longest sentence */
	STEP_POLLS = 2
};

/* Keeps the last `cap` bytes of a stream. */
struct step_tail {
	int fd;
	bool is_cut; /* the beginning was dropped */
	size_t n;
};

enum step_end { STEP_RUNS, STEP_DONE, STEP_FAILED, STEP_LATE, STEP_STOPPED };

/* The facts that commands need beside the plan. */
struct step_facts {
	const struct plan_msg *plan;
	const char *id, *supervisor, *place, *agent; /* they replace the placeholders */
	const char *run_path;                        /* the runtime directory */
	struct kube_report
			*kube; /* commands of kubectl may go over a proxy for all (kube/kube.h); NULL: not */
	bool is_early;         /* the pod may not run yet */
};

struct step {
	enum plan_step which;
	const struct step_facts *facts;
	struct slice rest; /* commands that have not run yet */
	int in_fd;         /* standard input of each command; -1: none */
	pid_t pid;         /* of the running command; 0: none */
	int status;
	uint64_t due_ms;
	enum step_end end;
	char command[96]; /* program and first argument, for messages; other arguments may be secrets */
	struct step_tail out, err;
	char out_bytes[STEP_OUT_BYTES + 1], err_bytes[STEP_ERR_BYTES + 1];
};

/* Start the first command. A step without commands is done at once. `facts` and `in_fd` are borrowed until
 * the step ends. Each command reads the file in_fd from its beginning. */
void step_begin(struct step *s, const struct step_facts *facts, enum plan_step which, int in_fd,
		uint64_t now_ms);
static inline bool step_is_over(const struct step *s)
{
	return s->end != STEP_RUNS && !s->pid;
}
/* Fills in STEP_POLLS entries for poll(). */
void step_poll(const struct step *s, struct pollfd *fds);
void step_read(struct step *s);
/* Call for each reaped child: if it was the running command, start the next one. */
void step_child_ended(struct step *s, pid_t pid, int status);
/* Kill the command when its time is over. */
void step_pass_time(struct step *s, uint64_t now_ms);
/* Send SIGTERM first, and kill the command only if it does not end: an engine's command that is killed
 * half-way leaves things behind that no other command finds. step_child_ended() notices the end. */
void step_stop(struct step *s, uint64_t now_ms);

/* Run the whole step and wait for it. The caller must have nothing else to do and no other child. Returns
 * true on success. */
bool step_run(struct step *s, const struct step_facts *facts, enum plan_step which, int in_fd);

/* The last line of stdout that is not empty, unchanged, up to a NUL. Returns out. */
char *step_last_line(const struct step *s, char *out, size_t cap);
/* Format the reason of the failure as a sentence. Returns out. */
char *step_describe_failure(const struct step *s, char *out, size_t cap);

/* ---- for others that run commands ---- */

/* Fork and execute the first command of a step with these descriptors as stdin, stdout and stderr. It gets
 * a process group of its own and dies with the supervisor. Returns the pid or -errno. */
pid_t step_spawn(const struct step_facts *facts, struct slice step, int in_fd, int out_fd, int err_fd);
/* Format the program and the first argument of the first command. */
void step_describe(struct slice step, char *out, size_t cap);
/* Take the first command from the front of a step and tell it as one line. */
const char *step_format_command(const struct step_facts *facts, enum plan_step which, struct slice *step,
		struct command_words *words);
/* Read the available bytes into the tail. Returns false if the other end is closed. */
bool step_tail_read(struct step_tail *tail, char *bytes, size_t cap);
/* The end of a command's output as one line. Returns out. */
char *step_clean_tail(const char *bytes, size_t n, char *out, size_t cap);
/* Has it failed with one of these texts in its error output? */
bool step_has_failed_with(const struct step *s, const char *const *signs, size_t n);

#endif
