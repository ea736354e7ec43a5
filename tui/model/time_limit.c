/* SPDX-License-Identifier: MIT */
/* A run near its time limit: a countdown, and a key that grants the same time limit again. */
#include <stdio.h>

#include <terrarium/lang.h>

#include "command/command.h"
#include "command/keymap.h"
#include "model/effect.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/update.h"
#include "text/format.h"

#define NEAR_MS 10000 /* or half of the limit, if that is less */
#define COMPILE_NS UINT64_C(2000000000)
#define SLOW_COMPILE_NS UINT64_C(5000000000)

void time_limit_tick(struct model *m, uint64_t left_ms)
{
	m->run.left_ms = left_ms;
}

static bool is_near(const struct model *m)
{
	uint64_t near_ms = m->timeout_ms / 2 < NEAR_MS ? m->timeout_ms / 2 : NEAR_MS;

	return m->run.state == RUN_RUNNING && m->run.left_ms && m->run.left_ms <= near_ms;
}

/* Compilers print nothing, so a run without output may still be compiling. */
static void compiling_text(const struct model *m, char *out, size_t cap)
{
	const struct run_info *info = runs_find(&m->out.runs, m->run.serial);
	uint64_t took_ns = m->now_ns - m->run.started_ns;
	const struct trm_lang *lang = m->run.lang;

	if (m->run.state != RUN_RUNNING || !info || info->out_bytes || took_ns < COMPILE_NS
			|| !lang->commands)
		return;
	int n = snprintf(out, cap, "compiling, or running without output yet");
	if (lang->prepare && took_ns >= SLOW_COMPILE_NS && (size_t)n < cap)
		snprintf(out + n, cap - (size_t)n, " (faster after 'terrarium langs --prepare %s')",
				lang->name);
}

const char *time_limit_text(const struct model *m, char *out, size_t cap)
{
	char name[KEYMAP_NAME_BYTES], limit[24];

	out[0] = '\0';
	if (!is_near(m)) {
		compiling_text(m, out, cap);
		return out;
	}
	format_duration(limit, (uint64_t)m->timeout_ms * 1000);
	snprintf(out, cap, "time limit: stops in %.0f s. %s gives %s more (setting: timeout)",
			(double)m->run.left_ms / 1000, key_hint(m, "extend-time", name), limit);
	return out;
}

static void extend_time_limit(struct model *m, struct effects *out)
{
	char limit[24];

	m->needs_draw = true;
	if (m->run.state != RUN_RUNNING || !m->timeout_ms) {
		notices_add(&m->notices, m->now_ns, false, "no run with a time limit is under way");
		return;
	}
	effect_serial(out, EFFECT_EXTEND, m->run.serial);
	m->run.left_ms = 0; /* until the next tick */
	format_duration(limit, (uint64_t)m->timeout_ms * 1000);
	notices_add(&m->notices, m->now_ns, false, "the run has %s more", limit);
}

static const struct command commands[] = {
		{"extend-time", "Give the run more time", "extend the time limit of the run by as much again",
				CONTEXT_ANY, .run = extend_time_limit},
};
const struct command_table time_limit_commands = COMMAND_TABLE(commands);
