/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_SANDBOX_H
#define TERRARIUM_SANDBOX_H

/* A sandbox: an isolated environment with an agent inside, which starts
 * processes, moves files and measures. State lives in its processes and files
 * for as long as it is open.
 *
 * Everything here is asynchronous: functions return at once, what happens
 * later arrives in callbacks, from inside trm_loop_step(). Requests may be
 * made at once after trm_sandbox_open(), before `ready`; they are sent as soon
 * as there is somebody to take them. */

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
	uint64_t mem_bytes;  /* memory of everything inside, files included (they live in memory) */
	double cpus;         /* cores, e.g. 0.5 */
	uint32_t procs;      /* processes and threads */
	uint64_t disk_bytes; /* /workspace, /tmp and the home directory together */
	uint64_t file_bytes; /* largest single file */
	uint32_t open_files; /* per process */
	/* A network to the outside, of user-mode (local sandboxes: slirp4netns). It never leads to this
	 * machine's own services; local networks (private, link-local, metadata addresses) are refused but
	 * for those that are opened here: "10.1.0.0/16, fd00::/8". What is opened wide does not open metadata
	 * services and this machine's own addresses: those want to be named. */
	bool net;
	char net_allow[TRM_NET_ALLOW];
};

/* 512 MiB, 1.0 core, 128 processes, 256 MiB of files, 4096 descriptors, no network. */
void trm_limits_default(struct trm_limits *limits);

/* The network in a few words, for questions and lists: "no network"; "network ON"; "network ON, also
 * to 10.1.0.0/16". Returns `out`. */
const char *trm_limits_tell_net(const struct trm_limits *limits, char *out, size_t cap);

/* With a network: is a proxy or package index configured on this machine that the sandbox would be told of,
 * and cannot reach? Then a sentence with what to do. (Only addresses can be judged beforehand, not names.) */
bool trm_net_hint(const struct trm_limits *limits, char *out, size_t cap);

/* TRM_EINVAL with a sentence naming the limit that cannot be. */
int trm_limits_check(const struct trm_limits *limits, struct trm_error *reterr);

/* How well one promise is kept in a given sandbox, or on this machine. */
enum trm_strength { TRM_ENFORCED, TRM_WEAK, TRM_NOT_ENFORCED };

struct trm_guard {
	char what[24]; /* "memory", "cpu", "processes", "disk", "network", "system calls", … */
	char how[144]; /* "cgroup v1 memory.limit_in_bytes", "sampled every 100 ms", … */
	enum trm_strength strength;
};

/* The network of a sandbox with these guards: "on", "off", "off (weakly)", "not cut off"; "n/a" while there
 * are none. */
const char *trm_guards_tell_net(const struct trm_guard *guards, size_t n, const struct trm_limits *limits);

/* ---- a server ------------------------------------------------------------ */

enum {
	TRM_SERVER_LIST_MAX = 32,   /* volumes, ports, scripts: of each */
	TRM_SERVER_URL_BYTES = 512, /* with its NUL, as the next two */
	TRM_API_KEY_BYTES = 4096,
	TRM_SERVER_SPACE_BYTES = 64,
};

struct trm_script {
	const char *name, *text;
};

/* What of a sandbox of that name which runs at the server already? */
enum trm_server_join {
	TRM_SERVER_START, /* it is ours from now on, and stopped at our end, as by all of its clients */
	TRM_SERVER_JOIN_OR_START, /* we take part in it, and it is left running; without one, as above */
	TRM_SERVER_JOIN,          /* … without one, TRM_ENOENT in `closed` */
};

/* For the backend "microsandbox", whose sandboxes live on a server; others take no notice. All zero is good.
 */
struct trm_server_opts {
	enum trm_server_join join;
	const char *url;     /* NULL: MSB_SERVER_URL of the environment, else "http://127.0.0.1:5555" */
	const char *api_key; /* NULL: MSB_API_KEY of the environment, else none is sent; "": none is sent */
	const char *space;   /* namespace; NULL: "default" */
	const char *ca_file; /* PEM; NULL: CURL_CA_BUNDLE, SSL_CERT_FILE, else the system's authorities */
	const char *image;   /* NULL: microsandbox/python, and for JavaScript microsandbox/node */
	const char *shell;   /* NULL: the image's */
	const char *volumes[TRM_SERVER_LIST_MAX]; /* "HOST:GUEST": a path on the server's machine, and inside
						   */
	size_t n_volumes;
	const char *ports[TRM_SERVER_LIST_MAX]; /* "HOST:GUEST", or "PORT" for both */
	size_t n_ports;
	struct trm_script scripts[TRM_SERVER_LIST_MAX]; /* files in /.sandbox/scripts */
	size_t n_scripts;
};

