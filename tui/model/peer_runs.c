/* SPDX-License-Identifier: MIT */
#include "model/peer_runs.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/text.h>

#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/stopping.h"
#include "model/update.h"

static void answer_stop_other(struct model *m, int answer, struct effects *out);

static struct peer_run *find_peer_run(struct model *m, uint32_t serial)
{
	for (unsigned i = 0; i < m->peer_runs.n && serial; i++)
		if (m->peer_runs.items[i].serial == serial)
			return &m->peer_runs.items[i];
	return NULL;
}

bool peer_runs_has(const struct model *m, uint32_t serial)
{
	for (unsigned i = 0; i < m->peer_runs.n && serial; i++)
		if (m->peer_runs.items[i].serial == serial)
			return true;
	return false;
}

const struct peer_run *peer_runs_running(const struct model *m)
{
	const struct peer_run *found = m->peer_runs.items[m->lang->index].serial
						       ? &m->peer_runs.items[m->lang->index]
						       : NULL;
	for (unsigned i = 0; i < m->peer_runs.n && !found; i++)
		if (m->peer_runs.items[i].serial)
			found = &m->peer_runs.items[i];
	return found;
}

void peer_runs_forget(struct model *m)
{
	m->peer_runs = (struct peer_runs){0};
}

static const char *who(const struct run_info *info)
{
	return info && info->by[0] ? info->by : "another program";
}

/* Has the client of this run gone, so that nobody else waits for it? Each client that runs code says what it
 * is. */
static bool is_left_behind(const struct model *m, const struct run_info *info)
{
	const struct peer_runs *p = &m->peer_runs;

	for (unsigned i = 0; i < p->n_names; i++)
		if (info && strcmp(p->names[i].words, info->by) == 0)
			return false;
	return info && info->number && p->n_clients == p->n_names + 1;
}

/* ---- messages ---- */

static struct peer_run *place_for(struct model *m, const struct msg *msg)
{
	unsigned i = TRM_LANG_MAX;

	if (msg->run.joined.number)
		return &m->peer_runs.items[msg->run.joined.lang->index];
	while (i < PEER_RUNS_MAX && m->peer_runs.items[i].serial)
		i++;
	return i < PEER_RUNS_MAX ? &m->peer_runs.items[i] : NULL;
}

static void drop_peer_run(struct model *m, struct peer_run *other)
{
	*other = (struct peer_run){0};
	while (m->peer_runs.n > 0 && !m->peer_runs.items[m->peer_runs.n - 1].serial)
		m->peer_runs.n--;
}

static void add_peer_run(struct model *m, const struct msg *msg)
{
	struct peer_run *place = place_for(m, msg);
	struct run_info *info = place ? runs_add(&m->out.runs, msg->run.joined.lang, msg->run.joined.code,
						msg->run.joined.len)
				      : NULL;

	if (!info)
		return;
	info->number = msg->run.joined.number;
	info->state = RUN_RUNNING;
	info->began_ms = msg->run.joined.began_ms;
	uint64_t age_ns = msg->run.joined.age_ms * 1000000u;
	info->began_ns = age_ns < msg->now_ns ? msg->now_ns - age_ns : 1;
	const char *by = msg->run.joined.by && *msg->run.joined.by ? msg->run.joined.by : "another program";
	trm_text_clean_line(info->by, sizeof info->by, by, strlen(by));
	*place = (struct peer_run){info->serial, msg->run.joined.lang, info->began_ns};
	unsigned n = (unsigned)(place - m->peer_runs.items) + 1;
	m->peer_runs.n = n > m->peer_runs.n ? n : m->peer_runs.n;
	outpane_begin(&m->out, info->serial);
}

/* Make a peer run the current run. An own run that waits for it keeps waiting. */
static void make_peer_run_current(struct model *m, struct peer_run *other)
{
	if (m->run.state == RUN_QUEUED && m->n_waiting < MODEL_WAITING) {
		memmove(m->waiting + 1, m->waiting, m->n_waiting++ * sizeof *m->waiting);
		m->waiting[0] = m->run.serial;
	} else if (m->run.state != RUN_NONE) {
		return;
	}
	m->run = (struct active_run){.state = RUN_RUNNING,
			.serial = other->serial,
			.lang = other->lang,
			.started_ns = other->began_ns};
	drop_peer_run(m, other);
	outpane_turn_to(&m->out, m->run.serial);
}

static void end_peer_run(struct model *m, struct peer_run *other, const struct msg *msg)
{
	const struct trm_lang *lang = other->lang;
	bool is_command = other - m->peer_runs.items >= TRM_LANG_MAX;

	drop_peer_run(m, other);
	run_show_end(m, msg->run.serial, msg->run.result);
	if (is_command)
		return;
	if (msg->run.result->state_lost)
		variables_kernel_gone(m, lang);
	else
		variables_run_ended(m, lang);
}

