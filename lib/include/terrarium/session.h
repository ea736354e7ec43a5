/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_SESSION_H
#define TERRARIUM_SESSION_H

/* A session: a user's runs in a sandbox. Each language has one resident
 * kernel, started at its first use and started again after it died; runs of
 * one session happen one after the other, in the order they were asked for.
 *
 * A session has kernels of its own, or shares them with all other shared sessions in the sandbox, in this
 * process and in others: one kernel for each language, with one state. Then the runs of all of them happen
 * one after the other too, each session sees the others' (cb->joined), and any of them may interrupt any run.
 * What was begun goes on when its session, or its program, is gone. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/lang.h>
#include <terrarium/policy.h>
#include <terrarium/result.h>
#include <terrarium/sandbox.h>

struct trm_session;
struct trm_run;

enum trm_kernel_state { TRM_KERNEL_NONE, TRM_KERNEL_STARTING, TRM_KERNEL_IDLE, TRM_KERNEL_BUSY };

/* A run of another session's in a shared kernel. Borrowed during the call. */
struct trm_origin {
	const char *by; /* whose it is, on one clean line: "terrarium repl, pid 42"; "" not known */
	const struct trm_lang *lang;
	const char *code; /* UTF-8 */
	size_t code_len;
	size_t code_cut; /* bytes at its end that were too much to be passed on */
	const char *filename;
	uint64_t began_ms; /* since 1970; 0: not known */
	bool offers_stdin; /* it was begun with input: see trm_run_send() */
	/* It had begun, and may have ended, before this session came: what follows first is what the sandbox
	 * has kept of its output, the newest 256 KiB or so of the kernel's. */
	bool is_recent;
	uint64_t lost_bytes; /* with the first of a kernel's that is_recent: of its output, not kept any more;
				some may be this run's */
	/* It is no run of a kernel's, but a command that another program runs and tells of (told_by of
	 * trm_proc_opts): `code` is its command line, `lang` bash, it has no number. Any number of them may
	 * go on beside runs; trm_run_interrupt() sends SIGINT, then SIGKILL. */
	bool is_command;
};

struct trm_session_cb {
	void (*kernel)(void *user, const struct trm_lang *lang, enum trm_kernel_state state);
	/* Output that came after its run had ended (from a background process, a
	 * timer or a thread). `number` is the run that it most likely belongs to. */
	void (*late)(void *user, const struct trm_lang *lang, uint64_t number, int stream, const void *bytes,
			size_t n);
	/* With is_shared: another session's run has begun, or was found. Who wants to see it calls
	 * trm_run_follow() from inside; `run` is a valid handle until it has ended. */
	void (*joined)(void *user, struct trm_run *run, const struct trm_origin *origin);
	/* With is_shared: what had happened before this session came has been told. Once. */
	void (*caught_up)(void *user);
};

enum trm_memory_alert {
	TRM_MEMORY_IGNORE,
	TRM_MEMORY_TELL,      /* cb->memory of the run */
	TRM_MEMORY_INTERRUPT, /* interrupt the run: its state is kept, and the result's reason says why */
};

struct trm_session_opts {
	uint32_t timeout_ms; /* per run; 0: none. Default 30 000 */
	uint32_t grace_ms;   /* after an interrupt, before the next step. Default 2 000 */
	/* After SIGTERM, before the kernel is killed. 0: there is no such step, and the kill
	 * follows upon the interrupt. Default 0 */
	uint32_t terminate_grace_ms;
	/* Of a run's output kept in its result: if there was more, the first half and the last
	 * half of this, and dropped_bytes tells what is missing between. Default 64 MiB. */
	size_t output_keep_bytes;
	/* What a run may print: with the first byte beyond it is interrupted, of what it prints after that
	 * nothing is shown or kept, and the result's reason says why. 0: no limit. Default 0. */
	uint64_t output_max_bytes;
	/* What to do when a run takes memory use past so many per cent of the limit, once per run.
	 * Default TRM_MEMORY_TELL, 90. */
	enum trm_memory_alert memory_alert;
	unsigned memory_alert_percent;
	/* "NAME=value", NULL-terminated: added to what the kernels find in their environment. Borrowed for as
	 * long as the session is open; may be NULL. */
	const char *const *env;
	/* Share the kernels. Default false: they are this session's, and end with it. */
	bool is_shared;
	/* With is_shared: be told of the runs that ended before this session came, too, as far as the sandbox
	 * has kept their output; else only of those that are under way. Default false. */
	bool wants_recent;
	/* With is_shared: who this is, for the others ("terrarium repl"; the pid is added). Borrowed for as
	 * long as the session is open. NULL: the program's name. */
	const char *client;
	/* The gate (terrarium/policy.h): code is looked at before it is queued, and what this policy refuses
	 * never runs: trm_session_run() gives TRM_EPERM with the finding. Who wants advice or questions scans
	 * by himself. Borrowed for as long as the session is open. NULL: none. */
	struct trm_policy *policy;
};
void trm_session_opts_default(struct trm_session_opts *opts);

