/* SPDX-License-Identifier: MIT */
#include "model/alerts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/result.h>

#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "text/format.h"

#define QUIET_NS UINT64_C(10000000000) /* between two bells or notifications */

static void make_heard(struct model *m, const char *text, struct effects *out)
{
	struct alerts *a = &m->alerts;

	if (!(a->opts.ways & (ALERT_BELL | ALERT_OSC9)) || (a->rung_ns && m->now_ns - a->rung_ns < QUIET_NS))
		return;
	a->rung_ns = m->now_ns;
	if (a->opts.ways & ALERT_BELL)
		effect_plain(out, EFFECT_BELL);
	if (a->opts.ways & ALERT_OSC9)
		effect_text(out, EFFECT_NOTIFY, text, strlen(text));
}

void alert(struct model *m, const char *text, struct effects *out)
{
	if (m->alerts.opts.ways & ALERT_STATUS) {
		notices_add(&m->notices, m->now_ns, false, "%s", text);
		m->needs_draw = true;
	}
	make_heard(m, text, out);
}

/* ---- limits ---- */

static const struct {
	enum series series;
	const char *name;
	uint32_t known;
} limits[] = {
		{SERIES_CPU, "CPU", TRM_METRIC_CPU_PERCENT | TRM_METRIC_CPU_LIMIT},
		{SERIES_MEM, "memory", TRM_METRIC_MEM | TRM_METRIC_MEM_LIMIT},
		{SERIES_DISK, "disk", TRM_METRIC_DISK | TRM_METRIC_DISK_LIMIT},
		{SERIES_PROC, "processes", TRM_METRIC_PROCS | TRM_METRIC_PROCS_LIMIT},
};

static double percent_of(const struct trm_sample *s, enum series series)
{
	switch (series) {
	case SERIES_CPU: return s->cpu_limit > 0 ? s->cpu_percent / s->cpu_limit : 0;
	case SERIES_MEM: return 100.0 * (double)s->mem_bytes / (double)(s->mem_limit_bytes + 1);
	case SERIES_DISK: return 100.0 * (double)s->disk_bytes / (double)(s->disk_limit_bytes + 1);
	case SERIES_PROC: return 100.0 * (double)s->procs / (double)(s->procs_limit + 1);
	default: return 0;
	}
}

static void check(struct model *m, enum series series, const char *name, double percent, struct effects *out)
{
	struct alerts *a = &m->alerts;
	char text[96];

	if (percent < (double)a->opts.percent) {
		a->above_ns[series] = 0;
		/* Five percent of slack, so that a value that moves around the threshold raises no second
		 * alert. */
		if (percent < (double)a->opts.percent - 5.0)
			a->is_reported[series] = false;
		return;
	}
	if (!a->above_ns[series])
		a->above_ns[series] = m->now_ns;
	if (a->is_reported[series] || m->now_ns - a->above_ns[series] < a->opts.after_ms * UINT64_C(1000000))
		return;
	a->is_reported[series] = true;
	snprintf(text, sizeof text, "%s at %.0f %% of the limit for %.0f s", name, percent,
			(double)(m->now_ns - a->above_ns[series]) / 1e9);
	alert(m, text, out);
}

void alerts_sample(struct model *m, struct effects *out)
{
	const struct trm_sample *s = &m->metrics.sample;

	for (size_t i = 0; i < sizeof limits / sizeof *limits && m->alerts.opts.ways; i++)
		if ((s->known & limits[i].known) == limits[i].known)
			check(m, limits[i].series, limits[i].name, percent_of(s, limits[i].series), out);
}

/* ---- runs ---- */

void alerts_run_done(struct model *m, const struct msg *msg, struct effects *out)
{
	const struct trm_result *r = msg->run.result;
	const struct alert_opts *opts = &m->alerts.opts;
	char text[96], took[24];

	if (!opts->run_ms || r->wall_us / 1000 < opts->run_ms)
		return;
	snprintf(text, sizeof text, "run %" PRIu64 " has ended after %s: %s", r->number,
			format_duration(took, r->wall_us), trm_status_name(r->status));
	alert(m, text, out);
}

unsigned alerts_parse(const char *setting)
{
	static const struct {
		const char *word;
		unsigned ways;
	} words[] = {{"status", ALERT_STATUS}, {"bell", ALERT_STATUS | ALERT_BELL},
			{"osc9", ALERT_STATUS | ALERT_OSC9}, {"all", ALERT_STATUS | ALERT_BELL | ALERT_OSC9}};

	for (size_t i = 0; setting && i < sizeof words / sizeof *words; i++)
		if (strcmp(setting, words[i].word) == 0)
			return words[i].ways;
	return 0;
}
