/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_CONTROL_H
#define TRM_WIRE_CONTROL_H

/* The control connection between a client and the supervisor of a sandbox: SOCK_SEQPACKET, so one message
 * is one packet. The client that starts the sandbox has one end of a socket pair: it sends SPEC and gets
 * READY. Other clients connect to CONTROL_FILE in the sandbox's entry. They are attached without sending
 * anything. From then on all clients are alike:
 *
 *   client → supervisor
 *     KEEP       the sandbox is to outlive its clients, or (off) to end with this one
 *     STOP       the sandbox is to end now
 *     OBSERVE    this client is not to be counted
 *   supervisor → client
 *     PROGRESS   the current step of a recipe's sandbox; before READY
 *     REFUSED    the proxy has refused connections: how many so far, and the last one
 *     OOM        the supervisor or the kernel has killed a process for memory
 *     LOST       the command through which only this client reaches the agent has ended; the sandbox lives on
 *     GONE       the sandbox has ended, and why; the last message
 *
 * A client is attached while it is connected: however it dies, the kernel closes its connection. A
 * sandbox that is not kept ends when its owner's connection closes. The owner is the client that started
 * it, or the last one that switched KEEP off.
 *
 * The supervisor closes its end after it has recorded the disconnect and everything before it. So a
 * client that sends OBSERVE and shuts down its side knows, once it reads the end, that the state in the
 * entry is up to date.
 *
 * All clients belong to the same user: the directory is closed to others, and both sides check
 * SO_PEERCRED. Nothing from inside the sandbox reaches this connection. So the readers' checks guard
 * against bugs, not against attackers. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/pack.h"

/* Descriptors that the supervisor inherits. 0, 1 and 2 are /dev/null. */
enum supervisor_fd {
	SUPERVISOR_CLIENT = 3,
	SUPERVISOR_RUN_DIR,   /* the runtime directory of all sandboxes */
	SUPERVISOR_ENTRY_DIR, /* this sandbox's own directory in it, locked with flock() */
	SUPERVISOR_LISTEN,    /* listening socket for the agent */
	SUPERVISOR_CONTROL,   /* listening socket for further clients of the supervisor itself */
	SUPERVISOR_AGENT,     /* the agent's program file; with a plan, the input of its PUT step */
	SUPERVISOR_CERTS,     /* with spec.has_certs: one more file for bubblewrap, too long for the spec */
	SUPERVISOR_PLAN,      /* with spec.has_plan: struct plan_msg of a recipe's sandbox */
	SUPERVISOR_SNAPSHOT,  /* with spec.from: its folder, locked (lib/store); it stays open */
	SUPERVISOR_FD_END,
	SUPERVISOR_MOUNTS = SUPERVISOR_FD_END, /* and following: O_PATH descriptors to be mounted */
};

/* Descriptors that bubblewrap inherits; its arguments name them. Only BWRAP_LISTEN stays open in the sandbox.
 */
enum bwrap_fd {
	BWRAP_LISTEN = 3,
	BWRAP_ARGS,
	BWRAP_CALLS,     /* seccomp program: allow list */
	BWRAP_ARGUMENTS, /* seccomp program: refusals by argument */
	BWRAP_AGENT,
	BWRAP_FILES, /* and following: contents of small files in /etc; then the descriptors from
			SUPERVISOR_MOUNTS, if bubblewrap itself mounts them */
};

/* The supervisor mounts here the tmpfs that holds all of a sandbox's files, in a mount namespace that
 * only bubblewrap sees. Bubblewrap then binds its directories one by one. */
#define SPACE_PATH "/tmp"
#define CACHE_SOURCE SPACE_PATH "/cache"
#define WORKDIR_SOURCE SPACE_PATH "/workdir" /* a working directory, unless one is mounted */
#define MOUNT_SOURCE SPACE_PATH "/mounts"    /* has one file or directory for each mount: 0, 1 … */

/* The agent's program inside the sandbox. */
#define AGENT_PATH "/run/agent"

enum {
	CONTROL_MAX_BYTES = 64 * 1024,
	CONTROL_MAX_FILES = 8,
	CONTROL_MAX_WORDS = 1024,
	CONTROL_MAX_MOUNTS = 16
};

