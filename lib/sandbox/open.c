/* SPDX-License-Identifier: MIT */
/* Opening a sandbox: a new one, one from a snapshot, or one that runs already. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include <terrarium/recipe.h>
#include <terrarium/registry.h>
#include <terrarium/snapshot.h>

#include "backend/supervised/found.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mount.h"
#include "base/opts.h"
#include "base/utf8.h"
#include "sandbox/sandbox.h"

enum { START_TIMEOUT_MS = 180000, LEAST_SILENCE_MS = 60000, NAME_MAX_BYTES = 64 };

int trm_sandbox_name_check(const char *name, struct trm_error *reterr)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t n = strlen(name);
	/* Names become directories, so no "." or ".." and nothing hidden. They are also arguments of
	 * commands, so no "-x". */
	if (n && n <= NAME_MAX_BYTES && strspn(name, letters) == n && !strchr("._-", name[0]))
		return 0;
	char shown[48];
	trm_text_clean_line(shown, sizeof shown, name, n);
	return trm_error_set(reterr, TRM_EINVAL,
			"'%s%s' is not a valid sandbox name: a name has 1 to %d letters, digits, dots, underscores and"
			" hyphens, and begins with a letter or a digit",
			shown, n >= sizeof shown ? "…" : "", NAME_MAX_BYTES);
}

static int name_random(char *name, size_t cap, struct trm_error *reterr)
{
	uint32_t number;
	if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
		return trm_error_set(reterr, TRM_EIO, "cannot get random numbers for a name from the kernel");
	snprintf(name, cap, "sandbox-%08x", number);
	return 0;
}

struct kept_mounts {
	struct trm_mount of[TRM_MOUNTS_MAX];
	char text[]; /* what they point to */
};

/* The caller may free its texts after the opening. */
static int keep_mounts(struct trm_sandbox *s, struct trm_error *reterr)
{
	char text[TRM_MOUNTS_BYTES + TRM_MOUNTS_MAX];
	size_t used = 0;
	struct kept_mounts *own;
	if (!s->opts.n_mounts)
		return 0;
	for (size_t i = 0; i < s->opts.n_mounts; i++) {
		used += strlen(trm_mount_format(&s->opts.mounts[i], text + used, sizeof text - used));
		text[used++] = '\n';
	}
	text[used++] = '\0';
	if (!(s->mounts = own = malloc(sizeof *own + used)))
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	memcpy(own->text, text, used);
	s->opts.n_mounts = mount_read_lines(own->text, own->of);
	s->opts.mounts = own->of;
	return 0;
}

static int take_opts(struct trm_sandbox *s, const struct trm_sandbox_opts *opts, struct trm_error *reterr)
{
	int r;
	if (opts->name) {
		if ((r = trm_sandbox_name_check(opts->name, reterr)) < 0)
			return r;
		memcpy(s->name, opts->name, strlen(opts->name) + 1);
	} else if ((r = name_random(s->name, sizeof s->name, reterr)) < 0) {
		return r;
	}
	if ((r = trm_limits_check(&opts->limits, reterr)) < 0
			|| (r = metrics_check(opts->metrics_interval_ms, reterr)) < 0)
		return r;
	if (opts->keep && !(s->ops->caps & BACKEND_KEEP))
		return sandbox_fail_keeping(s, reterr);
	if ((r = trm_sandbox_opts_check(opts, reterr)) < 0)
		return r;
	if (opts->n_mounts && !(s->ops->caps & BACKEND_MOUNTS) && s->ops != &backend_attached)
		return trm_error_set(reterr, TRM_ENOTSUP, "sandboxes of the %s backend cannot have mounts",
				s->backend);
	if ((opts->n_env || opts->workdir) && !(s->ops->caps & BACKEND_ENV) && s->ops != &backend_attached)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"sandboxes of the %s backend cannot have variables or a working directory",
				s->backend);
	if (opts->from && s->ops != &backend_local && !(s->ops->caps & BACKEND_RECIPE))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"sandboxes of the %s backend cannot start from a snapshot", s->backend);
	if (opts->isolation != TRM_ISOLATION_AUTO && s->ops != &backend_local)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"an isolation level is for local sandboxes: those of the %s backend are "
				"isolated by it",
				s->backend);
	s->opts = *opts;
	s->opts.name = s->name;
	snprintf(s->workdir, sizeof s->workdir, "%s", opts->workdir ? opts->workdir : "/workspace");
	snprintf(s->group, sizeof s->group, "%s", opts->group ? opts->group : "");
	s->opts.backend = s->backend;
	s->is_kept = opts->keep;
	s->is_adoptable = opts->container.kube.adoptable != NULL;
	s->leaves = opts->keep || s->is_adoptable || s->ops == &backend_attached
		    || (s->ops->caps & BACKEND_JOIN && opts->server.join != TRM_REMOTE_START);
	if (!s->opts.start_timeout_ms)
		s->opts.start_timeout_ms = START_TIMEOUT_MS;
	s->silence_ms = s->opts.start_timeout_ms > LEAST_SILENCE_MS ? s->opts.start_timeout_ms
								    : LEAST_SILENCE_MS;
	return keep_mounts(s, reterr);
}

