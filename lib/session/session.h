/* SPDX-License-Identifier: MIT */
#ifndef TRM_SESSION_PRIVATE_H
#define TRM_SESSION_PRIVATE_H

/* The inside of a session, for the files of this room.
 *
 *   session.c   the handle: queue, turns, the end
 *   kernel.c    one resident interpreter: start, bytes in and out, death
 *   event.c     what an interpreter tells: done, display, input, …
 *   stop.c      interrupt, grace, kill
 *   diagnose.c     which limit it was
 *   memory.c    the warning before the memory limit
 *   run.c       one run: asked for, begun, finished
 *   control.c   what the caller does with it meanwhile
 *   question.c  complete, inspect, …
 *   share.c     a kernel that other sessions use too: found, followed, whose turn it is
 *   peer_run.c   their runs
 *   peer_command.c      their commands
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
#include "kernel/note.h"
#include "kernel/protocol.h"
#include "sandbox/sandbox.h"
#include "session/output.h"

enum {
	ANSWER_TIMEOUT_MS = 5000, /* for a question; then the kernel is interrupted */
	HURRY_AGAIN_MS = 100,     /* between interrupts of a question that makes a run wait */
	KILL_TIMEOUT_MS = 5000,   /* for the agent to tell of the death after SIGKILL */
	HURRY_MS = 15,            /* that a question may keep a run waiting; then it is interrupted */
	INTERRUPT_ARRIVAL_MS = 5, /* for that interrupt to have arrived, where question_drain_interrupt()
				     cannot tell */
	NUDGE_MS = 40,            /* and then twice as long, and so on: see stop.c */
	NUDGES = 5,
	DISPLAYS_MAX = 1000,
	SAMPLE_SPACING_MS = 100, /* runs that follow each other quickly are not measured */
	SAMPLE_RUN_MS = 5,       /* nor are short ones */
	TAKE_AFTER_MS = 500,     /* that one who has the turn may leave us waiting without running anything */
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

/* The right to send requests: one session's at a time. Who has it may keep it while it has none, so that
 * one that is alone never asks.
 *
 *   none --WANT--> asked --YOURS--> ours --(WANTED, and nothing in hand)--> none
 *
 * STARTED says whether it is ours from the beginning, as it is with a process that we have started. Nothing
 * is sent before that. */
enum turn { TURN_NONE, TURN_ASKED, TURN_OURS };

/* What a kernel has that is shared. All zero while there is no process, but for `key`, `timer`,
 * `knows_past` and `seen_bytes`. */
struct share {
	struct proc_share proc; /* key, and how it was asked for */
	char key[48];
	enum turn turn;
	bool is_started; /* STARTED has come */
	bool was_there;  /* and said that the process is not of our making */
	bool is_left;    /* the agent has let us go, and our reader has not yet taken what came before */
	uint32_t pid;
	bool is_wanted;                  /* the turn is, by others */
	bool is_used;                    /* the turn has been, since it became ours */
	bool is_resumed;                 /* it had been left, with a run in hand, and was followed again */
	bool is_catching_up;             /* what comes is old */
	bool drops_pins;                 /* they stand for nothing that we miss */
	bool skips_line;                 /* up to the next newline on control */
	bool is_announced;               /* there is one, as far as we know */
	bool is_greeted;                 /* by the process that lives, and not by one before it */
	bool knows_past;                 /* what ran before this process has been told, or been seen */
	bool is_sought;                  /* to be started if there is none */
	uint32_t pins_left, replay_left; /* bytes to come that are old (wire/message.h: started_msg) */
	uint64_t position;               /* in all that the process has written: how far we are */
	uint64_t lost_bytes;             /* that nobody has kept */
	uint64_t seen_bytes; /* of processes before: not lost, though we are not told of them again */
	uint64_t known_left; /* of the replay, bytes that we had before */
	struct kernel_lines notes;
	struct trm_timer *timer; /* how long we have waited for the turn while nothing ran */
};

