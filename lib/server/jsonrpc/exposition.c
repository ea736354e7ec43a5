/* SPDX-License-Identifier: MIT */
/* GET /metrics: the server's figures in the text format of Prometheus, version 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats). A value that is not known has no line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/names.h"
#include "server/jsonrpc/exposition.h"
#include "server/sandboxes/server_pool.h"

static void write_family(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP terrarium_%s %s\n# TYPE terrarium_%s %s\n", name, help, name, type);
}

/* ---- sandboxes -------------------------------------------------------------------------------- */

static void write_states(FILE *out, struct fleet *fleet)
{
	static const char *const NAMES[] = {[SERVED_STOPPED] = "stopped",
			[SERVED_STARTING] = "starting",
			[SERVED_RUNNING] = "running",
			[SERVED_STOPPING] = "stopping"};
	enum { N_STATES = sizeof NAMES / sizeof *NAMES };
	unsigned counts[N_STATES] = {0};
	for (struct space *space = fleet_spaces(fleet); space; space = space->next)
		for (struct served *s = space->sandboxes; s; s = s->next)
			counts[s->state]++;
	write_family(out, "sandboxes", "gauge", "Sandboxes of clients, by state.");
	for (unsigned i = 0; i < N_STATES; i++)
		fprintf(out, "terrarium_sandboxes{state=\"%s\"} %u\n", NAMES[i], counts[i]);
}

/* One value of a running sandbox. */
static const struct usage_family {
	enum trm_metric bit;
	const char *name, *type, *help;
} FAMILIES[] = {
		{TRM_METRIC_CPU_TIME, "sandbox_cpu_seconds_total", "counter",
				"Processor time of a running sandbox."},
		{TRM_METRIC_MEM, "sandbox_memory_bytes", "gauge", "Memory that a running sandbox uses."},
		{TRM_METRIC_DISK, "sandbox_disk_bytes", "gauge", "Files that a running sandbox has written."},
};

static double usage_value(enum trm_metric bit, const struct trm_sample *now)
{
	switch (bit) {
	case TRM_METRIC_CPU_TIME: return (double)now->cpu_ns / 1e9;
	case TRM_METRIC_MEM: return (double)now->mem_bytes;
	default: return (double)now->disk_bytes;
	}
}

enum { N_FAMILIES = sizeof FAMILIES / sizeof *FAMILIES };

struct family_text {
	FILE *out;
	char *text;
	size_t n;
};

static void write_rows(struct family_text texts[N_FAMILIES], const struct served *s)
{
	struct trm_sample now = {0};
	usage_rate_read(&s->usage_rate, s->sandbox, &now);
	for (size_t i = 0; i < N_FAMILIES; i++)
		if (texts[i].out && now.known & FAMILIES[i].bit)
			fprintf(texts[i].out, "terrarium_%s{namespace=\"%s\",sandbox=\"%s\"} %.15g\n",
					FAMILIES[i].name, s->space->name, s->name,
					usage_value(FAMILIES[i].bit, &now));
}

/* Each sandbox is measured once, though the rows of a family must stand together. */
static void write_usage(FILE *out, struct fleet *fleet)
{
	struct family_text texts[N_FAMILIES] = {{0}};
	for (size_t i = 0; i < N_FAMILIES; i++)
		texts[i].out = open_memstream(&texts[i].text, &texts[i].n);
	for (struct space *space = fleet_spaces(fleet); space; space = space->next)
		for (struct served *s = space->sandboxes; s; s = s->next)
			if (s->state == SERVED_RUNNING)
				write_rows(texts, s);
	for (size_t i = 0; i < N_FAMILIES; i++) {
		write_family(out, FAMILIES[i].name, FAMILIES[i].type, FAMILIES[i].help);
		if (texts[i].out && fclose(texts[i].out) == 0)
			fwrite(texts[i].text, 1, texts[i].n, out);
		free(texts[i].text);
	}
}

/* ---- pools --------------------------------------------------------------------------------------- */

/* The name of an image as a label's value: the command line may hold anything. */
static void write_label(FILE *out, const char *image)
{
	for (; *image; image++) {
		if (*image == '\n')
			fputs("\\n", out);
		else if (*image == '"' || *image == '\\')
			fprintf(out, "\\%c", *image);
		else
			fputc(*image, out);
	}
}

static void write_pool_row(FILE *out, const char *name, const char *image, const char *key, const char *value,
		uint64_t number)
{
	fprintf(out, "terrarium_%s{image=\"", name);
	write_label(out, image);
	fprintf(out, "\",%s=\"%s\"} %" PRIu64 "\n", key, value, number);
}

static void write_pools(FILE *out, const struct fleet *fleet)
{
	struct trm_pool_stats stats;
	const char *image;
	uint64_t n_missed;
	if (!server_pool_stats(fleet, 0, &image, &stats, &n_missed))
		return;
	write_family(out, "pool_sandboxes", "gauge", "Sandboxes of a pool, by state.");
	for (size_t i = 0; server_pool_stats(fleet, i, &image, &stats, &n_missed); i++) {
		write_pool_row(out, "pool_sandboxes", image, "state", "idle", stats.idle);
		write_pool_row(out, "pool_sandboxes", image, "state", "starting", stats.starting);
		write_pool_row(out, "pool_sandboxes", image, "state", "given", stats.taken);
	}
	write_family(out, "pool_requests_total", "counter",
			"Start requests that fit a pool: served from it, or not because none was ready.");
	for (size_t i = 0; server_pool_stats(fleet, i, &image, &stats, &n_missed); i++) {
		write_pool_row(out, "pool_requests_total", image, "result", "hit", stats.n_given);
		write_pool_row(out, "pool_requests_total", image, "result", "miss", n_missed);
	}
	write_family(out, "pool_starts_total", "counter", "Sandboxes that a pool has started.");
	for (size_t i = 0; server_pool_stats(fleet, i, &image, &stats, &n_missed); i++) {
		write_pool_row(out, "pool_starts_total", image, "result", "failed", stats.n_failed);
		write_pool_row(out, "pool_starts_total", image, "result", "ok",
				stats.n_started - stats.n_failed - stats.starting);
	}
}

/* ---- the page ---------------------------------------------------------------------------------------- */

void exposition_handle(struct trm_server *server, struct http_request *request, const struct caller *who)
{
	char *text = NULL;
	size_t n = 0;
	if (strcmp(who->namespace, RPC_EVERYWHERE) != 0) {
		server_refuse(request, RPC_DENIED, NULL,
				"/metrics shows all namespaces: it needs a key for '*'", NULL);
		return;
	}
	FILE *out = open_memstream(&text, &n);
	if (out) {
		write_states(out, server->fleet);
		write_usage(out, server->fleet);
		write_pools(out, server->fleet);
		fclose(out);
	}
	http_reply(request, text ? 200 : 500, "text/plain; version=0.0.4", NULL, text, n);
}
