/* SPDX-License-Identifier: MIT */
#ifndef TRM_SESSION_PRIVATE_H
#define TRM_SESSION_PRIVATE_H

/* Internals of a session, for the files of this room.
 *
 *   session.c       the handle: queue, turns, closing
 *   kernel.c        one resident interpreter: start, bytes in and out, death
 *   event.c         the events of an interpreter: done, display, input, …
 *   stop.c          interrupt, grace, kill
 *   diagnose.c      which limit was hit
 *   memory.c        the warning before the memory limit
 *   run.h           runs: their kinds, and the files of them
 *   libraries.c     what a run needs is installed before it begins
 *   control.c       requests to a run: interrupt, pause, input
 *   question.c      complete, inspect, …
 *   share.c         a kernel that other sessions use too: how to find and follow it
 *   sharing.c       whose turn it is and what is history: a state machine without I/O
 *   peer_run.c      runs of other sessions
 *   peer_command.c  commands of other clients
 *
 * Callbacks are made only from a turn of the loop, never from inside a call of the caller (except
 * trm_session_close). A call only marks work as due. The work is done at the end of the current turn, or in
 * a turn of its own. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>
#include <terrarium/session.h>
#include <terrarium/table.h>

#include "kernel/kernel.h"
#include "kernel/note.h"
#include "kernel/protocol.h"
#include "sandbox/sandbox.h"
#include "session/output.h"
#include "session/run.h"
#include "session/sharing.h"

enum {
	ANSWER_TIMEOUT_MS = 5000, /* for the answer to a question; then the kernel is interrupted */
	HURRY_AGAIN_MS = 100,     /* between interrupts of a question that a run waits for */
	KILL_TIMEOUT_MS = 5000,   /* for the agent to report the death after SIGKILL */
	HURRY_MS = 15,            /* how long a question may keep a run waiting; then it is interrupted */
	/* for that interrupt to arrive, where question_drain_interrupt() cannot tell */
	INTERRUPT_ARRIVAL_MS = 5,
	NUDGE_MS = 40, /* doubled each time: see stop.c */
	NUDGES = 5,
	DISPLAYS_MAX = 1000,
	SAMPLE_SPACING_MS = 100, /* runs that follow each other quickly are not measured */
	SAMPLE_RUN_MS = 5,       /* nor are short ones */
	/* how long we wait for the turn while its owner runs nothing; then we take it */
	TAKE_AFTER_MS = 500,
};
#define DISPLAY_BYTES_MAX (64u * 1024 * 1024)
#define STDIN_QUEUE_MAX (64u * 1024 * 1024)

/* Only stop.c knows what they mean. */
enum stage { STAGE_CALM, STAGE_INTERRUPTED, STAGE_TERMINATED, STAGE_KILLED };

struct question {
	struct question *next;
	enum kernel_op op;
	uint64_t id;
	char *code;
	size_t code_len, cursor;
	struct trm_table_query table; /* KERNEL_OP_TABLE; its texts are `code` and `find` */
	char *find;
	trm_answer_fn *fn;
	void *user;
};

/* A shared kernel. All zero while there is no process, except for `key`, `timer`, `knows_past` and the bytes
 * that were seen. */
struct share {
	struct proc_share proc; /* the key, and the options of the attach */
	char key[48];
	struct sharing state;
	bool was_there; /* STARTED said that the process was there before us */
	uint32_t pid;
	bool is_announced;      /* the agent has announced such a kernel */
	bool is_greeted;        /* by the living process, not by one before it */
	bool knows_past;        /* the history before this process has been reported or seen */
	bool starts_if_missing; /* start one if there is none */
	struct kernel_lines notes;
	struct trm_timer *timer; /* runs while we wait for the turn and nothing runs */
};