/* What is known of a sandbox that runs already. */
struct found {
	struct found_entry entry;
	struct info_msg info;
	struct trm_requested *mounts; /* big, and usually not needed: NULL */
	char group[STATE_GROUP];      /* that it was moved to */
};
_Static_assert((int)STATE_GROUP == (int)TRM_GROUP_BYTES, "a group fits into the state");

static int start_carrier(struct trm_sandbox *s, struct found *found, struct trm_error *reterr)
{
	if (found)
		return attached_start(&found->entry, &found->info, s->loop, &s->opts, &sandbox_carrier_cb, s,
				&s->carrier, reterr);
	return s->ops->start(s->loop, &s->opts, &sandbox_carrier_cb, s, &s->carrier, reterr);
}

/* All recipes share their operations, and attached sandboxes have the same ones for every backend. */
static void name_backend(
		struct trm_sandbox *s, const struct found *found, const struct trm_sandbox_opts *opts)
{
	const char *name = s->ops->name;
	if (found && *found->info.ready.origin.backend)
		name = found->info.ready.origin.backend;
	else if (s->ops->caps & BACKEND_RECIPE)
		name = opts->backend;
	snprintf(s->backend, sizeof s->backend, "%s", name);
}

/* `found` NULL: start a new sandbox. */
static int open_on(const struct backend_ops *ops, struct found *found, struct trm_loop *loop,
		const struct trm_sandbox_opts *opts, const struct trm_sandbox_cb *cb, void *user,
		struct trm_sandbox **ret_sandbox, struct trm_error *reterr)
{
	static const struct trm_sandbox_cb none;
	struct trm_sandbox *s = calloc(1, sizeof *s);
	int r;
	if (!s)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	s->ops = ops;
	name_backend(s, found, opts);
	s->loop = loop;
	s->cb = cb ? cb : &none;
	s->user = user;
	client_init(s);
	if ((r = take_opts(s, opts, reterr)) < 0 || (r = sandbox_add_timers(s, reterr)) < 0
			|| (r = start_carrier(s, found, reterr)) < 0) {
		sandbox_free(s);
		return r;
	}
	s->opts.env = NULL;
	s->opts.n_env = 0;
	s->opts.workdir = s->workdir;
	s->opts.group = s->group;
	s->opts.from = NULL;
	s->opts.server = (struct trm_remote_opts){0}; /* its texts, including a key, belong to the caller */
	s->opts.container = (struct trm_container_opts){0};
	log_write(LOG_INFO, "sandbox '%s' starts on %s", s->name, s->backend);
	trm_timer_start(s->deadline, s->opts.start_timeout_ms, 0);
	if (s->opts.metrics_interval_ms)
		metrics_send_watch(s);
	*ret_sandbox = s;
	return 0;
}

