/* SPDX-License-Identifier: MIT */
#ifndef TRM_SESSION_RUN_H
#define TRM_SESSION_RUN_H

/* Runs. There are three kinds: our own, those of other sessions in a shared kernel, and commands of other
 * clients, which have no kernel. Callers have a struct trm_run for each of them; it is the first member of
 * the whole one, and its `kind` says which that is.
 *
 * The way of an own run:
 *
 *   run_request.c   trm_session_run(): checks, policy, queue
 *   session.c       its turn comes: session_pump()
 *   run.c           run_send_off() sends it, run_finish() ends it
 *   kernel.c        bytes to and from the interpreter
 *   event.c         what the interpreter says of it: done, input, display
 *   run_output.c    what it prints and shows
 *
 * If others use the kernel, share.c comes before run_send_off(); if the run is stopped, stop.c. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/magic.h>
#include <terrarium/session.h>

#include "base/buf.h"
#include "sandbox/sandbox.h"
#include "session/output.h"

struct kernel;
struct libraries;
struct trm_session;

enum run_kind { RUN_OWN, RUN_PEER, RUN_COMMAND };

/* Its time limit, which may stand still. */
struct run_clock {
	int64_t timeout_ms;     /* ≤ 0: none that we enforce */
	uint64_t announced_ms;  /* the limit that its session has announced */
	unsigned stops;         /* enum clock_stop: why it stands still */
	uint64_t stopped_at_ns; /* since when */
	uint64_t stopped_ns;    /* for how long it did before */
	bool is_compiling;      /* another limit holds, until the code begins */
};

struct run_displays {
	struct trm_display *of; /* `n` of them, texts malloc'd */
	size_t n, bytes, n_bundles, dropped;
};

struct trm_run {
	enum run_kind kind;
	struct trm_session *session;
	struct kernel *kernel; /* NULL while queued, and for commands */
	const struct trm_lang *lang;
	uint64_t number;
	uint64_t id; /* in requests and events; 0: not sent yet */
	char *code;  /* NULL once sent, unless it may have to be sent again */
	size_t code_len;
	char *filename;
	bool offers_stdin;
	const struct trm_run_cb *cb;
	void *user;
	bool is_announced; /* cb->started was called */
	bool is_begun;     /* the interpreter has it, and the clock runs */
	bool is_interrupted, is_timed_out;
	bool is_recent;     /* of another client: it was there before us, and may be over already */
	bool is_over;       /* cb->done is being called, or will be soon */
	bool owes_stopping; /* cb->stopping must still be called */
	bool is_asked;      /* it waits for input, and nobody has answered */
	bool owes_answered; /* cb->answered must still be called */
	bool has_printed;
	uint64_t begun_ns; /* never before the interpreter was ready */
	struct run_clock clock;
	struct output *output;  /* where output is kept; NULL: nowhere */
	struct said last_words; /* the end of its stderr */
	uint64_t missed_bytes;  /* bytes of output that we missed as a slow client */
	struct run_displays shown;
};

struct own_run {
	struct trm_run run;
	struct own_run *next; /* in the queue */
	/* the request */
	char *meant; /* what the interpreter is sent in place of the code, see notebook.c; NULL: the code */
	size_t meant_len;
	char *magic_hint; /* what is said if it fails; NULL: nothing */
	char **args;      /* NULL-terminated, as the next two; NULL: none */
	char **env;
	char **libraries;               /* NULL: none, or they are there */
	struct libraries *installation; /* NULL: none is under way */
	uint64_t install_ns;            /* that installations took; 0: nothing was installed */
	char *cwd;                      /* NULL: as it is */
	bool has_own_filename;
	bool is_timed; /* tells at its end what it took */
	bool echoes;
	bool is_quiet;         /* it has no number, and others are not told of it */
	bool is_leave;         /* it ends the kernel normally */
	bool is_program;       /* the kernel may end normally with it */
	bool no_plots;         /* displays that are figures do not count */
	bool waits_for_person; /* its time limit stands still while it waits for input */
	/* input */
	struct buf early_stdin; /* sent before the run began */
	bool has_sent_stdin;    /* or its end */
	bool has_sent_bytes;    /* of it */
	bool has_sent_eof;
	bool has_opened_stdin; /* the interpreter's stdin, for this run */
	/* output */
	bool has_manual_credit;
	size_t unconsumed;      /* with manual credit: delivered, not yet consumed */
	uint64_t printed_bytes; /* that passed the session's limit */
	bool is_stopped_for_output;
	/* sharing */
	uint64_t seen_before; /* the session's seen_number before it was sent */
	bool has_met_dead;    /* it was sent to a dead interpreter, and is sent again */
	/* measures */
	uint64_t refused_before; /* connections, before it began */
	bool knows_peak;
	bool peak_is_own;               /* the memory peak counts from the beginning of this run */
	uint64_t peak_before_bytes;     /* otherwise: the sandbox's peak when the run began */
	uint64_t memory_begin_bytes;    /* in use when first measured; 0: not yet */
	uint64_t memory_reported_bytes; /* in use when the warning was given; 0: it was not */
	bool is_stopped_for_memory;
};

