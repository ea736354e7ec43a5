/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CORE_AGENT_H
#define TRM_AGENT_CORE_AGENT_H

/* The agent: our only program inside a sandbox.
 *
 * Theory of operation. One thread, one epoll set, level-triggered. Each iteration of the loop handles
 * everything that is ready. Frames for a client collect in its `out` queue and leave in one write at the
 * end of the iteration. Nothing is freed while it may still be on the stack: clients and processes are
 * marked dead, and swept at the end of the iteration.
 *
 *   client.c         a connection: bytes in, frames out, its streams
 *   dispatch.c       the table of frames that a client may send
 *   proc.c           a process; spawn.c starts it, exec.c is the fresh image in between, process_tree.c finds
 *                    its descendants
 *   subscriber.c     a subscriber; turns.c and slow_client.c: how several of them share a process; history.c:
 *                    the replay for later ones
 *   publish.c        news of commands for other clients
 *   output.c         from the process's pipes to its subscribers: credit, barrier
 *   feed.c           from clients to the process's stdin and control pipes
 *   transfer.c       small files in and out, one at a time
 *   tree_transfer.c  trees of files: streams around lib/tree; file_op.c: other operations on files
 *   sample.c         metrics
 *   container.c      the agent in containers; container_setup.c and passwd.c: its user there; bridge.c;
 *                    proxy_env.c: the host's network settings
 *
 * The user's code runs under the same uid as the agent. So the agent is not dumpable (no ptrace, no
 * /proc/PID/mem or fd for others), every descriptor is close-on-exec, and user processes begin in a
 * second exec of the agent with nothing of its memory. As PID 1 it leaves all signals except SIGCHLD at
 * their default and unblocked: then the kernel drops those from inside. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/core/proxy_env.h"
#include "agent/core/sample.h"
#include "agent/core/watch.h"

struct client;
struct proc;
struct published;

enum {
	AGENT_MAX_CLIENTS = 64,
	AGENT_SCRATCH = 64 * 1024,
};

struct agent {
	struct poller poller;
	struct watch listener; /* fd -1: one client on stdio */
	struct watch signals;
	/* To the supervisor, and closed when the agent ends (wire/fd_handoff.h); fd -1: none. */
	struct watch handoff;
	int spare_fd; /* closed for a moment to refuse a client when descriptors run out */
	bool is_init; /* PID 1 of its namespace */
	bool is_container;
	bool is_keyed;       /* everybody can reach its socket: see container.h */
	uint32_t owner;      /* the user who may connect */
	uint64_t linger_ms;  /* ends after this long without clients; 0: never */
	uint64_t alone_ns;   /* without clients since then */
	const char *folder;  /* of a sandbox without namespaces (wire/folder.h); NULL */
	int rules_fd;        /* Landlock rules for the programs that it starts; -1: none */
	const char *roots;   /* with these: see exec.h */
	const char *workdir; /* the requested one; if it could not be made, another is used */
	const char *report;  /* for WELCOME: a packed struct handoff_report, borrowed */
	size_t report_len;
	bool ending; /* leave after this turn */
	struct client *clients;
	size_t n_clients;
	uint32_t last_client; /* the last number that a client got */
	struct proc *procs;
	struct published *published; /* commands that followers get news of: see publish.h */
	uint32_t last_published;
	size_t published_bytes; /* output of theirs that is kept */
	uint64_t oom_kills;     /* in a container: kills that are known */
	uint64_t next_mark;     /* process tag of the next process: see process_tree.h */
	struct sampler sampler;
	struct proxy_env proxy_env;
	uint32_t nproc;              /* the limit that a client set last; 0: unknown */
	char scratch[AGENT_SCRATCH]; /* output without a reader goes here */
};

/* How clients reach the agent, and when it ends. */
struct agent_way {
	int listen_fd;
	int handoff_fd; /* -1: none */
	bool is_container, is_keyed;
	/* User who may connect to a keyed agent; of other agents, the user who made the socket. */
	uint32_t owner;
	uint64_t linger_ms;
	const char *folder;  /* NULL: with namespaces, or in a container */
	int rules_fd;        /* with a folder; -1: none */
	const char *roots;   /* with rules; NULL */
	const char *workdir; /* NULL: none was requested */
	const char *report;
	size_t report_len;
};

/* Serve the clients of a listening socket until SHUTDOWN or SIGTERM. As PID 1 of a container only a SIGTERM
 * from outside counts, as PID 1 of anything else none. Returns the exit code. */
int agent_serve(const struct agent_way *way);
/* Serve one client on descriptors 0 and 1 until it leaves. */
int agent_serve_stdio(void);
/* The second exec: argv follows the word "exec". Returns only on failure. */
int agent_exec(char **argv);

/* Convert a client's path to a local one: in a sandbox without namespaces it is written to `out`, otherwise
 * it is `path` itself. */
enum { AGENT_PATH_BYTES = 4096 };
const char *agent_path(const struct agent *agent, const char *path, char out[AGENT_PATH_BYTES]);

/* May clients, and through them the code, see the open file? Under Landlock the agent can read processes of
 * this machine in /proc that the code must not see. */
bool agent_may_show(const struct agent *agent, int fd);

#endif
