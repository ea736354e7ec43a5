/* SPDX-License-Identifier: MIT */
#include "server/sandboxes/fleet.h"

#include <stdlib.h>

#include <terrarium/loop.h>

#include "base/err.h"
#include "server/sandboxes/adopt.h"
#include "server/sandboxes/fleet_internal.h"
#include "server/sandboxes/image.h"
#include "server/sandboxes/launch.h"
#include "server/sandboxes/server_pool.h"
#include "server/sandboxes/store.h"

/* ---- opening ----------------------------------------------------------------------------- */

static void free_all(struct fleet *fleet)
{
	sandbox_table_free(fleet);
	server_pools_free(fleet);
	trm_timer_remove(fleet->tick);
	trm_timer_remove(fleet->closing);
	store_close(fleet->store);
	image_free(fleet->images);
	free(fleet);
}

static void on_closing(void *user)
{
	struct fleet *fleet = user;
	void (*closed)(void *user) = fleet->closed;
	void *closed_user = fleet->closed_user;
	if (fleet->n_running || fleet->n_open_pools)
		return;
	free_all(fleet);
	closed(closed_user);
}

int fleet_open(struct trm_loop *loop, const struct fleet_opts *opts, struct fleet **ret,
		struct trm_error *reterr)
{
	struct fleet *fleet = calloc(1, sizeof *fleet);
	if (!fleet)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*fleet = (struct fleet){.loop = loop, .opts = *opts};
	fleet->spaces_end = &fleet->spaces;
	if (!fleet->opts.output_keep_bytes)
		fleet->opts.output_keep_bytes = FLEET_OUTPUT_BYTES;
	if (!fleet->opts.files_keep_bytes)
		fleet->opts.files_keep_bytes = FLEET_FILES_BYTES;
	int r = trm_loop_add_timer(loop, lifecycle_check_some, fleet, &fleet->tick, reterr);
	if (r == 0)
		r = trm_loop_add_timer(loop, on_closing, fleet, &fleet->closing, reterr);
	if (r == 0)
		r = image_load(NULL, &fleet->images, reterr);
	if (r == 0)
		r = store_open(opts->dir, &fleet->store, reterr);
	if (r == 0)
		r = script_link_all(fleet->store, fleet->links, sizeof fleet->links, reterr);
	if (r == 0)
		r = sandbox_table_load(fleet, reterr);
	if (r == 0)
		r = server_pools_open(fleet, reterr);
	if (r == 0)
		r = adopt_all(fleet, reterr);
	if (r < 0)
		free_all(fleet);
	else
		*ret = fleet;
	return r;
}

/* All waiting calls fail, and all running sandboxes are stopped with their files saved, or left to be
 * adopted. */
void fleet_close(struct fleet *fleet, void (*done)(void *user), void *user)
{
	fleet->is_closing = true;
	fleet->closed = done;
	fleet->closed_user = user;
	for (struct space *space = fleet->spaces; space; space = space->next)
		for (struct served *s = space->sandboxes; s; s = s->next)
			served_pump(s);
	server_pools_close(fleet);
	trm_timer_start(fleet->closing, 0, 0);
}

const struct fleet_opts *fleet_opts(const struct fleet *fleet)
{
	return &fleet->opts;
}

size_t fleet_images(const struct fleet *fleet, const char **names, size_t cap)
{
	return image_names(fleet->images, names, cap);
}

void fleet_waste(struct fleet *fleet, size_t bytes)
{
	enum { MUCH = 1 << 20 };
	fleet->has_waste |= bytes >= MUCH;
}

unsigned fleet_running(const struct fleet *fleet)
{
	return fleet->n_running;
}
