/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_SANDBOX_H
#define TERRARIUM_SANDBOX_H

/* A sandbox is an isolated environment with an agent inside. The agent starts processes, transfers files
 * and takes measurements. State lives in the sandbox's processes and files for as long as it is open.
 *
 * Everything here is asynchronous. Functions return at once, and callbacks report later events from inside
 * trm_loop_step(). You may make requests right after trm_sandbox_open(), before `ready`; they are sent as
 * soon as the agent answers. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/metrics.h>

struct trm_error;
struct trm_loop;
struct trm_sandbox;
struct trm_proc;
struct trm_transfer;

/* ---- limits ------------------------------------------------------------ */

enum { TRM_NET_ALLOW = 512, TRM_NET_HINT = 400 };

struct trm_limits {
	uint64_t mem_bytes;  /* of everything inside, files included (they live in memory) */
	double cpus;         /* cores, e.g. 0.5 */
	uint32_t procs;      /* processes and threads */
	uint64_t disk_bytes; /* of /workspace, /tmp and the home directory together */
	uint64_t file_bytes; /* largest single file */
	uint32_t open_files; /* per process */
	/* A user-mode network to the outside (local sandboxes: slirp4netns). It never reaches this
	 * machine's own services. Local networks (private, link-local and metadata addresses) are refused,
	 * except for the ranges in net_allow: "10.1.0.0/16, fd00::/8". A range does not open metadata
	 * services or this machine's own addresses; name each of those by itself. */
	bool net;
	char net_allow[TRM_NET_ALLOW];
};

/* 512 MiB, 1.0 core, 128 processes, 256 MiB of files, 4096 descriptors, no network. */
void trm_limits_default(struct trm_limits *limits);

/* Describe the network in a few words, for questions and lists: "no network"; "network ON"; "network ON,
 * also to 10.1.0.0/16". Returns `out`. */
const char *trm_limits_tell_net(const struct trm_limits *limits, char *out, size_t cap);

/* True if the sandbox has a network and this machine's proxy or package index would be passed to it
 * although it cannot reach them. `out` is then a sentence with the remedy. Only addresses can be checked in
 * advance, not names. */
bool trm_net_hint(const struct trm_limits *limits, char *out, size_t cap);

/* Check the limits. TRM_EINVAL with a sentence that names the invalid limit. */
int trm_limits_check(const struct trm_limits *limits, struct trm_error *reterr);

/* How strongly one limit is enforced in a sandbox, or on this machine. */
enum trm_strength { TRM_ENFORCED, TRM_WEAK, TRM_NOT_ENFORCED };

struct trm_guard {
	char what[24]; /* "memory", "cpu", "processes", "disk", "network", "system calls", … */
	char how[144]; /* "cgroup v1 memory.limit_in_bytes", "sampled every 100 ms", … */
	enum trm_strength strength;
};

/* Describe the network of a sandbox with these guards: "on", "off", "off (weakly)", "not cut off"; "n/a" if
 * there are no guards. Returns `out`. */
const char *trm_guards_tell_net(const struct trm_guard *guards, size_t n, const struct trm_limits *limits);

/* ---- a server ------------------------------------------------------------ */

enum {
	TRM_SERVER_LIST_MAX = 32,   /* maximum number of volumes, of ports and of scripts */
	TRM_SERVER_URL_BYTES = 512, /* including the NUL, like the next two */
	TRM_API_KEY_BYTES = 4096,
	TRM_SERVER_SPACE_BYTES = 64,
};

struct trm_script {
	const char *name, *text;
};

/* What to do if a sandbox of that name already runs at the server. */
enum trm_server_join {
	TRM_SERVER_START,         /* take it over: it stops when we close it, as with any of its clients */
	TRM_SERVER_JOIN_OR_START, /* use it and leave it running; if there is none, start one as above */
	/* use it and leave it running; if there is none, `closed` reports TRM_ENOENT */
	TRM_SERVER_JOIN,
};

/* For the backend "microsandbox", whose sandboxes live on a server. Other backends ignore it. A zeroed
 * struct is valid. */