/* One language's interpreter. It lives as long as its session; its process may be replaced. */
struct kernel {
	struct trm_session *session;
	const struct trm_lang *lang;
	struct trm_proc *proc;          /* NULL: none */
	bool is_ready;                  /* reads requests */
	bool tells_compiled;            /* as its greeting says */
	enum trm_kernel_state reported; /* last told to the caller */
	struct kernel_lines lines;
	struct share share;                          /* with opts.is_shared */
	int set;                                     /* output set in use */
	uint64_t set_runs[KERNEL_SPARE_SETS + 1];    /* the last run that printed to each set */
	uint64_t ended_run;                          /* the last run that has ended */
	struct trm_run *run;                         /* sent and not ended, of any session */
	struct question *question;                   /* sent and not answered */
	struct question *questions, **questions_end; /* waiting */
	/* stopping */
	enum stage stage;
	struct trm_timer *timer; /* next step: time-out, grace, … */
	uint64_t next_at_ns;     /* end of the stage's grace */
	bool is_held;            /* the grace does not expire */
	unsigned nudges;         /* interrupts still to be sent */
	bool owes_second;        /* … and once more after half of the grace */
	bool is_restarting;      /* it was killed in order to start again */
	bool is_awaited;         /* a run waits for the answer to the question in hand */
	unsigned hurries;        /* how often that question was interrupted for the run's sake */
	bool is_clearing;        /* … and answered: that interrupt must not reach the run */
	char fault[200];         /* the kernel's own fault for which we killed it; or "" */
	char fate[200];          /* why it is about to end, as its carrier says; or "" */
};

struct trm_session {
	struct trm_sandbox *sandbox; /* NULL once it has closed */
	struct trm_loop *loop;
	struct sandbox_observer observer;
	struct trm_session_opts opts;
	const struct trm_session_cb *cb;
	void *user;
	bool is_closed; /* freed when `depth` is back at 0 */
	bool is_due;    /* work is left for the end of the turn */
	unsigned depth; /* our callbacks on the stack */
	struct trm_timer *soon;
	uint64_t last_number, last_question;
	uint64_t seen_number; /* highest number of all runs that were sent, by us or others */
	bool is_listed;       /* all kernels that existed when we attached have been reported */
	bool is_caught_up;    /* and their history was reported too: the caller knows */
	char by[128];
	struct peer_command *announced; /* commands of other clients */
	struct own_run *active;         /* no longer in the queue */
	struct own_run *queue, **queue_end;
	struct output output; /* of the active run */
	uint64_t sampled_ns;  /* when a run was last measured at its beginning */
	bool knows_events;    /* `events` holds the limit counters of the last measurement */
	bool peak_is_marked;  /* its mem_peak_bytes counts from that measurement */
	struct trm_sample events;
	int memory_fd; /* readable when memory crosses the threshold; -1: the kernel cannot notify us */
	struct trm_watch *memory_watch;
	struct trm_timer *memory_timer;    /* NULL until it is needed */
	struct trm_timer *leftovers_timer; /* likewise */
	struct buf request;                /* scratch */
	struct kernel kernels[];           /* trm_lang_count() of them */
};

/* ---- session.c ------------------------------------------------------------------- */

void session_enter(struct trm_session *session);
void session_leave(struct trm_session *session);
/* Have the work that is due done at the end of the turn. */
void session_due(struct trm_session *session);
/* The next run's interpreter cannot be started: the run fails for that reason. */
void session_fail_waiting(struct trm_session *session, const struct trm_lang *lang, const char *reason);
/* Start what can be started. `in_turn`: callbacks may be made. */
void session_pump(struct trm_session *session, bool in_turn);
bool session_is_open(const struct trm_session *session);
/* Fails with TRM_ECLOSED, and with the reason if it is known already. */
int session_refuse(const struct trm_session *session, struct trm_error *reterr);

/* ---- kernel.c -------------------------------------------------------------------- */

void kernel_init(struct kernel *kernel, struct trm_session *session, const struct trm_lang *lang);
void kernel_finish(struct kernel *kernel);
/* Start a process if there is none. */
int kernel_ensure(struct kernel *kernel, struct trm_error *reterr);
/* Can it accept work? Not while it works or dies. */
bool kernel_is_free(const struct kernel *kernel);
/* Kill the process and start another. There must be one. */
void kernel_restart(struct kernel *kernel);
int kernel_send(struct kernel *kernel, const struct kernel_request *request, struct trm_error *reterr);
/* Report a changed state to the caller. */
void kernel_report(struct kernel *kernel);
/* Start a process as kernel_ensure() does; with `attaches`, only attach to one that exists. */
int kernel_spawn(struct kernel *kernel, bool attaches, struct trm_error *reterr);
/* The process is gone, or all bytes until now came from an earlier one. */
void kernel_forget_process(struct kernel *kernel);
/* The sandbox is ready, or the process was started in a ready one: from now on `ready` must come within the
 * start timeout. */
void kernel_watch_start(struct kernel *kernel);