bool peer_runs_update(struct model *m, const struct msg *msg)
{
	struct peer_run *other = find_peer_run(m, msg->run.serial);
	struct run_info *info = other ? runs_find(&m->out.runs, msg->run.serial) : NULL;

	if (msg->type == MSG_RUN_JOINED)
		add_peer_run(m, msg);
	else if (!other)
		return false;
	switch (msg->type) {
	case MSG_RUN_OUTPUT:
		outpane_turn_to(&m->out, msg->run.serial);
		outpane_print(&m->out, msg->run.output.stream == TRM_STDERR ? OUT_STDERR : OUT_STDOUT,
				msg->run.serial, msg->run.output.bytes, msg->run.output.len);
		if (info)
			run_count(info, msg->run.output.len);
		break;
	case MSG_RUN_INPUT:
		make_peer_run_current(m, other);
		if (m->run.serial == msg->run.serial)
			input_ask(m, msg);
		break;
	case MSG_RUN_DONE: end_peer_run(m, other, msg); break;
	default: break;
	}
	return true;
}

void peer_runs_sort(struct model *m)
{
	outpane_sort(&m->out);
	m->needs_draw = true;
}

/* ---- stopping one ---- */

bool peer_runs_may_be_stopped(const struct model *m)
{
	return !model_is_running(m) && peer_runs_running(m) && !m->out.has_selection
	       && !editor_has_selection(model_editor(m));
}

/* Interrupt the target as if it were an own run. */
static void take_over_run(struct model *m, struct effects *out)
{
	struct peer_run *other = find_peer_run(m, m->peer_runs.target);

	if (!other) {
		notices_add(&m->notices, m->now_ns, false, "it has already ended");
		return;
	}
	make_peer_run_current(m, other);
	if (m->run.serial == m->peer_runs.target)
		stopping_press(m, out);
}

void peer_runs_ask_stop(struct model *m, struct effects *out)
{
	static const struct dialog_button buttons[] = {{"Interrupt", NULL, 'i', 1}, {"Cancel", NULL, 'c', 0}};
	const struct peer_run *other = peer_runs_running(m);
	const struct run_info *info = other ? runs_find(&m->out.runs, other->serial) : NULL;

	if (!info)
		return;
	m->peer_runs.target = other->serial;
	if (is_left_behind(m, info)) {
		take_over_run(m, out);
		return;
	}
	dialog_begin(&m->dialog, "Interrupt another program's run?", answer_stop_other);
	dialog_add(&m->dialog, ROLE_DIALOG, "%s runs, in %s:", who(info), other->lang->name);
	dialog_add(&m->dialog, ROLE_DIALOG, "%s", info->excerpt);
	dialog_set_buttons(&m->dialog, buttons, COUNT(buttons));
	m->needs_draw = true;
}

static void answer_stop_other(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == 1)
		take_over_run(m, out);
}

/* ---- texts ---- */

void peer_runs_name(struct model *m, uint32_t client, const char *words)
{
	struct peer_runs *p = &m->peer_runs;
	unsigned i = 0;

	m->needs_draw = true;
	while (i < p->n_names && p->names[i].client != client)
		i++;
	if (words && i == p->n_names && i == PEER_NAMES_MAX)
		return;
	if (words) {
		p->names[i].client = client;
		snprintf(p->names[i].words, sizeof p->names[i].words, "%.63s", words);
		p->n_names += i == p->n_names;
	} else if (i < p->n_names) {
		p->names[i] = p->names[--p->n_names];
	}
}

void peer_runs_others(const struct peer_runs *p, char *out, size_t cap)
{
	unsigned unnamed = p->n_clients - 1 > p->n_names ? p->n_clients - 1 - p->n_names : 0;
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < p->n_names && used < cap; i++)
		used += (size_t)snprintf(out + used, cap - used, "%s%s", i ? "; " : "", p->names[i].words);
	if (unnamed && p->n_names && used < cap)
		snprintf(out + used, cap - used, "; %u other%s", unnamed, unnamed == 1 ? "" : "s");
}

/* "2 clients are attached: this one; terrarium repl, pid 42" */
static void tell_attached(const struct peer_runs *p, char *out, size_t cap)
{
	char others[320];

	peer_runs_others(p, others, sizeof others);
	snprintf(out, cap, "%u clients are attached%s%s", p->n_clients, *others ? ": this one; " : "",
			others);
}

void peer_runs_text(const struct model *m, char *out, size_t cap)
{
	const struct peer_run *other = peer_runs_running(m);
	const struct run_info *info = other ? runs_find(&m->out.runs, other->serial) : NULL;

	out[0] = '\0';
	if (is_left_behind(m, info))
		snprintf(out, cap, "%sdetached run: %s", m->run.state == RUN_QUEUED ? "waiting: " : "",
				info->excerpt);
	else if (info)
		snprintf(out, cap, "%s%s runs%s %s", m->run.state == RUN_QUEUED ? "waiting: " : "", who(info),
				info->excerpt[0] ? ":" : "", info->excerpt);
	else if (m->peer_runs.n_clients > 1 && m->sandbox.state != SANDBOX_DEAD)
		tell_attached(&m->peer_runs, out, cap);
}