struct trm_server_opts {
	enum trm_server_join join;
	const char *url; /* NULL: the environment's MSB_SERVER_URL, else "http://127.0.0.1:5555" */
	/* NULL: the environment's MSB_API_KEY, else no key is sent; "": no key is sent */
	const char *api_key;
	const char *space; /* namespace; NULL: "default" */
	/* PEM; NULL: CURL_CA_BUNDLE, SSL_CERT_FILE, else the system's certificate authorities */
	const char *ca_file;
	const char *image; /* NULL: microsandbox/python, and for JavaScript microsandbox/node */
	const char *shell; /* NULL: the image's own */
	/* "HOST:GUEST": a path on the server's machine, and the path inside */
	const char *volumes[TRM_SERVER_LIST_MAX];
	size_t n_volumes;
	const char *ports[TRM_SERVER_LIST_MAX]; /* "HOST:GUEST", or "PORT" for both */
	size_t n_ports;
	struct trm_script scripts[TRM_SERVER_LIST_MAX]; /* files in /.sandbox/scripts */
	size_t n_scripts;
};

/* The options that a command line needs before the name of a sandbox at this server, followed by a space:
 * "--backend microsandbox ", and --namespace and --server-url if they are not the defaults. Returns `out`. */
enum { TRM_SERVER_WORDS = 640 };
const char *trm_server_words(const struct trm_server_opts *server, char *out, size_t cap);

/* ---- a container ------------------------------------------------------------ */

struct trm_recipe;

enum {
	TRM_ENGINE_ARGS_MAX = 32,     /* options for an engine per sandbox */
	TRM_ENGINE_ARGS_BYTES = 4096, /* all of them, including their NULs */
};

/* For backends that are recipes (terrarium/recipe.h: "docker", "podman", "msb" and your own). Other
 * backends ignore it. A zeroed struct is valid. An option that the recipe does not support is TRM_ENOTSUP. */
struct trm_container_opts {
	/* NULL: the recipe named opts->backend, from the config file `config` (NULL: the usual one) or
	 * built in. The sandbox shares ownership of the recipe. */
	const struct trm_recipe *recipe;
	const char *config;
	/* NULL: a small official image for `language` (NULL: "python"); pulled if it is missing */
	const char *image;
	const char *language;
	const char *dockerfile; /* a file, or a folder that contains a Dockerfile, to build the image from */
	/* name or id of an existing container: started if it is stopped, never stopped or removed */
	const char *container;
	/* NAME[:GROUP] or UID[:GID]. NULL: the image's user, or 1000 if that is root */
	const char *user;
	const char *commit_tag; /* save the container as this image at the end */
	bool commit_overwrites; /* even if it was made from that image */
	/* do not remove the image at the end if it was pulled or built for the sandbox */
	bool keep_image;
	bool read_only; /* make its root read-only; the working directory, /tmp and the home stay writable */
	/* Further options for the engine's command that creates the container, one word each:
	 * "--shm-size=1g". Options that Terrarium sets itself are TRM_EINVAL. */
	const char *engine_args[TRM_ENGINE_ARGS_MAX];
	size_t n_engine_args;
	/* OCI runtime of the engine: "runsc", "kata". NULL: its default. TRM_ENOTSUP if it has none of that
	 * name. */
	const char *runtime;
};

/* ---- what it sees of the host ---------------------------------------------- */

enum {
	TRM_MOUNTS_MAX = 16,     /* mounts per sandbox */
	TRM_MOUNTS_BYTES = 8192, /* all of them as text, including their NULs */
	TRM_HOST_PATH = 1024,    /* longest path on the host, including the NUL */
	TRM_INSIDE_PATH = 256,   /* longest mount point or working directory, including the NUL */
	TRM_ENV_MAX = 128,       /* variables per sandbox */
	TRM_ENV_BYTES = 8192,    /* all of them, including their NULs */
	TRM_GROUP_BYTES = 96,    /* longest group, including the NUL */
};

/* A file or directory of the host that is visible inside. `host` is resolved when the sandbox is opened;
 * later changes of the path have no effect. Submounts are included. Setuid programs and devices never take
 * effect. Inside, files of the owner of `host` belong to the sandbox's user. */