/* What a command line says before the name of a sandbox there, with a blank behind it: "--backend
 * microsandbox ", and where they are not the defaults --namespace and --server-url. Returns `out`. */
enum { TRM_SERVER_WORDS = 640 };
const char *trm_server_words(const struct trm_server_opts *server, char *out, size_t cap);

/* ---- a container ------------------------------------------------------------ */

struct trm_recipe;

/* For backends that are recipes (terrarium/recipe.h: "docker", "podman", "msb" and a user's own); others take
 * no notice. All zero is good. What a recipe cannot do is TRM_ENOTSUP. */
struct trm_container_opts {
	/* NULL: the recipe that is called opts->backend, which is looked for in the config file `config`
	 * (NULL: the usual one) and among the built-in ones. The sandbox shares it. */
	const struct trm_recipe *recipe;
	const char *config;
	const char *image; /* NULL: a small official one for `language` (NULL: "python"); pulled if missing */
	const char *language;
	const char *dockerfile; /* a file, or a folder with a Dockerfile in it: the image is built from it */
	const char *container;  /* name or id of one that is there: started if stopped, never stopped or
				   removed */
	const char *user;       /* NAME[:GROUP] or UID[:GID]. NULL: the image's own, 1000 instead of root */
	const char *commit_tag; /* at the end, what it has become is saved as this image */
	bool commit_overwrites; /* even if that is the image it was made from */
	bool keep_image;        /* one that was pulled or built for it is not removed at the end */
	bool read_only; /* its root cannot be written to; the working directory, /tmp and the home can */
};

/* ---- what it sees of the host ---------------------------------------------- */

enum {
	TRM_MOUNTS_MAX = 16,     /* mounts of a sandbox */
	TRM_MOUNTS_BYTES = 8192, /* of all of them as text, with their NULs */
	TRM_HOST_PATH = 1024,    /* longest path on the host, with its NUL */
	TRM_INSIDE_PATH = 256,   /* longest mount point or working directory, with its NUL */
	TRM_ENV_MAX = 128,       /* variables */
	TRM_ENV_BYTES = 8192,    /* of all of them, with their NULs */
	TRM_GROUP_BYTES = 96,    /* longest group, with its NUL */
};

/* A file or directory of the host that can be seen inside. What is seen is what `host` led to when the
 * sandbox was opened, whatever is put in its place later. Submounts come along. Never with setuid
 * programs or devices in force. Inside, the files of the owner of `host` are the sandbox's own user's. */
struct trm_mount {
	const char *host;  /* from the root or from the current directory; "~/" is the home directory */
	const char *guest; /* from the root; not "/", nor where the sandbox has programs or devices of its own
			    */
	bool is_writable;  /* else nobody can write there, submounts included */
};

/* Take "HOST:GUEST", "HOST:GUEST:ro" (the same) or "HOST:GUEST:rw" apart. The last colon that a slash follows
 * ends HOST. `text` is cut into pieces, from which `ret` borrows. TRM_EINVAL with a sentence. */
int trm_mount_parse(char *text, struct trm_mount *ret, struct trm_error *reterr);
/* The same the other way: "HOST:GUEST:ro". Returns the length, as snprintf(). */
size_t trm_mount_print(const struct trm_mount *mount, char *out, size_t cap);
/* In a few words, for questions and lists, fit to be shown: "./data → /data read-only". Returns `out`. */
const char *trm_mount_tell(const struct trm_mount *mount, char *out, size_t cap);
/* Does it give the code more than one may have thought of, such as keys, or the programs that one starts?
 * Then a sentence. */
bool trm_mount_hint(const struct trm_mount *mount, char *out, size_t cap);

/* ---- isolation --------------------------------------------------------------- */

/* What holds a local sandbox apart from this machine. */
enum trm_isolation {
	TRM_ISOLATION_AUTO,       /* namespaces, else Landlock; TRM_ENOISOLATION where neither works */
	TRM_ISOLATION_NAMESPACES, /* bubblewrap: namespaces, seccomp */
	TRM_ISOLATION_LANDLOCK,   /* Landlock, seccomp, no namespace: where a container grants none */
	TRM_ISOLATION_NONE,       /* code runs with all rights of the caller; never chosen by itself */
};

