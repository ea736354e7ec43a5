/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_SYNC_H
#define TERRARIUM_SYNC_H

/* A sandbox with blocking calls, for programs without a loop. "Run this, give me the result" is
 *
 *   struct trm_execution done;
 *   if (trm_run_once("python", "print(6 * 7)", &done, &why) == 0)
 *   	puts(done.output);
 *   trm_execution_finish(&done);
 *
 * A sandbox that stays for several calls is a trm_sync. It has its own loop, which it runs while it waits.
 * The functions and their names follow the microsandbox SDK (PythonSandbox, NodeSandbox); docs/migrating.md
 * has the table. It works on every backend.
 *
 *   struct trm_sync_opts opts;
 *   trm_sync_opts_default(&opts);
 *   if (trm_sync_create(&opts, &sync, &why) == 0 && trm_sync_start(sync, &why) == 0
 *   		&& trm_sync_run(sync, "print(6 * 7)", &done, &why) == 0)
 *   	puts(done.output);
 *   trm_execution_finish(&done);
 *   trm_sync_destroy(sync);
 *
 * Only one thread at a time may use a trm_sync; different ones are independent of each other. Its callbacks
 * may not call functions of this header for the same trm_sync.
 *
 * Errors begin with the SDK's text, followed by the reason: "Failed to execute code: …". If the sandbox is
 * not started, every function except create, start and stop fails with TRM_ECLOSED and "Sandbox is not
 * started. Call start() first."; if it was started and ended by itself, the reason follows. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/lang.h>
#include <terrarium/metrics.h>
#include <terrarium/result.h>
#include <terrarium/sandbox.h>

TRM_BEGIN_API

struct trm_error;
struct trm_policy;
struct trm_run_opts;
struct trm_sync;

/* ---- life ---------------------------------------------------------------- */

struct trm_sync_opts {
	size_t size; /* sizeof(struct trm_sync_opts), as TRM_SYNC_OPTS_INIT sets it */
	/* If a local sandbox of that name already runs, use it with its state instead of failing with
	 * TRM_EEXIST, and leave it running after trm_sync_destroy(). If another trm_sync started it, that
	 * one must set may_join or keep as well. Default false. */
	bool may_join;
	const struct trm_lang *language; /* for trm_sync_run(); NULL: Python */
	uint32_t timeout_ms;             /* of a run, a command or a copied file; 0: none. Default 300 000 */
	size_t output_keep_bytes;        /* of the output of a run or command. Default 64 MiB */
	/* Code and commands that it refuses never run: TRM_EPERM (terrarium/policy.h). Borrowed; NULL:
	 * none. */
	struct trm_policy *policy;
	/* Output as it arrives; the result contains it as well. Raw and hostile bytes. May be NULL. */
	void (*output)(void *user, int stream, const void *bytes, size_t n);
	/* Two ways to interrupt a call that waits. The current operation is then interrupted and ends soon:
	 * code and commands get SIGINT, and are killed if they continue for two seconds; all other
	 * operations fail with TRM_ECANCELED. Only stopping cannot be interrupted.
	 *  - A function that is called several times a second, and after each signal: return true to
	 * interrupt. For Ctrl-C, let a signal handler set a flag and return that flag here.
	 *  - A descriptor, such as an eventfd, that interrupts while it is readable. It is never read from.
	 * -1 (the default): none. */
	bool (*is_interrupted)(void *user);
	int interrupt_fd;
	void *user;
	/* The sandbox. trm_config_sandbox_opts() fills this in from the user's settings, including `.env`.
	 * Its strings and lists are borrowed until trm_sync_destroy(). With `keep` the sandbox stays after
	 * trm_sync_destroy(), until it is stopped. */
	struct trm_sandbox_opts sandbox;
};
/* Defaults: a Python sandbox on the local backend. */
#define TRM_SYNC_OPTS_INIT \
	{ \
		.size = sizeof(struct trm_sync_opts), .timeout_ms = 300000, .output_keep_bytes = 64u << 20, \
		.interrupt_fd = -1, .sandbox = TRM_SANDBOX_OPTS_INIT \
	}
void trm_sync_opts_init(struct trm_sync_opts *opts, size_t size);
#define trm_sync_opts_default(opts) trm_sync_opts_init(opts, sizeof *(opts))

/* Create a trm_sync; nothing is started yet. Copies `opts`. Errors: TRM_EINVAL a bad option. */
int trm_sync_create(const struct trm_sync_opts *opts, struct trm_sync **ret_sync, struct trm_error *reterr);
/* End the sandbox, unless it is kept or was running before, and block until it is gone. Takes NULL. */
void trm_sync_destroy(struct trm_sync *sync);

/* Start the sandbox and block until it is ready. If it is already started, nothing happens. After
 * trm_sync_stop() this starts a new sandbox of the same name.
 * Errors: "Failed to start sandbox: …" and as trm_sandbox_open(). */