/* Owns: copies `opts`; borrows `sandbox` and `cb`. The sandbox must not be freed before:
 * when it closes, the runs end as TRM_STATUS_LOST before its own `closed`,
 * and the session stays a valid handle that refuses new runs (TRM_ECLOSED).
 * Errors: TRM_ECLOSED; TRM_EBUSY a second shared one of the same handle: trm_sandbox_attach() gives another.
 */
int trm_session_open(struct trm_sandbox *sandbox, const struct trm_session_opts *opts,
		const struct trm_session_cb *cb, void *user, struct trm_session **ret_session,
		struct trm_error *reterr);
/* Kills the kernels, or leaves them to the others if they are shared; runs under way end as TRM_STATUS_LOST,
 * from inside this call. Takes NULL. */
void trm_session_close(struct trm_session *session);

/* Start a language's kernel now, so that the first run need not wait for it. */
int trm_session_warm(struct trm_session *session, const struct trm_lang *lang, struct trm_error *reterr);

/* Kill a language's kernel with all its children, and start it anew: its variables are gone, files
 * stay. A run of it that is under way ends as TRM_STATUS_KILLED, or as interrupted if it was. */
int trm_session_restart(struct trm_session *session, const struct trm_lang *lang, struct trm_error *reterr);

/* ---- runs ---------------------------------------------------------------- */

struct trm_run_opts {
	const struct trm_lang *lang;
	const char *code; /* UTF-8 */
	size_t code_len;
	const char *filename; /* for tracebacks; NULL: "<run N>" */
	int64_t timeout_ms;   /* -1: the session's; 0: none */
	bool offers_stdin;    /* false: reads give EOF at once */
	/* A person answers cb->input: the time limit does not count from that call until trm_run_send() or
	 * trm_run_send_eof(). */
	bool waits_for_person;
	/* Python: as at its prompt, values of expressions inside blocks are printed too, and there is sys.ps1
	 */
	bool echoes;
	/* The code is all of a program, and `filename`, which must be given, its file: it runs as the
	 * interpreter itself would run that file, to the end of its timers and exit handlers. The file lies
	 * in the working directory meanwhile, if none of that name is there. The kernel may end with it,
	 * without a word. */
	bool is_program;
	bool manual_credit; /* output is held back until trm_run_consumed() */
};
void trm_run_opts_default(struct trm_run_opts *opts);

/* Stopping a run goes by steps: SIGINT, which keeps the state; SIGTERM to the kernel and all its
 * children, if the session has a grace for it; SIGKILL. After the last two the kernel is started
 * anew. A step is taken when the grace of the one before has passed, or at once by trm_run_interrupt(). */
enum trm_stop { TRM_STOP_NONE, TRM_STOP_INTERRUPT, TRM_STOP_TERMINATE, TRM_STOP_KILL };

struct trm_stopping {
	enum trm_stop step; /* that was taken last */
	enum trm_stop next; /* TRM_STOP_NONE: there is none behind the kill */
	int64_t next_ms;    /* from now until it is taken; -1: not before it is asked for */
};

struct trm_run_cb {
	void (*started)(void *user, struct trm_run *run);
	void (*output)(void *user, struct trm_run *run, int stream, const void *bytes, size_t n);
	void (*display)(void *user, struct trm_run *run, const struct trm_display *display);
	/* The code waits for a line of input. Answer with trm_run_send(), or
	 * trm_run_send_eof(). Only with offers_stdin. The prompt, hostile text, may be ""; where the
	 * language prints it (trm_lang), it has been among the output. */
	void (*input)(void *user, struct trm_run *run, const char *prompt, bool is_secret);
	/* The code has taken most of the input that had piled up: trm_run_send() may go on.
	 * Called when trm_run_queued() has fallen to 128 KiB after it was above. */
	void (*drained)(void *user, struct trm_run *run);
	/* Memory use has passed the threshold of the session's options. The run goes on, and may soon be
	 * killed, unless it is paused or interrupted. */
	void (*memory)(void *user, struct trm_run *run, uint64_t used_bytes, uint64_t limit_bytes);
	/* A step of stopping the run was taken, by whatever cause, or its clock was held or let go. */
	void (*stopping)(void *user, struct trm_run *run, const struct trm_stopping *how);
	/* Exactly once; the handle dies when it returns. What is asked of the run from inside does nothing.
	 */
	void (*done)(void *user, struct trm_run *run, const struct trm_result *result);
};