/* "auto", "namespaces", "landlock", "none". */
const char *trm_isolation_name(enum trm_isolation level);
bool trm_isolation_find(const char *name, enum trm_isolation *ret);
/* The strongest level that works on this machine now. `ret_why` (may be NULL): why no stronger one does, or
 * code TRM_OK. Starts a short-lived process; blocks for about a millisecond. */
enum trm_isolation trm_isolation_best(struct trm_error *ret_why);

/* ---- life ---------------------------------------------------------------- */

struct trm_sandbox_opts {
	const char *backend;          /* "local", "microsandbox", "fake", or a recipe's name; NULL: local */
	const char *name;             /* NULL: "sandbox-" and 8 hex digits; see trm_sandbox_name_check() */
	struct trm_limits limits;     /* start from trm_limits_default() */
	uint32_t start_timeout_ms;    /* 0: 180 000 */
	uint32_t metrics_interval_ms; /* 0: none; else 200 to 60 000 */
	bool metrics_with_processes;
	bool net_credentials; /* with a network: passwords and tokens in the proxy's and index's settings, too
			       */
	/* The sandbox outlives us: trm_sandbox_close(), and our own end however it comes, leave it running
	 * with all its state, and trm_sandbox_attach() (terrarium/registry.h) comes back to it. These two
	 * are in force while it is kept: */
	bool keep;
	uint32_t idle_timeout_ms; /* it ends when nobody was attached and nothing ran in it for so long; 0:
				     never */
	uint32_t max_lifetime_ms; /* it ends so long after its start, whoever is attached; 0: never */
	struct trm_server_opts server;       /* borrowed until trm_sandbox_open() returns, strings included */
	struct trm_container_opts container; /* likewise */
	/* trm_sandbox_attach() alone: we only look, are not counted among its clients, and do not keep it
	 * from being idle. */
	bool is_onlooker;
	/* What it sees of the host; explicit, and nothing by default. Borrowed until trm_sandbox_open()
	 * returns, strings included. TRM_ENOTSUP from a backend that cannot do it. */
	struct trm_mount mounts[TRM_MOUNTS_MAX];
	size_t n_mounts;
	const char *env[TRM_ENV_MAX]; /* "NAME=value": for all that runs inside; they beat the sandbox's own
				       */
	size_t n_env;
	/* Where processes start whose own options name no directory, and paths that do not begin with '/';
	 * made, and writable, if nothing is there, but for one below a mount. NULL: /workspace. */
	const char *workdir;
	/* Who manages it, for lists of sandboxes: "serve:5555/default". One line of text without control
	 * characters. NULL: nobody. */
	const char *group;
	/* Of backend "local"; others have an isolation of their own and take only TRM_ISOLATION_AUTO. */
	enum trm_isolation isolation;
};

/* The image that is taken for a language (NULL: python) when container.image is NULL. */
const char *trm_container_image(const char *language);

/* How the names of images begin that are built from container.dockerfile. */
#define TRM_BUILT_IMAGE "terrarium-build:"

/* What is done to an existing container when opts->container names one, for a person to agree to: whole
 * sentences. `user` as in the options. Returns `out`, at least TRM_CONTAINER_WORDS large. */
enum { TRM_CONTAINER_WORDS = 1280 };
const char *trm_container_tell(const char *backend, const char *container, const char *user, char *out);

/* The parts that trm_sandbox_open() looks at, one by one: mounts (all together), env, workdir and group.
 * TRM_EINVAL, TRM_ETOOBIG with a sentence. Whether `host` is there is seen at the opening. */
int trm_sandbox_opts_check(const struct trm_sandbox_opts *opts, struct trm_error *reterr);

/* [A-Za-z0-9][A-Za-z0-9._-]{0,63}: a name is also a directory. TRM_EINVAL with a sentence. */
int trm_sandbox_name_check(const char *name, struct trm_error *reterr);

/* Not kept; if it were: 8 hours idle, 7 days in all. */
void trm_sandbox_opts_default(struct trm_sandbox_opts *opts);

