/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_SYNC_H
#define TERRARIUM_SYNC_H

/* A sandbox with plain calls that wait: for programs that have no loop of their own. Each trm_sync has one
 * inside, and turns it while it waits. What can be done and what it is called follows the microsandbox SDK
 * (PythonSandbox, NodeSandbox); docs/migrating.md has the table. It works on every backend.
 *
 *   struct trm_sync_opts opts;
 *   trm_sync_opts_default(&opts);
 *   if (trm_sync_create(&opts, &sync, &why) == 0 && trm_sync_start(sync, &why) == 0
 *   		&& trm_sync_run(sync, "print(6 * 7)", &done, &why) == 0)
 *   	puts(done.output);
 *   trm_execution_finish(&done);
 *   trm_sync_destroy(sync);
 *
 * One thread at a time may use a trm_sync; different ones are independent of each other. Its callbacks may
 * not call functions of this header for the same one.
 *
 * Errors have the SDK's words, then the reason: "Failed to execute code: …". Everything but creating,
 * starting and stopping fails with TRM_ECLOSED and "Sandbox is not started. Call start() first." when it is
 * not; if it had been, and ended by itself, the reason follows. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/lang.h>
#include <terrarium/metrics.h>
#include <terrarium/result.h>
#include <terrarium/sandbox.h>

struct trm_error;
struct trm_policy;
struct trm_sync;

/* ---- life ---------------------------------------------------------------- */

struct trm_sync_opts {
	/* Which sandbox; trm_config_sandbox_opts() fills it from the user's settings, `.env` included. Its
	 * texts and lists are borrowed until trm_sync_destroy(). With `keep` it stays when the trm_sync is
	 * destroyed, until it is stopped. */
	struct trm_sandbox_opts sandbox;
	/* A running local sandbox of that name is joined, with the state that it has (of one that another
	 * trm_sync has started: if that may join, or keeps it), instead of TRM_EEXIST. It stays when the
	 * trm_sync is destroyed. Default false. */
	bool may_join;
	enum trm_lang_id language; /* of trm_sync_run(). Default Python */
	uint32_t timeout_ms;       /* of a run, a command or a copied file; 0: none. Default 300 000 */
	size_t output_keep_bytes;  /* of the output of a run or command. Default 64 MiB */
	/* What it refuses never runs, code or command: TRM_EPERM (terrarium/policy.h). Borrowed; NULL: none.
	 */
	struct trm_policy *policy;
	/* Output as it comes, beside that it is in the result. Raw and hostile bytes. May be NULL. */
	void (*output)(void *user, int stream, const void *bytes, size_t n);
	/* Both are means to get out of a call that waits; what is under way is then interrupted, and ends
	 * soon: code and commands get SIGINT, and are killed if they go on for two seconds; anything else
	 * fails with TRM_ECANCELED. Only stopping is not cut short.
	 * - A function that is asked several times a second, and when a signal was handled: true to
	 *   interrupt. Whoever lets a signal handler set a flag, and returns that flag here, has Ctrl-C.
	 * - A descriptor, such as an eventfd, that interrupts for as long as it can be read; it is never read
	 *   from here. -1 (the default): none. */
	bool (*is_interrupted)(void *user);
	int interrupt_fd;
	void *user;
};
/* A Python sandbox on the local backend. */
void trm_sync_opts_default(struct trm_sync_opts *opts);

/* Starts nothing yet. Copies `opts`. Errors: TRM_EINVAL a bad option. */
int trm_sync_create(const struct trm_sync_opts *opts, struct trm_sync **ret_sync, struct trm_error *reterr);
/* Ends the sandbox, unless it is kept or was joined. Blocks until it is gone. Takes NULL. */
void trm_sync_destroy(struct trm_sync *sync);

/* Blocks until the sandbox is ready. Started already: nothing happens. After trm_sync_stop() it is a
 * new one of the same name.
 * Errors: "Failed to start sandbox: …" and as trm_sandbox_open(). */
int trm_sync_start(struct trm_sync *sync, struct trm_error *reterr);
/* End it, whoever else uses it, and wait until it is gone. Not started: nothing happens. */
int trm_sync_stop(struct trm_sync *sync, struct trm_error *reterr);

/* Between a successful start and the sandbox's end, be that a stop or an accident. */
bool trm_sync_is_started(struct trm_sync *sync);
const char *trm_sync_name(const struct trm_sync *sync); /* known before the start, too */
/* For the functions of <terrarium/sandbox.h>; NULL if it is not started. Callbacks come while a call of this
 * header waits. */
struct trm_sandbox *trm_sync_sandbox(struct trm_sync *sync);

/* ---- code ---------------------------------------------------------------- */

/* What came of a run. The texts are UTF-8 and never NULL after success; they are made as the Python SDK makes
 * them: lines joined by \n, all white space at the end taken off. What was printed byte for byte is in
 * `result`. */
