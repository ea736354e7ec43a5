/* SPDX-License-Identifier: MIT */
/* Questions about a run: may it run, and where. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/install.h>
#include <terrarium/magic.h>
#include <terrarium/policy.h>

#include "model/confirm_loss.h"
#include "model/detach.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/run_source.h"
#include "model/update.h"
#include "syntax/syntax.h"
#include "text/format.h"
#include "text/text.h"

static void answer_restart(struct model *m, int answer, struct effects *out);

enum { BUTTON_RUN = 1, BUTTON_ALWAYS, BUTTON_LESS, BUTTON_EDIT, BUTTON_YES };

#define FINDINGS_SHOWN 20
#define CODE_LINES_SHOWN 500
#define EXCERPT_LINES 2 /* on a low screen, before what else there is to know */
#define LOW_ROWS 16
#define CODE_BYTES_SHOWN ((size_t)1 << 20)

/* ---- may the code run? ---- */

static const struct dialog_button confirm_buttons[] = {
		{"Run once", "Run", 'r', BUTTON_RUN},
		{"Always in session", "Always", 'a', BUTTON_ALWAYS},
		{"Ask less", "Less", 'l', BUTTON_LESS},
		{"Edit", NULL, 'e', BUTTON_EDIT},
		{"Cancel", NULL, 'c', ANSWER_CANCEL},
};

bool ask_is_of_server(const struct model *m)
{
	return strcmp(m->sandbox.backend, "microsandbox") == 0;
}

/* Is the sandbox in a container engine? Its engine does not limit files and decides about the network. */
static bool is_of_engine(const struct model *m)
{
	const char *backend = m->sandbox.backend;
	return strcmp(backend, "local") != 0 && strcmp(backend, "fake") != 0 && !ask_is_of_server(m);
}

static void describe_where(const struct model *m, struct dialog *d)
{
	static const char *const states[] = {[SANDBOX_STARTING] = " (starting)",
			[SANDBOX_READY] = "",
			[SANDBOX_DEAD] = " (ended)"};

	dialog_add_labeled(d, "Where", ROLE_DIALOG, "sandbox %s, backend %s%s", m->sandbox.name,
			m->sandbox.backend, states[m->sandbox.state]);
	if (m->sandbox.origin[0])
		dialog_add_labeled(d, m->sandbox.is_adopted ? "Container" : "Image", ROLE_DIALOG, "%s",
				m->sandbox.origin);
}

static const struct trm_guard *guard_of(const struct model *m, const char *what)
{
	for (size_t i = 0; i < m->sandbox.n_guards; i++)
		if (strcmp(m->sandbox.guards[i].what, what) == 0)
			return &m->sandbox.guards[i];
	return NULL;
}

static bool is_unlimited(const struct model *m, const char *what)
{
	const struct trm_guard *guard = guard_of(m, what);
	return guard && guard->strength == TRM_NOT_ENFORCED;
}

/* Name only the limits that the engine is asked to enforce. */
static void describe_engine_limits(
		const struct model *m, struct dialog *d, const char *mem, const char *timeout)
{
	const struct trm_limits *l = &m->sandbox.limits;
	char memory[48] = "no limit for memory", cpu[48] = "none for CPU", procs[48] = "none for processes";

	if (m->sandbox.is_adopted) {
		dialog_add_labeled(d, "Limits", ROLE_DIALOG, "the container's own, %s", timeout);
		return;
	}
	if (!is_unlimited(m, "memory"))
		snprintf(memory, sizeof memory, "memory %s", mem);
	if (!is_unlimited(m, "cpu"))
		snprintf(cpu, sizeof cpu, "CPU %.3g core%s", l->cpus, l->cpus == 1.0 ? "" : "s");
	if (!is_unlimited(m, "processes"))
		snprintf(procs, sizeof procs, "%u processes", l->procs);
	dialog_add_labeled(d, "Limits", ROLE_DIALOG, "%s, %s, %s, %s", memory, cpu, procs, timeout);
}

static void describe_limits(const struct model *m, struct dialog *d)
{
	const struct trm_limits *l = &m->sandbox.limits;
	char mem[24], disk[24], timeout[48] = "no time limit", duration[24];

	if (m->timeout_ms)
		snprintf(timeout, sizeof timeout, "time limit %s",
				format_duration(duration, (uint64_t)m->timeout_ms * 1000));
	format_bytes(mem, l->mem_bytes);
	if (is_of_engine(m))
		describe_engine_limits(m, d, mem, timeout);
	else if (ask_is_of_server(m)
			&& m->sandbox.is_attached) /* whoever started the sandbox chose the limits */
		dialog_add_labeled(d, "Limits", ROLE_DIALOG, "its own limits, %s", timeout);
	else if (ask_is_of_server(m)) /* a server is only asked for these limits */
		dialog_add_labeled(d, "Limits", ROLE_DIALOG, "memory %s, CPU %.3g core%s, %s", mem, l->cpus,
				l->cpus == 1.0 ? "" : "s", timeout);
	else
		dialog_add_labeled(d, "Limits", ROLE_DIALOG,
				"memory %s, CPU %.3g core%s, %u processes, files %s, %s", mem, l->cpus,
				l->cpus == 1.0 ? "" : "s", l->procs, format_bytes(disk, l->disk_bytes),
				timeout);
}

