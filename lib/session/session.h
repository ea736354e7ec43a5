/* SPDX-License-Identifier: MIT */
#ifndef TRM_SESSION_PRIVATE_H
#define TRM_SESSION_PRIVATE_H

/* The inside of a session, for the files of this room.
 *
 *   session.c   the handle: queue, turns, the end
 *   kernel.c    one resident interpreter: start, bytes in and out, death
 *   event.c     what an interpreter tells: done, display, input, …
 *   stop.c      interrupt, grace, kill
 *   cause.c     which limit it was
 *   memory.c    the warning before the memory limit
 *   run.c       one run: asked for, begun, finished
 *   question.c  complete, inspect, …
 *
 * Callbacks go out only from a turn of the loop, never from inside a call of the
 * caller's (but for trm_session_close). What a call causes is marked as due, and
 * settled at the end of the turn in hand or in one of its own. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>
#include <terrarium/session.h>

#include "kernel/kernel.h"
#include "kernel/protocol.h"
#include "sandbox/sandbox.h"
#include "session/output.h"

enum {
	ANSWER_TIMEOUT_MS = 5000, /* for a question; then the kernel is interrupted */
	HURRY_AGAIN_MS = 100,     /* between interrupts of a question that makes a run wait */
	KILL_PATIENCE_MS = 5000,  /* for the agent to tell of the death after SIGKILL */
	HURRY_MS = 15,            /* that a question may keep a run waiting; then it is interrupted */
	SETTLE_MS = 5,            /* for that interrupt to have arrived */
	NUDGE_MS = 40,            /* see stop.c */
	NUDGES = 3,
	YOUNG_MS = 100,
	DISPLAYS_MAX = 1000,
	SAMPLE_SPACING_MS = 100, /* runs that follow each other quickly are not measured */
	SAMPLE_RUN_MS = 5,       /* nor are short ones */
};
#define DISPLAY_BYTES_MAX (64u * 1024 * 1024)
#define STDIN_QUEUE_MAX (64u * 1024 * 1024)

enum stage { STAGE_CALM, STAGE_INTERRUPTED, STAGE_TERMINATED, STAGE_KILLED };

struct question {
	struct question *next;
	enum kernel_op op;
	uint64_t id;
	char *code;
	size_t code_len, cursor;
	trm_answer_fn *fn;
	void *user;
};

/* One language's interpreter. Lives as long as its session; its process comes and goes. */
struct kernel {
	struct trm_session *session;
	const struct trm_lang *lang;
	struct trm_proc *proc;          /* NULL: none */
	bool is_ready;                  /* reads requests */
	enum trm_kernel_state reported; /* last told to the caller */
	struct kernel_lines lines;
	int set;                                     /* output set in use */
	uint64_t set_runs[KERNEL_SPARE_SETS + 1];    /* the last run that printed to each */
	struct trm_run *run;                         /* sent, not done */
	struct question *question;                   /* sent, not answered */
	struct question *questions, **questions_end; /* waiting */
	/* stopping */
	enum stage stage;
	struct trm_timer *timer; /* next step: time-out, grace, … */
	uint64_t next_at_ns;     /* end of the stage's grace */
	bool is_held;            /* that end is not waited for */
	unsigned nudges;         /* interrupts to be sent again */
	bool is_restarting;      /* it is killed to be started anew */
	bool is_awaited;         /* a run waits for the answer to the question in hand */
	unsigned hurries;        /* how often the question in hand has been interrupted, as a run waits */
	bool is_settling;        /* … and answered: that interrupt must not meet the run */
	char fault[200];         /* why we killed it, if that is its own fault; or "" */
};

struct trm_run {
	struct trm_run *next;
	struct trm_session *session;
	uint64_t number;
	const struct trm_lang *lang;
	char *code; /* NULL once sent */
	size_t code_len;
	char *filename;
	int64_t timeout_ms;
	bool offers_stdin, has_manual_credit;
	const struct trm_run_cb *cb;
	void *user;
	struct kernel *kernel; /* NULL while queued */
	bool is_leave;         /* the end of the kernel, in peace */
	bool is_announced;     /* cb->started was called */
	bool is_begun;         /* the interpreter has it: the clock is running */
	bool is_interrupted, is_timed_out;
	bool owes_stopping; /* cb->stopping is to be called */
	bool has_printed;
	uint64_t begun_ns;
	bool knows_peak;
	bool peak_is_own;           /* the highest memory counts from this run's beginning */
	uint64_t peak_before_bytes; /* else: the sandbox's when the run began */
	char last_words[512];       /* the end of its stderr; n_last_words bytes and a NUL */
	size_t n_last_words;
	uint64_t memory_begin_bytes; /* when it was first looked at; 0: not yet */
	uint64_t memory_told_bytes;  /* in use when the warning was given; 0: it was not */
	bool is_stopped_for_memory;
	uint64_t paused_at_ns,
			paused_ns; /* since when it is paused, 0: it is not; for how long it was before */
	size_t unconsumed;         /* with manual credit: delivered, not yet dealt with */
	struct buf early_stdin;    /* sent before the run was active */
	bool has_early_eof;
	struct trm_display *displays; /* n_displays of them, texts malloc'd */
	size_t n_displays, display_bytes, n_bundles, dropped_displays;
};