/* ---- kernel_death.c -------------------------------------------------------------- */

/* The process is gone or given up: end the work in hand. `exit` NULL: nobody knows how it ended, and `why` is
 * the reason. */
void kernel_died(struct kernel *kernel, const struct trm_exit *exit, const struct trm_error *why);
/* trm_proc_cb.exited of its process. */
void kernel_on_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *exit, const struct trm_error *why);

/* ---- leftovers.c --------------------------------------------------------------------- */

/* A run is about to be sent: kill the leftovers of earlier runs if the process table is nearly full. */
void leftovers_begin(struct trm_session *session);
/* The run has begun: watch for fork bombs of earlier runs until leftovers_unwatch(). */
void leftovers_watch(struct trm_run *run);
void leftovers_unwatch(struct trm_session *session);
void leftovers_finish(struct trm_session *session);
/* The run has ended in an open session, and may have hit the process limit. */
void leftovers_end(const struct trm_run *run, const struct trm_result *result, bool has_met_limit,
		const struct trm_sample *now);

/* ---- share.c --------------------------------------------------------------------- */

bool share_is_on(const struct kernel *kernel);
bool share_is_others(const struct kernel *kernel);
int share_init(struct kernel *kernel, struct trm_error *reterr);
void share_finish(struct kernel *kernel);
int share_spawn(struct kernel *kernel, const struct trm_proc_opts *opts, bool attaches,
		const struct trm_proc_cb *cb, struct trm_error *reterr);
/* May a request be sent once the interpreter is free? If not, ask for the turn. */
bool share_has_turn(struct kernel *kernel);
void share_want_turn(struct kernel *kernel);
/* Is it ours? Then a run whose session is gone is ours to look after. */
bool share_owns_turn(const struct kernel *kernel);
/* A peer run has ended: its session should give up the turn soon. */
void share_watch_turn(struct kernel *kernel);
/* We have the turn, and an abandoned run asks for input that we cannot give. If nobody else can soon, its
 * stdin is closed. */
void share_watch_input(struct kernel *kernel);
/* A request was sent. */
void share_use_turn(struct kernel *kernel);
/* Nothing is in hand: pass the turn to a session that wants it. */
void share_give_turn(struct kernel *kernel);
/* n bytes came on a channel. Returns how many of them, at the front, must be ignored. */
size_t share_count(struct kernel *kernel, unsigned channel, const char *bytes, size_t n);
/* Those bytes have been handled. */
void share_counted(struct kernel *kernel);
/* All bytes until now came from a process that ended with this code; what follows comes from another. */
void share_past_ended(struct kernel *kernel, unsigned char exit_code);
/* Is there a kernel to attach to, or may there be one? */
bool share_may_run(const struct kernel *kernel);
/* Are the bytes that come now history? */
bool share_is_replaying(const struct kernel *kernel);
/* Has the agent detached us, while our reader still has output? */
bool share_is_detached(const struct kernel *kernel);
/* Is there a process that we follow, or whose history we read? */
bool share_is_started(const struct kernel *kernel);
/* The agent has detached us. Returns true if we shall attach again. */
bool share_left_behind(struct kernel *kernel);
/* Attach again to a process that detached us, now that there is room. */
void share_come_back(struct kernel *kernel);
/* The process has ended, or the agent has detached us. Returns true if it is followed again. */
bool share_follow_again(struct kernel *kernel, bool is_left_behind);
void share_reset(struct kernel *kernel);
void share_on_shared(struct trm_session *session, const char *key);
/* Tell the caller, once, that the whole history has been reported. */
void share_report(struct trm_session *session);
/* For requests: unique in the sandbox if it is shared. */
uint64_t share_run_id(struct trm_run *run);
uint64_t share_question_id(struct trm_session *session);

/* ---- peer_run.c -------------------------------------------------------------------- */

/* Bytes of the note channel came. */
void peer_run_read(struct kernel *kernel, const char *bytes, size_t n);
/* Announce our run, which is about to be sent, to the other sessions. */
void peer_run_announce(struct own_run *run);
/* Tell the other sessions that the time of this run is up: an interrupt follows. */
void peer_run_announce_limit(struct trm_run *run);
/* Tell them that a question of this run is being answered. */
void peer_run_announce_answer(struct trm_run *run);
/* Tell the agent how the clock of our run stands: see run_clock_announce(). */
void peer_run_announce_clock(struct trm_run *run, uint64_t left_ms);
/* Report the run that was held back during the replay. */
void peer_run_caught_up(struct kernel *kernel);
/* Its session may be gone: we take over its questions. */
void peer_run_adopt(struct kernel *kernel);
void peer_run_on_input(struct peer_run *run, const char *prompt, bool is_secret);
/* Nobody will answer its question: close its stdin. */
void peer_run_end_input(struct kernel *kernel);

