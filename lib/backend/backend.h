/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_H
#define TRM_BACKEND_H

/* For people who implement a backend. A backend makes an environment with an agent in it, and gives one
 * duplex byte stream to that agent. Everything inside is the agent's business (wire/frame.h) and the same
 * for all backends. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>
#include <terrarium/metrics.h>
#include <terrarium/sandbox.h>

struct backend_ops;
struct netenv;

/* Base of every backend's own object. It is the first member, so one cast leads to the backend's object. */
struct carrier {
	const struct backend_ops *ops;
	const struct carrier_cb *cb;
	void *user;
};

/* Calls to the owner of the carrier. They never come from inside start(), only from the loop. */
struct carrier_cb {
	/* A step that takes time, as one line to display. Before `connected` it counts as a sign of life;
	 * it may also come before `closed`. */
	void (*progress)(void *user, const char *words);
	/* Before `closed`: a sentence about something that went wrong while ending. */
	void (*warning)(void *user, const char *words);
	/* The stream exists: a connected, non-blocking descriptor that the carrier owns until `closed`.
	 * The agent may take a while to answer. Called once. */
	void (*connected)(void *user, int fd);
	/* The stream has ended or is about to, for the reason given. The environment may live on. May be
	 * NULL. */
	void (*lost)(void *user, const struct trm_error *why);
	/* Last, exactly once: nothing is left of the environment, or after leave() of our connection to
	 * it. The carrier is freed when this returns. why->code is TRM_OK after stop() or leave(), else
	 * the reason. */
	void (*closed)(void *user, const struct trm_error *why);
};