struct trm_sandbox_cb {
	/* What is being done that takes its time, before `ready` ("pulling the image x: …") and before
	 * `closed`. One line, fit to be shown, borrowed. */
	void (*progress)(void *user, struct trm_sandbox *sandbox, const char *words);
	/* What one should know of its end though nothing follows from it: an image that could not be saved. A
	 * sentence, borrowed. */
	void (*warning)(void *user, struct trm_sandbox *sandbox, const char *words);
	/* The agent has answered. */
	void (*ready)(void *user, struct trm_sandbox *sandbox);
	void (*metrics)(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics);
	/* So many programs are connected to the sandbox now, this one included. */
	void (*clients)(void *user, struct trm_sandbox *sandbox, unsigned n);
	/* Last callback, exactly once, whether or not `ready` came before. The
	 * sandbox is gone from the machine (processes, mounts, cgroups, files), unless it was left running,
	 * and the handle dies when this returns. why->code is TRM_OK after trm_sandbox_close() or
	 * trm_sandbox_stop(), else the reason, the same for all who were attached: who stopped it, the idle
	 * time-out, its lifetime, memory, the end of the agent or of the keeper. */
	void (*closed)(void *user, struct trm_sandbox *sandbox, const struct trm_error *why);
};

/* Start a sandbox.
 * Owns:   copies `opts`; borrows `loop` and `cb` until cb->closed.
 * Later:  perhaps cb->ready, then exactly one cb->closed; never before this returns.
 * Errors: TRM_EINVAL a bad option; TRM_ENOTSUP the backend cannot work here, or cannot keep sandboxes
 *         (why, and what to do); TRM_EEXIST a sandbox of that name is running.
 * End:    trm_sandbox_close(), then wait for cb->closed. */
int trm_sandbox_open(struct trm_loop *loop, const struct trm_sandbox_opts *opts,
		const struct trm_sandbox_cb *cb, void *user, struct trm_sandbox **ret_sandbox,
		struct trm_error *reterr);

/* Let go of the sandbox; everything pending ends with TRM_ECANCELED first. One that is kept, or that we have
 * only attached to, is left running; else this is its end. May be called twice. */
void trm_sandbox_close(struct trm_sandbox *sandbox);
/* Ask for the end of the sandbox itself, whoever else is attached. Otherwise as trm_sandbox_close(), and also
 * after it. */
void trm_sandbox_stop(struct trm_sandbox *sandbox);

/* From now on the sandbox outlives its clients; or, with `is_kept` false, it ends with us (who closes the
 * handle then ends it). At any time after the opening, also for one that we have attached to. TRM_ENOTSUP:
 * its backend cannot do that; TRM_ECLOSED: it has ended. */
int trm_sandbox_keep(struct trm_sandbox *sandbox, bool is_kept, struct trm_error *reterr);
/* It outlives us: it was opened so, or found so when we attached, or told so by us. */
bool trm_sandbox_is_kept(const struct trm_sandbox *sandbox);
/* We have attached to it; it was there before. */
bool trm_sandbox_is_attached(const struct trm_sandbox *sandbox);
/* It ran at its server before us (enum trm_server_join), and closing leaves it there. Known once `ready` was
 * called. */
bool trm_sandbox_is_joined(const struct trm_sandbox *sandbox);
/* Closing leaves it running: for one of these reasons, and nobody has told us since that it ends with us. */
bool trm_sandbox_stays(const struct trm_sandbox *sandbox);

const char *trm_sandbox_name(const struct trm_sandbox *sandbox);
const char *trm_sandbox_backend(const struct trm_sandbox *sandbox); /* of a recipe: its name */
/* What it was made from: an image, an existing container; "" where there is no such thing. Borrowed. */
const char *trm_sandbox_origin(const struct trm_sandbox *sandbox);
/* That is an existing container: it keeps its own limits, mounts and network, and is left at our end. */
bool trm_sandbox_is_adopted(const struct trm_sandbox *sandbox);
/* The level in force, once it is ready; TRM_ISOLATION_AUTO before, and of a sandbox elsewhere. */
enum trm_isolation trm_sandbox_isolation(const struct trm_sandbox *sandbox);
const char *trm_sandbox_workdir(const struct trm_sandbox *sandbox); /* "/workspace", or what was asked for */
const char *trm_sandbox_group(const struct trm_sandbox *sandbox);   /* "" if nobody manages it */
const struct trm_limits *trm_sandbox_limits(const struct trm_sandbox *sandbox);
/* What it sees of the host; borrowed, constant. Their number. */
size_t trm_sandbox_mounts(const struct trm_sandbox *sandbox, const struct trm_mount **ret_mounts);
bool trm_sandbox_is_ready(const struct trm_sandbox *sandbox);
/* What is enforced in this sandbox and how. Borrowed; constant once `ready` was called. */
size_t trm_sandbox_guards(const struct trm_sandbox *sandbox, const struct trm_guard **ret_guards);

