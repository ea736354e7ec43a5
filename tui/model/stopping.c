/* SPDX-License-Identifier: MIT */
#include "model/stopping.h"

#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/update.h"
#include "model/variables.h"

void stopping_update(struct model *m, const struct trm_stopping *how)
{
	struct ladder *l = &m->run.ladder;

	l->step = how->step;
	l->next = how->next;
	l->is_held = how->next != TRM_STOP_NONE && how->next_ms < 0;
	l->next_at_ns = m->now_ns
			+ (l->is_held ? 0 : (uint64_t)(how->next_ms < 0 ? 0 : how->next_ms)) * 1000000u;
	m->run.state = how->step == TRM_STOP_KILL ? RUN_KILLING : RUN_INTERRUPTING;
}

/* The next step after this one, the same as in the library. */
static enum trm_stop after(const struct model *m, enum trm_stop step)
{
	switch (step) {
	case TRM_STOP_NONE: return TRM_STOP_INTERRUPT;
	case TRM_STOP_INTERRUPT: return m->terminate_grace_ms ? TRM_STOP_TERMINATE : TRM_STOP_KILL;
	case TRM_STOP_TERMINATE: return TRM_STOP_KILL;
	case TRM_STOP_KILL: break;
	}
	return TRM_STOP_NONE;
}

/* Show the step at once. The library will report it in a moment. */
void stopping_press(struct model *m, struct effects *out)
{
	enum trm_stop step = after(m, m->run.ladder.step);
	uint32_t grace_ms = step == TRM_STOP_TERMINATE ? m->terminate_grace_ms : m->grace_ms;
	struct trm_stopping how = {step, after(m, step), grace_ms};

	effect_serial(out, EFFECT_INTERRUPT, m->run.serial);
	if (step != TRM_STOP_NONE)
		stopping_update(m, &how);
}

bool stopping_has_clock(const struct model *m)
{
	return model_is_running(m) && m->run.ladder.step != TRM_STOP_NONE
	       && m->run.ladder.next != TRM_STOP_NONE;
}

/* Pause or resume the countdown. */
static void stopping_hold(struct model *m, struct effects *out)
{
	struct ladder *l = &m->run.ladder;

	if (!stopping_has_clock(m)) {
		notices_add(&m->notices, m->now_ns, false, "no run is being stopped");
		return;
	}
	l->is_held = !l->is_held;
	if (!l->is_held)
		l->next_at_ns = m->now_ns
				+ (l->step == TRM_STOP_TERMINATE ? m->terminate_grace_ms : m->grace_ms)
						  * UINT64_C(1000000);
	effect_serial(out, l->is_held ? EFFECT_HOLD : EFFECT_LET_GO, m->run.serial);
}

/* ---- texts ---- */

const char *stopping_label(const struct model *m)
{
	switch (after(m, m->run.ladder.step)) {
	case TRM_STOP_INTERRUPT: return "Interrupt";
	case TRM_STOP_TERMINATE: return "Terminate";
	default: return "Kill";
	}
}

void stopping_text(const struct model *m, char *out, size_t cap)
{
	const struct ladder *l = &m->run.ladder;
	uint64_t left_ns = l->next_at_ns > m->now_ns ? l->next_at_ns - m->now_ns : 0;
	char lost[64], when[32];

	out[0] = '\0';
	if (!model_is_running(m) || l->step == TRM_STOP_NONE)
		return;
	variables_phrase(m, m->run.lang, lost, sizeof lost);
	snprintf(when, sizeof when, "in %.1f s", (double)left_ns / 1e9);
	if (l->step == TRM_STOP_KILL)
		snprintf(out, cap, "killed; %s restarts and loses %s", m->run.lang->name, lost);
	else if (l->is_held)
		snprintf(out, cap, "countdown paused; %s would lose %s",
				l->next == TRM_STOP_KILL ? "a kill" : "SIGTERM", lost);
	else if (l->next == TRM_STOP_TERMINATE)
		snprintf(out, cap, "SIGTERM %s, then kill: %s would be lost", when, lost);
	else
		snprintf(out, cap, "%skill %s: %s would be lost",
				l->step == TRM_STOP_TERMINATE ? "SIGTERM sent, " : "", when, lost);
}

/* ---- commands ---- */

static const struct command commands[] = {
		{"hold-clock", "Pause or resume the stop countdown",
				"while a run is being stopped: pause or resume the countdown",
				CONTEXT_STOPPING, .run = stopping_hold},
};
const struct command_table stopping_commands = COMMAND_TABLE(commands);