enum backend_cap {
	BACKEND_STATS = 1 << 0,
	BACKEND_EVENTS = 1 << 1,
	BACKEND_KEEP = 1 << 2,
	BACKEND_MOUNTS = 1 << 3, /* no op: opts->mounts */
	BACKEND_ENV = 1 << 4,    /* no op: opts->env and workdir */
	/* No op: its kernels must know how long a run may take (kernel.h: timeout_ms). */
	BACKEND_WANTS_TIMEOUT = 1 << 5,
	BACKEND_END = 1 << 6,
	BACKEND_TELLS_FATE = 1 << 7, /* no op: it says why an interpreter ends (kernel.h: fate) */
	BACKEND_RECIPE = 1 << 8,     /* no op: it has many names, one for each recipe */
	BACKEND_JOIN = 1 << 9,       /* it obeys opts->server.join */
	BACKEND_LIST = 1 << 10,
	/* No op: closed() follows the end of the agent, at the latest when what looks after it dies. */
	BACKEND_TELLS_END = 1 << 11,
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
	/* BACKEND_END. Make a carrier that only stops the sandbox opts->name, which another program has
	 * started: closed() follows, with why->code TRM_OK if the sandbox has stopped. */
	int (*end)(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
			void *user, struct carrier **ret_carrier, struct trm_error *reterr);
	/* BACKEND_LIST. Make a carrier that only asks what runs: perhaps `fn`, then closed(). */
	int (*list)(struct trm_loop *loop, const struct trm_sandbox_opts *opts, trm_remote_list_fn *fn,
			void *list_user, const struct carrier_cb *cb, void *user,
			struct carrier **ret_carrier, struct trm_error *reterr);
	/* BACKEND_KEEP. Disconnect: closed() follows soon, and the environment lives on. BACKEND_JOIN:
	 * the same if the sandbox existed before us, else as stop(). */
	void (*leave)(struct carrier *carrier);
	/* BACKEND_JOIN. The sandbox existed before us. Valid from `connected` on. */
	bool (*is_joined)(const struct carrier *carrier);
	/* BACKEND_KEEP. From now on the sandbox outlives us, or does not. Valid at once. */
	int (*keep)(struct carrier *carrier, bool is_kept, struct trm_error *reterr);
	/* May be NULL: nobody else lists such sandboxes. Move it to another group. Valid from `connected` on.
	 */
	int (*set_group)(struct carrier *carrier, const char *group, struct trm_error *reterr);
	/* The limits that are enforced, and how. Valid from `connected` on. Borrowed. */
	size_t (*guards)(const struct carrier *carrier, const struct trm_guard **ret_guards);
	/* RLIMIT_NPROC that the agent is to set in each process; 0: the carrier has better means. Valid
	 * from `connected` on. */
	uint32_t (*nproc)(const struct carrier *carrier);
	/* The isolation level in force. NULL: not one of our levels. */
	enum trm_isolation (*isolation)(const struct carrier *carrier);
	/* The folder of a sandbox without namespaces (wire/folder.h), or "". May be NULL: it has none.
	 * Borrowed. */
	const char *(*folder)(const struct carrier *carrier);
	/* BACKEND_STATS: overwrite the fields of `sample` that the carrier knows better than the agent (a
	 * cgroup knows more than /proc), and set their bits. Cheap. */
	void (*stats)(struct carrier *carrier, struct trm_sample *sample);
	/* BACKEND_STATS, may be NULL: only processor time, memory and disk, for a third of the cost. */
	void (*usage)(struct carrier *carrier, struct trm_sample *sample);
	/* BACKEND_EVENTS. A quick sample (microseconds) of the effects of limits: memory and its peak
	 * since the last mark, disk, oom_kills, procs_refused, and the limits. With `marks` the memory
	 * peak starts anew; returns whether that was possible. */
	bool (*events)(struct carrier *carrier, bool marks, struct trm_sample *sample);
	/* May be NULL. The last connection to a host that net_allow_host does not allow, and how many there
	 * were;
	 * "" if none is known. Borrowed. */
	const char *(*refused)(struct carrier *carrier, uint64_t *ret_n);
	/* BACKEND_EVENTS. A descriptor that becomes readable when memory passes this many bytes, upwards
	 * or downwards; the caller closes it. -1: the kernel does not notify; poll from time to time. */
	int (*watch_memory)(struct carrier *carrier, uint64_t bytes);
	/* May be NULL. Information about the host's network for programs inside that the carrier did not
	 * put into their environment, so that the agent must. NULL: nothing. Valid from `connected` on.
	 * Borrowed. */
	const struct netenv *(*surroundings)(const struct carrier *carrier);
	/* May be NULL. The image or container that the sandbox was made from; "": none. Borrowed. */
	const char *(*origin)(const struct carrier *carrier);
	/* May be NULL. The origin is an existing container that the sandbox only uses. */
	bool (*is_adopted)(const struct carrier *carrier);
	/* May be NULL. Whether such a container has a network. Valid from `connected` on. */
	bool (*has_net)(const struct carrier *carrier);
};

extern const struct backend_ops backend_local;
extern const struct backend_ops backend_fake;
extern const struct backend_ops backend_microsandbox;
extern const struct backend_ops backend_recipe;
/* Cannot be found by name: a local sandbox that runs already, opts->name. Instead of start() it has
 * attached_start(), which also takes the sandbox's entry (backend/supervised/found.h) and the information
 * in it. The carrier takes over both if it is created. */
struct info_msg;
struct found_entry;
extern const struct backend_ops backend_attached;
int attached_start(struct found_entry *entry, struct info_msg *info, struct trm_loop *loop,
		const struct trm_sandbox_opts *opts, const struct carrier_cb *cb, void *user,
		struct carrier **ret_carrier, struct trm_error *reterr);

/* Find a backend by name; NULL means local. A name that no other backend has is a recipe's. */
int backend_find(const char *name, const struct backend_ops **ret, struct trm_error *reterr);
/* Does a backend of this name exist? Recipes in the config file `config` (NULL: the usual one) are found
 * and checked, too. TRM_EINVAL with the list of known backends, or with the mistake in the recipe. */
int backend_check(const char *name, const char *config, struct trm_error *reterr);

#endif