int trm_sync_start(struct trm_sync *sync, struct trm_error *reterr);
/* Stop the sandbox, even if other clients use it, and wait until it is gone. If it is not started, nothing
 * happens. TRM_ETIMEDOUT: a server did not say in time that it has stopped, and it may still run there. */
int trm_sync_stop(struct trm_sync *sync, struct trm_error *reterr);

/* True after a successful start, until the sandbox is stopped or ends by itself. */
bool trm_sync_is_started(struct trm_sync *sync);
const char *trm_sync_name(const struct trm_sync *sync); /* known even before the start */
/* The handle for the functions of <terrarium/sandbox.h>; NULL if it is not started. Its callbacks arrive
 * while a call of this header waits. */
struct trm_sandbox *trm_sync_sandbox(struct trm_sync *sync);

/* ---- code ---------------------------------------------------------------- */

/* The outcome of a run. The strings are UTF-8 and never NULL after success. They are formatted as in the
 * Python SDK: lines joined by \n, without white space at the end. `result` holds the exact bytes. */
struct trm_execution {
	char *output;   /* stdout, then the value of the last expression */
	char *error;    /* stderr, then the traceback, then the reason of any other failure */
	bool has_error; /* the status is not "success", or `error` is not empty */
	/* "success"; "error" for an exception; "timeout", "interrupted", "killed", "lost" */
	const char *status;
	const char *language; /* "python", "javascript", "bash" */
	/* 0; 1 an exception, or the code's own; 124 timeout; 130 interrupted; 128+n signal n */
	int exit_code;
	struct trm_result *result;
};
void trm_execution_finish(struct trm_execution *execution); /* takes a zeroed one */

/* Run code in a new local sandbox that ends with it. `language` as in trm_lang_find(); NULL: Python. An
 * exception or a timeout (300 s) is not a failure of the call.
 * `ret` is always written; call trm_execution_finish(). Errors: as trm_lang_find(), trm_sync_start() and
 * trm_sync_run(). */
int trm_run_once(const char *language, const char *code, struct trm_execution *ret, struct trm_error *reterr);

/* Run code in the sandbox's language. Variables, imports and functions stay for the next run. The values of
 * expressions are shown as at a prompt (Python: of all statements; otherwise of the last one). Reading from
 * stdin gives EOF. An exception, a timeout or an interrupt is not a failure of the call.
 * `ret` is always written; call trm_execution_finish(). Errors: "Failed to execute code: …". */
int trm_sync_run(
		struct trm_sync *sync, const char *code, struct trm_execution *ret, struct trm_error *reterr);
/* Run code in any language, with its own timeout (-1: that of the options; 0: none). */
int trm_sync_run_as(struct trm_sync *sync, const struct trm_lang *language, const char *code,
		int64_t timeout_ms, struct trm_execution *ret, struct trm_error *reterr);
/* Run code with any of the options of a run (terrarium/session.h): libraries, arguments, a program … `lang`
 * NULL is the sandbox's language, and code_len 0 the length of `code`. Callbacks of the options do not exist
 * here, so offers_stdin and manual_credit are ignored. Set everything else with trm_run_opts_default().
 *
 *   trm_run_opts_default(&run);
 *   run.code = "import numpy; numpy.arange(3)";
 *   run.libraries = (const char *const[]){"numpy", NULL};
 *   trm_sync_run_with(sync, &run, &done, &why); */
int trm_sync_run_with(struct trm_sync *sync, const struct trm_run_opts *opts, struct trm_execution *ret,
		struct trm_error *reterr);

/* Install packages for the sandbox's language, NULL-terminated: those of trm_package_check(). The next run
 * finds them. As with is_shared of trm_install_opts: a local sandbox needs no network for pip's and npm's,
 * and what it has costs nothing. There is no time limit; interrupts work. Errors: "Failed to install
 * packages: …", with the last line of the package manager; TRM_EINVAL a name; TRM_ENOTSUP the language has
 * none, or the sandbox no network and needs one; TRM_EPERM the policy. */
int trm_sync_install(struct trm_sync *sync, const char *const *packages, struct trm_error *reterr);

/* ---- commands -------------------------------------------------------------- */

struct trm_command_execution {
	char *output, *error; /* as in struct trm_execution */
	int exit_code;        /* 128+n: ended by signal n; -1: unknown, because the call failed */
	bool success;         /* it ended with exit code 0 */
	char *command;
	char **args;                         /* NULL-terminated, without the command */
	uint64_t stdout_bytes, stderr_bytes; /* total bytes printed */
	uint64_t dropped_bytes;              /* of these, how many are not kept */
	struct trm_exit exit;
};
void trm_command_execution_finish(struct trm_command_execution *execution); /* takes a zeroed one */