/* Change the metrics interval (0: stop; else 200 to 60 000 ms). */
int trm_sandbox_set_metrics(struct trm_sandbox *sandbox, uint32_t interval_ms, bool with_processes,
		struct trm_error *reterr);

/* ---- processes ------------------------------------------------------------ */

enum { TRM_STDOUT = 0, TRM_STDERR = 1, TRM_CONTROL = 255 };

struct trm_exit {
	int exit_code;               /* -1 if killed by a signal */
	int signal;                  /* 0 if it exited by itself */
	uint64_t user_us, system_us; /* of the process and the children it waited for */
	uint64_t max_rss_bytes;
	/* The signal came from another client of the sandbox, that process of this machine (0: not known), if
	 * the agent says the truth. */
	bool is_by_other;
	uint32_t by_pid;
	/* The kernel has killed so many processes of the sandbox for memory lately: told in containers, and 0
	 * where it is not known. */
	uint64_t oom_kills;
	/* It was interrupted because it printed more than so many bytes (trm_proc_opts); 0: it was not. */
	uint64_t over_output_bytes;
	/* The limit that it met, in words, where it failed and that was asked for (trm_proc_opts); "" if
	 * none. */
	char limit[160];
};
/* Why it was ended by us, in words; "" if it was not. */
void trm_exit_reason(const struct trm_exit *exit, char *out, size_t cap);

struct trm_proc_cb {
	void (*started)(void *user, struct trm_proc *proc, uint32_t pid);
	/* `channel`: TRM_STDOUT, TRM_STDERR; with spare_channels n also 2k and
	 * 2k+1 for k in 1..n; TRM_CONTROL for the control pipe. With a terminal
	 * everything is TRM_STDOUT. Bytes are raw and hostile. */
	void (*output)(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n);
	/* It has closed its control pipe, and lives on. */
	void (*hung_up)(void *user, struct trm_proc *proc);
	/* The process has taken most of what had piled up on stdin: trm_proc_write() may go on.
	 * Called when trm_proc_queued() has fallen to 128 KiB after it was above. */
	void (*drained)(void *user, struct trm_proc *proc);
	/* Last callback, exactly once; the handle dies when it returns. All output that
	 * was there has been delivered. `exit` is NULL if it never started or
	 * its fate is unknown; `why` then tells. */
	void (*exited)(void *user, struct trm_proc *proc, const struct trm_exit *exit,
			const struct trm_error *why);
};

struct trm_proc_opts {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH inside */
	const char *const *env;  /* "NAME=value", NULL-terminated; added to the sandbox's own; may be NULL */
	const char *cwd;         /* NULL: the sandbox's workdir, or /, should the code have locked that */
	const char *label;       /* what process lists call it, at most 64 bytes; NULL: its command line */
	bool pty;                /* stdin, stdout and stderr are one terminal */
	uint16_t rows, cols;     /* with pty */
	bool control;            /* pipes at the process's descriptors 3 (to it) and 4 (from it) */
	const void *script;      /* with control: bytes to be read at descriptor 5; may be NULL */
	size_t script_len;
	unsigned spare_channels; /* with control: further stdout/stderr pairs at 10+2(k-1), 11+2(k-1), at most
				    8 */
	bool stdin_open;         /* false: reads on stdin give EOF until trm_proc_open_stdin() */
	/* Other programs that are attached are told of it, live: its command line, what it prints and how it
	 * ends, and that it is `told_by`'s ("terrarium serve"), for their trm_session_cb.joined. NULL: they
	 * are not. */
	const char *told_by;
	bool manual_credit; /* output() is not counted as consumed until trm_proc_consumed() */
	/* What it may print, exactly: a process that prints more is interrupted (SIGINT to its tree), and
	 * killed if it is still there after 2 s; trm_exit says so. 0: no limit. */
	uint64_t output_max_bytes;
	bool tells_limit; /* trm_exit says which limit of the sandbox it met */
};

