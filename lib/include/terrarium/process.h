/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_PROCESS_H
#define TERRARIUM_PROCESS_H

/* Processes in a sandbox: their input and output, signals to them, how they end. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/error.h>

TRM_BEGIN_API

struct trm_proc;
struct trm_sandbox;

enum { TRM_STDIN = 0, TRM_STDOUT = 1, TRM_STDERR = 2, TRM_CONTROL = 255 };

struct trm_exit {
	int exit_code;               /* -1 if killed by a signal */
	int signal;                  /* 0 if it exited by itself */
	uint64_t user_us, system_us; /* of the process and of the children that it waited for */
	uint64_t max_rss_bytes;
	/* Another client of the sandbox sent the signal, the process `by_pid` of this machine (0: unknown).
	 * Only the agent vouches for this. */
	bool is_by_other;
	uint32_t by_pid;
	/* Number of processes of the sandbox that the kernel killed recently because memory ran out.
	 * Reported in containers; 0 if it is not known. */
	uint64_t oom_kills;
	/* It was interrupted because it printed more than this many bytes (trm_proc_opts); 0: it was not. */
	uint64_t over_output_bytes;
	/* If it failed and `tells_limit` was set: a text that names the limit it reached, or "". */
	char limit[160];
};
/* The reason why we ended it, as text; "" if we did not. Returns `out`. */
const char *trm_exit_describe(const struct trm_exit *exit, char *out, size_t cap);

struct trm_proc_cb {
	void (*started)(void *user, struct trm_proc *proc, uint32_t pid);
	/* `channel` is TRM_STDOUT or TRM_STDERR; with n spare_channels also TRM_STDOUT + 2k and
	 * TRM_STDERR + 2k for k in 1..n; TRM_CONTROL for the control pipe. With a terminal everything is
	 * TRM_STDOUT. The bytes are raw and hostile. */
	void (*output)(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n);
	/* The process has closed its control pipe, but still runs. */
	void (*hung_up)(void *user, struct trm_proc *proc);
	/* The process has taken most of the input queued for stdin; trm_proc_write() may continue. Called
	 * when trm_proc_queued() falls to 128 KiB after it was above. */
	void (*drained)(void *user, struct trm_proc *proc);
	/* The last callback, exactly once; the handle becomes invalid when it returns. All output has been
	 * delivered. `exit` is NULL if the process never started or its end is unknown; `why` then says
	 * why. */
	void (*exited)(void *user, struct trm_proc *proc, const struct trm_exit *exit,
			const struct trm_error *why);
};

struct trm_proc_opts {
	size_t size;             /* sizeof(struct trm_proc_opts), as TRM_PROC_OPTS_INIT sets it */
	const char *const *argv; /* NULL-terminated; argv[0] is searched in PATH inside */
	const char *const *env;  /* "NAME=value", NULL-terminated; added to the sandbox's own; may be NULL */
	const char *cwd;         /* NULL: the sandbox's workdir, or / if code has locked it */
	const char *label;       /* its name in process lists, at most 64 bytes; NULL: its command line */
	bool pty;                /* stdin, stdout and stderr are one terminal */
	uint16_t rows, cols;     /* with pty */
	bool control;            /* pipes at the process's descriptors 3 (to it) and 4 (from it) */
	const void *script;      /* with control: bytes that it can read at descriptor 5; may be NULL */
	size_t script_len;
	/* with control: more stdout/stderr pairs at 10+2(k-1), 11+2(k-1); at most 8 */
	unsigned spare_channels;
	bool stdin_open; /* false: reads on stdin give EOF until trm_proc_open_stdin() */
	/* Show the process to other clients, live, through their trm_session_cb.joined: its command line,
	 * its output, how it ends, and `reported_by` as its owner ("terrarium serve"). NULL: do not. */
	const char *reported_by;
	bool manual_credit; /* output counts as consumed only after trm_proc_consumed() */
	/* Exact limit of its output. A process that prints more is interrupted (SIGINT to its tree), and
	 * killed if it still runs 2 s later; trm_exit says so. 0: no limit. */
	uint64_t output_max_bytes;
	bool tells_limit; /* trm_exit names the limit of the sandbox that the process reached */
};

#define TRM_PROC_OPTS_INIT \
	{ \
		.size = sizeof(struct trm_proc_opts) \
	}

/* Start a process. Copies `opts`, including the script; borrows `cb`.
 * Later:  cb->started unless it cannot start; exactly one cb->exited; never before this returns.
 * Errors: TRM_EINVAL; TRM_ECLOSED; TRM_EBUSY too many processes; TRM_ETOOBIG more than 4096 arguments or
 *         variables, or more than 256 KiB of them and the script. */
int trm_proc_spawn(struct trm_sandbox *sandbox, const struct trm_proc_opts *opts,
		const struct trm_proc_cb *cb, void *user, struct trm_proc **ret_proc,
		struct trm_error *reterr);

/* Queue input for the process; the bytes are copied. `channel` is TRM_STDIN or TRM_CONTROL. Input that the
 * process has not taken yet is queued, up to 64 MiB. Beyond that the call returns TRM_ETOOBIG and queues
 * nothing. */
int trm_proc_write(struct trm_proc *proc, unsigned channel, const void *bytes, size_t n,
		struct trm_error *reterr);
size_t trm_proc_queued(const struct trm_proc *proc); /* bytes for stdin not yet taken */
void trm_proc_open_stdin(struct trm_proc *proc);
/* Send EOF on stdin after the queued input. trm_proc_open_stdin() undoes it (not with a pty). */
void trm_proc_close_stdin(struct trm_proc *proc);
/* Discard stdin that was queued or sent and not yet read, and leave it closed. */
void trm_proc_reset_stdin(struct trm_proc *proc);

enum trm_signal_scope {
	TRM_SIGNAL_GROUP, /* the process group */
	TRM_SIGNAL_TREE,  /* the process and all its descendants, even if they changed group or session */
};
int trm_proc_signal(struct trm_proc *proc, int signo, enum trm_signal_scope scope);
void trm_proc_resize(struct trm_proc *proc, uint16_t rows, uint16_t cols);
/* With manual_credit: n bytes of output are consumed; more may arrive. */
void trm_proc_consumed(struct trm_proc *proc, size_t n);
/* Kill the process and its descendants; `exited` follows with TRM_ECANCELED. */
void trm_proc_close(struct trm_proc *proc);

/* Send a signal to a process inside, identified by `pid` and `start` of its metrics row, so that the signal
 * never reaches another process that reuses the number (start 0: any process with that number). `has_tree`:
 * to its descendants too. Exactly one `fn` follows: TRM_OK; TRM_ENOENT the process has ended; TRM_EPERM it
 * is the agent. Numbers are those inside the sandbox, so processes of the machine cannot be reached. */
int trm_sandbox_signal(struct trm_sandbox *sandbox, uint32_t pid, uint64_t start, int signo, bool has_tree,
		trm_done_fn *fn, void *user, struct trm_error *reterr);

TRM_END_API

#endif