/* Run a program, found in PATH, without a shell: trm_sync_command(s, "bash", (const char *[]){"-c", …,
 * NULL}, …). `args` is NULL-terminated and may be NULL. stdin is at EOF. timeout_ms is as above; a timeout
 * kills the program with its children. A program that fails is not a failure of the call.
 * `ret` is always written: after TRM_ETIMEDOUT or TRM_ECANCELED it holds the output so far.
 * Errors: "Failed to execute command: …"; TRM_ENOENT the program does not exist; TRM_EPERM it may not be
 * executed. */
int trm_sync_command(struct trm_sync *sync, const char *command, const char *const *args, int64_t timeout_ms,
		struct trm_command_execution *ret, struct trm_error *reterr);

/* Run several programs, one after the other: the NULL-terminated command lines of `commands` (each
 * NULL-terminated, the program first). With stops_at_failure the first one that fails, or cannot be started,
 * is the last. timeout_ms is of each. `ret` has room for as many as there are; *ret_n of them were run and
 * are to be given to trm_command_execution_finish(). Returns as trm_sync_command() the first failure of a
 * call, when nothing has run since it with stops_at_failure; a program that fails is none. */
int trm_sync_commands(struct trm_sync *sync, const char *const *const *commands, bool stops_at_failure,
		int64_t timeout_ms, struct trm_command_execution *ret, size_t *ret_n,
		struct trm_error *reterr);

/* ---- metrics ---------------------------------------------------------------- */

struct trm_sync_metrics {
	char name[65];
	bool is_running;
	/* False if the backend does not know the value, which is then 0. */
	bool has_cpu, has_memory, has_disk;
	double cpu_percent;  /* of one core, over the last 200 ms or more */
	uint64_t memory_mib; /* whole MiB */
	uint64_t disk_bytes;
	struct trm_sample sample; /* the complete sample */
};

/* Measure now. This takes about 200 ms, because a rate needs two measurements. Errors: "Failed to get
 * sandbox metrics: …". */
int trm_sync_metrics_all(struct trm_sync *sync, struct trm_sync_metrics *ret, struct trm_error *reterr);
/* Get one value. Returns 1 and the value; 0 if it is unknown; or a negative code. */
int trm_sync_metrics_cpu(struct trm_sync *sync, double *ret_percent, struct trm_error *reterr);
int trm_sync_metrics_memory(struct trm_sync *sync, uint64_t *ret_mib, struct trm_error *reterr);
int trm_sync_metrics_disk(struct trm_sync *sync, uint64_t *ret_bytes, struct trm_error *reterr);
/* Returns 1 if the sandbox runs; 0 if it has ended by itself since its start; or a negative code. */
int trm_sync_metrics_is_running(struct trm_sync *sync, struct trm_error *reterr);

/* ---- files ------------------------------------------------------------------ */

/* Write a file. Paths that do not begin with '/' start at the sandbox's working directory. If a transfer is
 * too slow or is interrupted, and has not ended five seconds later, the sandbox ends with it. */
int trm_sync_put(struct trm_sync *sync, const char *path, uint32_t mode, const void *bytes, size_t n,
		struct trm_error *reterr);
/* Read a file of at most max_bytes, else TRM_ETOOBIG. *ret_bytes is malloc'd, with a NUL after its n bytes.
 */
int trm_sync_get(struct trm_sync *sync, const char *path, uint64_t max_bytes, char **ret_bytes, size_t *ret_n,
		struct trm_error *reterr);

/* Copy a file or directory of this machine into the sandbox, as `cp -r` does ("DIR/." is what is in DIR),
 * with the directories above it; "." is the working directory. Paths inside contain no "..". Errors: "Failed
 * to copy files: …"; also for the first item that was not copied, when all others were: a link that leads
 * out, a device.
 *
 *   trm_sync_put_tree(sync, "project/.", ".", &why); */
int trm_sync_put_tree(struct trm_sync *sync, const char *here, const char *path, struct trm_error *reterr);

/* A tar stream in memory, and what is in it. All names are relative and below one name; links stay inside. */
enum trm_archive_kind { TRM_ARCHIVE_FILE, TRM_ARCHIVE_DIR, TRM_ARCHIVE_LINK };
struct trm_archive_entry {
	char *name; /* raw bytes; of a directory with a slash at the end */
	enum trm_archive_kind kind;
	uint64_t size; /* bytes of a file */
	uint32_t mode; /* permission bits */
};
struct trm_archive {
	char *bytes;
	size_t n;
	struct trm_archive_entry *entries;
	size_t n_entries;
};
void trm_archive_finish(struct trm_archive *archive); /* takes a zeroed one */
/* Read a file or directory of the sandbox with all that is in it. TRM_ETOOBIG: more than max_bytes. `ret` is
 * always written. Errors: "Failed to read files: …", also for the first item that is left out. */
int trm_sync_archive(struct trm_sync *sync, const char *path, uint64_t max_bytes, struct trm_archive *ret,
		struct trm_error *reterr);

TRM_END_API

#endif
