/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CORE_AGENT_H
#define TRM_AGENT_CORE_AGENT_H

/* The agent: the one program of ours inside a sandbox.
 *
 * Theory of operation. One thread, one epoll set, level-triggered. A turn of
 * the loop handles what is ready; frames for a client collect in its `out`
 * queue and leave in one write at the end of the turn. Nothing is freed while
 * it may still be on the stack: clients and processes are marked dead and
 * swept at the end of the turn.
 *
 *   client.c    a connection: bytes in, frames out, its streams
 *   dispatch.c  the table of frames a client may send
 *   proc.c      a process; spawn.c starts it, exec.c is the fresh image in
 *               between, process_tree.c finds its descendants
 *   subscriber.c       a subscriber; turns.c and slow_client.c: how several of them get
 *               along; history.c: what later ones are told
 *   output.c    from the process's pipes to its subscribers: credit, barrier
 *   feed.c      from clients to the process's stdin and control pipes
 *   transfer.c  files in and out, one at a time and small
 *   tree_transfer.c  trees of files: streams around lib/tree; file_op.c the rest that is done to files
 *   sample.c    metrics
 *   container.c what it is in containers: container_setup.c and passwd.c, whom it becomes there; bridge.c;
 *               proxy_env.c, what it is told of the host's network
 *
 * Code of the user's runs under the same uid as the agent. So the agent is not
 * dumpable (no ptrace, no /proc/PID/mem or fd for others), every descriptor is
 * close-on-exec, and user processes begin in a second exec of the agent with
 * nothing of its memory. As PID 1 it leaves all signals but SIGCHLD at their
 * default and unblocked: the kernel then drops them when they come from inside. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/core/proxy_env.h"
#include "agent/core/sample.h"
#include "agent/core/watch.h"

struct client;
struct proc;

enum {
	AGENT_MAX_CLIENTS = 64,
	AGENT_SCRATCH = 64 * 1024,
};

struct agent {
	struct poller poller;
	struct watch listener; /* fd -1: one client on stdio */
	struct watch signals;
	struct watch handoff; /* to the supervisor: its end is the agent's (wire/fd_handoff.h); fd -1: none */
	int spare_fd;         /* given up for a moment to refuse a client when descriptors run out */
	bool is_init;         /* PID 1 of its namespace */
	bool is_container;
	bool is_keyed;       /* its socket is there for everybody: see container.h */
	uint32_t owner;      /* who may connect */
	uint64_t linger_ms;  /* with nobody connected; 0: for ever */
	uint64_t alone_ns;   /* since when nobody has been */
	const char *folder;  /* of a sandbox without namespaces (wire/folder.h); NULL */
	int rules_fd;        /* Landlock rules for what it starts; -1: none */
	const char *workdir; /* that was asked for; it is in it, or where that could not be, in another */
	const char *report;  /* for WELCOME: borrowed, a packed struct handoff_report */
	size_t report_len;
	bool ending; /* leave after this turn */
	struct client *clients;
	size_t n_clients;
	uint32_t last_client; /* the number that was given last */
	struct proc *procs;
	uint64_t oom_kills; /* in a container: that are known of */
	uint64_t next_mark; /* for the next process: see process_tree.h */
	struct sampler sampler;
	struct proxy_env proxy_env;
	uint32_t nproc;              /* the limit that clients set last; 0: none known */
	char scratch[AGENT_SCRATCH]; /* output that nobody wants is read into this */
};

/* How it is reached, and when it ends. */
struct agent_way {
	int listen_fd;
	int handoff_fd; /* -1: none */
	bool is_container, is_keyed;
	uint32_t owner; /* who may connect to a keyed one; to another, who has made its socket */
	uint64_t linger_ms;
	const char *folder;  /* NULL: with namespaces, or in a container */
	int rules_fd;        /* with a folder; -1: none */
	const char *workdir; /* NULL: none was asked for */
	const char *report;
	size_t report_len;
};

/* Serve clients of a listening socket until SHUTDOWN, or SIGTERM: as PID 1 of a container only one from
 * outside, as PID 1 of anything else none. The exit code. */
int agent_serve(const struct agent_way *way);
/* Serve one client on descriptors 0 and 1 until it leaves. */
int agent_serve_stdio(void);
/* The second exec: argv is what follows the word "exec". Returns only to fail. */
int agent_exec(char **argv);

uint64_t agent_now_ns(void);

/* A path as a client says it, as it is here: `out` in a sandbox without namespaces, else `path`. */
enum { AGENT_PATH_BYTES = 4096 };
const char *agent_path(const struct agent *agent, const char *path, char out[AGENT_PATH_BYTES]);

/* May clients, and by them the code, see what is open? Under Landlock the agent reads of /proc what is kept
 * from the code: this machine's processes. */
bool agent_may_show(const struct agent *agent, int fd);

#endif
