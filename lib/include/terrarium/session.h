/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_SESSION_H
#define TERRARIUM_SESSION_H

/* A session is one user's runs in a sandbox. Each language has one resident kernel, which starts at its
 * first use and is restarted after it ends. Runs of one session happen one after the other, in the order of
 * their requests.
 *
 * A session has its own kernels, or shares kernels with all other shared sessions in the sandbox, in this
 * process and in others: one kernel for each language, with one state. Then the runs of all these sessions
 * happen one after the other, each session sees the others' runs (cb->joined), and each may interrupt any
 * run. A run continues when its session, or its program, is gone. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/lang.h>
#include <terrarium/policy.h>
#include <terrarium/result.h>
#include <terrarium/sandbox.h>

TRM_BEGIN_API

struct trm_session;
struct trm_run;

enum trm_kernel_state { TRM_KERNEL_NONE, TRM_KERNEL_STARTING, TRM_KERNEL_IDLE, TRM_KERNEL_BUSY };

/* A peer run: a run of another session in a shared kernel. Borrowed during the call. */
struct trm_origin {
	const char *by; /* its owner, on one line of clean text: "terrarium repl, pid 42"; "" if unknown */
	const struct trm_lang *lang;
	const char *code; /* UTF-8 */
	size_t code_len;
	size_t code_cut; /* number of bytes cut from its end because it was too long */
	const char *filename;
	uint64_t began_ms; /* since 1970; 0: unknown */
	bool offers_stdin; /* it was started with input: see trm_run_write() */
	/* It began, and may have ended, before this session was opened. Callbacks first repeat the output
	 * that the sandbox has kept: about the latest 256 KiB of the kernel's output. */
	bool is_recent;
	/* Set on a kernel's first run with is_recent: bytes of the kernel's output that are no longer kept.
	 * Some of them may be this run's. */
	uint64_t lost_bytes;
	/* It is not a kernel's run but a command that another program runs and shows (reported_by of
	 * trm_proc_opts): `code` is its command line, `lang` is bash, and it has no number. Any number of
	 * commands may run beside runs. trm_run_interrupt() sends SIGINT, then SIGKILL. */
	bool is_command;
};

struct trm_session_cb {
	void (*kernel)(void *user, const struct trm_lang *lang, enum trm_kernel_state state);
	/* Output that arrived after the end of its run (from a background process, a timer or a thread).
	 * `number` is the run that it most likely belongs to. */
	void (*late)(void *user, const struct trm_lang *lang, uint64_t number, int stream, const void *bytes,
			size_t n);
	/* With is_shared: another session's run has begun, or was found. To follow it, call
	 * trm_run_follow() inside this callback; `run` is a valid handle until it has ended. */
	void (*joined)(void *user, struct trm_run *run, const struct trm_origin *origin);
	/* With is_shared: another client of the sandbox says what it is ("terrarium repl, pid 42"), perhaps
	 * again; NULL: it has gone. `client` is its number. Clients without a shared session say nothing: the
	 * number of all is trm_sandbox_cb.clients. The text is one clean line, borrowed; it may be a lie. */
	void (*present)(void *user, uint32_t client, const char *by);
	/* With is_shared: all earlier events have been reported. Called once. */
	void (*caught_up)(void *user);
	/* A kernel has ended while none of its runs was ours to tell of it, and not because this session
	 * restarted it: another client did, or it was killed. Its variables are lost. `reason` is a
	 * sentence, borrowed: "killed by signal 9 (kill), sent by another client, process 42: …". */
	void (*ended)(void *user, const struct trm_lang *lang, const char *reason);
};

enum trm_memory_alert {
	TRM_MEMORY_IGNORE,
	TRM_MEMORY_TELL,      /* call cb->memory of the run */
	TRM_MEMORY_INTERRUPT, /* interrupt the run: its state is kept, and the result's reason says why */
};

