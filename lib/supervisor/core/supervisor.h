/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CORE_SUPERVISOR_H
#define TRM_SUPERVISOR_CORE_SUPERVISOR_H

/* Theory of operation. The supervisor is the parent of one sandbox. It has a session of its own, so that no
 * terminal reaches it, and a connection to each attached client, including the one that started it. It
 * makes the control groups, starts bubblewrap, and then waits for one of these events:
 *
 *   the owner disconnects    the client that the sandbox belongs to asked for the end, or ended itself
 *   a client ends            although a process that it forked holds a copy of its connection
 *   STOP on any connection   a client asks for the end
 *   SIGINT                   somebody else asks for the end
 *   SIGTERM, SIGHUP          the same, but a sandbox that another server may adopt is left: these reach all
 *                            processes of a unit of systemd, with the server
 *   bubblewrap ends          the agent is gone, or never started
 *   time passes              nobody has been attached for too long, or the sandbox is too old
 *
 * At the end it removes everything that it has made. A kept sandbox has no owner: then the first two events
 * do not end it, and the last one does.
 *
 * All processes of the sandbox die with bubblewrap: its child dies with it and is the init of their PID
 * namespace. Without namespaces they are recognized by their user or by a process tag (folder.h). The
 * supervisor reaps them, so when it has no child left, no process is left. If the supervisor itself is
 * killed, bubblewrap dies, too, and the cleanup process (cleanup.h) removes the directories and groups. If
 * that was killed as well, the next supervisor, or the next client that lists sandboxes, removes them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/core/clients.h"
#include "supervisor/core/container.h"
#include "supervisor/core/idle.h"
#include "supervisor/launch/launch.h"
#include "supervisor/limits/group.h"
#include "supervisor/limits/user.h"
#include "supervisor/limits/watchdog.h"
#include "supervisor/net/addr_watch.h"
#include "supervisor/net/net.h"
#include "wire/control.h"

struct supervisor {
	pid_t cleanup;
	struct spec_msg spec;
	struct groups *groups; /* in memory shared with the cleanup process */
	struct user user;
	uint32_t *uid; /* number of that user, shared likewise */
	struct launch_sandbox launch_sandbox;
	struct watchdog watchdog;
	struct net net;
	struct container container;
	struct addr_watch addr_watch;
	unsigned net_starts;
	uint64_t n_refused, refused_before; /* connections: by all proxies, and by those before this one */
	char refused[256];                  /* the last one */
	bool is_announced;
	struct clients clients;
	struct idle idle;
	pid_t starter; /* the client that started us */
	int owner_fd;  /* connection of the client with which the sandbox ends; -1: it is closed */
	bool is_kept;
	uint64_t started_ms; /* of the clock of clock_ms() */
	int signal_fd;
	bool is_ending;
	enum gone_cause cause; /* the first one counts */
	pid_t asked_by;
	char asker[128];
	uint64_t after_ms;
	bool has_status; /* bubblewrap has been reaped */
	int status;
	size_t n_words;
	char words[CONTROL_MAX_WORDS];
	char packet[CONTROL_MAX_BYTES];
};

/* The number of processes in the control groups that nobody inside sees: bubblewrap's outer process and
 * those of the network. Without namespaces there are none. The agent is counted elsewhere. */
static inline uint32_t supervisor_outer(const struct supervisor *k)
{
	return k->container.is_on || k->spec.isolation != ISOLATION_NAMESPACES
			       ? 0
			       : 1 + (k->net.pid > 0) + (k->net.relay_pid > 0);
}

/* event_loop.c. supervisor_run() returns when the sandbox must end. */
/* Wait for events until `until_ms` at most, and handle them. */
void supervisor_turn(struct supervisor *k, uint64_t until_ms);
/* Mark the sandbox as ending. The first cause counts. */
void supervisor_end(struct supervisor *k, enum gone_cause cause);
void supervisor_run(struct supervisor *k);
void supervisor_child_ended(struct supervisor *k, pid_t pid, int status); /* a child has been reaped */
int supervisor_start_net(struct supervisor *k);                           /* 0, or -errno */
void supervisor_read_stderr(struct supervisor *k); /* reads bubblewrap's messages so far */

/* publish.c */
/* The sandbox is ready: notify the client and write the entry. */
void supervisor_announce(struct supervisor *k);
/* Tell only that client that its connection to the agent is lost. */
void supervisor_publish_lost(const struct supervisor *k, pid_t client, const char *words);
void supervisor_publish_progress(const struct supervisor *k, const char *words);
/* Set the text of GONE. The first failure is the reason and sets the code; later ones are appended … */
__attribute__((format(printf, 3, 4))) void supervisor_fail(
		struct supervisor *k, int code, const char *format, ...);
/* … as are these remarks. */
__attribute__((format(printf, 2, 3))) void supervisor_add_reason(
		struct supervisor *k, const char *format, ...);
void supervisor_publish_oom(const struct supervisor *k);
void supervisor_publish_refused(const struct supervisor *k);
void supervisor_save_gone(struct supervisor *k, uint64_t oom_kills); /* before the entry is removed */
void supervisor_publish_gone(struct supervisor *k, uint64_t oom_kills);
void supervisor_save_state(const struct supervisor *k);

#endif