/* Facts that another client's session has announced of its run or command. Untrusted. */
struct run_origin {
	char by[128];
	uint64_t began_ms;
	uint64_t lost_bytes;
};

struct peer_run {
	struct trm_run run;
	struct run_origin origin;
	size_t code_cut;
	bool is_held_back; /* not reported yet */
	/* It waits for input, and its session may be gone. Then the client that has the turn is asked. */
	bool awaits_input, is_asking, was_passed_on, is_secret;
	char *prompt;
};

struct peer_command {
	struct trm_run run;
	struct peer_command *next;
	struct run_origin origin;
	uint32_t client, id, pid;
	uint64_t position; /* bytes that it is known to have written */
};

/* The whole run; NULL if `run` is NULL or of another kind. */
static inline struct own_run *run_own(struct trm_run *run)
{
	return run && run->kind == RUN_OWN ? (struct own_run *)run : NULL;
}

static inline struct peer_run *run_peer(struct trm_run *run)
{
	return run && run->kind == RUN_PEER ? (struct peer_run *)run : NULL;
}

/* ---- run_request.c --------------------------------------------------------------- */

void run_free(struct trm_run *run);
char *run_default_filename(uint64_t number);

/* ---- notebook.c ------------------------------------------------------------------ */

/* Read the lines of notebooks in the text of a run: what is to be run instead, with `ret` for
 * trm_magic_finish(). Errors as trm_magic_read(). */
int notebook_read(const struct trm_run_opts *opts, struct trm_magic *ret, struct trm_run_opts *ret_opts,
		struct trm_error *reterr);
/* Keep for a new run what was read; `opts` are the caller's. */
void notebook_take(struct own_run *run, const struct trm_run_opts *opts, struct trm_magic *magic);
/* The run is over: what it took, and a hint. */
void notebook_tell(struct own_run *run, struct trm_result *result);

/* ---- libraries.c ----------------------------------------------------------------- */

/* Make sure that the run, the first of the queue, has its libraries. False: not yet; it may end for that
 * reason, which is done only `in_turn`. */
bool libraries_are_there(struct own_run *run, bool in_turn);
/* Stop installing; the run stays in the queue until that has ended. */
void libraries_cancel(struct own_run *run);
/* The run ends now; what is installed for it ends by itself. */
void libraries_forget(struct own_run *run);
/* Check the names, and have the policy look at them. */
int libraries_check(
		const struct trm_session *session, const struct trm_run_opts *opts, struct trm_error *reterr);

/* ---- run.c ----------------------------------------------------------------------- */

/* Send it to its kernel, which must be free and have a process. */
void run_send_off(struct own_run *run, struct kernel *kernel);
/* The interpreter begins with the run. */
void run_begin(struct own_run *run);
/* The run was sent but not read: it will be sent again. */
void run_take_back(struct own_run *run);
/* Back to the front of the queue; its kernel is free. */
void run_requeue(struct own_run *run);
/* Take it out of the queue, wherever it is there. */
void run_unqueue(struct own_run *run);
/* End the run. `result` has status, exit_code and texts (borrowed); the rest is filled in here. */
void run_finish(struct trm_run *run, struct trm_result *result);
/* End the run without an answer: status, exit code and a sentence. */
void run_finish_with(struct trm_run *run, enum trm_status status, int exit_code, const char *reason);
/* May the interpreter end with this run? */
bool run_may_end_kernel(struct trm_run *run);

/* ---- run_output.c ---------------------------------------------------------------- */

/* Tell the caller, once, that the run has started, or later that a question of it was answered. */
void run_announce(struct trm_run *run);
void run_output(struct trm_run *run, int stream, const void *bytes, size_t n);
/* The same for output that did not come through a pipe. */
void run_print(struct trm_run *run, int stream, const void *bytes, size_t n);
/* Copies `shown`, of which mime, data, more, title and source count. `more`: how many further forms of the
 * same thing follow. */
void run_display(struct trm_run *run, const struct trm_display *shown);
void run_free_displays(struct run_displays *shown);
/* Return the credit that the caller holds, because it no longer needs it. */
void run_release_credit(struct trm_run *run);
/* Does the caller hold credit? */
bool run_holds_credit(struct trm_run *run);

/* ---- run_clock.c ----------------------------------------------------------------- */

enum clock_stop { CLOCK_PAUSED = PROC_CLOCK_PAUSED, CLOCK_ASKED = PROC_CLOCK_ASKED };
/* The interpreter has the run. Compiling, which comes first, has a limit of its own. */
void run_clock_begin(struct trm_run *run);
/* It is compiled: from now on counts what its code takes. */
void run_clock_begin_code(struct trm_run *run);
/* Start the timer with the rest of the time limit, unless there is none or the clock is stopped. */
void run_clock_arm(struct trm_run *run);
/* Tell the agent how the clock stands: it keeps the limit if we are gone or stopped. */
void run_clock_announce(struct trm_run *run);
void run_clock_stop(struct trm_run *run, enum clock_stop why);
void run_clock_resume(struct trm_run *run, enum clock_stop why); /* if it was stopped for this reason */
/* Write that the time of the run is up, and how long its limit was. Returns the length. */
size_t run_clock_describe(const struct trm_run *run, char *out, size_t cap);

#endif
