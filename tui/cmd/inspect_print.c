/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/inspect.h"
#include "cmd/json_out.h"
#include "cmd/sample.h"
#include "cmd/status.h"

#define MIB 1048576.0
enum { MOUNT_COL = 32 };

static const char *const strengths[] = {
		[TRM_ENFORCED] = "enforced", [TRM_WEAK] = "weak", [TRM_NOT_ENFORCED] = "not enforced"};

/* ---- JSON ---- */

static void put_life(struct json_out *j, const struct trm_entry *e)
{
	json_put_u64(j, "started_ms", e->started_ms);
	sample_put_seconds(j, "age_s", e->sample.known & TRM_METRIC_UPTIME, e->sample.uptime_ms);
	if (e->has_state)
		json_put_bool(j, "kept", e->is_kept);
	else
		json_put_null(j, "kept");
	json_put_number(j, "clients", e->has_state ? e->clients : (double)NAN, 0);
	sample_put_seconds(j, "idle_s", e->has_state, e->idle_ms);
	sample_put_seconds(j, "idle_timeout_s", e->idle_timeout_ms, e->idle_timeout_ms);
	sample_put_seconds(j, "max_lifetime_s", e->max_lifetime_ms, e->max_lifetime_ms);
	json_put_u64(j, "supervisor_pid", e->supervisor_pid);
	json_put_u64(j, "client_pid", e->client_pid);
	json_put_bool(j, "client_is_alive", e->has_client);
	json_put_text(j, "client", e->client);
	sample_put_kernels(j, e);
}

