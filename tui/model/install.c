/* SPDX-License-Identifier: MIT */
/* Installing packages into the sandbox. The person types names, and the installation is shown like a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/install.h>
#include <terrarium/lang.h>

#include "command/command.h"
#include "command/keymap.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"

static void answer_install(struct model *m, int answer, struct effects *out);

static bool lacks_network(const struct model *m)
{
	return !m->sandbox.limits.net && !ask_is_of_server(m);
}

/* "%pip install" fetches packages outside of the sandbox, so it needs no network inside. */
static bool has_pip_lines(const struct trm_lang *lang)
{
	return strcmp(lang->package_manager, "pip") == 0;
}

static void ask_packages(struct model *m, const char *why, const char *typed)
{
	struct dialog *d = &m->dialog;
	char title[64], *text = typed ? strdup(typed) : NULL;

	snprintf(title, sizeof title, "Install packages for %s", m->lang->name);
	dialog_begin(d, title, answer_install);
	dialog_add(d, ROLE_DIALOG,
			m->lang->style == TRM_STYLE_INDENT
					? "Installed with pip. Example: six rich>=13,<14"
					: "Installed with npm. Example: ms @scope/name@^1");
	dialog_add(d, ROLE_DIALOG_DIM, "Separate names with spaces   Enter: install   Esc: cancel");
	if (lacks_network(m))
		dialog_add(d, ROLE_DIALOG_DIM,
				"They are fetched from the package index, outside of the sandbox");
	if (why)
		dialog_add(d, ROLE_DIALOG_WARN, "%s", why);
	dialog_set_field(d, "Packages", text, why != NULL);
	free(text);
	m->needs_draw = true;
}

static void install_packages(struct model *m, struct effects *out)
{
	struct trm_error why = {0};

	(void)out;
	if (m->sandbox.state == SANDBOX_DEAD)
		ask_restart(m);
	else if (m->run.state != RUN_NONE)
		notices_add(&m->notices, m->now_ns, false,
				"a run is in progress; try again when it has ended");
	else if (trm_install_supports(m->lang, &why) < 0)
		notices_add(&m->notices, m->now_ns, true, "%s", why.msg);
	else if (lacks_network(m) && !has_pip_lines(m->lang))
		notices_add(&m->notices, m->now_ns, true,
				"no network in this sandbox: restart terrarium with --net on to "
				"install packages");
	else
		ask_packages(m, NULL, NULL);
}

static bool is_fine(const struct trm_lang *lang, const char *text, struct trm_error *why)
{
	char *copy = strdup(text), *rest = NULL;
	bool is_fine = copy;

	for (char *word = copy ? strtok_r(copy, " \t", &rest) : NULL; word && is_fine;
			word = strtok_r(NULL, " \t", &rest))
		is_fine = trm_package_check(lang, word, why) == 0;
	free(copy);
	return is_fine;
}

static void answer_install(struct model *m, int answer, struct effects *out)
{
	struct trm_error why = {0};
	const char *text = field_text(&m->dialog.field);

	if (answer == ANSWER_TAB || answer == ANSWER_MOVED)
		return;
	if (answer != ANSWER_ENTER || !text[strspn(text, " \t")] || m->run.state != RUN_NONE)
		dialog_close(m);
	else if (!is_fine(m->lang, text, &why))
		ask_packages(m, why.msg, text);
	else {
		if (lacks_network(m))
			run_pip_line(m, text, out);
		else
			run_install(m, text, false, out);
		dialog_close(m);
	}
}

/* ---- --with --------------------------------------------------------------------------------- */

enum { ANSWER_PACKAGES = 1 };

static const struct dialog_button with_buttons[] = {
		{"Install", NULL, 'i', ANSWER_PACKAGES},
		{"Cancel", NULL, 'c', ANSWER_CANCEL},
};

/* Their names, separated by blanks. NULL: out of memory. */
static char *join_packages(const char *const *packages)
{
	size_t n = 1, used = 0;

	for (size_t i = 0; packages[i]; i++)
		n += strlen(packages[i]) + 1;
	char *text = calloc(n, 1);
	for (size_t i = 0; text && packages[i]; i++)
		used += (size_t)snprintf(text + used, n - used, "%s%s", i ? " " : "", packages[i]);
	return text;
}

static void start_with(struct model *m, struct effects *out)
{
	char *text = join_packages(m->with);

	m->with = NULL;
	if (text)
		run_install(m, text, true, out);
	free(text);
}

static void answer_with(struct model *m, int answer, struct effects *out)
{
	if (answer == ANSWER_MOVED || answer == ANSWER_TAB)
		return;
	dialog_close(m);
	if (answer == ANSWER_PACKAGES)
		start_with(m, out);
	m->with = NULL;
}

static void ask_with(struct model *m)
{
	struct dialog *d = &m->dialog;
	char title[64];

	snprintf(title, sizeof title, "Install packages for %s?", m->lang->name);
	dialog_begin(d, title, answer_with);
	for (size_t i = 0; m->with[i]; i++)
		dialog_add(d, ROLE_WARN, "%s", m->with[i]);
	dialog_add(d, ROLE_DIALOG_DIM,
			"What is missing is fetched from the package index, outside of the sandbox");
	dialog_set_buttons(d, with_buttons, COUNT(with_buttons));
	m->needs_draw = true;
}

void install_with(struct model *m, struct effects *out)
{
	if (!m->with || m->sandbox.state != SANDBOX_READY || m->run.state != RUN_NONE
			|| dialog_is_open(&m->dialog))
		return;
	if (confirmation_is_each(m))
		ask_with(m);
	else
		start_with(m, out);
}

void install_advise(const struct model *m, const struct trm_result *r, char *out, size_t cap)
{
	char palette[KEYMAP_NAME_BYTES], name[64], front[128];

	out[0] = '\0';
	if (!trm_missing_package(r, name, sizeof name))
		return;
	snprintf(front, sizeof front,
			trm_package_is_known(r->lang, name) ? "To install %s"
							    : "If the package %s is what you mean",
			name);
	if (has_pip_lines(r->lang))
		snprintf(out, cap, "%s: run %%pip install %s", front, name);
	else
		snprintf(out, cap, "%s: %s, \"Install packages\".%s", front, key_hint(m, "palette", palette),
				lacks_network(m) ? " It needs the network: start with --net on" : "");
}

static const struct command commands[] = {
		{"install-packages", "Install packages…", "install packages in the sandbox with pip or npm",
				CONTEXT_ANY, .run = install_packages, .words = "pip npm add library module"},
};
const struct command_table install_commands = COMMAND_TABLE(commands);
