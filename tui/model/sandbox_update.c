/* SPDX-License-Identifier: MIT */
/* Messages about the sandbox and its metrics. */
#include <stdio.h>
#include <string.h>

#include "metrics/metrics_layout.h"
#include "model/confirm_loss.h"
#include "model/dialog_dispatch.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"

#define AWAY_NS (UINT64_C(5) * 1000000000)

static void take_sandbox_facts(struct sandbox_info *s, const struct msg_sandbox *from)
{
	if (from->name)
		snprintf(s->name, sizeof s->name, "%s", from->name);
	if (from->backend)
		snprintf(s->backend, sizeof s->backend, "%s", from->backend);
	if (from->origin)
		snprintf(s->origin, sizeof s->origin, "%s", from->origin);
	s->is_adopted = from->is_adopted;
	if (from->limits)
		s->limits = *from->limits;
	for (s->n_mounts = 0; s->n_mounts < from->n_mounts; s->n_mounts++) {
		const struct trm_mount *mount = &from->mounts[s->n_mounts];
		s->mounts[s->n_mounts].is_writable = mount->is_writable;
		trm_mount_describe(mount, s->mounts[s->n_mounts].text, MODEL_MOUNT_BYTES);
	}
	s->is_kept = from->is_kept;
	s->is_attached = from->is_attached;
	s->n_guards = from->n_guards < MODEL_GUARDS ? from->n_guards : MODEL_GUARDS;
	if (s->n_guards)
		memcpy(s->guards, from->guards, s->n_guards * sizeof *s->guards);
}

/* Add a line of the workbench to the output, where run numbers restart. */
static void add_sandbox_note(struct model *m, const char *before, const char *text)
{
	char line[640];
	int n = snprintf(line, sizeof line, "%s%s", before, text);

	outpane_add(&m->out, OUT_NOTE, 0, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static void on_starting(struct model *m, const struct msg *msg)
{
	bool is_next = m->sandbox.state == SANDBOX_DEAD;

	m->sandbox.state = SANDBOX_STARTING;
	m->sandbox.was_ready = false;
	m->sandbox.reason[0] = m->sandbox.doing[0] = '\0';
	metrics_forget(&m->metrics);
	for (unsigned i = 0; i < trm_lang_count(); i++)
		variables_kernel_gone(m, trm_lang_at(i));
	take_sandbox_facts(&m->sandbox, &msg->sandbox);
	if (is_next)
		add_sandbox_note(m, "a new sandbox: ", m->sandbox.name);
}

static void on_kept(struct model *m, const struct msg *msg)
{
	m->sandbox.is_kept = msg->is_kept;
	if (!msg->is_kept)
		m->sandbox.is_attached = false; /* it ends with the workbench */
	if (msg->is_kept)
		notices_add(&m->notices, m->now_ns, false,
				"%s keeps running when you leave; 'terrarium attach %s' reopens it",
				m->sandbox.name, m->sandbox.name);
	else
		notices_add(&m->notices, m->now_ns, false, "%s ends when you leave", m->sandbox.name);
}

static void on_sandbox_closed(struct model *m, const struct msg *msg)
{
	const char *what = m->sandbox.was_ready ? "the sandbox has ended" : "the sandbox did not start";
	char key[KEYMAP_NAME_BYTES];

	m->sandbox.state = SANDBOX_DEAD;
	peer_runs_forget(m);
	m->metrics.has_sample = false;
	process_table_clear(&m->metrics.processes);
	if (!msg->text)
		return;
	/* A message such as "the sandbox was stopped by …" already says that it has ended. */
	bool is_whole = m->sandbox.was_ready && strncmp(msg->text, "the sandbox ", 12) == 0;
	snprintf(m->sandbox.reason, sizeof m->sandbox.reason, "%s%s%s", is_whole ? "" : what,
			is_whole ? "" : ": ", msg->text);
	add_sandbox_note(m, "", m->sandbox.reason);
	notices_add(&m->notices, m->now_ns, true, "%s. %s starts a new one", m->sandbox.reason,
			key_hint(m, "run", key));
}

/* The metrics above the processes may need one more row. This moves the line between them, which joins the
 * borders, and the borders are not drawn together with the metrics. */
static void on_sandbox_metrics(struct model *m, const struct msg *msg, struct effects *out)
{
	struct rect area = model_metrics_area(m);
	int rule_row = metrics_layout_of(&m->metrics, area).rule_row;

	if (!m->metrics.has_sample)
		m->first_disk_bytes = msg->metrics->sample.disk_bytes;
	metrics_take(&m->metrics, msg->metrics);
	m->needs_draw |= metrics_layout_of(&m->metrics, area).rule_row != rule_row;
	alerts_sample(m, out);
}

/* While the terminal has no focus the figures are drawn every few seconds. */
static bool figures_are_due(struct model *m)
{
	if (m->is_away && m->now_ns - m->metrics_drawn_ns < AWAY_NS)
		return false;
	m->metrics_drawn_ns = m->now_ns;
	return true;
}

void update_sandbox(struct model *m, const struct msg *msg, struct effects *out)
{
	m->needs_draw |= msg->type != MSG_METRICS;
	m->needs_metrics_draw |= msg->type == MSG_METRICS && figures_are_due(m);
	switch (msg->type) {
	case MSG_SANDBOX_STARTING: on_starting(m, msg); break;
	case MSG_SANDBOX_PROGRESS:
		snprintf(m->sandbox.doing, sizeof m->sandbox.doing, "%s", msg->text);
		break;
	case MSG_SANDBOX_WARNING: add_sandbox_note(m, "", msg->text); break;
	case MSG_SANDBOX_READY:
		m->sandbox.state = SANDBOX_READY;
		m->sandbox.was_ready = true;
		m->sandbox.is_open = msg->sandbox.isolation == TRM_ISOLATION_NONE;
		m->sandbox.missing_langs = msg->sandbox.missing_langs;
		m->sandbox.doing[0] = '\0';
		variables_wait(m);
		take_sandbox_facts(&m->sandbox, &msg->sandbox);
		if (m->dialog.answer == answer_confirm)
			ask_confirm(m); /* the strength of the limits is known now */
		break;
	case MSG_SANDBOX_KEPT: on_kept(m, msg); break;
	case MSG_SANDBOX_CLOSED: on_sandbox_closed(m, msg); break;
	case MSG_NO_ISOLATION:
		on_sandbox_closed(m, &(struct msg){.type = MSG_SANDBOX_CLOSED});
		ask_isolation(m, msg->text);
		break;
	case MSG_METRICS: on_sandbox_metrics(m, msg, out); break;
	case MSG_CLIENTS:
		m->peer_runs.n_clients = msg->n_clients;
		loss_refresh(m);
		break;
	case MSG_CLIENT:
		peer_runs_name(m, msg->client.id, msg->client.what);
		loss_refresh(m);
		break;
	default: break;
	}
}