struct trm_session_opts {
	size_t size; /* sizeof(struct trm_session_opts), as TRM_SESSION_OPTS_INIT sets it */
	/* Per run; 0: none. Default 30 000. It begins when the code is compiled, which may take five minutes.
	 */
	uint32_t timeout_ms;
	uint32_t grace_ms; /* after an interrupt, before the next step. Default 2 000 */
	/* After SIGTERM, before the kernel is killed. 0: there is no SIGTERM, and the kill follows the
	 * interrupt. Default 0 */
	uint32_t terminate_grace_ms;
	/* How much of a run's output its result keeps. If there is more, the result holds the first and the
	 * last half of this amount, and dropped_bytes says how much is missing between them. Default 64
	 * MiB. */
	size_t output_keep_bytes;
	/* How much a run may print. At the first byte beyond it, the run is interrupted; its later output
	 * is neither shown nor kept, and the result's reason says why. 0: no limit. Default 0. */
	uint64_t output_max_bytes;
	/* What to do when memory use passes this percentage of the limit during a run, once per run.
	 * Default TRM_MEMORY_TELL, 90. */
	enum trm_memory_alert memory_alert;
	unsigned memory_alert_percent;
	/* "NAME=value", NULL-terminated: added to the environment of the kernels. Borrowed while the
	 * session is open; may be NULL. */
	const char *const *env;
	/* Share the kernels. Default false: the kernels belong to this session and end with it. */
	bool is_shared;
	/* With is_shared: also report runs that ended before this session was opened, as far as the sandbox
	 * has kept their output. False: report only current runs. Default false. */
	bool wants_recent;
	/* With is_shared: the name of this client for the others ("terrarium repl"; the pid is added).
	 * Borrowed while the session is open. NULL: the program's name. */
	const char *client;
	/* The policy gate (terrarium/policy.h): code is checked before it is queued. If this policy refuses
	 * it, trm_session_run() returns TRM_EPERM with the finding and the code never runs. For advice or
	 * questions, scan the code yourself. Borrowed while the session is open. NULL: none. */
	struct trm_policy *policy;
	/* Pass passwords and tokens in the settings of package indexes to what downloads libraries. Default:
	 * false. */
	bool net_credentials;
};
#define TRM_SESSION_OPTS_INIT \
	{ \
		.size = sizeof(struct trm_session_opts), .timeout_ms = 30000, .grace_ms = 2000, \
		.output_keep_bytes = 64u << 20, .memory_alert = TRM_MEMORY_TELL, .memory_alert_percent = 90 \
	}
void trm_session_opts_init(struct trm_session_opts *opts, size_t size);
#define trm_session_opts_default(opts) trm_session_opts_init(opts, sizeof *(opts))

/* Open a session.
 * Owns:   copies `opts`; borrows `sandbox` and `cb`. Do not free the sandbox while the session is open.
 * Later:  if the sandbox closes, the runs end as TRM_STATUS_LOST before its own `closed`. The session stays a
 *         valid handle that refuses new runs (TRM_ECLOSED).
 * Errors: TRM_ECLOSED; TRM_EBUSY a second shared session of the same handle: trm_sandbox_attach() gives
 *         another handle. */
int trm_session_open(struct trm_sandbox *sandbox, const struct trm_session_opts *opts,
		const struct trm_session_cb *cb, void *user, struct trm_session **ret_session,
		struct trm_error *reterr);
/* Close the session. Its kernels are killed; shared kernels stay for the other sessions. Current runs end
 * as TRM_STATUS_LOST, inside this call. Takes NULL. */
void trm_session_close(struct trm_session *session);

/* Start a language's kernel now, so that the first run does not have to wait for it. */
int trm_session_warm(struct trm_session *session, const struct trm_lang *lang, struct trm_error *reterr);

/* Kill a language's kernel with all its children and restart it: its variables are lost, files stay. Its
 * current run ends as TRM_STATUS_KILLED, or as interrupted if it had been interrupted. */
int trm_session_restart(struct trm_session *session, const struct trm_lang *lang, struct trm_error *reterr);

/* ---- runs ---------------------------------------------------------------- */

struct trm_run_opts {
	size_t size;                 /* sizeof(struct trm_run_opts), as TRM_RUN_OPTS_INIT sets it */
	const struct trm_lang *lang; /* required: trm_lang_find(), trm_lang_default() */
	const char *code;            /* UTF-8 */
	size_t code_len;             /* required: strlen(code). 0 is an empty run */
	const char *filename;        /* for tracebacks; NULL: "<run N>" */
	int64_t timeout_ms;          /* -1: the session's; 0: none */
	bool offers_stdin;           /* false: reads see EOF at once */
	/* A person answers cb->input: the time limit does not count from that call until trm_run_write() or
	 * trm_run_close_stdin(). */
	bool waits_for_person;
	/* Python: as at its prompt, the values of expressions inside blocks are printed too, and sys.ps1
	 * exists */
	bool echoes;
	/* The code is a complete program, and `filename`, which is then required, is its file. It runs as
	 * if the interpreter itself ran that file, to the end of its timers and exit handlers. Meanwhile
	 * the file is in the working directory, unless a file of that name exists there. The kernel may end
	 * with the program, without a message. */
	bool is_program;
	bool manual_credit; /* output counts as consumed only after trm_run_consumed() */
	/* Drop displays that are figures: those with an image, a PDF or HTML with scripts among their
	 * forms. */
	bool no_plots;
	/* Arguments of the program: at most 256, NULL-terminated; NULL: none. Only batch languages
	 * (trm_lang.commands) take them; others return TRM_ENOTSUP. */
	const char *const *args;
	/* Packages that the code needs, as for trm_package_check(), NULL-terminated; NULL: none. What the
	 * sandbox does not have is installed first, as with is_shared of trm_install_opts: the sandbox gets
	 * no network by that. If this fails the code does not run: the result is TRM_STATUS_ERROR with the
	 * exit code of the package manager, error_name "InstallError", its words as error_message, and the
	 * reason. The time limit begins after it. Errors of trm_session_run(): TRM_EINVAL a name;
	 * TRM_ENOTSUP the language has none; TRM_EPERM the policy refuses one. */
	const char *const *libraries;
	/* "NAME=value", NULL-terminated; NULL: none. Variables of this run alone: what they were before is
	 * put back at its end. Only languages with takes_env, and sandboxes that are not at a server; else
	 * TRM_ENOTSUP. As much as a sandbox may have (TRM_ENV_MAX). */
	const char *const *env;
	/* The working directory of this run alone, in the same way; NULL: as it is. Relative ones begin at
	 * the sandbox's (trm_sandbox_workdir()). A run whose directory is not there fails with the language's
	 * own error. */
	const char *cwd;
	/* The run prepares the sandbox for those who come later: it has no number (0), does not count, and
	 * sessions that share the kernel are not told of it. Default: false. */
	bool is_quiet;
};
#define TRM_RUN_OPTS_INIT \
	{ \
		.size = sizeof(struct trm_run_opts), .timeout_ms = -1 \
	}
