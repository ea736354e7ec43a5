/* SPDX-License-Identifier: MIT */
/* The setting that decides when the workbench asks before code runs, and its dialog. */
#include <stdio.h>
#include <string.h>

#include <terrarium/config.h>
#include <terrarium/policy.h>

#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/update.h"

static void answer_confirmation(struct model *m, int answer, struct effects *out);

enum choice { CHOICE_EACH, CHOICE_SESSION, CHOICE_KIND, CHOICE_ALL, N_CHOICES };

bool confirmation_is_each(const struct model *m)
{
	bool is_kind_trusted = trm_config_trusts(m->trust, m->sandbox.backend) && !m->sandbox.is_open;
	return m->confirm && !m->trusts_session && !is_kind_trusted;
}

bool confirmation_is_wanted(const struct model *m)
{
	bool is_wanted = confirmation_is_each(m) || (m->confirm && m->findings.worst == TRM_HIGH);
	return (is_wanted && m->run_then != RUN_THEN_DEMO) || (m->policy_asks && m->findings.n_refused);
}

void ask_confirmation(struct model *m, bool runs_then)
{
	struct dialog *d = &m->dialog;
	char kind[64];

	snprintf(kind, sizeof kind, "Do not ask in %.30s sandboxes", m->sandbox.backend);
	const char *const items[N_CHOICES] = {"Ask before each run", "Do not ask in this session", kind,
			"Do not ask in any sandbox"};
	dialog_begin(d, "Confirm before code runs", answer_confirmation);
	dialog_add(d, ROLE_DIALOG,
			"Code in which the policy finds something of high severity is asked about in any case.");
	dialog_add(d, ROLE_DIALOG, "%s", "");
	/* Without isolation, only the session can be trusted. */
	for (size_t i = 0; i < (m->sandbox.is_open ? CHOICE_KIND : N_CHOICES); i++)
		dialog_add_choice(d, items[i], i >= CHOICE_KIND ? "config file" : "", 0, NULL);
	d->current = confirmation_is_each(m)           ? runs_then ? CHOICE_SESSION : CHOICE_EACH
		     : trm_config_trusts(m->trust, "") ? CHOICE_ALL
		     : trm_config_trusts(m->trust, m->sandbox.backend) ? CHOICE_KIND
								       : CHOICE_SESSION;
	m->runs_when_chosen = runs_then;
	m->needs_draw = true;
}

/* Write the new value of the setting. The backends that are trusted now remain trusted. */
static void write_trust(const struct model *m, enum choice choice, char *out, size_t cap)
{
	size_t used = 0;

	out[0] = '\0';
	if (choice == CHOICE_ALL) {
		snprintf(out, cap, "all");
		return;
	}
	for (const char *at = m->trust; *(at += strspn(at, ", ")) && used < cap; at += strcspn(at, ", ")) {
		size_t n = strcspn(at, ", ");
		bool is_this = n == strlen(m->sandbox.backend) && !strncmp(at, m->sandbox.backend, n);
		if (!is_this && !(n == 3 && !strncmp(at, "all", 3)))
			used += (size_t)snprintf(
					out + used, cap - used, "%s%.*s", used ? "," : "", (int)n, at);
	}
	if (choice == CHOICE_KIND && used < cap)
		snprintf(out + used, cap - used, "%s%s", used ? "," : "", m->sandbox.backend);
}

static void choose_confirmation(struct model *m, enum choice choice, struct effects *out)
{
	char trust[sizeof m->trust];

	m->confirm = true;
	m->trusts_session = choice == CHOICE_SESSION;
	write_trust(m, choice, trust, sizeof trust);
	if (choice == CHOICE_SESSION || strcmp(trust, m->trust) == 0)
		return;
	snprintf(m->trust, sizeof m->trust, "%s", trust);
	effect_setting(out, "trust", trust);
}

static void answer_confirmation(struct model *m, int answer, struct effects *out)
{
	size_t choice = m->dialog.current;

	if (answer == ANSWER_MOVED)
		return;
	dialog_close(m);
	if (answer != ANSWER_ENTER && m->runs_when_chosen)
		ask_confirm(m); /* the question that this one was opened from is still open */
	if (answer != ANSWER_ENTER)
		return;
	choose_confirmation(m, (enum choice)choice, out);
	if (m->runs_when_chosen)
		run_start(m, out);
}

static void command_confirm(struct model *m, struct effects *out)
{
	(void)out;
	ask_confirmation(m, false);
}

static const struct command commands[] = {
		{"confirm", "Confirm before code runs: always, or less often",
				"choose when the workbench asks before code runs: in this session, in this kind of "
				"sandbox, or everywhere",
				CONTEXT_ANY, .run = command_confirm},
};
const struct command_table confirmation_commands = COMMAND_TABLE(commands);