/* Queue a run. Copies `opts` and the code; borrows `cb`. Code that is not UTF-8 is
 * TRM_EINVAL, more than 64 MiB of it, as a string of JSON, TRM_ETOOBIG. The time-out counts from when the
 * interpreter is there, not while it starts. */
int trm_session_run(struct trm_session *session, const struct trm_run_opts *opts, const struct trm_run_cb *cb,
		void *user, struct trm_run **ret_run, struct trm_error *reterr);
/* The end of a program: what a kernel's code has left to be done later or at the end is waited for (timers,
 * threads, exit handlers, Bash's EXIT trap), and the kernel ends. This is a run like any other, behind those
 * that wait, with output, input, time-out and interrupts; of `opts`, code and file name count for nothing. A
 * kernel that is not there has nothing left to do. The next run starts a new one. Result: TRM_STATUS_OK, or
 * TRM_STATUS_ERROR with the exit code that came of it. */
int trm_session_leave(struct trm_session *session, const struct trm_run_opts *opts,
		const struct trm_run_cb *cb, void *user, struct trm_run **ret_run, struct trm_error *reterr);
/* From inside cb->joined: be told of another session's run as of one's own, by the same callbacks but
 * `started`, `drained` and `memory`. Its output is not held back (no manual credit). Interrupts, pauses and
 * input work on it too. Its result's wall time is known only if it began while this session was there. */
void trm_run_follow(struct trm_run *run, const struct trm_run_cb *cb, void *user);
/* From 1; in a shared session, of the runs of all sessions. Final from cb->started on: another session may
 * have taken the number before. */
uint64_t trm_run_number(const struct trm_run *run);
/* Begin to stop the run, or take the next step of it at once. A run that is still queued ends at
 * once. If the kernel did not outlive it, the result says that the state was lost. */
void trm_run_interrupt(struct trm_run *run);
/* Stop the run's processes where they are, with all their state, and let them go on. The time-out does not
 * count meanwhile. An interrupt ends the pause. Paused already, not begun, ended: nothing happens. */
void trm_run_pause(struct trm_run *run, bool is_paused);
/* While it is held, no step follows by itself; let go, the grace of the last step begins anew.
 * Of no effect on a run that is not being stopped. */
void trm_run_hold_clock(struct trm_run *run, bool is_held);
/* Input for the code. Another session's run takes it only when that session is gone: until then the question
 * is its own (TRM_EBUSY). */
int trm_run_send(struct trm_run *run, const void *bytes, size_t n, struct trm_error *reterr);
void trm_run_send_eof(struct trm_run *run);
size_t trm_run_queued(const struct trm_run *run);     /* bytes of stdin not yet taken */
void trm_run_consumed(struct trm_run *run, size_t n); /* with manual_credit */

/* ---- questions to a kernel --------------------------------------------------- */

enum trm_question {
	/* {"matches":[…],"kinds":[…],"start":n,"end":n} in code points of `code`: what may stand there.
	 * Kinds, of the first matches: "function" "class" "module" "variable" "property" "parameter"
	 * "keyword" "builtin" "alias" "command" "file" "directory"; "" or missing: not known. */
	TRM_ASK_COMPLETE,
	TRM_ASK_INSPECT,     /* {"found":bool,"name":…,"type":…,"value":…,"signature":…,"doc":…} */
	TRM_ASK_IS_COMPLETE, /* {"status":"complete"|"incomplete"|"invalid","indent":"…"} */
	TRM_ASK_VARIABLES, /* {"variables":[{"name","type","size","value"}]}, all texts; size: "3", "2×4" or
			      ""; `cursor`: one of TRM_VARIABLES_… */
	TRM_ASK_RESET,     /* {} : all variables forgotten */
};

/* With TRM_VARIABLES_NAMES size and value are "", and no code of the variables' own runs for them. */
enum { TRM_VARIABLES_WHOLE, TRM_VARIABLES_NAMES };

/* `json` is one object as above, NULL on failure; borrowed. */
typedef void trm_answer_fn(void *user, const char *json, const struct trm_error *why);
/* `cursor`: in code points of `code`. Exactly one answer follows. Waits while the kernel runs code. */
int trm_session_ask(struct trm_session *session, const struct trm_lang *lang, enum trm_question question,
		const char *code, size_t cursor, trm_answer_fn *fn, void *user, struct trm_error *reterr);

#endif