/* One language's interpreter. Lives as long as its session; its process comes and goes. */
struct kernel {
	struct trm_session *session;
	const struct trm_lang *lang;
	struct trm_proc *proc;          /* NULL: none */
	bool is_ready;                  /* reads requests */
	enum trm_kernel_state reported; /* last told to the caller */
	struct kernel_lines lines;
	struct share share;                          /* with opts.is_shared */
	int set;                                     /* output set in use */
	uint64_t set_runs[KERNEL_SPARE_SETS + 1];    /* the last run that printed to each */
	uint64_t ended_run;                          /* the last one that is done */
	struct trm_run *run;                         /* sent, not done; whosesoever */
	struct question *question;                   /* sent, not answered */
	struct question *questions, **questions_end; /* waiting */
	/* stopping */
	enum stage stage;
	struct trm_timer *timer; /* next step: time-out, grace, … */
	uint64_t next_at_ns;     /* end of the stage's grace */
	bool is_held;            /* that end is not waited for */
	unsigned nudges;         /* interrupts to be sent again */
	bool owes_second;        /* … and once more after half of the grace */
	bool is_restarting;      /* it is killed to be started anew */
	bool is_awaited;         /* a run waits for the answer to the question in hand */
	unsigned hurries;        /* how often the question in hand has been interrupted, as a run waits */
	bool is_clearing;        /* … and answered: that interrupt must not meet the run */
	char fault[200];         /* why we killed it, if that is its own fault; or "" */
	char fate[200];          /* why it is about to end, in its carrier's words; or "" */
};

struct trm_run {
	struct trm_run *next;
	struct trm_session *session;
	uint64_t number;
	uint64_t id; /* in requests and events; 0: not sent yet */
	const struct trm_lang *lang;
	char *code; /* NULL once sent, unless it may have to be sent again */
	size_t code_len;
	char *filename;
	char **args; /* NULL: none */
	bool has_own_filename;
	bool is_peer; /* another session's */
	/* of a foreign one */
	bool is_recent, is_held_back; /* not told yet: it may be over, for all we know */
	char by[128];
	size_t code_cut;
	uint64_t began_ms,
			limit_ms; /* as its session says; the limit is that session's matter while it lives */
	uint64_t lost_bytes;
	/* It waits for input, and its session may be gone: whoever has the turn then is asked. */
	bool awaits_input, is_asking, was_passed_on, is_secret;
	char *prompt;
	/* of another's command, which has no kernel */
	bool is_command;
	uint32_t announced_client, announced_id, announced_pid;
	uint64_t announced_position; /* bytes that it has written, as far as we know */
	/* of one of ours in a shared kernel */
	uint64_t missed_bytes; /* of its output, as we had to be left behind */
	uint64_t seen_before;  /* the session's seen_number before it was sent */
	bool has_sent_stdin;   /* or its end */
	bool has_sent_bytes;   /* of it */
	bool has_met_dead;     /* it was sent to an interpreter that had ended already, and is sent again */
	int64_t timeout_ms;
	bool offers_stdin, has_manual_credit;
	const struct trm_run_cb *cb;
	void *user;
	struct kernel *kernel; /* NULL while queued */
	bool echoes;
	bool is_leave;         /* the end of the kernel, in peace */
	bool is_program;       /* the kernel may end with it, in peace */
	bool is_announced;     /* cb->started was called */
	struct output *output; /* where it is kept; NULL: nowhere */
	bool is_begun;         /* the interpreter has it: the clock is running */
	bool is_interrupted, is_timed_out;
	bool is_over;       /* `done` is being called, or will be at once */
	bool owes_stopping; /* cb->stopping is to be called */
	bool has_printed;
	uint64_t printed_bytes; /* as far as the session's limit lets them through */
	bool is_stopped_for_output;
	uint64_t begun_ns; /* not before the interpreter was there */
	bool knows_peak;
	bool peak_is_own;               /* the highest memory counts from this run's beginning */
	uint64_t peak_before_bytes;     /* else: the sandbox's when the run began */
	struct said last_words;         /* of its stderr */
	uint64_t memory_begin_bytes;    /* when it was first looked at; 0: not yet */
	uint64_t memory_reported_bytes; /* in use when the warning was given; 0: it was not */
	bool is_stopped_for_memory;
	bool waits_for_person;              /* its time limit does not count while it waits for input */
	unsigned clock_stops;               /* enum clock_stop: why its time limit does not count now */
	uint64_t stopped_at_ns, stopped_ns; /* since when; for how long before that */
	size_t unconsumed;                  /* with manual credit: delivered, not yet dealt with */
	struct buf early_stdin;             /* sent before the run was active */
	bool has_sent_eof;
	bool has_opened_stdin;        /* of the interpreter, for this run */
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
	uint64_t seen_number; /* highest that a run has had that was sent, ours or another's */
	bool is_listed;       /* all kernels that were there have been told of */
	bool is_caught_up;    /* and what they had done before: the caller knows */
	char by[128];
	struct trm_run *announced; /* commands of others' */
	struct trm_run *active;    /* ours; not in the queue any more */
	struct trm_run *queue, **queue_end;
	struct kernel kernels[TRM_LANG_MAX];
	struct output output; /* of the active run */
	uint64_t sampled_ns;  /* when a run was last measured at its beginning */
	bool knows_events;    /* `events` is what limits had done when that was last looked at */
	bool peak_is_marked;  /* its mem_peak_bytes counts from that look */
	struct trm_sample events;
	int memory_fd; /* becomes readable when memory passes the threshold; -1: the kernel does not tell */
	struct trm_watch *memory_watch;
	struct trm_timer *memory_timer;    /* NULL until it is needed */
	struct trm_timer *leftovers_timer; /* likewise */
	struct buf request;                /* scratch */
};

