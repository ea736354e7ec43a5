/* SPDX-License-Identifier: MIT */
/* `terrarium metrics NAME`, as text and as JSON. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "cmd/metrics.h"
#include "cmd/sample.h"
#include "cmd/sandbox_list.h"

static void put_time(struct json_out *j)
{
	struct timespec now;
	struct tm tm;
	char text[40], day[24];

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof text, "%s.%03ldZ", day, now.tv_nsec / 1000000);
	json_put_text(j, "time", text);
}

void metrics_put(struct json_out *j, const char *name, const struct trm_sample *sample,
		const struct trm_metrics *metrics, const char *ended)
{
	static const struct trm_sample nothing;

	json_open(j, NULL, '{');
	json_put_text(j, "name", name);
	put_time(j);
	json_put_text(j, "ended", ended);
	sample_put(j, sample ? sample : &nothing);
	sample_put_processes(j, metrics);
	json_close(j, '}');
}

struct one {
	const struct metrics_request *q;
	struct trm_sandbox *sandbox; /* NULL: it has ended */
	struct json_out json;
	uint64_t n; /* samples received */
	bool is_over;
	int code;
};

static void print_snapshot(struct one *w, const struct trm_metrics *metrics)
{
	const struct trm_guard *guards;
	if (w->q->is_json) {
		metrics_put(&w->json, w->q->name, &metrics->sample, metrics, NULL);
		w->code = json_flush(&w->json);
		return;
	}
	printf("sandbox     %s\n", w->q->name);
	size_t n = trm_sandbox_guards(w->sandbox, &guards);
	sample_print(&metrics->sample, trm_guards_net_name(guards, n, trm_sandbox_limits(w->sandbox)));
	sample_print_processes(metrics);
	w->code = cmd_flush();
}

static void print_line(struct one *w, const struct trm_metrics *metrics)
{
	char line[320];

	if (w->q->is_json) {
		metrics_put(&w->json, w->q->name, &metrics->sample, metrics, NULL);
		w->code = json_flush(&w->json);
		return;
	}
	sample_tell(&metrics->sample, line, sizeof line);
	puts(line);
	w->code = cmd_flush();
}

static void on_metrics_one_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	struct one *w = user;

	if (w->is_over)
		return;
	w->n++;
	if (w->q->is_watch)
		print_line(w, metrics);
	else if (w->n == 2) /* rates are known from the second sample on */
		print_snapshot(w, metrics);
	w->is_over = w->code != CMD_OK || (w->q->is_watch ? w->n == w->q->count : w->n == 2);
	if (w->is_over)
		trm_sandbox_close(sandbox);
}

/* The last line says why the watch has ended. */
static void on_metrics_one_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct one *w = user;

	(void)sandbox;
	w->sandbox = NULL;
	if (w->is_over)
		return;
	if (!w->q->is_watch) {
		w->code = cmd_fail("%s", why->msg);
		return;
	}
	if (w->q->is_json) {
		metrics_put(&w->json, w->q->name, NULL, NULL, why->msg);
		w->code = json_flush(&w->json);
	} else {
		fprintf(stderr, "terrarium: %s: %s\n", w->q->name, why->msg);
	}
}

static const struct trm_sandbox_cb one_cb = {
		.metrics = on_metrics_one_metrics, .closed = on_metrics_one_closed};

int metrics_of_one(const struct metrics_request *q)
{
	const struct trm_sandbox_opts opts = {.size = sizeof(struct trm_sandbox_opts),
			.metrics_interval_ms = q->is_watch ? q->interval_ms : METRICS_SNAPSHOT_MS,
			.metrics_with_processes = true,
			.is_observer = !q->is_watch};
	struct one w = {.q = q};
	struct trm_error why = {0};
	struct trm_loop *loop;

	if (trm_loop_create(&loop, &why) < 0)
		return cmd_fail("%s", why.msg);
	json_init(&w.json);
	int r = sandbox_list_open(loop, &q->settings.config, q->name, &opts, &one_cb, &w, &w.sandbox, &why);
	if (r < 0)
		w.code = r == TRM_ENOENT ? sandbox_list_fail_unknown(q->name) : cmd_fail("%s", why.msg);
	while (w.sandbox && trm_loop_step(loop, -1) >= 0)
		;
	json_drop(&w.json);
	trm_loop_destroy(loop);
	return w.code;
}
