/* SPDX-License-Identifier: MIT */
#include "server/sandboxes/server_pool.h"

#include <cJSON.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/loop.h>

#include "base/err.h"
#include "rpc/params.h"
#include "server/sandboxes/fleet_internal.h"
#include "server/sandboxes/image.h"
#include "server/sandboxes/launch.h"

enum { IDLE_MAX = 1000, MIB = 1 << 20 };

struct server_pool {
	const char *image;
	char name[56]; /* of its sandboxes, without the digits */
	unsigned languages;
	struct launching *launching; /* has the texts of the pool's options */
	const struct trm_lang *warmed[2];
	const char *setup[2]; /* of it */
	struct trm_pool *pool;
	uint64_t n_missed;
};

/* ---- opening ----------------------------------------------------------------------------------- */

/* The name of the pool's sandboxes on this machine: "pool.python-1a2b3c4d". */
static void name_pool(const char *image, char *out, size_t cap)
{
	const char *last = strrchr(image, '/');
	snprintf(out, cap, "pool.%s", last ? last + 1 : image);
	for (char *at = out; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("._-", *at))
			*at = '-';
}

/* Describe the sandboxes of a pool as those of a start request that names only the image. */
static int describe_sandbox(struct server_pool *pool, struct fleet *fleet, struct trm_error *reterr)
{
	char note[LAUNCH_NOTE];
	struct space space = {.name = "pool"};
	struct served model = {.fleet = fleet, .space = &space, .name = "pool"};
	model.config = cJSON_CreateObject();
	if (!cJSON_AddStringToObject(model.config, "image", pool->image)) {
		cJSON_Delete(model.config);
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	}
	int r = launching_create(&model, note, &pool->launching, reterr);
	pool->languages = model.languages;
	cJSON_Delete(model.config);
	return r;
}

static int check_pool(struct fleet *fleet, struct server_pool *pool, const struct trm_serve_pool *wanted,
		struct trm_error *reterr)
{
	unsigned first = 0;
	pool->image = wanted->image;
	if (!wanted->n_idle || wanted->n_idle > IDLE_MAX)
		return trm_error_set(reterr, TRM_EINVAL, "the pool '%.60s' must have from 1 to %d sandboxes",
				wanted->image, IDLE_MAX);
	int r = describe_sandbox(pool, fleet, reterr);
	if (r < 0)
		return err_wrap(reterr, TRM_EINVAL, "the pool '%.60s'", wanted->image);
	while (first + 1 < trm_lang_count() && !(pool->languages & 1u << first))
		first++;
	pool->warmed[0] = trm_lang_at(first);
	pool->setup[0] = wanted->setup;
	return 0;
}

static int open_pool(struct fleet *fleet, struct server_pool *pool, unsigned n_idle, struct trm_error *reterr)
{
	struct trm_pool_opts opts;
	name_pool(pool->image, pool->name, sizeof pool->name);
	trm_pool_opts_default(&opts);
	opts.sandbox = *launching_opts(pool->launching);
	opts.sandbox.name = pool->name;
	opts.languages = pool->warmed;
	opts.setup = pool->setup;
	opts.min_idle = n_idle;
	opts.idle_timeout_ms = 0;
	opts.when_empty = TRM_POOL_FAIL;
	int r = trm_pool_open(fleet->loop, &opts, &pool->pool, reterr);
	fleet->n_open_pools += r == 0;
	return r;
}

/* All are checked before the first one is opened, because a pool closes only in a later turn of the loop. */
int server_pools_open(struct fleet *fleet, struct trm_error *reterr)
{
	const struct fleet_opts *opts = &fleet->opts;
	int r = 0;
	if (!opts->n_pools)
		return 0;
	if (opts->backend && !strcmp(opts->backend, "microsandbox"))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"a server cannot keep a pool of sandboxes that live on another server: give that "
				"server the pool");
	fleet->pools = calloc(opts->n_pools, sizeof *fleet->pools);
	if (!fleet->pools)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	for (size_t i = 0; r == 0 && i < opts->n_pools; i++)
		r = check_pool(fleet, &fleet->pools[i], &opts->pools[i], reterr);
	for (size_t i = 0; r == 0 && i < opts->n_pools; i++)
		r = open_pool(fleet, &fleet->pools[i], opts->pools[i].n_idle, reterr);
	return r;
}

/* ---- the end -------------------------------------------------------------------------------------- */

static void on_pool_closed(void *user)
{
	struct fleet *fleet = user;
	if (--fleet->n_open_pools == 0)
		trm_timer_start(fleet->closing, 0, 0);
}

void server_pools_close(struct fleet *fleet)
{
	for (size_t i = 0; fleet->pools && i < fleet->opts.n_pools; i++) {
		trm_pool_close(fleet->pools[i].pool, on_pool_closed, fleet);
		fleet->pools[i].pool = NULL;
	}
}

void server_pools_free(struct fleet *fleet)
{
	for (size_t i = 0; fleet->pools && i < fleet->opts.n_pools; i++)
		launching_free(fleet->pools[i].launching);
	free(fleet->pools);
}

/* ---- use -------------------------------------------------------------------------------------------- */

static bool is_empty(const cJSON *list)
{
	return !list || !list->child;
}

/* Does the config ask for nothing but an image, and for the server's own limits? */
static bool is_plain(const struct rpc_config *config, const struct trm_limits *limits)
{
	return config->image && !config->from && is_empty(config->volumes) && is_empty(config->ports)
	       && is_empty(config->envs) && is_empty(config->scripts) && !config->workdir && !config->shell
	       && (!config->memory_mib || (uint64_t)config->memory_mib * MIB == limits->mem_bytes)
	       && (!config->cpus || config->cpus == limits->cpus);
}

static struct server_pool *find_pool(struct served *served)
{
	struct fleet *fleet = served->fleet;
	struct rpc_config config;
	unsigned languages;
	if (!fleet->pools || rpc_config_read(&config, served->config, NULL) < 0
			|| !is_plain(&config, &fleet->opts.limits)
			|| image_find(fleet->images, config.image, &languages, NULL) < 0)
		return NULL;
	bool is_local = !fleet->opts.backend || !strcmp(fleet->opts.backend, "local");
	for (size_t i = 0; i < fleet->opts.n_pools; i++) {
		struct server_pool *pool = &fleet->pools[i];
		if (pool->pool && pool->languages == languages
				&& (is_local || !strcmp(pool->image, config.image)))
			return pool;
	}
	return NULL;
}

bool server_pool_take(struct served *served, const struct trm_sandbox_cb *cb, trm_pool_fn *fn)
{
	struct server_pool *pool = find_pool(served);
	struct trm_pool_stats stats;
	if (!pool)
		return false;
	trm_pool_stats(pool->pool, &stats);
	if (stats.idle <= stats.waiting || trm_pool_take(pool->pool, cb, served, fn, served, NULL) < 0) {
		pool->n_missed++;
		return false;
	}
	served->languages = pool->languages;
	return true;
}

bool server_pool_stats(const struct fleet *fleet, size_t i, const char **ret_image,
		struct trm_pool_stats *ret, uint64_t *ret_n_missed)
{
	if (!fleet->pools || i >= fleet->opts.n_pools || !fleet->pools[i].pool)
		return false;
	*ret_image = fleet->pools[i].image;
	*ret_n_missed = fleet->pools[i].n_missed;
	trm_pool_stats(fleet->pools[i].pool, ret);
	return true;
}