/* ---- session.c ------------------------------------------------------------------- */

void session_enter(struct trm_session *session);
void session_leave(struct trm_session *session);
/* Have session_settle called, soon. */
void session_due(struct trm_session *session);
/* The interpreter that the next run waits for cannot be had: it fails for that reason. */
void session_fail_waiting(struct trm_session *session, const struct trm_lang *lang, const char *reason);
/* Start what can be started. `in_turn`: callbacks may be made. */
void session_pump(struct trm_session *session, bool in_turn);
bool session_is_open(const struct trm_session *session);
/* It is not: TRM_ECLOSED, and why, if that is known already. */
int session_refuse(const struct trm_session *session, struct trm_error *reterr);
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
/* Have one, as kernel_ensure(); with `attaches` only one that is there already. */
int kernel_spawn(struct kernel *kernel, bool attaches, struct trm_error *reterr);
/* Its process is gone, or what came until now was another's. */
void kernel_forget_process(struct kernel *kernel);
/* The process is gone or given up: ends what was in hand. `exit` NULL: fate unknown, `why` tells. */
void kernel_died(struct kernel *kernel, const struct trm_exit *exit, const struct trm_error *why);
/* The sandbox itself is ready, or the process has been started in a ready one: from now on
 * `ready` is waited for only so long. */
void kernel_watch_start(struct kernel *kernel);

/* ---- leftovers.c --------------------------------------------------------------------- */

/* A run is about to be sent: what earlier ones have left behind goes, if there is no room for another
 * process. */
void leftovers_begin(struct trm_session *session);
/* It runs: what bombs of earlier ones do to it meanwhile is looked after until leftovers_unwatch(). */
void leftovers_watch(struct trm_run *run);
void leftovers_unwatch(struct trm_session *session);
void leftovers_finish(struct trm_session *session);
/* It has ended, with the process limit met or not, in a session that is open. */
void leftovers_end(const struct trm_run *run, const struct trm_result *result, bool has_met_limit,
		const struct trm_sample *now);

/* ---- share.c --------------------------------------------------------------------- */

bool share_is_on(const struct kernel *kernel);
bool share_is_others(const struct kernel *kernel);
int share_init(struct kernel *kernel, struct trm_error *reterr);
void share_finish(struct kernel *kernel);
int share_spawn(struct kernel *kernel, const struct trm_proc_opts *opts, bool attaches,
		const struct trm_proc_cb *cb, struct trm_error *reterr);
/* May a request be sent, if the interpreter is free? Else ask for the turn. */
bool share_has_turn(struct kernel *kernel);
void share_want_turn(struct kernel *kernel);
/* A run of another's has ended: its session is to give up the turn soon. */
void share_watch_turn(struct kernel *kernel);
/* We have it, and an abandoned run asks for input that we cannot give: if nobody else can, soon, stdin ends.
 */
void share_watch_input(struct kernel *kernel);
/* A request was sent. */
void share_use_turn(struct kernel *kernel);
/* Nothing is in hand (any more): give the turn to whoever wants it. */
void share_give_turn(struct kernel *kernel);
/* n bytes came on a channel: how many of them, at the front, are to be passed over. */
size_t share_count(struct kernel *kernel, unsigned channel, const char *bytes, size_t n);
/* They have been dealt with. */
void share_counted(struct kernel *kernel);
/* What came until now was of a process that has ended so, and what follows is of another. */
void share_past_ended(struct kernel *kernel, unsigned char exit_code);
/* Is there one that can be attached to, or may there be? */
bool share_may_run(const struct kernel *kernel);
/* Is what comes now old? */
bool share_is_replaying(const struct kernel *kernel);
/* Come back to a process that let us go, now that there is room. */
void share_come_back(struct kernel *kernel);
/* The process has ended, or we were left behind by the agent. True: it is followed again. */
bool share_follow_again(struct kernel *kernel, bool is_left_behind);
void share_reset(struct kernel *kernel);
void share_on_shared(struct trm_session *session, const char *key);
/* Tell the caller, once, that all that has been before is told. */
void share_report(struct trm_session *session);
/* For requests: unique in the sandbox if it is shared. */
uint64_t share_run_id(struct trm_run *run);
uint64_t share_question_id(struct trm_session *session);

