/* SPDX-License-Identifier: MIT */
/* The question before a run: what, where, with which limits. */
#include <stdio.h>
#include <string.h>

#include <terrarium/recipe.h>

#include "repl/repl_internal.h"
#include "text/yes_no.h"

enum { SHOWN_LINES = 6, SHOWN_BYTES = 70, SHOWN_FINDINGS = 6 };

static void tell_code(struct repl *r)
{
	const char *text = r->code.text;
	size_t lines = 0;
	char shown[3 * SHOWN_BYTES + 1];
	for (const char *p = text; *p; lines++) {
		size_t n = strcspn(p, "\n"), part = n > SHOWN_BYTES ? SHOWN_BYTES : n;
		trm_text_clean_line(shown, sizeof shown, p, part);
		if (lines < SHOWN_LINES)
			show_print(&r->show, ROLE_TEXT, "  %s%s", shown, part < n ? " …" : "");
		p += n + (p[n] == '\n');
	}
	if (lines > SHOWN_LINES)
		show_print(&r->show, ROLE_DIM, "  … and %zu more lines", lines - SHOWN_LINES);
}

/* What a recipe does not ask for is not claimed. */
static void tell_limits(struct repl *r)
{
	const char *backend = trm_sandbox_backend(r->cli_session.sandbox),
		   *origin = trm_sandbox_origin(r->cli_session.sandbox);
	const struct trm_limits *l = trm_sandbox_limits(r->cli_session.sandbox);
	char words[TRM_NET_ALLOW + TRM_RECIPE_WORDS];
	bool is_made = strcmp(backend, "local") != 0 && strcmp(backend, "fake") != 0;
	struct trm_recipe *recipe = NULL;
	if (is_made && trm_recipe_load(backend, *r->config.path ? r->config.path : NULL, &recipe, NULL) == 0)
		repl_say(r, "%s%s%s%s", *origin ? "made from " : "", origin, *origin ? ": " : "",
				trm_recipe_tell_limits(recipe, l, words));
	else
		repl_say(r, "%.4g MiB memory, %.3g core%s, %u processes, %.4g MiB disk, %s",
				(double)l->mem_bytes / (1 << 20), l->cpus, l->cpus == 1 ? "" : "s", l->procs,
				(double)l->disk_bytes / (1 << 20),
				trm_limits_tell_net(l, words, sizeof words));
	trm_recipe_free(recipe);
}

static void tell_where(struct repl *r)
{
	const struct trm_limits *l = trm_sandbox_limits(r->cli_session.sandbox);
	char time[48] = "no time limit", words[240];
	if (r->config.timeout_ms)
		snprintf(time, sizeof time, "%.4g s per run", r->config.timeout_ms / 1000.0);
	repl_say(r, "in the %s sandbox %s, as %s, %s:", trm_sandbox_backend(r->cli_session.sandbox),
			trm_sandbox_name(r->cli_session.sandbox), r->lang->name, time);
	if (trm_sandbox_is_joined(r->cli_session.sandbox)) {
		repl_say(r, "it was already running; its limits are those of the server %s",
				r->config.server_url);
		return;
	}
	if (repl_is_far(r)) {
		repl_say(r, "%.4g MiB memory and %.3g core%s requested from the server %s, which decides the rest",
				(double)l->mem_bytes / (1 << 20), l->cpus, l->cpus == 1 ? "" : "s",
				r->config.server_url);
		return;
	}
	if (trm_sandbox_is_adopted(r->cli_session.sandbox))
		repl_say(r, "the existing container %s, with its own limits and network",
				trm_sandbox_origin(r->cli_session.sandbox));
	else
		tell_limits(r);
	const struct trm_mount *mounts;
	for (size_t i = 0, n = trm_sandbox_mounts(r->cli_session.sandbox, &mounts); i < n; i++)
		repl_say(r, "mounts: %s", trm_mount_tell(&mounts[i], words, sizeof words));
}

static void tell_findings(struct repl *r, const struct trm_findings *found)
{
	char line[400];
	for (size_t i = 0; i < found->n && i < SHOWN_FINDINGS; i++)
		show_print(&r->show, found->all[i].is_refused ? ROLE_WARN : ROLE_DIM, "  %s",
				trm_finding_tell(&found->all[i], line, sizeof line));
	if (found->n > SHOWN_FINDINGS)
		show_print(&r->show, ROLE_DIM, "  … and %zu more findings",
				found->n + found->n_dropped - SHOWN_FINDINGS);
	if (found->n)
		repl_say(r, "(found by the policy '%s')", trm_policy_name(r->policy_gate->policy));
}

/* With nobody to ask, what the policy wants to be asked about does not run. */
static void refuse(struct repl *r, const struct trm_findings *found)
{
	struct trm_error why = {0};
	trm_policy_refusal(r->policy_gate->policy, found, &why);
	repl_drop_input(r);
	repl_error(r, "%s; there is no terminal to ask on", why.msg);
	repl_done(r);
}

static void ask(struct repl *r, const struct trm_findings *found)
{
	/* What was typed is on the screen; what was not is shown. */
	if (r->filename)
		tell_code(r);
	tell_findings(r, found);
	tell_where(r);
	r->asks_confirm = true;
	repl_done(r);
}

void confirm_ask(struct repl *r)
{
	struct trm_findings found;
	bool is_wanted = r->config.confirm && !r->is_always && repl_has_person(r);
	if (policy_gate_scan(r->policy_gate, r->lang, r->code.text, r->code.n, &found, NULL) < 0)
		found = (struct trm_findings){0};
	bool is_policy = policy_gate_asks(r->policy_gate, &found);
	if (is_policy && !repl_has_person(r))
		refuse(r, &found);
	else if (is_wanted || is_policy)
		ask(r, &found);
	else
		repl_run_code(r);
	trm_findings_finish(&found);
}

void confirm_answer(struct repl *r, const char *text)
{
	enum yes_no answer = text ? yes_no_of(text) : YES_NO_NO;
	r->asks_confirm = answer == YES_NO_UNCLEAR;
	r->is_always |= answer == YES_NO_ALWAYS;
	if (answer == YES_NO_SILENT || answer == YES_NO_YES || answer == YES_NO_ALWAYS) {
		repl_run_code(r);
		return;
	}
	if (answer == YES_NO_UNCLEAR) {
		repl_say(r, "please answer y, n or a (Enter means yes)");
		return;
	}
	repl_say(r, "nothing was run");
	repl_drop_input(r);
	r->filename = NULL;
	repl_done(r);
}