struct trm_mount {
	const char *host; /* absolute, or relative to the current directory; "~/" is the home directory */
	/* absolute; not "/", and not a place where the sandbox has its own programs or devices */
	const char *guest;
	bool is_writable; /* if false, nothing can write there, submounts included */
};

/* Parse "HOST:GUEST", "HOST:GUEST:ro" (the same) or "HOST:GUEST:rw". The last colon that is followed by a
 * slash ends HOST. The function cuts `text` into pieces, from which `ret` borrows. TRM_EINVAL with a
 * sentence. */
int trm_mount_parse(char *text, struct trm_mount *ret, struct trm_error *reterr);
/* Print a mount in that form: "HOST:GUEST:ro". Returns the length, like snprintf(). */
size_t trm_mount_print(const struct trm_mount *mount, char *out, size_t cap);
/* Describe a mount for questions and lists, as clean text: "./data → /data read-only". Returns `out`. */
const char *trm_mount_tell(const struct trm_mount *mount, char *out, size_t cap);
/* True if the mount gives the code more than expected, such as keys, or programs that you start. `out` is
 * then a sentence about it. */
bool trm_mount_hint(const struct trm_mount *mount, char *out, size_t cap);

/* ---- isolation --------------------------------------------------------------- */

/* How a local sandbox is isolated from this machine. */
enum trm_isolation {
	TRM_ISOLATION_AUTO,       /* namespaces, else Landlock; TRM_ENOISOLATION if neither works */
	TRM_ISOLATION_NAMESPACES, /* bubblewrap: namespaces, seccomp */
	/* Landlock and seccomp without namespaces, for containers that do not permit them */
	TRM_ISOLATION_LANDLOCK,
	TRM_ISOLATION_NONE, /* code runs with all rights of the caller; never chosen automatically */
};

/* "auto", "namespaces", "landlock", "none". */
const char *trm_isolation_name(enum trm_isolation level);
bool trm_isolation_find(const char *name, enum trm_isolation *ret);
/* Find the strongest level that works on this machine now. `ret_why` (may be NULL) says why no stronger one
 * works; its code is TRM_OK if this is the strongest. Starts a short-lived process and blocks for about a
 * millisecond. */
enum trm_isolation trm_isolation_best(struct trm_error *ret_why);

/* ---- life ---------------------------------------------------------------- */

struct trm_sandbox_opts {
	const char *backend;          /* "local", "microsandbox", "fake", or a recipe's name; NULL: local */
	const char *name;             /* NULL: "sandbox-" and 8 hex digits; see trm_sandbox_name_check() */
	struct trm_limits limits;     /* start from trm_limits_default() */
	uint32_t start_timeout_ms;    /* 0: 180 000 */
	uint32_t metrics_interval_ms; /* 0: no metrics; else 200 to 60 000 */
	bool metrics_with_processes;
	/* with a network: also pass on passwords and tokens in the settings of proxies and indexes */
	bool net_credentials;
	/* Keep the sandbox: it survives trm_sandbox_close() and the end of this process, however that
	 * happens, with all its state. trm_sandbox_attach() (terrarium/registry.h) reconnects to it. The
	 * next two fields apply while it is kept. */
	bool keep;
	/* it ends after this long without a client and without anything running; 0: never */
	uint32_t idle_timeout_ms;
	uint32_t max_lifetime_ms; /* it ends this long after its start, even with clients; 0: never */
	/* cb->progress also gets each command that is run for the sandbox, as a line that begins with "$ ":
	 * "$ create: docker run …". Values of variables are not in it. */
	bool is_verbose;
	/* A local sandbox without a network is not to see the cache of packages (terrarium/install.h):
	 * mountinfo tells where that lies, and the cache what has been installed. Packages can then not be
	 * installed. */
	bool hides_packages;
	bool limits_lifetime; /* max_lifetime_ms applies even if it is not kept; the default is false */
	/* borrowed until trm_sandbox_open() returns, including its strings */
	struct trm_server_opts server;
	struct trm_container_opts container; /* likewise */
	/* Only for trm_sandbox_attach(): we only observe. An observer is not counted as a client and does
	 * not keep the sandbox from being idle. */
	bool is_onlooker;
	/* The parts of the host that are visible inside; none by default. Borrowed until trm_sandbox_open()
	 * returns, including the strings. TRM_ENOTSUP if the backend has no mounts. */
	struct trm_mount mounts[TRM_MOUNTS_MAX];
	size_t n_mounts;
	/* "NAME=value", for everything that runs inside; overrides the sandbox's own variables */
	const char *env[TRM_ENV_MAX];
	size_t n_env;
	/* The directory for processes whose options name none, and for paths that do not begin with '/'. It
	 * is created, writable, if it is missing, unless it is below a mount. NULL: /workspace. */
	const char *workdir;
	/* Its manager, for lists of sandboxes: "serve:5555/default". One line of text without control
	 * characters. NULL: none. */
	const char *group;
	/* For the backend "local". Other backends have their own isolation and accept only
	 * TRM_ISOLATION_AUTO. */
	enum trm_isolation isolation;
};