/* How a sandbox is isolated from this machine: by bubblewrap with namespaces; by Landlock and seccomp without
 * namespaces; not at all. */
enum isolation { ISOLATION_NAMESPACES, ISOLATION_LANDLOCK, ISOLATION_NONE };

/* Flags of spec_msg.rules: paths that code may use under Landlock. */
enum rule_flag {
	RULE_READ = 1,      /* files and directories */
	RULE_EXECUTE = 2,   /* and start programs */
	RULE_WRITE = 4,     /* write, make and remove everything below */
	RULE_DEVICE = 8,    /* read, write and control an existing file */
	RULE_AGENT = 16,    /* for the agent alone, not for the code */
	RULE_OWN_USER = 32, /* only if the sandbox has a user of its own */
	RULE_OBJECTS = 64   /* make, use and remove files here by name; no directories, no list */
};

struct spec_msg {
	const char *name;     /* entry in the runtime directory */
	const char *run_path; /* of the runtime directory, which is removed when it is empty */
	const char *bwrap;    /* program */
	uint64_t mem_bytes, disk_bytes, file_bytes;
	double cpus;
	uint32_t procs, open_files;
	struct slice args_shared;   /* arguments with the files under SPACE_PATH, each ended by NUL */
	struct slice args_separate; /* the same with a separate tmpfs for each directory */
	/* Seccomp programs; `older`: in addition, for an old Landlock; empty: none */
	struct slice calls, arguments, calls_strict, arguments_strict, older;
	size_t n_files;
	struct slice files[CONTROL_MAX_FILES];
	bool is_kept;
	uint64_t idle_timeout_ms, max_lifetime_ms; /* in force while it is kept; 0: none */
	bool limits_lifetime;                      /* max_lifetime_ms also holds while it is not kept */
	const char *cache;                         /* folder of packages, bound to CACHE_SOURCE; "": none */
	const char *slirp;                         /* program; "": no network */
	uint32_t net_subnet;   /* the first 24 bits of the addresses in the sandbox's network */
	struct slice net_open; /* struct cidr[]: ranges that may be reached although they are not public */
	bool has_certs;
	const char *net_allow;              /* the same as text, for display */
	uint32_t n_mounts, writable_mounts; /* how many there are, and a bit for each one that is writable */
	const char *mounts;                 /* "HOST:GUEST:ro", each with a newline */
	const char *env;                    /* only the names, with commas between */
	const char *workdir, *group;
	const char *engine; /* options for a container engine, each with a newline */
	const char *from;   /* tag of the snapshot that it starts from; "": none */
	enum isolation isolation;
	const char *folder;       /* absolute, see folder.h; "" with namespaces */
	struct slice environment; /* without namespaces: "NAME=value", each ended by NUL */
	struct slice rules;       /* with Landlock: "FLAGS PATH", each ended by NUL; FLAGS is a number */
	uint32_t landlock_abi;    /* no newer right is used */
	const char *net_hosts;    /* the only hosts that may be reached, as in trm_limits; "": see slirp */
	bool shares_net;          /* without namespaces: the sandbox uses this machine's network */
	bool has_plan;            /* if true, there is no bubblewrap, and its fields are empty */
};

/* Host numbers in the sandbox's network, which slirp4netns assigns (libslirp). */
enum { NET_GATEWAY = 2, NET_DNS = 3, NET_OWN = 100 };
/* Processes of the network in the sandbox's control groups, at most. */
enum { NET_PROCS = 3, PROXY_PROCS = 8 };
/* Error messages about a network that cannot be set up begin with this text. */
#define NET_FAILED "the network cannot be set up: "
/* Error messages about the snapshot that a sandbox starts from begin with this text. */
#define SNAPSHOT_FAILED "cannot start from the snapshot: "
/* Error messages about a mount begin with this text. */
#define MOUNT_FAILED "cannot mount "

