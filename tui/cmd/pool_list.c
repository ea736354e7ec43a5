/* SPDX-License-Identifier: MIT */
#include "cmd/pool_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/registry.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "text/cluster.h"

/* Starts that have succeeded. */
static uint64_t n_made(const struct trm_pool_entry *pool)
{
	const struct trm_pool_stats *s = &pool->stats;
	uint64_t others = s->n_failed + s->starting;
	return s->n_started > others ? s->n_started - others : 0;
}

static int wider(const char *text, int width)
{
	int n = (int)cluster_columns(text, strlen(text));
	return n > width ? n : width;
}

static void print_padded(const char *text, int width)
{
	printf("%s%*s  ", text, width - (int)cluster_columns(text, strlen(text)), "");
}

void pool_list_print(const struct trm_pool_entry *pools, size_t n)
{
	int name = (int)strlen("POOL"), backend = (int)strlen("BACKEND");
	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		name = wider(pools[i].name, name);
		backend = wider(pools[i].backend, backend);
	}
	putchar('\n');
	print_padded("POOL", name);
	print_padded("BACKEND", backend);
	puts("SIZE  IDLE  STARTING  IN USE      MADE    FAILED  GROUP");
	for (size_t i = 0; i < n; i++) {
		const struct trm_pool_stats *s = &pools[i].stats;
		print_padded(pools[i].name, name);
		print_padded(pools[i].backend, backend);
		printf("%4u  %4u  %8u  %6u  %8" PRIu64 "  %8" PRIu64 "  %s\n", pools[i].size, s->idle,
				s->starting, s->taken, n_made(&pools[i]), s->n_failed,
				*pools[i].group ? pools[i].group : "-");
		if (s->is_short_of_memory)
			puts("  It starts no more in advance: this machine has too little memory left.");
		if (s->why.code)
			printf("  The last start failed: %s\n", s->why.msg);
	}
}

static void put_pool(struct json_out *j, const struct trm_pool_entry *pool)
{
	const struct trm_pool_stats *s = &pool->stats;
	json_open(j, NULL, '{');
	json_put_text(j, "name", pool->name);
	json_put_text(j, "backend", pool->backend);
	json_put_text(j, "group", *pool->group ? pool->group : NULL);
	json_put_u64(j, "pid", pool->pid);
	json_put_u64(j, "size", pool->size);
	if (pool->max)
		json_put_u64(j, "max", pool->max);
	else
		json_put_null(j, "max");
	json_put_u64(j, "idle", s->idle);
	json_put_u64(j, "starting", s->starting);
	json_put_u64(j, "in_use", s->taken);
	json_put_u64(j, "waiting", s->waiting);
	json_put_bool(j, "short_of_memory", s->is_short_of_memory);
	json_put_u64(j, "made", n_made(pool));
	json_put_u64(j, "given", s->n_given);
	json_put_u64(j, "refused", s->n_refused);
	json_put_u64(j, "failed", s->n_failed);
	json_put_u64(j, "expired", s->n_expired);
	json_put_u64(j, "lost", s->n_lost);
	json_put_text(j, "why", s->why.code ? s->why.msg : NULL);
	json_close(j, '}');
}

int pool_list_print_json(const struct trm_pool_entry *pools, size_t n)
{
	struct json_out j;
	json_init(&j);
	json_open(&j, NULL, '[');
	for (size_t i = 0; i < n; i++)
		put_pool(&j, &pools[i]);
	json_close(&j, ']');
	return json_finish(&j);
}