static void put_guards(struct json_out *j, const struct inspect *x)
{
	json_open(j, "guards", '[');
	for (size_t i = 0; i < x->n_guards; i++) {
		json_open(j, NULL, '{');
		json_put_text(j, "what", x->guards[i].what);
		json_put_text(j, "how", x->guards[i].how);
		json_put_text(j, "strength", strengths[x->guards[i].strength]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_mounts(struct json_out *j, const struct inspect *x)
{
	if (!x->has_mounts) {
		json_put_null(j, "mounts");
		return;
	}
	json_open(j, "mounts", '[');
	for (size_t i = 0; i < x->n_mounts; i++) {
		const struct inspect_mount *m = &x->mounts[i];
		json_open(j, NULL, '{');
		json_put_text(j, "path", m->path);
		json_put_text(j, "type", m->type);
		json_put_text(j, "source", *m->source ? m->source : NULL);
		json_put_bool(j, "writable", m->is_writable);
		json_put_number(j, "size_bytes", m->size_bytes ? (double)m->size_bytes : (double)NAN, 0);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_requested(struct json_out *j, const struct trm_requested *w)
{
	json_put_text(j, "group", *w->group ? w->group : NULL);
	json_put_text(j, "workdir", w->workdir);
	json_put_text(j, "from", *w->from ? w->from : NULL);
	json_open(j, "engine_args", '[');
	for (const char *at = w->engine; *at; at += strcspn(at, "\n") + 1) {
		char arg[TRM_ENGINE_ARGS_BYTES];
		snprintf(arg, sizeof arg, "%.*s", (int)strcspn(at, "\n"), at);
		json_put_text(j, NULL, arg);
	}
	json_close(j, ']');
	json_open(j, "env", '[');
	for (const char *at = w->env; *at;) {
		char name[128];
		size_t n = strcspn(at, ",");
		snprintf(name, sizeof name, "%.*s", (int)n, at);
		json_put_text(j, NULL, name);
		at += n + (at[n] == ',');
	}
	json_close(j, ']');
	json_open(j, "host_mounts", '[');
	for (size_t i = 0; i < w->n_mounts; i++) {
		json_open(j, NULL, '{');
		json_put_text(j, "host", w->mounts[i].host);
		json_put_text(j, "guest", w->mounts[i].guest);
		json_put_bool(j, "writable", w->mounts[i].is_writable);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* The guard that says that there may be a network although none was requested. NULL: there is none. */
static const struct trm_guard *open_net(const struct inspect *x)
{
	for (size_t i = 0; i < x->n_guards && !x->entry.limits.net; i++)
		if (x->guards[i].strength == TRM_NOT_ENFORCED && strcmp(x->guards[i].what, "network") == 0)
			return &x->guards[i];
	return NULL;
}

/* Fields that only sandboxes on this machine have. */
static void put_own(struct json_out *j, const struct inspect *x)
{
	const struct trm_entry *e = &x->entry;

	put_life(j, e);
	put_requested(j, &x->requested);
	sample_put_limits(j, &e->limits);
	json_open(j, "network", '{');
	if (open_net(x))
		json_put_null(j, "on");
	else
		json_put_bool(j, "on", e->limits.net);
	json_put_text(j, "allow", e->limits.net || *e->limits.net_allow_host ? e->limits.net_allow : NULL);
	json_put_text(j, "hosts", *e->limits.net_allow_host ? e->limits.net_allow_host : NULL);
	json_close(j, '}');
}

static void put_place(struct json_out *j, const struct inspect *x)
{
	json_put_text(j, "server", x->config.server_url);
	json_put_text(j, "namespace", x->config.server_space);
	sample_put_seconds(j, "age_s", x->entry.sample.known & TRM_METRIC_UPTIME, x->entry.sample.uptime_ms);
}

int inspect_print_json(const struct inspect *x)
{
	const struct trm_entry *e = &x->entry;
	struct json_out j;

	json_init(&j);
	json_open(&j, NULL, '{');
	json_put_text(&j, "name", e->name);
	json_put_text(&j, "backend", e->backend);
	json_put_text(&j, "origin", *e->origin ? e->origin : NULL);
	if (x->is_far)
		put_place(&j, x);
	else
		put_own(&j, x);
	put_guards(&j, x);
	put_mounts(&j, x);
	json_open(&j, "metrics", '{');
	sample_put(&j, &x->metrics.sample);
	sample_put_processes(&j, &x->metrics);
	json_close(&j, '}');
	json_close(&j, '}');
	return json_finish(&j);
}

/* ---- text ---- */

static const char *duration(char out[24], uint64_t ms)
{
	uint64_t s = ms / 1000;

	if (s < 120)
		snprintf(out, 24, "%" PRIu64 " s", s);
	else if (s < 7200)
		snprintf(out, 24, "%" PRIu64 " min", s / 60);
	else if (s < 172800)
		snprintf(out, 24, "%" PRIu64 " h", s / 3600);
	else
		snprintf(out, 24, "%" PRIu64 " days", s / 86400);
	return out;
}

static void print_start(const struct trm_entry *e)
{
	time_t started = (time_t)(e->started_ms / 1000);
	struct tm tm;
	char when[32], client[160];

	localtime_r(&started, &tm);
	strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
	trm_text_clean_line(client, sizeof client, e->client, strlen(e->client));
	printf("started     %s by process %u%s\n", when, e->client_pid,
			e->has_client ? "" : ", which has ended");
	printf("            %.67s\n", client);
}

static void print_end(const struct trm_entry *e)
{
	char idle[24], timeout[24] = "any time", lifetime[24];

	if (!e->has_state) {
		puts("kept        n/a");
		return;
	}
	printf("clients     %u attached", e->clients);
	if (!e->clients)
		printf(", idle for %s", duration(idle, e->idle_ms));
	putchar('\n');
	if (!e->is_kept) {
		puts("kept        no: it ends with the program that started it");
		return;
	}
	if (e->idle_timeout_ms)
		duration(timeout, e->idle_timeout_ms);
	printf("kept        yes: it ends %s%s", e->idle_timeout_ms ? "when idle for " : "when it is stopped",
			e->idle_timeout_ms ? timeout : "");
	if (e->max_lifetime_ms)
		printf(", or %s after its start", duration(lifetime, e->max_lifetime_ms));
	putchar('\n');
}

static void print_kernels(const struct trm_entry *e)
{
	size_t n = 0;

	fputs("kernels     ", stdout);
	for (unsigned i = 0; i < trm_lang_count(); i++)
		if (e->kernels & 1u << i)
			printf("%s%s", n++ ? ", " : "", trm_lang_at(i)->name);
	puts(n ? "" : e->has_kernels ? "none" : "n/a");
}

/* The first lines of the metrics, then each guard with its means, wrapped. */
static void print_guards(const struct inspect *x)
{
	puts("\nLIMITS AND GUARDS");
	for (size_t i = 0; i < x->n_guards; i++) {
		const struct trm_guard *g = &x->guards[i];
		char line[240];
		snprintf(line, sizeof line, "%s%s%s",
				g->strength == TRM_ENFORCED ? "" : strengths[g->strength],
				g->strength == TRM_ENFORCED ? "" : ": ", g->how);
		printf("  %-15s ", g->what);
		cmd_print_wrapped(line, 18);
	}
	if (!x->n_guards)
		puts("  n/a");
}

static void print_mounts(const struct inspect *x)
{
	puts("\nMOUNTS");
	for (size_t i = 0; i < x->n_mounts; i++) {
		const struct inspect_mount *m = &x->mounts[i];
		char size[32] = "", words[sizeof m->source + 80];
		if (m->size_bytes)
			snprintf(size, sizeof size, ", %.0f MiB", (double)m->size_bytes / MIB);
		snprintf(words, sizeof words, "%s%s%s%s", m->is_writable ? "read and write" : "read-only",
				size, *m->source ? ", the host's " : "", m->source);
		printf("  %-22s %-6s ", m->path, m->type);
		status_print_text(words, MOUNT_COL);
	}
	if (!x->has_mounts)
		puts("  n/a");
}

static void print_requested(const struct trm_requested *w)
{
	char words[240];

	if (*w->group)
		printf("group       %s\n", w->group);
	printf("workdir     %s\n", w->workdir);
	if (*w->from)
		printf("from        %s\n", w->from);
	for (const char *at = w->engine; *at; at += strcspn(at, "\n") + 1)
		printf("%s%.*s\n", at == w->engine ? "engine      " : "            ", (int)strcspn(at, "\n"),
				at);
	if (*w->env) {
		printf("variables   ");
		for (const char *at = w->env; *at; at++)
			fputs((char[]){*at, *at == ',' ? ' ' : '\0', '\0'}, stdout);
		putchar('\n');
	}
	for (size_t i = 0; i < w->n_mounts; i++)
		printf("%-11s %s\n", i ? "" : "mounts",
				trm_mount_describe(&w->mounts[i], words, sizeof words));
}

static void print_own(const struct inspect *x)
{
	const struct trm_entry *e = &x->entry;
	char net[600];

	if (*e->origin)
		printf("made from   %s\n", e->origin);
	print_start(e);
	print_end(e);
	print_kernels(e);
	printf("supervisor  process %u\n", e->supervisor_pid);
	const struct trm_guard *open = open_net(x);
	const char *words = trm_limits_describe_net(&e->limits, net, sizeof net);
	size_t front = strncmp(words, "network ", 8) == 0 ? 8 : 0;
	printf("network     %s%s\n", open ? "not cut off: " : "",
			open    ? open->how
			: front ? words + front
				: "off");
	print_requested(&x->requested);
}

int inspect_print_text(const struct inspect *x)
{
	const struct trm_entry *e = &x->entry;

	printf("sandbox     %s (%s)\n", e->name, e->backend);
	if (x->is_far)
		printf("server      %s\nnamespace   %s\n", x->config.server_url, x->config.server_space);
	else
		print_own(x);
	puts("\nUSES NOW");
	sample_print(&x->metrics.sample, trm_guards_net_name(x->guards, x->n_guards, &e->limits));
	sample_print_processes(&x->metrics);
	print_guards(x);
	print_mounts(x);
	return cmd_flush();
}
