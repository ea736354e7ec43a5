/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_H
#define TRM_BACKEND_H

/* For those who implement a backend. A backend makes an environment with an
 * agent in it and gives one duplex byte stream to that agent; what happens
 * inside is the agent's matter (wire/frame.h), the same for all backends. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>
#include <terrarium/metrics.h>
#include <terrarium/sandbox.h>

struct backend_ops;
struct netenv;

/* Base of every backend's own object: first member, so that one cast leads down. */
struct carrier {
	const struct backend_ops *ops;
	const struct carrier_cb *cb;
	void *user;
};

/* Upward. Never called from inside start(); always from a loop turn. */
struct carrier_cb {
	/* What is being done that takes its time, one line fit to be shown: before `connected`, where it
	 * counts as a sign of life, and before `closed`. */
	void (*progress)(void *user, const char *words);
	/* Before `closed`: a sentence of what went wrong at the end. */
	void (*warning)(void *user, const char *words);
	/* The stream is there: a connected, non-blocking descriptor, owned by the carrier
	 * until `closed`. The agent may take a while to answer on it. Once. */
	void (*connected)(void *user, int fd);
	/* The stream has ended, or is about to, and this is why; the environment may live on. May be NULL. */
	void (*lost)(void *user, const struct trm_error *why);
	/* Last, exactly once: nothing is left of the environment, or, after leave(), of our connection to it.
	 * The carrier is freed when this returns. why->code is TRM_OK after stop() or leave(), else the
	 * reason. */
	void (*closed)(void *user, const struct trm_error *why);
};

enum backend_cap {
	BACKEND_STATS = 1 << 0,
	BACKEND_EVENTS = 1 << 1,
	BACKEND_KEEP = 1 << 2,
	BACKEND_MOUNTS = 1 << 3, /* no op: opts->mounts */
	BACKEND_ENV = 1 << 4,    /* no op: opts->env and workdir */
	/* No op: its kernels want to know how long a run may take (kernel.h: timeout_ms). */
	BACKEND_WANTS_TIMEOUT = 1 << 5,
	BACKEND_END = 1 << 6,
	BACKEND_TELLS_FATE = 1 << 7, /* no op: why an interpreter ends (kernel.h: fate) */
	BACKEND_RECIPE = 1 << 8,     /* no op: it has many names, each a recipe's */
	BACKEND_JOIN = 1 << 9,       /* opts->server.join is heeded */
	BACKEND_LIST = 1 << 10,
};

struct backend_ops {
	const char *name;
	uint32_t caps; /* enum backend_cap: one bit per optional op, and more */
	/* Can it work here? Cheap: called before every start. */
	int (*probe)(struct trm_error *reterr);
	/* `opts` is complete (name and limits filled in) and borrowed only during the call. */
	int (*start)(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
			void *user, struct carrier **ret_carrier, struct trm_error *reterr);
	/* Ask for the end. closed() follows soon, whatever the code inside does. May be called twice. */
	void (*stop)(struct carrier *carrier);
	/* BACKEND_END. A carrier that is there only to stop the sandbox opts->name, which somebody else, or
	 * nobody any more, has started: closed() follows, why->code TRM_OK if it has stopped. */
	int (*end)(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
			void *user, struct carrier **ret_carrier, struct trm_error *reterr);
	/* BACKEND_LIST. A carrier that is there only to ask what runs: perhaps `fn`, then closed(). */
	int (*list)(struct trm_loop *loop, const struct trm_sandbox_opts *opts, trm_server_list_fn *fn,
			void *list_user, const struct carrier_cb *cb, void *user,
			struct carrier **ret_carrier, struct trm_error *reterr);
	/* BACKEND_KEEP. Let go of it: closed() follows soon, and the environment lives on. BACKEND_JOIN: if
	 * it was there before us, else as stop(). */
	void (*leave)(struct carrier *carrier);
	/* BACKEND_JOIN. It was there before us. Valid from `connected` on. */
	bool (*is_joined)(const struct carrier *carrier);
	/* BACKEND_KEEP. It shall (not) outlive us from now on. Valid at once. */
	int (*keep)(struct carrier *carrier, bool is_kept, struct trm_error *reterr);
	/* What is enforced, and how. Valid from `connected` on. Borrowed. */
	size_t (*guards)(const struct carrier *carrier, const struct trm_guard **ret_guards);
	/* RLIMIT_NPROC that the agent shall set in each process; 0: the carrier has better means.
	 * Valid from `connected` on. */
	uint32_t (*nproc)(const struct carrier *carrier);
	/* The level in force. NULL: it is none of ours. */
	enum trm_isolation (*isolation)(const struct carrier *carrier);
	/* BACKEND_STATS: overwrite those fields of `sample` that the carrier knows better than
	 * the agent (a cgroup knows what /proc does not), and set their bits. Cheap. */
	void (*stats)(struct carrier *carrier, struct trm_sample *sample);
	/* BACKEND_STATS, may be NULL: of the same processor time, memory and disk alone, for a third of the
	 * cost.
	 */
	void (*usage)(struct carrier *carrier, struct trm_sample *sample);
	/* BACKEND_EVENTS. A quick look (microseconds) at what limits did: memory and its highest value since
	 * the last mark, disk, oom_kills, procs_refused, and the limits. With `marks` the highest memory
	 * counts anew from now; true if that could be done. */
	bool (*events)(struct carrier *carrier, bool marks, struct trm_sample *sample);
	/* BACKEND_EVENTS. A descriptor that becomes readable when memory passes so many bytes, upwards or
	 * downwards; the caller closes it. -1: the kernel tells nobody here, look from time to time. */
	int (*watch_memory)(struct carrier *carrier, uint64_t bytes);
	/* May be NULL. What the agent is to tell its programs of the host's network, as the environment that
	 * the carrier gave them does not; NULL: nothing. Valid from `connected` on. Borrowed. */
	const struct netenv *(*surroundings)(const struct carrier *carrier);
	/* May be NULL. The image or container that it was made from; "": none. Borrowed. */
	const char *(*origin)(const struct carrier *carrier);
	/* May be NULL. That is an existing container, which is only looked into. */
	bool (*is_adopted)(const struct carrier *carrier);
	/* May be NULL. The network that such a container turned out to have. Valid from `connected` on. */
	bool (*has_net)(const struct carrier *carrier);
};

extern const struct backend_ops backend_local;
extern const struct backend_ops backend_fake;
extern const struct backend_ops backend_microsandbox;
extern const struct backend_ops backend_recipe;
/* Not to be found by name: a local sandbox that runs already, opts->name. It has no start of its own, but
 * attached_start(), as start(), with what is known of the sandbox already: its entry
 * (backend/supervised/found.h), and what that says, which becomes the carrier's if there is one. */
struct info_msg;
struct found_entry;
extern const struct backend_ops backend_attached;
int attached_start(struct found_entry *entry, struct info_msg *info, struct trm_loop *loop,
		const struct trm_sandbox_opts *opts, const struct carrier_cb *cb, void *user,
		struct carrier **ret_carrier, struct trm_error *reterr);

/* By name; NULL name means local. Whatever is no other backend's name is a recipe's. */
int backend_find(const char *name, const struct backend_ops **ret, struct trm_error *reterr);
/* Is there one? Recipes are looked for in the config file `config` (NULL: the usual one), too, and checked.
 * TRM_EINVAL with the list of known ones, or what is wrong with the recipe. */
int backend_check(const char *name, const char *config, struct trm_error *reterr);

#endif
