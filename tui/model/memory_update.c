/* SPDX-License-Identifier: MIT */
/* A run near the memory limit. The run is suspended while the person is asked; otherwise it might be killed
 * before the question is read. Without an answer the run continues. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "command/keymap.h"
#include "model/effect.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"

#define TIMEOUT_NS UINT64_C(8000000000)

#define PAUSED ": the run was paused"
#define UNANSWERED "no answer: the run continues, up to the memory limit"

static void mark_paused(struct model *m, bool is_paused)
{
	struct run_info *info = runs_find(&m->out.runs, m->run.serial);

	if (info)
		info->is_paused = is_paused;
}

void memory_reported(struct model *m, const struct msg *msg, struct effects *out)
{
	char text[96];

	if (m->run.state != RUN_RUNNING || msg->run.serial != m->run.serial)
		return;
	m->run.paused_ns = m->now_ns;
	mark_paused(m, true);
	m->run.memory_bytes = msg->run.memory_bytes;
	effect_serial(out, EFFECT_PAUSE, m->run.serial);
	snprintf(text, sizeof text, "memory at %" PRIu64 " of %" PRIu64 " MiB" PAUSED,
			msg->run.memory_bytes >> 20, m->sandbox.limits.mem_bytes >> 20);
	alert(m, text, out);
	m->needs_draw = true;
}

static void resume_paused(struct model *m, const char *why, struct effects *out)
{
	effect_serial(out, EFFECT_RESUME, m->run.serial);
	m->run.paused_ns = 0;
	mark_paused(m, false);
	notices_add(&m->notices, m->now_ns, false, "%s", why);
	m->needs_draw = true;
}

void memory_tick(struct model *m, struct effects *out)
{
	if (m->run.paused_ns && m->run.state == RUN_RUNNING && m->now_ns - m->run.paused_ns >= TIMEOUT_NS)
		resume_paused(m, UNANSWERED, out);
}

void memory_run_ended(struct model *m)
{
	const struct notice *newest = notices_at(&m->notices, 0);

	mark_paused(m, false);
	if (newest && (strcmp(newest->text, UNANSWERED) == 0 || strstr(newest->text, PAUSED)))
		m->notices.is_shown = false; /* the run is no longer suspended */
}

const char *memory_text(const struct model *m, char *out, size_t cap)
{
	uint64_t waited_ns = m->now_ns - m->run.paused_ns;
	char stop[KEYMAP_NAME_BYTES], go[KEYMAP_NAME_BYTES];

	out[0] = '\0';
	if (!m->run.paused_ns || m->run.state != RUN_RUNNING)
		return out;
	key_hint(m, "interrupt-paused", stop);
	key_hint(m, "resume-paused", go);
	snprintf(out, cap,
			"paused: %" PRIu64 " of %" PRIu64
			" MiB in use. %s: interrupt (tries to keep variables). %s: continue, and perhaps be "
			"killed (by itself in %.0f s)",
			m->run.memory_bytes >> 20, m->sandbox.limits.mem_bytes >> 20, stop, go,
			waited_ns < TIMEOUT_NS ? (double)(TIMEOUT_NS - waited_ns) / 1e9 : 0.0);
	return out;
}

/* ---- commands ---- */

static void interrupt(struct model *m, struct effects *out)
{
	if (m->run.state == RUN_RUNNING)
		run_stop(m, out);
	mark_paused(m, false);
	m->run.paused_ns = 0;
}

static void resume(struct model *m, struct effects *out)
{
	if (m->run.paused_ns)
		resume_paused(m, "the run continues, up to the memory limit", out);
}

static const struct command commands[] = {
		{"interrupt-paused", "Interrupt the paused run",
				"interrupt the paused run and keep its variables", CONTEXT_PAUSED,
				.run = interrupt},
		{"resume-paused", "Continue the paused run",
				"continue the paused run, though it may be killed", CONTEXT_PAUSED,
				.run = resume},
};
const struct command_table memory_commands = COMMAND_TABLE(commands);