/* LIMITS_ENGINE: the recipe's engine has set the limits, and this machine cannot see where. */
enum limits_kind { LIMITS_RLIMITS, LIMITS_CGROUP_V1, LIMITS_CGROUP_V2, LIMITS_ENGINE };
/* The last two set no limit: they only count. */
enum limit_bit {
	LIMIT_MEMORY = 1,
	LIMIT_SWAP = 2,
	LIMIT_PIDS = 4,
	LIMIT_CPU = 8,
	LIMIT_CPUACCT = 16,
	LIMIT_PRESSURE = 32
};

/* How clients reach the agent of a recipe's sandbox: directly, or each through its own `connect` step. */
enum origin_way { WAY_LOCAL, WAY_DIRECT, WAY_EXEC, WAY_PROXY };

/* What a recipe has created. Everything is empty for a local sandbox. */
struct origin_msg {
	enum origin_way way;
	bool is_adopted;
	char *backend;    /* the recipe's name */
	char *image;      /* as the user requested it */
	char *where;      /* what `create` printed, or the id of the adopted one */
	char *note;       /* why the direct way is not used although the recipe has one; "" if it is */
	char *user;       /* the user that code runs as inside */
	char *words;      /* the agent's report of requests that it could not meet; "" if none */
	uint32_t asks;    /* plan_msg.asks */
	int32_t root_pid; /* its first process on this machine; 0: unknown */
	uint8_t version;  /* of the text that made it (plan_msg.puts_text); 0: the first */
	uint8_t net_seen; /* enum net_seen (fd_handoff.h): by the agent */
	char *stream;     /* why it is not WAY_PROXY although it might be; "" if nothing is known */
};

struct ready_msg {
	enum limits_kind kind;
	uint32_t limits; /* limits that cgroups enforce: enum limit_bit */
	bool is_shared;  /* one tmpfs holds all files; otherwise each directory has its own */
	uint32_t uid;    /* the sandbox's own user on this machine; 0: it runs as the caller */
	char *mem_dir, *pids_dir, *cpuacct_dir; /* cgroup directories; "" if there is none */
	char *cpu_dir, *pressure_dir;
	int32_t space_fd; /* the supervisor's descriptor of the tmpfs that holds all files; -1: none */
	uint32_t n_outer; /* processes in the control groups that are outside of the sandbox */
	struct origin_msg origin;
	enum isolation isolation; /* of a local sandbox */
	uint32_t landlock_abi;
	char *folder; /* of a sandbox without namespaces; else "" */
};

/* The supervisor writes this into INFO_FILE of the entry once the sandbox is up. Other programs use it to
 * find and measure the sandbox. */
#define INFO_FILE "info"
#define AGENT_FILE "agent.sock"
#define CONTROL_FILE "control.sock"
#define NET_DIR "net" /* with NET_SOCKET in it while the network starts */
#define NET_SOCKET "net.sock"
#define GROUPS_FILE "groups"
#define FOLDER_FILE "folder" /* path of the folder of a sandbox without namespaces */
enum { BOOT_ID_BYTES = 37, INFO_MAX_BYTES = 32768 };
struct info_msg {
	int32_t supervisor, client; /* processes */
	uint64_t supervisor_start;  /* see procstat.h */
	char *command;              /* the client's, cleaned */
	uint64_t started_ms;        /* Unix time */
	uint64_t mem_bytes, disk_bytes, file_bytes;
	double cpus;
	uint32_t procs, open_files;
	struct ready_msg ready;
	uint64_t idle_timeout_ms, max_lifetime_ms;
	bool has_net;
	char *net_allow; /* as in trm_limits */
	char *boot_id;   /* /proc/sys/kernel/random/boot_id: after a reboot, none of this is true */
	char *group, *workdir, *mounts, *env, *engine, *from,
			*net_hosts; /* as in spec_msg; "" where an older supervisor does not say */
};

/* State that changes, in STATE_FILE beside INFO_FILE: struct state_msg and, at STATE_GONE_AT once the
 * sandbox has ended, GONE. It is for clients that have the file open but connect too late. */