/* ---- peer_run.c -------------------------------------------------------------------- */

/* Bytes of notes. */
void peer_run_read(struct kernel *kernel, const char *bytes, size_t n);
/* Tell the others of ours, which is about to be sent. */
void peer_run_announce(struct trm_run *run);
/* What was held back may be told now. */
void peer_run_caught_up(struct kernel *kernel);
/* Its session is gone: its time limit and its questions are ours to see to. */
void peer_run_adopt(struct kernel *kernel);
void peer_run_on_input(struct trm_run *run, const char *prompt, bool is_secret);
/* Nobody will answer it. */
void peer_run_end_input(struct kernel *kernel);

/* ---- peer_command.c ----------------------------------------------------------------------- */

void peer_command_handle(struct trm_session *session, const struct announced_msg *what);
void peer_command_interrupt(struct trm_run *run);
/* No more will be heard of any. */
void peer_command_end_all(struct trm_session *session, const struct trm_error *why);

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

/* ---- run_clock.c */

enum clock_stop { CLOCK_PAUSED = 1, CLOCK_ASKED = 2 };
/* Start the timer with what is left of the time limit, unless there is none or the clock is stopped. */
void run_clock_arm(struct trm_run *run);
void run_clock_stop(struct trm_run *run, enum clock_stop why);
void run_clock_resume(struct trm_run *run, enum clock_stop why); /* if it was stopped for this reason */

/* ---- diagnose.c --------------------------------------------------------------------- */

/* Note what limits have done until now, so that what comes after is the run's in hand; the highest memory
 * counts from here. To be called before the interpreter has the run: who is slow would find that it was over.
 */
void diagnose_look(struct trm_session *session);
/* The interpreter has just started, and begins with the run: the highest memory counts from here. */
void diagnose_look_again(struct trm_session *session);
/* A sentence. For a process that ended by itself or by a signal that was not ours. */
void diagnose_death(struct trm_session *session, const struct trm_exit *exit, char *out, size_t cap);
/* Of a run that was interrupted, and not by a person: which limit it was. Returns the length, 0 if it was
 * none. */
size_t diagnose_interrupt(const struct trm_run *run, char *out, size_t cap);
/* A sentence about the limit that the run met; "" if it met none. */
void diagnose_hint(struct trm_run *run, const struct trm_result *result, char *out, size_t cap);

/* ---- memory.c -------------------------------------------------------------------- */

void memory_begin(struct trm_run *run);
void memory_end(struct trm_session *session);
void memory_finish(struct trm_session *session);
/* A sample came: for machines where nothing quicker tells. */
void memory_sample(struct trm_session *session, const struct trm_sample *sample);

/* ---- run.c ----------------------------------------------------------------------- */

void run_free(struct trm_run *run);
/* It was sent, but not taken: it is to be sent again. */
void run_take_back(struct trm_run *run);
/* Back to the front of the queue; its kernel is free. */
void run_requeue(struct trm_run *run);
/* Give it to its kernel, which is free and has a process. */
void run_send_off(struct trm_run *run, struct kernel *kernel);
/* The interpreter has started, and begins with it. */
void run_begin(struct trm_run *run);
void run_announce(struct trm_run *run);
void run_output(struct trm_run *run, int stream, const void *bytes, size_t n);
/* The same of output that came otherwise than by a pipe. */
void run_print(struct trm_run *run, int stream, const void *bytes, size_t n);
/* `more`: how many forms of the same thing follow. */
void run_display(struct trm_run *run, const char *mime, const char *data, size_t more);
/* Give back the credit that the caller holds: it is no longer needed. */
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
/* An interrupt of a question or a run may still be on its way when that has ended, and would meet the run
 * that comes next: asks for nothing in particular, for who answers that has been interrupted before. False:
 * it is not our turn, or cannot be asked. */
bool question_drain_interrupt(struct kernel *kernel);
/* Is it answered by the interpreter's being started anew? */
bool question_is_restart(const struct kernel *kernel, const struct question *question);
/* The one in hand was sent, but not taken: it is to be sent again. */
void question_take_back(struct kernel *kernel);
/* None will be answered any more. */
void question_fail_all(struct kernel *kernel, const struct trm_error *why);
/* Whoever asked with that `user` has gone: what still waits of it is answered with TRM_ECANCELED. */
void question_drop(struct trm_session *session, const void *user);

#endif
