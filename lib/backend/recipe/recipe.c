/* SPDX-License-Identifier: MIT */
/* The carrier of all recipes: see box.h. */
#include "backend/recipe/box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/recipe.h>

#include "backend/supervised/found.h"
#include "base/err.h"
#include "base/log.h"

/* Longest silence: while a final step runs, the supervisor reports progress every two seconds. */
enum { STOP_TIMEOUT_MS = 20 * 1000 };

static bool has_net(const struct carrier *carrier)
{
	return ((const struct box *)carrier)->container_spec.opts.limits.net;
}

static const struct supervised_kind KIND;

static int box_probe(struct trm_error *reterr)
{
	(void)reterr; /* the recipe is not known here; its steps will find out */
	return 0;
}

int box_find_recipe(const char *name, const char *config, struct trm_recipe **ret, struct trm_error *reterr)
{
	int r = trm_recipe_load(name, config, ret, reterr);
	if (r == TRM_ENOENT && reterr)
		reterr->code = TRM_EINVAL;
	return r == TRM_ENOENT ? TRM_EINVAL : r;
}

/* ---- end --------------------------------------------------------------------------------------- */

static void box_destroy(struct supervised *supervised)
{
	struct box *box = (struct box *)supervised;
	prepare_finish(box);
	rundir_entry_remove(&box->entry);
	container_spec_finish(&box->container_spec);
	netenv_finish(&box->netenv);
	pod_file_finish(box);
	trm_recipe_free(box->recipe);
	free(box);
}

void box_over(struct box *box)
{
	supervised_close(&box->supervised, &box->why);
}

static void box_stop(struct carrier *carrier)
{
	struct box *box = (struct box *)carrier;
	if (box->supervised.child)
		supervised_stop(carrier);
	else if (!box->is_closing)
		prepare_stop(box);
}

static void box_leave(struct carrier *carrier)
{
	struct box *box = (struct box *)carrier;
	if (box->supervised.child)
		supervised_leave(carrier);
	else
		box_stop(carrier);
}

static int set_kept(struct carrier *carrier, bool is_kept, struct trm_error *reterr)
{
	struct box *box = (struct box *)carrier;
	if (box->supervised.child)
		return supervised_keep(carrier, is_kept, reterr);
	box->container_spec.opts.keep = is_kept;
	return 0;
}

/* ---- life ------------------------------------------------------------------------------------------ */

void box_report_progress(struct box *box, const char *words)
{
	if (box->supervised.base.cb->progress && !box->is_closing)
		box->supervised.base.cb->progress(box->supervised.base.user, words);
}

void box_launch(struct box *box)
{
	struct started started;
	int r = launch_supervisor(box, &started, &box->why);
	if (r == 0) {
		rundir_entry_leave(&box->entry);
		r = supervised_watch(&box->supervised, &started, &box->why);
	}
	if (r < 0)
		box_over(box);
}

static void box_advise(struct supervised *supervised, struct trm_error *why)
{
	advice_append(((struct box *)supervised)->recipe, why);
}

static void tell_guards(struct supervised *supervised, const struct ready_msg *ready)
{
	supervised->n_guards = guards_report(supervised->guards, ready, &supervised->limits, 0);
}

/* ---- start ------------------------------------------------------------------------------------------ */

static int find_recipe(struct box *box, const struct trm_sandbox_opts *opts, struct trm_error *reterr)
{
	if (!opts->container.recipe)
		return box_find_recipe(opts->backend, opts->container.config, &box->recipe, reterr);
	box->recipe = recipe_ref(opts->container.recipe);
	return 0;
}

static int box_start(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
		void *user, struct carrier **ret_carrier, struct trm_error *reterr)
{
	struct box *box = calloc(1, sizeof *box);
	if (!box)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	supervised_init(&box->supervised, &KIND, loop, opts, cb, user);
	int r = find_recipe(box, opts, reterr);
	if (r == 0)
		r = container_spec_init(&box->container_spec, box->recipe, opts, reterr);
	if (r == 0)
		r = rundir_entry_make(&box->entry, opts->name, reterr);
	if (r == 0)
		r = prepare_start(box, reterr);
	if (opts->limits.net)
		netenv_find(&box->netenv, opts->net_credentials, false);
	snprintf(box->origin, sizeof box->origin, "%s",
			opts->container.container ? opts->container.container : box->container_spec.image);
	if (r < 0) {
		supervised_finish(&box->supervised);
		box_destroy(&box->supervised);
		return r;
	}
	*ret_carrier = &box->supervised.base;
	return 0;
}

static const struct netenv *surroundings(const struct carrier *carrier)
{
	return &((const struct box *)carrier)->netenv;
}

static const char *box_origin(const struct carrier *carrier)
{
	return ((const struct box *)carrier)->origin;
}

static bool is_adopted(const struct carrier *carrier)
{
	return ((const struct box *)carrier)->container_spec.opts.container.container != NULL;
}

static const struct supervised_kind KIND = {
		.ops = &backend_recipe,
		.wait_ms = STOP_TIMEOUT_MS,
		.is_elsewhere = true,
		.tell_guards = tell_guards,
		.advise = box_advise,
		.destroy = box_destroy,
};

const struct backend_ops backend_recipe = {
		.name = "recipe",
		.caps = BACKEND_STATS | BACKEND_EVENTS | BACKEND_KEEP | BACKEND_MOUNTS | BACKEND_ENV
			| BACKEND_RECIPE | BACKEND_TELLS_END,
		.probe = box_probe,
		.start = box_start,
		.stop = box_stop,
		.leave = box_leave,
		.keep = set_kept,
		.set_group = supervised_set_group,
		.guards = supervised_guards,
		.nproc = supervised_nproc,
		.stats = supervised_stats,
		.usage = supervised_usage,
		.events = supervised_events,
		.watch_memory = supervised_watch_memory,
		.surroundings = surroundings,
		.origin = box_origin,
		.is_adopted = is_adopted,
		.has_net = has_net,
};