struct trm_execution {
	char *output;       /* stdout, then the value of the last expression */
	char *error;        /* stderr, then the traceback, then the reason of any other bad end */
	bool has_error;     /* the status is not "success", or `error` is not empty */
	const char *status; /* "success"; "error" for an exception; "timeout", "interrupted", "killed", "lost"
			     */
	const char *language; /* "python", "javascript", "bash" */
	int exit_code; /* 0; 1 an exception, or the code's own; 124 time-out; 130 interrupted; 128+n signal n
			*/
	struct trm_result *result;
};
void trm_execution_finish(struct trm_execution *execution); /* takes a zeroed one */

/* Run code in the sandbox's language; variables, imports and functions stay for the next run. The values of
 * expressions are shown as at a prompt (Python: of all statements, else of the last one). Reading from stdin
 * gives EOF. An exception is no failure of the call, nor are a time-out or an interrupt.
 * `ret` is written in any case; trm_execution_finish() is due. Errors: "Failed to execute code: …". */
int trm_sync_run(
		struct trm_sync *sync, const char *code, struct trm_execution *ret, struct trm_error *reterr);
/* The same in any language, with a time-out of its own (-1: that of the options; 0: none). */
int trm_sync_run_as(struct trm_sync *sync, enum trm_lang_id language, const char *code, int64_t timeout_ms,
		struct trm_execution *ret, struct trm_error *reterr);

/* ---- commands -------------------------------------------------------------- */

struct trm_command_execution {
	char *output, *error; /* as in struct trm_execution */
	int exit_code;        /* 128+n: ended by signal n; -1: not known, for the call failed */
	bool success;         /* it has ended with 0 */
	char *command;
	char **args;                         /* NULL-terminated, without the command */
	uint64_t stdout_bytes, stderr_bytes; /* printed in all */
	uint64_t dropped_bytes;              /* of these, not kept */
	struct trm_exit exit;
};
void trm_command_execution_finish(struct trm_command_execution *execution); /* takes a zeroed one */

/* Run a program, found in PATH, without a shell: trm_sync_command(s, "bash", (const char *[]){"-c", …,
 * NULL}, …). `args` is NULL-terminated and may be NULL. stdin is at EOF. timeout_ms as above; the program is
 * killed by it with its children. A program that fails is no failure of the call.
 * `ret` is written in any case: after TRM_ETIMEDOUT or TRM_ECANCELED it holds what had been printed.
 * Errors: "Failed to execute command: …"; TRM_ENOENT there is no such program; TRM_EPERM it may not be run.
 */
int trm_sync_command(struct trm_sync *sync, const char *command, const char *const *args, int64_t timeout_ms,
		struct trm_command_execution *ret, struct trm_error *reterr);

/* ---- metrics ---------------------------------------------------------------- */

struct trm_sync_metrics {
	char name[65];
	bool is_running;
	/* What the backend does not know is not known here either, and then 0. */
	bool has_cpu, has_memory, has_disk;
	double cpu_percent;  /* of one core, over the last 200 ms or more */
	uint64_t memory_mib; /* whole MiB */
	uint64_t disk_bytes;
	struct trm_sample sample; /* all of it */
};

/* Measure now; takes about 200 ms, for a rate is between two moments. Errors: "Failed to get sandbox
 * metrics: …". */
int trm_sync_metrics_all(struct trm_sync *sync, struct trm_sync_metrics *ret, struct trm_error *reterr);
/* One of them: 1 and the value; 0 it is not known; or a negative code. */
int trm_sync_metrics_cpu(struct trm_sync *sync, double *ret_percent, struct trm_error *reterr);
int trm_sync_metrics_memory(struct trm_sync *sync, uint64_t *ret_mib, struct trm_error *reterr);
int trm_sync_metrics_disk(struct trm_sync *sync, uint64_t *ret_bytes, struct trm_error *reterr);
/* 1 it runs; 0 it has ended by itself since it was started; or a negative code. */
int trm_sync_metrics_is_running(struct trm_sync *sync, struct trm_error *reterr);

/* ---- files ------------------------------------------------------------------ */

/* Paths that do not begin with '/' are taken from the sandbox's working directory. One that is too slow or is
 * interrupted, and has not ended five seconds later either, takes the sandbox with it. */
int trm_sync_put(struct trm_sync *sync, const char *path, uint32_t mode, const void *bytes, size_t n,
		struct trm_error *reterr);
/* At most max_bytes, else TRM_ETOOBIG. *ret_bytes is malloc'd, with a NUL behind its n bytes. */
int trm_sync_get(struct trm_sync *sync, const char *path, uint64_t max_bytes, char **ret_bytes, size_t *ret_n,
		struct trm_error *reterr);

#endif
