/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_SANDBOX_H
#define TERRARIUM_SANDBOX_H

/* A sandbox is an isolated environment with an agent inside. The agent starts processes, transfers files
 * and takes measurements. State lives in the sandbox's processes and files for as long as it is open.
 *
 * Everything here is asynchronous. Functions return at once, and callbacks report later events from inside
 * trm_loop_step(). You may make requests right after trm_sandbox_open(), before `ready`; they are sent as
 * soon as the agent answers.
 *
 * This header has the life of a sandbox. It includes the headers about what goes into one and what happens in
 * one: sandbox_opts.h, process.h, files.h. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/files.h>
#include <terrarium/metrics.h>
#include <terrarium/process.h>
#include <terrarium/sandbox_opts.h>

TRM_BEGIN_API

struct trm_error;
struct trm_loop;
struct trm_sandbox;

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

/* True if a new local sandbox with these options would get less room for files than limits.disk_bytes: where
 * they lie in memory, they leave a quarter of its limit to programs. `out` is then a sentence that says so.
 * Looks at this machine as trm_isolation_best() does. */
enum { TRM_DISK_HINT = 200 };
bool trm_disk_hint(const struct trm_sandbox_opts *opts, char *out, size_t cap);

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
/* True if it already ran at its server (enum trm_remote_join), so that closing leaves it there. Known once
 * `ready` was called. */
bool trm_sandbox_is_joined(const struct trm_sandbox *sandbox);
/* True if closing leaves it running, for one of these reasons, and no client has changed that since. */
bool trm_sandbox_survives_close(const struct trm_sandbox *sandbox);

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
/* Move a ready sandbox to another group, as in trm_sandbox_opts: a pool's sandbox gets another manager when
 * it is given away. Errors: TRM_EINVAL, TRM_ECLOSED. */
int trm_sandbox_set_group(struct trm_sandbox *sandbox, const char *group, struct trm_error *reterr);
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

TRM_END_API

#endif