static void describe_network(const struct model *m, struct dialog *d)
{
	const struct trm_limits *l = &m->sandbox.limits;
	/* Until the server has reported it. */
	const char *off = ask_is_of_server(m) ? "decided by the server" : "off";
	const struct trm_guard *g = guard_of(m, "network");

	if (g && g->strength != TRM_ENFORCED) {
		bool is_weak = g->strength == TRM_WEAK;
		off = ask_is_of_server(m) || (is_of_engine(m) && !is_weak) ? g->how
		      : is_of_engine(m) ? "off, as requested from the engine"
		      : is_weak         ? "off, weakly"
					: "ON: not isolated";
	} else if (m->sandbox.is_adopted) {
		off = "the container's own";
	}
	if (l->net && is_of_engine(m))
		dialog_add_labeled(d, "Network", ROLE_WARN,
				"ON: that of %s; it may reach this machine and local addresses",
				m->sandbox.backend);
	else if (!l->net && *l->net_allow_host && !ask_is_of_server(m))
		dialog_add_labeled(d, "Network", ROLE_WARN, "ONLY to %s", l->net_allow_host);
	else if (!l->net || ask_is_of_server(m))
		dialog_add_labeled(d, "Network", ROLE_DIALOG, "%s", off);
	else if (g && g->strength != TRM_ENFORCED)
		dialog_add_labeled(
				d, "Network", ROLE_WARN, "ON: this machine's own, local addresses included");
	else
		dialog_add_labeled(d, "Network", ROLE_WARN, "ON, but not to this machine%s%s",
				*l->net_allow ? "; local: only " : " or local addresses", l->net_allow);
}

void ask_add_mounts(const struct model *m, struct dialog *d)
{
	for (size_t i = 0; i < m->sandbox.n_mounts; i++)
		dialog_add_labeled(d, i ? "" : "Mounts",
				m->sandbox.mounts[i].is_writable ? ROLE_WARN : ROLE_DIALOG, "%s",
				m->sandbox.mounts[i].text);
}

/* The network has its own line. The other guards are listed unless they are strong. */
static void describe_guards(const struct model *m, struct dialog *d)
{
	size_t weak = 0;

	describe_network(m, d);
	ask_add_mounts(m, d);
	for (size_t i = 0; i < m->sandbox.n_guards; i++) {
		const struct trm_guard *g = &m->sandbox.guards[i];
		if (g->strength == TRM_ENFORCED)
			continue;
		dialog_add_labeled(d, weak++ ? "" : "Weak",
				g->strength == TRM_WEAK ? ROLE_WARN : ROLE_CRITICAL, "%s: %s (%s)", g->what,
				g->strength == TRM_WEAK ? "weak" : "NOT ENFORCED", g->how);
	}
	if (m->sandbox.n_guards && !weak)
		dialog_add_labeled(d, "Guards", ROLE_DIALOG, "limits enforced by the kernel");
	else if (!m->sandbox.n_guards)
		dialog_add_labeled(d, "Guards", ROLE_DIALOG, "known after the sandbox has started");
}

static void describe_policy(const struct model *m, struct dialog *d)
{
	const struct trm_findings *found = &m->findings;
	char line[400];

	for (size_t i = 0; i < found->n && i < FINDINGS_SHOWN; i++) {
		const struct trm_finding *f = &found->all[i];
		dialog_add_labeled(d, i ? "" : "Policy", f->is_refused ? ROLE_DIALOG_WARN : ROLE_DIALOG, "%s",
				trm_finding_describe(f, line, sizeof line));
	}
	if (found->n > FINDINGS_SHOWN)
		dialog_add_labeled(d, "", ROLE_DIALOG, "and %zu more",
				found->n + found->n_dropped - FINDINGS_SHOWN);
	if (found->n)
		dialog_add_labeled(d, "", ROLE_DIALOG_DIM, "policy: %s", m->policy);
	if (found->has_no_tree)
		dialog_add_labeled(d, found->n ? "" : "Policy", ROLE_DIALOG_DIM,
				"scans coarsely, and counts strings%s: %s",
				found->comments_count ? " and comments" : "", found->why_no_tree);
}