/* The image for a language (NULL: python) if container.image is NULL. */
const char *trm_container_image(const char *language);

/* Prefix of the names of images that are built from container.dockerfile. */
#define TRM_BUILT_IMAGE "terrarium-build:"

/* Describe in whole sentences what is done to the existing container that opts->container names, so that a
 * person can agree to it. `user` is as in the options. Returns `out`, which must hold TRM_CONTAINER_WORDS
 * bytes. */
enum { TRM_CONTAINER_WORDS = 1280 };
const char *trm_container_tell(const char *backend, const char *container, const char *user, char *out);

/* Check the options as trm_sandbox_open() does: mounts (all together), env, workdir and group. TRM_EINVAL
 * or TRM_ETOOBIG with a sentence. Opening the sandbox checks whether `host` exists. */
int trm_sandbox_opts_check(const struct trm_sandbox_opts *opts, struct trm_error *reterr);

/* Check a name: [A-Za-z0-9][A-Za-z0-9._-]{0,63}, because it is also a directory. TRM_EINVAL with a
 * sentence. */
int trm_sandbox_name_check(const char *name, struct trm_error *reterr);

/* Defaults: not kept; if kept, 8 hours idle and 7 days in all. */
void trm_sandbox_opts_default(struct trm_sandbox_opts *opts);

struct trm_sandbox_cb {
	/* A slow step is in progress, before `ready` ("pulling the image x: …") or before `closed`. One
	 * line of clean text, borrowed. */
	void (*progress)(void *user, struct trm_sandbox *sandbox, const char *words);
	/* A problem at the end of the sandbox that has no other consequence, such as an image that could
	 * not be saved. A sentence, borrowed. */
	void (*warning)(void *user, struct trm_sandbox *sandbox, const char *words);
	/* The agent has answered; the sandbox can be used. */
	void (*ready)(void *user, struct trm_sandbox *sandbox);
	void (*metrics)(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics);
	/* The number of connected programs has changed to `n`, this one included. */
	void (*clients)(void *user, struct trm_sandbox *sandbox, unsigned n);
	/* The last callback, exactly once, whether or not `ready` came before. The sandbox is gone from the
	 * machine (processes, mounts, cgroups, files), unless it was left running, and the handle becomes
	 * invalid when this returns. why->code is TRM_OK after trm_sandbox_close() or trm_sandbox_stop().
	 * Otherwise it is the reason, the same for all clients: who stopped the sandbox, the idle timeout,
	 * its lifetime, memory, or the end of the agent or the supervisor. */
	void (*closed)(void *user, struct trm_sandbox *sandbox, const struct trm_error *why);
};

