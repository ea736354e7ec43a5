/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CORE_SUPERVISOR_H
#define TRM_SUPERVISOR_CORE_SUPERVISOR_H

/* Theory of operation. The supervisor is the parent of one sandbox. It has a
 * session of its own, so that no terminal reaches it, and a line to each client that is attached,
 * the one that started it among them. It makes the control groups, starts bubblewrap, and then
 * waits:
 *
 *   the owner's line breaks the client that the sandbox belongs to asked for the end, or ended itself
 *   a client ends           while a copy of its line lives on in a process that it forked
 *   STOP on any line        a client asks for the end
 *   SIGTERM, SIGINT, SIGHUP somebody else asks
 *   bubblewrap ends         the agent is gone, or never came
 *   time passes             nobody has been attached for too long, or it is too old
 *
 * and at the end takes everything away again. A sandbox that is kept belongs to nobody: then
 * the first two are no reason, and the last one is. All processes of the sandbox
 * die with bubblewrap (its child dies with it and is init of their PID
 * namespace; without namespaces they are known by their user or by a mark: folder.h); the supervisor is their
 * reaper, so when it has no child left, none of them is left. Should the supervisor itself be killed,
 * bubblewrap dies too, and what remains of directories and groups is taken away by its cleanup process
 * (cleanup.h) or, if that was killed as well, swept by the next supervisor, or whoever lists sandboxes. */

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
	struct groups *groups; /* in memory that the cleanup process shares */
	struct user user;
	uint32_t *uid; /* its number, likewise */
	struct launch_sandbox launch_sandbox;
	struct watchdog watchdog;
	struct net net;
	struct container container;
	struct addr_watch addr_watch;
	unsigned net_starts;
	bool is_announced;
	struct clients clients;
	struct idle idle;
	pid_t starter; /* the client that started us */
	int owner_fd;  /* line of the client with which the sandbox ends; -1: that one has gone */
	bool is_kept;
	uint64_t started_ms; /* of the clock of supervisor_now_ms() */
	int signal_fd;
	bool is_ending;
	enum gone_cause cause; /* the first that came */
	pid_t asked_by;
	char asker[128];
	uint64_t after_ms;
	bool has_status; /* bubblewrap has been reaped */
	int status;
	size_t n_words;
	char words[CONTROL_MAX_WORDS];
	char packet[CONTROL_MAX_BYTES];
};

/* Processes in the control groups that nobody inside sees: bubblewrap's outer one, the network's. Without
 * namespaces there are none; the agent is always counted by itself. */
static inline uint32_t supervisor_outer(const struct supervisor *k)
{
	return k->container.is_on || k->spec.isolation != ISOLATION_NAMESPACES
			       ? 0
			       : 1 + (k->net.pid > 0) + (k->net.relay_pid > 0);
}

uint64_t supervisor_now_ms(void); /* CLOCK_MONOTONIC */

/* event_loop.c: everything between start and end. Returns when the sandbox is to end. */
/* One turn: wait for something to happen, until then at most, and hear it. */
void supervisor_turn(struct supervisor *k, uint64_t until_ms);
/* It is to end; the first cause counts. */
void supervisor_end(struct supervisor *k, enum gone_cause cause);
void supervisor_run(struct supervisor *k);
void supervisor_child_ended(struct supervisor *k, pid_t pid, int status); /* that child has been reaped */
int supervisor_start_net(struct supervisor *k);                           /* 0, or -errno */
void supervisor_read_stderr(struct supervisor *k); /* what bubblewrap has said so far */

/* publish.c: to clients, and into the entry */
void supervisor_announce(struct supervisor *k); /* it is up: to the client, and so that others find it */
/* To that client alone: there is no way to the agent for it any more. */
void supervisor_publish_lost(const struct supervisor *k, pid_t client, const char *words);
void supervisor_publish_progress(const struct supervisor *k, const char *words);
/* What GONE will say: a whole sentence, and its code, as the reason (which only the first is) … */
__attribute__((format(printf, 3, 4))) void supervisor_fail(
		struct supervisor *k, int code, const char *format, ...);
/* … or beside it. */
__attribute__((format(printf, 2, 3))) void supervisor_add_reason(
		struct supervisor *k, const char *format, ...);
void supervisor_publish_oom(const struct supervisor *k);
void supervisor_save_gone(struct supervisor *k, uint64_t oom_kills); /* while the entry is there */
void supervisor_publish_gone(struct supervisor *k, uint64_t oom_kills);
void supervisor_save_info(const struct supervisor *k);
void supervisor_save_state(const struct supervisor *k);

#endif