/* Packages that the code asks for with %pip install. */
static void describe_libraries(const struct model *m, struct dialog *d)
{
	struct editor_run range = m->to_run;
	size_t n = 0, len;
	char *code = run_source_slice(model_editor(m), range, &len), **libraries = NULL, words[200] = "";
	if (code)
		trm_magic_libraries(&libraries, run_source_lang(model_editor(m), range, m->lang), code, len,
				NULL);
	for (char **name = libraries; name && *name && n < sizeof words; name++)
		n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", n ? ", " : "", *name);
	if (n) {
		dialog_add_labeled(d, "Needs", ROLE_WARN, "%s", words);
		dialog_add_labeled(d, "", ROLE_DIALOG_DIM,
				"what is missing is fetched from the package index, outside of the sandbox");
	}
	trm_libraries_free(libraries);
	free(code);
}

/* Returns whether these lines are all of the code. */
static bool describe_code(const struct model *m, struct dialog *d, size_t most)
{
	struct editor_run range = m->to_run;
	size_t n = 0, code_len, first = d->n_lines;
	range.len = range.len < CODE_BYTES_SHOWN ? range.len : CODE_BYTES_SHOWN;
	char *code = run_source_slice(model_editor(m), range, &code_len);
	const char *p = code;

	while (p && *p == '\n' && most == EXCERPT_LINES)
		p++;
	while (p && *p && n++ < most) {
		size_t len = strcspn(p, "\n");
		dialog_add_code(d, p, len);
		p += len + (p[len] == '\n');
		if (n == CODE_LINES_SHOWN && *p)
			dialog_add(d, ROLE_DIM, "(and more: Edit shows all)");
	}
	bool is_all = p && !*p && range.len == m->to_run.len;
	free(code);
	dialog_color_code(d, first,
			grammars_loaded(m->grammars,
					run_source_lang(model_editor(m), range, m->lang)->grammar));
	return is_all;
}

void ask_confirm(struct model *m)
{
	struct dialog *d = &m->dialog;
	bool again = d->answer == answer_confirm; /* new facts: keep the scroll position and the focus */
	int focus = d->focus;
	size_t scroll = again ? d->scroll : 0;
	char what[64];

	if (!run_is_unchanged(m)) {
		if (again)
			dialog_close(m);
		return;
	}
	dialog_begin(d, "Run this code?", answer_confirm);
	/* Findings come first, so that they are visible on a low screen. */
	describe_policy(m, d);
	dialog_add_labeled(d, "What", ROLE_DIALOG, "%s, %s",
			run_source_lang(model_editor(m), m->to_run, m->lang)->name,
			run_source_describe(model_editor(m), m->to_run, what));
	describe_libraries(m, d);
	bool has_code = m->rows < LOW_ROWS && describe_code(m, d, EXCERPT_LINES);
	describe_where(m, d);
	describe_limits(m, d);
	describe_guards(m, d);
	if (!has_code) {
		dialog_add(d, ROLE_DIALOG, "%s", "");
		describe_code(m, d, CODE_LINES_SHOWN);
	}
	dialog_set_buttons(d, confirm_buttons, COUNT(confirm_buttons));
	d->focus = again ? focus : m->findings.worst == TRM_HIGH ? COUNT(confirm_buttons) - 1 : 0;
	d->scroll = scroll;
	m->needs_draw = true;
}

void answer_confirm(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	m->trusts_session |= answer == BUTTON_ALWAYS;
	if (answer == BUTTON_RUN || answer == BUTTON_ALWAYS)
		run_start(m, out);
	else if (answer == BUTTON_LESS)
		ask_confirmation(m, true);
	else if (answer == BUTTON_EDIT)
		model_focus(m, PANE_EDITOR);
}

/* ---- the sandbox is gone ---- */

static const struct dialog_button restart_buttons[] = {
		{"Start a new one", NULL, 's', BUTTON_YES},
		{"Cancel", NULL, 'c', ANSWER_CANCEL},
};

void ask_restart(struct model *m)
{
	struct dialog *d = &m->dialog;

	dialog_begin(d, "There is no sandbox", answer_restart);
	dialog_add(d, ROLE_DIALOG, "%s", m->sandbox.reason);
	dialog_add(d, ROLE_DIALOG, "%s", "");
	dialog_add(d, ROLE_DIALOG,
			"A new one starts with no variables and no files. Buffers and output stay.");
	dialog_set_buttons(d, restart_buttons, COUNT(restart_buttons));
	m->needs_draw = true;
}

static void answer_restart(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == BUTTON_YES)
		effect_plain(out, EFFECT_START_SANDBOX);
}

/* ---- leaving ---- */

void ask_quit(struct model *m, struct effects *out)
{
	if (!m->replay.is_on && detach_is_certain(m))
		loss_ask(m, LOSS_NONE_OF_IT, out);
	else if (!m->replay.is_on && loss_is_worth_asking(m))
		loss_ask(m, LOSS_WORKBENCH, out);
	else
		effect_plain(out, EFFECT_QUIT);
}