/* A new sandbox on the backend of its options. */
static int open_new(struct trm_loop *loop, struct trm_sandbox_opts *own, const struct trm_sandbox_cb *cb,
		void *user, struct trm_sandbox **ret_sandbox, struct trm_error *reterr)
{
	const struct backend_ops *ops;
	char name[TRM_RECIPE_NAME];
	const char *backend = own->backend ? own->backend : "local";
	trm_backend_name(backend, own->container.config, name, sizeof name);
	int r = backend_find(name, &ops, reterr);
	if (r < 0)
		return r;
	if (strcmp(name, backend) != 0 && strlen(backend) < sizeof name)
		own->backend = name; /* the implementation copies the name too */
	return open_on(ops, NULL, loop, own, cb, user, ret_sandbox, reterr);
}

/* The snapshot decides about the backend, and about the image. */
static int open_from(struct trm_loop *loop, struct trm_sandbox_opts *own, const struct trm_sandbox_cb *cb,
		void *user, struct trm_sandbox **ret_sandbox, struct trm_error *reterr)
{
	struct trm_snapshot_info info;
	int r = trm_snapshot_find(own->from, &info, reterr);
	if (r < 0)
		return r;
	if (own->backend && strcasecmp(own->backend, info.backend) != 0)
		return trm_error_set(reterr, TRM_EINVAL,
				"the snapshot '%s' is of the backend '%s', so its sandboxes are not of '%s'",
				info.tag, info.backend, own->backend);
	if (own->container.image || own->container.container || own->container.dockerfile)
		return trm_error_set(reterr, TRM_EINVAL,
				"the snapshot '%s' has its own image: leave out the other one", info.tag);
	own->backend = info.backend;
	own->container.image = *info.image ? info.image : NULL;
	if (!own->container.user && *info.user)
		own->container.user = info.user;
	return open_new(loop, own, cb, user, ret_sandbox, reterr);
}

int trm_sandbox_open(struct trm_loop *loop, const struct trm_sandbox_opts *opts,
		const struct trm_sandbox_cb *cb, void *user, struct trm_sandbox **ret_sandbox,
		struct trm_error *reterr)
{
	struct trm_sandbox_opts own = TRM_SANDBOX_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	if (r < 0)
		return r;
	return (own.from ? open_from : open_new)(loop, &own, cb, user, ret_sandbox, reterr);
}

static int describe_found(
		const char *name, struct found *found, struct trm_sandbox_opts *ret, struct trm_error *reterr)
{
	const struct info_msg *info = &found->info;
	struct state_msg state;
	int r = found_open(&found->entry, name, &found->info, reterr);
	if (r == TRM_ENOENT)
		return registry_fail_absent(name, reterr);
	if (r < 0)
		return r;
	if (*info->mounts && !(found->mounts = calloc(1, sizeof *found->mounts)))
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	found_limits(info, &ret->limits);
	if (found->mounts) {
		found_requested(info, found->mounts);
		ret->n_mounts = found->mounts->n_mounts;
		ret->mounts = found->mounts->mounts;
	}
	ret->workdir = found_workdir(info);
	ret->group = info->group;
	bool has_state = found_entry_state(&found->entry, &state);
	ret->keep = has_state && state.is_kept;
	if (has_state && *state.group)
		ret->group = memcpy(found->group, state.group, sizeof found->group);
	return 0;
}

static void found_finish(struct found *found)
{
	info_msg_finish(&found->info);
	found_close(&found->entry);
	free(found->mounts);
	free(found);
}

int trm_sandbox_attach(struct trm_loop *loop, const char *name, const struct trm_sandbox_opts *opts,
		const struct trm_sandbox_cb *cb, void *user, struct trm_sandbox **ret_sandbox,
		struct trm_error *reterr)
{
	struct trm_sandbox_opts asked = TRM_SANDBOX_OPTS_INIT, own = {.size = sizeof own, .name = name};
	int r = trm_sandbox_name_check(name, reterr);
	if (r == 0)
		r = opts_take(&asked, sizeof asked, opts, reterr);
	if (r < 0)
		return r;
	struct found *found = calloc(1, sizeof *found);
	if (!found)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	r = describe_found(name, found, &own, reterr);
	own.metrics_interval_ms = asked.metrics_interval_ms;
	own.metrics_with_processes = asked.metrics_with_processes;
	own.is_observer = asked.is_observer;
	if (r == 0)
		r = open_on(&backend_attached, found, loop, &own, cb, user, ret_sandbox, reterr);
	found_finish(found);
	return r;
}