struct trm_session {
	struct trm_sandbox *sandbox; /* NULL once it has closed */
	struct trm_loop *loop;
	struct sandbox_observer observer;
	struct trm_session_opts opts;
	const struct trm_session_cb *cb;
	void *user;
	bool is_closed; /* freed when `depth` is back at 0 */
	bool is_due;    /* something is to be settled */
	unsigned depth; /* callbacks of ours on the stack */
	struct trm_timer *soon;
	uint64_t last_number, last_question;
	struct trm_run *active; /* not in the queue any more */
	struct trm_run *queue, **queue_end;
	struct kernel kernels[TRM_LANG_COUNT];
	struct output output; /* of the active run */
	uint64_t sampled_ns;  /* when a run was last measured at its beginning */
	bool knows_events;    /* `events` is what limits had done when that was last looked at */
	bool peak_is_marked;  /* its mem_peak_bytes counts from that look */
	struct trm_sample events;
	int memory_fd; /* becomes readable when memory passes the threshold; -1: the kernel does not tell */
	struct trm_watch *memory_watch;
	struct trm_timer *memory_timer; /* NULL until it is needed */
	struct buf request;             /* scratch */
};

/* ---- session.c ------------------------------------------------------------------- */

void session_enter(struct trm_session *session);
void session_leave(struct trm_session *session);
/* Have session_settle called, soon. */
void session_due(struct trm_session *session);
/* Start what can be started. `in_turn`: callbacks may be made. */
void session_pump(struct trm_session *session, bool in_turn);
bool session_is_open(const struct trm_session *session);
uint64_t session_clock_ns(void);

/* ---- kernel.c -------------------------------------------------------------------- */

void kernel_init(struct kernel *kernel, struct trm_session *session, const struct trm_lang *lang);
void kernel_finish(struct kernel *kernel);
/* Have a process, if there is none. */
int kernel_ensure(struct kernel *kernel, struct trm_error *reterr);
/* Can it be given work? Not while it works or dies. */
bool kernel_is_free(const struct kernel *kernel);
/* Kill the process, which there is, and have another. */
void kernel_restart(struct kernel *kernel);
int kernel_send(struct kernel *kernel, const struct kernel_request *request, struct trm_error *reterr);
/* Tell the caller about a changed state. */
void kernel_report(struct kernel *kernel);
enum trm_kernel_state kernel_state(const struct kernel *kernel);
/* The process is gone or given up: ends what was in hand. `exit` NULL: fate unknown, `why` tells. */
void kernel_died(struct kernel *kernel, const struct trm_exit *exit, const struct trm_error *why);
/* The sandbox itself is ready, or the process has been started in a ready one: from now on
 * `ready` is waited for only so long. */
void kernel_watch_start(struct kernel *kernel);

/* ---- event.c --------------------------------------------------------------------- */

void event_handle(struct kernel *kernel, const struct kernel_event *event);

/* ---- stop.c ---------------------------------------------------------------------- */

void stop_interrupt(struct kernel *kernel);
void stop_kill(struct kernel *kernel);
/* The next step, whatever its time. */
void stop_further(struct kernel *kernel);
/* The clock of the steps stands still, or goes on with a whole grace. */
void stop_hold(struct kernel *kernel, bool is_held);
/* Tell the caller of the last step, if it does not know. */
void stop_report(struct trm_run *run);
/* Calm again, no timer: the work in hand is done. */
void stop_reset(struct kernel *kernel);
void stop_on_timer(void *user);

/* Let a paused process go on, for good: it is to hear a signal, or its run has ended. */
void stop_release(struct kernel *kernel);

/* ---- cause.c --------------------------------------------------------------------- */

/* Note what limits have done until now, so that what comes after is the run's in hand. `marks`: the
 * highest memory counts from here. */
void cause_look(struct trm_session *session, bool marks);
/* A sentence. For a process that ended by itself or by a signal that was not ours. */
void cause_of_death(struct trm_session *session, const struct trm_exit *exit, char *out, size_t cap);
void cause_note_stderr(struct trm_run *run, const char *bytes, size_t n);
/* A sentence about the limit that the run met; "" if it met none. */
void cause_hint(struct trm_run *run, const struct trm_result *result, char *out, size_t cap);

/* ---- memory.c -------------------------------------------------------------------- */

void memory_begin(struct trm_run *run);
void memory_end(struct trm_session *session);
void memory_finish(struct trm_session *session);
/* A sample came: for machines where nothing quicker tells. */
void memory_sample(struct trm_session *session, const struct trm_sample *sample);

/* ---- run.c ----------------------------------------------------------------------- */

/* Give it to its kernel, which is free and has a process. */
void run_send_off(struct trm_run *run, struct kernel *kernel);
/* The kernel is there: the clock starts. */
void run_begin(struct trm_run *run);
void run_announce(struct trm_run *run);
void run_output(struct trm_run *run, int stream, const void *bytes, size_t n);
/* The same of output that came otherwise than by a pipe. */
void run_print(struct trm_run *run, int stream, const void *bytes, size_t n);
/* `more`: how many forms of the same thing follow. */
void run_display(struct trm_run *run, const char *mime, const char *data, size_t more);
/* Give back the credit that the caller holds: nobody waits for it any more. */
void run_release_credit(struct trm_run *run);
/* The end. `result` has status, exit_code, texts (borrowed); the rest is filled in here. */
void run_finish(struct trm_run *run, struct trm_result *result);
/* The end without an answer: status, exit code and a sentence. */
void run_finish_with(struct trm_run *run, enum trm_status status, int exit_code, const char *reason);

/* ---- question.c ------------------------------------------------------------------ */

/* Send the next one, if the kernel is free. */
void question_next(struct kernel *kernel, bool in_turn);
/* The one in hand is answered; json NULL: failed. Frees it. */
void question_answer(struct question *question, const char *json, const struct trm_error *why);
/* A run waits for the answer in hand: it is not to wait long. */
void question_hurry(struct kernel *kernel);
/* Is it answered by the interpreter's being started anew? */
bool question_is_restart(const struct kernel *kernel, const struct question *question);
/* None will be answered any more. */
void question_fail_all(struct kernel *kernel, const struct trm_error *why);

#endif