#define STATE_FILE "state"
enum { STATE_MAX_BYTES = 128, STATE_GONE_AT = STATE_MAX_BYTES, STATE_GROUP = 96 };
struct state_msg {
	bool is_kept;
	uint32_t n_clients; /* attached now */
	uint64_t active_ms; /* time of the last activity that the supervisor has seen: CLOCK_MONOTONIC, which
			       all processes share */
	char group[STATE_GROUP]; /* that a client has moved it to; "": that of the info */
};

/* Why a sandbox has ended. */
enum gone_cause {
	GONE_BY_ITSELF, /* bubblewrap ended: `status`, `oom_kills`, `words` */
	GONE_STOPPED,   /* by a client's STOP: `pid`, `command` */
	GONE_SIGNAL,    /* to the supervisor, from: `pid`, `command` */
	GONE_OWNER,     /* the client that owned it has ended: `pid`, `command` */
	GONE_IDLE,      /* no client was attached and nothing ran for `after_ms` */
	GONE_LIFETIME,  /* `after_ms` since it started */
	/* the sandbox has not ended: this one client was refused because there are too many, and its
	 * connection is closed */
	GONE_FULL,
	GONE_REASON, /* a recipe's: `words` is the whole reason, a sentence, and `status` is its TRM_E… */
	GONE_CAUSES
};

struct gone_msg {
	enum gone_cause cause;
	int32_t pid;
	uint64_t after_ms;
	int32_t status; /* wait status of bubblewrap */
	uint64_t oom_kills;
	/* output of bubblewrap or the supervisor; "" if none. For a recipe's sandbox, unless the cause is
	 * GONE_REASON: what could not be removed */
	char *words;
	char *command; /* cleaned; "" if unknown */
};

enum control_type {
	CONTROL_SPEC = 1,
	CONTROL_READY,
	CONTROL_OOM,
	CONTROL_GONE,
	CONTROL_INFO,
	CONTROL_KEEP,
	CONTROL_STOP,
	CONTROL_STATE,
	CONTROL_OBSERVE,
	CONTROL_PROGRESS,
	CONTROL_LOST,
	CONTROL_REFUSED,
	CONTROL_GROUP,
	CONTROL_TYPES
};

/* A message on the connection. Only the fields of its type have a meaning. */
struct control_msg {
	enum control_type type;
	struct ready_msg ready;
	struct gone_msg gone;
	uint64_t oom_kills;
	uint64_t n_refused;
	const char *refused;     /* the last connection, from inside: not to be trusted */
	const char *progress;    /* the current step, such as "creating the container" */
	const char *lost;        /* why the agent can no longer be reached: a sentence */
	bool is_kept;            /* KEEP */
	char group[STATE_GROUP]; /* GROUP */
};

/* Writers append one packet to `out`. 0, TRM_ETOOBIG or TRM_ENOMEM. */
int spec_msg_put(struct buf *out, const struct spec_msg *msg);
/* Every message but SPEC, and every request. */
int control_put(struct buf *out, const struct control_msg *msg);
int info_msg_put(struct buf *out, const struct info_msg *msg);
int state_msg_put(struct buf *out, const struct state_msg *msg);

/* The strings are allocated, the slices are borrowed from the packet. TRM_EPROTO, TRM_ENOMEM: nothing to
 * free, here and below. */
int spec_msg_get(const void *packet, size_t n, struct spec_msg *ret);
void spec_msg_finish(struct spec_msg *msg); /* frees what spec_msg_get() allocated */
/* From the supervisor. TRM_EPROTO: nothing to free. */
int control_get(const void *packet, size_t n, struct control_msg *ret);
/* From an attached client: KEEP, STOP, OBSERVE or GROUP. TRM_EPROTO. There is nothing to free. */
enum { REQUEST_MAX_BYTES = STATE_MAX_BYTES };
int request_get(const void *packet, size_t n, struct control_msg *ret);
/* From the files. TRM_EPROTO: nothing to free. */
int state_msg_get(const void *bytes, size_t n, struct state_msg *ret);
int info_msg_get(const void *bytes, size_t n, struct info_msg *ret);
void info_msg_finish(struct info_msg *msg);
void control_finish(struct control_msg *msg); /* frees what control_get() allocated */

#endif