/* Start a process. Copies `opts`, the script too; borrows `cb`.
 * Later:  cb->started unless it cannot start; exactly one cb->exited; never before this returns.
 * Errors: TRM_EINVAL; TRM_ECLOSED; TRM_EBUSY too many; TRM_ETOOBIG more than 4096 arguments or variables, or
 * more than 256 KiB of them and the script. */
int trm_proc_spawn(struct trm_sandbox *sandbox, const struct trm_proc_opts *opts,
		const struct trm_proc_cb *cb, void *user, struct trm_proc **ret_proc,
		struct trm_error *reterr);

/* Queue input for the process; copied. `channel` is TRM_STDOUT's counterpart 0
 * for stdin, or TRM_CONTROL. What the process does not take yet is kept, up to 64 MiB
 * (then TRM_ETOOBIG and nothing is queued). */
int trm_proc_write(struct trm_proc *proc, unsigned channel, const void *bytes, size_t n,
		struct trm_error *reterr);
size_t trm_proc_queued(const struct trm_proc *proc); /* bytes for stdin not yet taken */
void trm_proc_open_stdin(struct trm_proc *proc);
/* EOF on stdin after what was queued. trm_proc_open_stdin() undoes it (not with a pty). */
void trm_proc_close_stdin(struct trm_proc *proc);
/* Throw away stdin that was queued or sent and not yet read, and leave it closed. */
void trm_proc_reset_stdin(struct trm_proc *proc);

enum trm_signal_scope {
	TRM_SIGNAL_GROUP, /* the process group */
	TRM_SIGNAL_TREE,  /* the process and all its descendants, wherever they moved */
};
int trm_proc_signal(struct trm_proc *proc, int signo, enum trm_signal_scope scope);
void trm_proc_resize(struct trm_proc *proc, uint16_t rows, uint16_t cols);
/* With manual_credit: n bytes of output have been dealt with; more may come. */
void trm_proc_consumed(struct trm_proc *proc, size_t n);
/* Forget the process: it and its descendants are killed; `exited` follows with TRM_ECANCELED. */
void trm_proc_close(struct trm_proc *proc);

/* A signal to any process inside, as the metrics name it: `pid` and `start` of its row, so that it never
 * reaches another one that has its number by then (start 0: whoever has it). `has_tree`: its descendants too.
 * Exactly one `fn` follows: TRM_OK; TRM_ENOENT there is no such process any more; TRM_EPERM it is the agent.
 * Numbers are the sandbox's own: no process of the machine can be meant. */
typedef void trm_done_fn(void *user, const struct trm_error *why);
int trm_sandbox_signal(struct trm_sandbox *sandbox, uint32_t pid, uint64_t start, int signo, bool has_tree,
		trm_done_fn *fn, void *user, struct trm_error *reterr);

/* Stop a sandbox on a server that we have not opened: opts->name, with opts->server and backend. One that has
 * stopped already is no error. Exactly one `fn` follows, if this returns 0. TRM_ENOTSUP: not with this
 * backend. */
int trm_sandbox_end(struct trm_loop *loop, const struct trm_sandbox_opts *opts, trm_done_fn *fn, void *user,
		struct trm_error *reterr);

/* What is at a server: the sandboxes of opts->server.space ("*": of all namespaces, if the key is for all).
 * Exactly one `fn` follows, if this returns 0: with the rows (borrowed, hostile but for being clean text), or
 * why->code. TRM_ENOTSUP: the backend has no server. */
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
	/* Exactly once. why->code TRM_OK, or the reason. `size` and `mode` of the file. */
	void (*done)(void *user, const struct trm_error *why, uint64_t size, uint32_t mode);
};

/* Write a file inside the sandbox, whole or not at all (a new file takes the
 * old one's place). `bytes` are copied. Paths are as in terrarium/files.h. */
int trm_file_put(struct trm_sandbox *sandbox, const char *path, uint32_t mode, const void *bytes, size_t n,
		const struct trm_transfer_cb *cb, void *user, struct trm_error *reterr);
/* Read a regular file, at most max_bytes (TRM_ETOOBIG if it is larger). */
int trm_file_get(struct trm_sandbox *sandbox, const char *path, uint64_t max_bytes,
		const struct trm_transfer_cb *cb, void *user, struct trm_error *reterr);

#endif