/* Start a sandbox.
 * Owns:   copies `opts`; borrows `loop` and `cb` until cb->closed.
 * Later:  perhaps cb->ready, then exactly one cb->closed; never before this returns.
 * Errors: TRM_EINVAL a bad option; TRM_ENOTSUP the backend has no such option, or cannot keep sandboxes;
 *         TRM_EEXIST a sandbox of that name is running. Here or in cb->closed, as soon as it is known:
 *         TRM_EMISSING the backend's program is not installed, or its daemon does not run;
 *         TRM_ENOISOLATION a local sandbox cannot be isolated on this machine;
 *         TRM_ENOIMAGE there is no such image; TRM_EPULL it cannot be fetched;
 *         TRM_ENOENT there is no such container, or no such sandbox at the server;
 *         TRM_ECLOSED the container has stopped or was removed; TRM_EBUSY it is paused;
 *         TRM_ETIMEDOUT a step took too long; TRM_EPERM the user or the key may not do that;
 *         TRM_EIO anything else, as a server that cannot be reached. The message says why, and what to do.
 * End:    trm_sandbox_close(), then wait for cb->closed. */
int trm_sandbox_open(struct trm_loop *loop, const struct trm_sandbox_opts *opts,
		const struct trm_sandbox_cb *cb, void *user, struct trm_sandbox **ret_sandbox,
		struct trm_error *reterr);

/* Close the handle. Everything pending first ends with TRM_ECANCELED. A kept sandbox, and one that we
 * attached to, is left running; any other sandbox ends. May be called twice. */
void trm_sandbox_close(struct trm_sandbox *sandbox);
/* Stop the sandbox itself, even if other clients are attached. Otherwise like trm_sandbox_close(), and may
 * also be called after it. */
void trm_sandbox_stop(struct trm_sandbox *sandbox);

/* Keep the sandbox from now on; or, with `is_kept` false, end it when we close the handle. May be called at
 * any time after opening, also for a sandbox that we attached to. TRM_ENOTSUP: its backend cannot keep
 * sandboxes; TRM_ECLOSED: it has ended. */
int trm_sandbox_keep(struct trm_sandbox *sandbox, bool is_kept, struct trm_error *reterr);
/* True if it outlives us: because it was opened as kept, was kept when we attached, or we called
 * trm_sandbox_keep(). */
bool trm_sandbox_is_kept(const struct trm_sandbox *sandbox);
/* True if it existed before and we attached to it. */
bool trm_sandbox_is_attached(const struct trm_sandbox *sandbox);
/* True if it already ran at its server (enum trm_server_join), so that closing leaves it there. Known once
 * `ready` was called. */
bool trm_sandbox_is_joined(const struct trm_sandbox *sandbox);
/* True if closing leaves it running, for one of these reasons, and no client has changed that since. */
bool trm_sandbox_stays(const struct trm_sandbox *sandbox);

const char *trm_sandbox_name(const struct trm_sandbox *sandbox);
const char *trm_sandbox_backend(const struct trm_sandbox *sandbox); /* for a recipe: its name */
/* The image or existing container that it was made from; "" if there is none. Borrowed. */
const char *trm_sandbox_origin(const struct trm_sandbox *sandbox);
/* True if it is an existing container. It keeps its own limits, mounts and network, and is left alone at
 * our end. */
bool trm_sandbox_is_adopted(const struct trm_sandbox *sandbox);
/* The isolation level, once it is ready. TRM_ISOLATION_AUTO before that, and for backends other than
 * "local". */
enum trm_isolation trm_sandbox_isolation(const struct trm_sandbox *sandbox);
const char *trm_sandbox_workdir(const struct trm_sandbox *sandbox); /* "/workspace", or that of the options */
const char *trm_sandbox_group(const struct trm_sandbox *sandbox);   /* "" if it has no manager */
const struct trm_limits *trm_sandbox_limits(const struct trm_sandbox *sandbox);
/* The parts of the host that are visible inside; borrowed, constant. Returns their number. */
size_t trm_sandbox_mounts(const struct trm_sandbox *sandbox, const struct trm_mount **ret_mounts);
bool trm_sandbox_is_ready(const struct trm_sandbox *sandbox);
/* How each limit is enforced in this sandbox. Borrowed; constant once `ready` was called. Returns the
 * number of guards. */
size_t trm_sandbox_guards(const struct trm_sandbox *sandbox, const struct trm_guard **ret_guards);

/* Change the metrics interval (0: stop; else 200 to 60 000 ms). */
int trm_sandbox_set_metrics(struct trm_sandbox *sandbox, uint32_t interval_ms, bool with_processes,
		struct trm_error *reterr);