void trm_run_opts_init(struct trm_run_opts *opts, size_t size);
#define trm_run_opts_default(opts) trm_run_opts_init(opts, sizeof *(opts))

/* A run is stopped in steps: SIGINT, which keeps the state; SIGTERM to the kernel and all its children, if
 * the session has a grace period for it; SIGKILL. After the last two the kernel is restarted. A step is
 * taken when the grace period of the previous one is over, or at once by trm_run_interrupt(). */
enum trm_stop { TRM_STOP_NONE, TRM_STOP_INTERRUPT, TRM_STOP_TERMINATE, TRM_STOP_KILL };

struct trm_stopping {
	enum trm_stop step; /* the last step taken */
	enum trm_stop next; /* TRM_STOP_NONE: there is none after the kill */
	int64_t next_ms;    /* time until the next step; -1: only on request */
};

struct trm_run_cb {
	/* Libraries are being installed: the output of the package manager, raw and hostile. First with
	 * n == 0, when that begins. */
	void (*installing)(void *user, struct trm_run *run, int stream, const void *bytes, size_t n);
	void (*started)(void *user, struct trm_run *run);
	void (*output)(void *user, struct trm_run *run, int stream, const void *bytes, size_t n);
	void (*display)(void *user, struct trm_run *run, const struct trm_display *display);
	/* The code waits for a line of input. Answer with trm_run_write() or trm_run_close_stdin(). Only with
	 * offers_stdin. The prompt is hostile text and may be "". If the language prints its prompts
	 * (trm_lang), the prompt was already part of the output. */
	void (*input)(void *user, struct trm_run *run, const char *prompt, bool is_secret);
	/* Its question is answered: by trm_run_write() or trm_run_close_stdin(), or, if it is another
	 * session's run, by that session. The answer is not shown, nor is the newline that ends it. */
	void (*answered)(void *user, struct trm_run *run);
	/* The code has taken most of the queued input; trm_run_write() may continue. Called when
	 * trm_run_queued() falls to 128 KiB after it was above. */
	void (*drained)(void *user, struct trm_run *run);
	/* Memory use has passed the threshold of the session's options. The run continues, and may soon be
	 * killed, unless it is paused or interrupted. */
	void (*memory)(void *user, struct trm_run *run, uint64_t used_bytes, uint64_t limit_bytes);
	/* A step of stopping the run was taken, for any reason, or its clock was held or released. */
	void (*stopping)(void *user, struct trm_run *run, const struct trm_stopping *how);
	/* Exactly once; the handle becomes invalid when it returns. Calls for the run inside this callback
	 * have no effect. */
	void (*done)(void *user, struct trm_run *run, const struct trm_result *result);
};

/* Queue a run. Copies `opts` and the code; borrows `cb`. Errors: TRM_EINVAL code that is not UTF-8;
 * TRM_ETOOBIG code of more than 64 MiB as a JSON string. The timeout starts when the interpreter is ready,
 * not while it starts. */
int trm_session_run(struct trm_session *session, const struct trm_run_opts *opts, const struct trm_run_cb *cb,
		void *user, struct trm_run **ret_run, struct trm_error *reterr);