/* ---- peer_command.c ----------------------------------------------------------------------- */

void peer_command_handle(struct trm_session *session, const struct announced_msg *what);
void peer_command_interrupt(struct peer_command *command);
/* No further announcements will come. */
void peer_command_end_all(struct trm_session *session, const struct trm_error *why);

/* ---- event.c --------------------------------------------------------------------- */

void event_handle(struct kernel *kernel, const struct kernel_event *event);

/* ---- stop.c ---------------------------------------------------------------------- */

void stop_interrupt(struct kernel *kernel);
void stop_kill(struct kernel *kernel);
/* Go to the next step at once. */
void stop_further(struct kernel *kernel);
/* Stop the clock of the steps, or start it again with a whole grace period. */
void stop_hold(struct kernel *kernel, bool is_held);
/* Report the last step to the caller, if that has not been done. */
void stop_report(struct trm_run *run);
/* The work in hand is done: back to calm, without a timer. */
void stop_reset(struct kernel *kernel);
void stop_on_timer(void *user);

/* Is the work in hand being interrupted, terminated or killed? */
bool stop_is_under_way(const struct kernel *kernel);
bool stop_is_killing(const struct kernel *kernel);
/* Why an interpreter that was stopped so far is gone: a clause. */
const char *stop_sentence(enum stage stage);
bool stop_has_killed(enum stage stage);
/* May a run that was stopped so far end its interpreter with this signal, or without one (0)? */
bool stop_allows_end(enum stage stage, int signal);
/* Let a paused process continue for good: it is about to get a signal, or its run has ended. */
void stop_release(struct kernel *kernel);

/* ---- diagnose.c --------------------------------------------------------------------- */

/* Record the limit counters, so that later changes count for the next run, and reset the memory peak. Call it
 * before the interpreter has the run, because afterwards it might be over already. */
void diagnose_record_counters(struct trm_session *session);
/* The interpreter has just started and begins with this run: reset the memory peak. */
void diagnose_reset_peak(struct trm_session *session);
/* Writes a sentence about a process that ended by itself or by a signal that we did not send. */
void diagnose_death(struct trm_session *session, const struct trm_exit *exit, char *out, size_t cap);
/* Writes which limit interrupted a run. Returns the length; 0 if no limit did. */
size_t diagnose_interrupt(struct trm_run *run, char *out, size_t cap);
/* Writes a sentence about the limit that the run hit; "" if it hit none. */
void diagnose_hint(struct trm_run *run, const struct trm_result *result, char *out, size_t cap);

/* ---- memory.c -------------------------------------------------------------------- */

void memory_begin(struct own_run *run);
void memory_end(struct trm_session *session);
void memory_finish(struct trm_session *session);
/* A sample came. It is the fallback for machines where nothing quicker warns us. */
void memory_sample(struct trm_session *session, const struct trm_sample *sample);

/* ---- question.c ------------------------------------------------------------------ */

/* Send the next one, if the kernel is free. */
void question_next(struct kernel *kernel, bool in_turn);
/* Answer the question in hand and free it. json NULL: it failed. */
void question_answer(struct question *question, const char *json, const struct trm_error *why);
/* A run waits for this answer: hurry it. */
void question_hurry(struct kernel *kernel);
/* An interrupt of a question or a run may still be on its way when that has ended, and would then reach the
 * next run. So this asks an empty question: when the answer comes, the interrupt has arrived. Returns false
 * if we do not have the turn or cannot ask. */
bool question_drain_interrupt(struct kernel *kernel);
/* Is this question answered by restarting the interpreter? */
bool question_is_restart(const struct kernel *kernel, const struct question *question);
/* The question in hand was sent but not read: it will be sent again. */
void question_take_back(struct kernel *kernel);
/* Fail all questions. */
void question_fail_all(struct kernel *kernel, const struct trm_error *why);
/* The owner of `user` has gone: answer its waiting questions with TRM_ECANCELED. */
void question_drop(struct trm_session *session, const void *user);

#endif
