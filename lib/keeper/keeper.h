/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEEPER_H
#define TRM_KEEPER_H

/* Theory of operation. The keeper is the parent of one sandbox. It has a
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
 * namespace; without namespaces they are known by their user or by a mark: folder.h); the keeper is their
 * reaper, so when it has no child left, none of them is left. Should the keeper itself be killed, bubblewrap
 * dies too, and what remains of directories and groups is taken away by its heir (heir.h) or, if that was
 * killed as well, swept by the next keeper, or whoever lists sandboxes. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "keeper/clients.h"
#include "keeper/group.h"
#include "keeper/idle.h"
#include "keeper/launch.h"
#include "keeper/net.h"
#include "keeper/recipe.h"
#include "keeper/roam.h"
#include "keeper/user.h"
#include "keeper/watchdog.h"
#include "wire/lifeline.h"

struct keeper {
	pid_t heir;
	struct spec_msg spec;
	struct groups *groups; /* in memory that the heir shares */
	struct user user;
	uint32_t *uid; /* its number, likewise */
	struct launch launch;
	struct watchdog watchdog;
	struct net net;
	struct recipe recipe;
	struct roam roam;
	unsigned net_starts;
	bool is_announced;
	struct clients clients;
	struct idle idle;
	pid_t starter; /* the client that started us */
	int owner_fd;  /* line of the client with which the sandbox ends; -1: that one has gone */
	bool is_kept;
	uint64_t started_ms; /* of the clock of keeper_now_ms() */
	int signal_fd;
	bool is_ending;
	enum gone_cause cause; /* the first that came */
	pid_t asked_by;
	char asker[128];
	uint64_t after_ms;
	bool has_status; /* bubblewrap has been reaped */
	int status;
	size_t n_words;
	char words[LIFELINE_MAX_WORDS];
	char packet[LIFELINE_MAX_BYTES];
};

/* Processes in the control groups that nobody inside sees: bubblewrap's outer one, the network's. Without
 * namespaces there are none; the agent is always counted by itself. */
static inline uint32_t keeper_outer(const struct keeper *k)
{
	return k->recipe.is_on || k->spec.isolation != ISOLATION_NAMESPACES
			       ? 0
			       : 1 + (k->net.pid > 0) + (k->net.relay_pid > 0);
}

uint64_t keeper_now_ms(void); /* CLOCK_MONOTONIC */

/* live.c: everything between start and end. Returns when the sandbox is to end. */
/* One turn: wait for something to happen, until then at most, and hear it. */
void keeper_turn(struct keeper *k, uint64_t until_ms);
/* It is to end; the first cause counts. */
void keeper_end(struct keeper *k, enum gone_cause cause);
void keeper_live(struct keeper *k);
void keeper_note_end(struct keeper *k, pid_t pid, int status); /* that child has been reaped */
int keeper_start_net(struct keeper *k);                        /* 0, or -errno */
void keeper_hear_words(struct keeper *k);                      /* what bubblewrap has said so far */

/* tell.c: to clients, and into the entry */
void keeper_announce(struct keeper *k); /* it is up: to the client, and so that others find it */
/* To that client alone: there is no way to the agent for it any more. */
void keeper_tell_lost(const struct keeper *k, pid_t client, const char *words);
void keeper_tell_progress(const struct keeper *k, const char *words);
/* What GONE will say: a whole sentence, and its code, as the reason (which only the first is) … */
__attribute__((format(printf, 3, 4))) void keeper_fail(struct keeper *k, int code, const char *format, ...);
/* … or beside it. */
__attribute__((format(printf, 2, 3))) void keeper_add_words(struct keeper *k, const char *format, ...);
void keeper_tell_oom(const struct keeper *k);
void keeper_note_gone(struct keeper *k, uint64_t oom_kills); /* while the entry is there */
void keeper_tell_gone(struct keeper *k, uint64_t oom_kills);
void keeper_note_info(const struct keeper *k);
void keeper_note_state(const struct keeper *k);

#endif