/* Finish a program: wait for everything that the kernel's code has left for later (timers, threads, exit
 * handlers, Bash's EXIT trap), then end the kernel. This is a run like any other, queued behind those that
 * wait, with output, input, timeout and interrupts. The code and file name of `opts` are ignored. If no
 * kernel runs, there is nothing to wait for. The next run starts a new kernel. The result is TRM_STATUS_OK,
 * or TRM_STATUS_ERROR with the resulting exit code. */
int trm_session_run_exit(struct trm_session *session, const struct trm_run_opts *opts,
		const struct trm_run_cb *cb, void *user, struct trm_run **ret_run, struct trm_error *reterr);
/* Call this inside cb->joined to follow another session's run with the usual callbacks, except `started`,
 * `drained` and `memory`. Its output is not held back (no manual credit). Interrupts, pauses and input work
 * on it too. The wall time of its result is known only if it began while this session was open. */
void trm_run_follow(struct trm_run *run, const struct trm_run_cb *cb, void *user);
/* The run's number, from 1; a shared session counts the runs of all sessions. Final once cb->started was
 * called: before that, another session may take the number. */
uint64_t trm_run_number(const struct trm_run *run);
/* Begin to stop the run, or take the next step at once. A run that is still queued ends at once. If the
 * kernel did not survive, the result says that the state was lost. */
void trm_run_interrupt(struct trm_run *run);
/* Pause the run's processes with all their state, or resume them. The timeout does not count during a
 * pause, and an interrupt ends it. Has no effect if the run is already paused, has not begun or has ended. */
void trm_run_pause(struct trm_run *run, bool is_paused);
/* What is left of the run's time limit, in ms; -1: it has none, or its clock does not run now. */
int64_t trm_run_time_left_ms(const struct trm_run *run);
/* Extend the time limit of a run of this session. TRM_ENOTSUP: its server enforces the limit. No effect on a
 * run without a limit, or one that is being stopped. */
int trm_run_extend(struct trm_run *run, uint32_t more_ms, struct trm_error *reterr);
/* Hold or release the clock of stopping. While it is held, no step follows automatically; when it is
 * released, the grace period of the last step starts again. Has no effect on a run that is not being
 * stopped. */
void trm_run_hold_clock(struct trm_run *run, bool is_held);
/* Send input to the code. Another session's run accepts it only after that session is gone; until then only
 * that session may answer (TRM_EBUSY). */
int trm_run_write(struct trm_run *run, const void *bytes, size_t n, struct trm_error *reterr);
void trm_run_close_stdin(struct trm_run *run);
size_t trm_run_queued(const struct trm_run *run);     /* bytes of stdin that the code has not taken yet */
void trm_run_consumed(struct trm_run *run, size_t n); /* with manual_credit */

/* ---- questions to a kernel --------------------------------------------------- */

enum trm_question {
	/* {"matches":[…],"kinds":[…],"start":n,"end":n} in code points of `code`: possible completions.
	 * Kinds of the first matches: "function" "class" "module" "variable" "property" "parameter"
	 * "keyword" "builtin" "alias" "command" "file" "directory"; "" or missing: unknown. */
	TRM_ASK_COMPLETE,
	TRM_ASK_INSPECT,     /* {"found":bool,"name":…,"type":…,"value":…,"signature":…,"doc":…} */
	TRM_ASK_IS_COMPLETE, /* {"status":"complete"|"incomplete"|"invalid","indent":"…"} */
	/* {"variables":[{"name","type","size","value"}]}, all strings; size: "3", "2×4" or ""; `cursor`:
	 * one of TRM_VARIABLES_…. Optional: "has_members" and "is_table", true if the two questions below may
	 * be asked about it. */
	TRM_ASK_VARIABLES,
	TRM_ASK_RESET, /* {}: all variables were deleted */
	/* {"found":bool,"count":n,"first":n,"members":[…]}, each as in TRM_ASK_VARIABLES: what a value
	 * consists of, from member `cursor` on, a page at a time. `code` is its path: a variable's name, and
	 * the number of a member for each step into it, "x/3/0". */
	TRM_ASK_MEMBERS,
	TRM_ASK_TABLE, /* the first page of the table at the path `code`; see <terrarium/table.h> */
};

/* With TRM_VARIABLES_NAMES, size and value are "", so no code of the variables' types runs. */
enum { TRM_VARIABLES_WHOLE, TRM_VARIABLES_NAMES };

/* `json` is one object as above, or NULL on failure; borrowed. */
typedef void trm_answer_fn(void *user, const char *json, const struct trm_error *why);
/* Ask the kernel a question. `cursor` is in code points of `code`. Exactly one answer follows. It waits
 * while the kernel runs code. */
int trm_session_ask(struct trm_session *session, const struct trm_lang *lang, enum trm_question question,
		const char *code, size_t cursor, trm_answer_fn *fn, void *user, struct trm_error *reterr);

TRM_END_API

#endif