/* ---- processes ------------------------------------------------------------ */

enum { TRM_STDOUT = 0, TRM_STDERR = 1, TRM_CONTROL = 255 };

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
/* The reason why we ended it, as text; "" if we did not. */
void trm_exit_reason(const struct trm_exit *exit, char *out, size_t cap);

struct trm_proc_cb {
	void (*started)(void *user, struct trm_proc *proc, uint32_t pid);
	/* `channel` is TRM_STDOUT or TRM_STDERR; with n spare_channels also 2k and 2k+1 for k in 1..n;
	 * TRM_CONTROL for the control pipe. With a terminal everything is TRM_STDOUT. The bytes are raw and
	 * hostile. */
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

/* Start a process. Copies `opts`, including the script; borrows `cb`.
 * Later:  cb->started unless it cannot start; exactly one cb->exited; never before this returns.
 * Errors: TRM_EINVAL; TRM_ECLOSED; TRM_EBUSY too many processes; TRM_ETOOBIG more than 4096 arguments or
 *         variables, or more than 256 KiB of them and the script. */
int trm_proc_spawn(struct trm_sandbox *sandbox, const struct trm_proc_opts *opts,
		const struct trm_proc_cb *cb, void *user, struct trm_proc **ret_proc,
		struct trm_error *reterr);

/* Queue input for the process; the bytes are copied. `channel` is 0 (the counterpart of TRM_STDOUT) for
 * stdin, or TRM_CONTROL. Input that the process has not taken yet is queued, up to 64 MiB. Beyond that the
 * call returns TRM_ETOOBIG and queues nothing. */
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
typedef void trm_done_fn(void *user, const struct trm_error *why);
int trm_sandbox_signal(struct trm_sandbox *sandbox, uint32_t pid, uint64_t start, int signo, bool has_tree,
		trm_done_fn *fn, void *user, struct trm_error *reterr);

/* Stop a sandbox on a server without opening it: opts->name, with opts->server and backend. It is no error
 * if the sandbox has already stopped. Exactly one `fn` follows, if this returns 0. TRM_ENOTSUP: the backend
 * has no server. */
int trm_sandbox_end(struct trm_loop *loop, const struct trm_sandbox_opts *opts, trm_done_fn *fn, void *user,
		struct trm_error *reterr);

/* List the sandboxes of opts->server.space at a server ("*": of all namespaces, if the key is for all).
 * Exactly one `fn` follows, if this returns 0. It gets the rows (borrowed; clean text, but otherwise
 * hostile), or why->code. TRM_ENOTSUP: the backend has no server. */
struct trm_server_entry {
	char space[TRM_SERVER_SPACE_BYTES], name[TRM_SERVER_SPACE_BYTES];
	bool is_running;
	struct trm_sample sample;
};
typedef void trm_server_list_fn(
		void *user, const struct trm_server_entry *entries, size_t n, const struct trm_error *why);
int trm_server_list(struct trm_loop *loop, const struct trm_sandbox_opts *opts, trm_server_list_fn *fn,
		void *user, struct trm_error *reterr);

/* ---- files ---------------------------------------------------------------- */

struct trm_transfer_cb {
	void (*data)(void *user, const void *bytes, size_t n); /* trm_file_get only */
	/* Exactly once. why->code is TRM_OK, or the reason. `size` and `mode` are those of the file. */
	void (*done)(void *user, const struct trm_error *why, uint64_t size, uint32_t mode);
};

/* Write a file inside the sandbox. The file appears complete or not at all (a new file replaces the old
 * one). `bytes` are copied. Paths are as in terrarium/files.h. */
int trm_file_put(struct trm_sandbox *sandbox, const char *path, uint32_t mode, const void *bytes, size_t n,
		const struct trm_transfer_cb *cb, void *user, struct trm_error *reterr);
/* Read a regular file of at most max_bytes (TRM_ETOOBIG if it is larger). */
int trm_file_get(struct trm_sandbox *sandbox, const char *path, uint64_t max_bytes,
		const struct trm_transfer_cb *cb, void *user, struct trm_error *reterr);

#endif
