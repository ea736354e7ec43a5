/* SPDX-License-Identifier: MIT */
/* The settings that can be changed in the workbench: lists them, stores them in the config file, applies
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app_internal.h"
#include "model/settings_page.h"
#include "settings/settings.h"

/* By subject: questions, limits, sandbox, keys and editor, appearance, alerts. */
static const struct offered_setting {
	const char *name;
	enum setting_when when;
} offered[] = {
		{"confirm", SETTING_NOW},
		{"trust", SETTING_NOW},
		{"policy", SETTING_START},
		{"policy_mode", SETTING_START},
		{"timeout", SETTING_NOW},
		{"grace", SETTING_SANDBOX},
		{"terminate_grace", SETTING_SANDBOX},
		{"memory", SETTING_SANDBOX},
		{"memory_alert", SETTING_SANDBOX},
		{"memory_alert_at", SETTING_SANDBOX},
		{"cpus", SETTING_SANDBOX},
		{"processes", SETTING_SANDBOX},
		{"disk", SETTING_SANDBOX},
		{"max_output", SETTING_SANDBOX},
		{"net", SETTING_SANDBOX},
		{"net_allow", SETTING_SANDBOX},
		{"net_allow_host", SETTING_SANDBOX},
		{"backend", SETTING_SANDBOX},
		{"image", SETTING_SANDBOX},
		{"isolation", SETTING_SANDBOX},
		{"keep", SETTING_SANDBOX},
		{"metrics_interval", SETTING_SANDBOX},
		{"language", SETTING_START},
		{"keymap", SETTING_NOW},
		{"auto_close", SETTING_NOW},
		{"wrap", SETTING_NOW},
		{"auto_complete", SETTING_NOW},
		{"restore", SETTING_NOW},
		{"history", SETTING_NOW},
		{"theme", SETTING_NOW},
		{"graphs", SETTING_START},
		{"images", SETTING_START},
		{"links", SETTING_START},
		{"theme_plots", SETTING_SANDBOX},
		{"scrollback", SETTING_START},
		{"alerts", SETTING_NOW},
		{"alert_at", SETTING_NOW},
		{"alert_after", SETTING_NOW},
		{"alert_run", SETTING_NOW},
};
enum { OFFERED = sizeof offered / sizeof *offered };
_Static_assert((int)OFFERED <= SETTINGS_PAGE_MAX, "the page holds all");

struct app_settings {
	struct settings now;
	bool is_pending[OFFERED]; /* changed after the sandbox or the program started */
};

int app_open_settings(struct app *a, const struct app_opts *opts)
{
	a->own_opts = *opts;
	a->opts = &a->own_opts;
	if (!opts->settings)
		return 0;
	a->settings = calloc(1, sizeof *a->settings);
	if (!a->settings)
		return TRM_ENOMEM;
	a->settings->now = *opts->settings;
	return 0;
}

void app_close_settings(struct app *a)
{
	free(a->settings);
	a->settings = NULL;
}

const struct settings *app_settings_now(const struct app *a)
{
	return a->settings ? &a->settings->now : NULL;
}

void app_settings_used(struct app *a)
{
	for (size_t i = 0; a->settings && i < OFFERED; i++)
		if (offered[i].when == SETTING_SANDBOX)
			a->settings->is_pending[i] = false;
}

/* ---- the list ---- */

static void name_origin(const struct app *a, const struct trm_setting *s, char out[64])
{
	const struct trm_config_origin *o = &a->settings->now.origins[setting_index(s)];
	char path[1024];
	const char *name = trm_config_path(a->opts->config, path, sizeof path) ? strrchr(path, '/') : NULL;

	switch (o->from) {
	case TRM_FROM_DEFAULT: snprintf(out, 64, "the default"); break;
	case TRM_FROM_FILE:
		snprintf(out, 64, o->line ? "%.40s:%u" : "%.40s", name ? name + 1 : "the config file",
				o->line);
		break;
	case TRM_FROM_DOTENV: snprintf(out, 64, ".env:%u", o->line); break;
	case TRM_FROM_ENVIRONMENT: snprintf(out, 64, "the variable %.40s", s->env); break;
	case TRM_FROM_OPTION: snprintf(out, 64, "the option %.40s", s->option); break;
	}
}

void app_list_settings(struct app *a)
{
	struct setting_row *rows = calloc(OFFERED, sizeof *rows);

	if (!rows || !a->settings) {
		free(rows);
		app_notify(a, MSG_ERROR, "settings cannot be changed here");
		return;
	}
	for (size_t i = 0; i < OFFERED; i++) {
		const struct trm_setting *s = setting_find(offered[i].name);
		struct setting_row *r = &rows[i];
		*r = (struct setting_row){.name = s->name,
				.help = s->help,
				.metavar = s->metavar,
				.option = s->option,
				.is_choice = s->kind == TRM_SETTING_CHOICE || s->kind == TRM_SETTING_SWITCH
					     || strcmp(s->name, "keymap") == 0
					     || strcmp(s->name, "images") == 0,
				.when = offered[i].when,
				.is_changed = a->settings->is_pending[i]};
		if (strcmp(s->name, "theme") == 0)
			snprintf(r->value, sizeof r->value, "%s", a->model.theme);
		else
			trm_config_get(&a->settings->now, s, r->value, sizeof r->value);
		name_origin(a, s, r->from);
	}
	app_send(a, &(struct msg){.type = MSG_SETTINGS, .settings.rows = rows, .settings.n = OFFERED});
	free(rows);
}

/* ---- a change ---- */

/* Apply settings to the next sandbox. A workbench that joined a sandbox on a server keeps doing so. */
static void take_sandbox_opts(struct app *a)
{
	struct app_opts *own = &a->own_opts;
	int join = own->sandbox.server.join;
	struct trm_policy *policy = own->session.policy;

	trm_config_sandbox_opts(&a->settings->now.config, &own->lists, &own->sandbox);
	trm_config_session_opts(&a->settings->now.config, &own->session);
	own->sandbox.server.join = join;
	own->session.policy = policy;
}

static void use_setting(struct app *a, const struct trm_setting *s)
{
	struct trm_error err = {0};
	const struct settings *now = &a->settings->now;

	for (size_t i = 0; i < OFFERED; i++)
		if (strcmp(offered[i].name, s->name) == 0)
			a->settings->is_pending[i] = offered[i].when != SETTING_NOW;
	a->own_opts.restore = now->restore;
	if (strcmp(s->name, "keymap") == 0) {
		a->own_opts.keymap = now->keymap;
		if (app_load_keys(a, &err) < 0)
			app_notify(a, MSG_ERROR, err.msg);
	}
	take_sandbox_opts(a);
}

static void tell_stored(struct app *a, const struct trm_setting *s, const char *value, const char *path)
{
	struct trm_config_origin *o = a->settings ? &a->settings->now.origins[setting_index(s)] : NULL;
	bool is_outranked = o && o->from > TRM_FROM_FILE;
	char text[1400];

	snprintf(text, sizeof text, "saved: %s = %s (%s)%s%s%s", s->name, value, path,
			is_outranked ? "; at the next start " : "",
			!is_outranked                ? ""
			: o->from == TRM_FROM_OPTION ? s->option
			: o->from == TRM_FROM_DOTENV ? ".env"
						     : s->env,
			is_outranked ? " decides if it is given again" : "");
	app_notify(a, MSG_NOTICE, text);
	if (o)
		*o = (struct trm_config_origin){.from = TRM_FROM_FILE};
}

static void refuse_setting(struct app *a, const char *name, const char *why)
{
	app_send(a, &(struct msg){.type = MSG_SETTING_STORED, .setting.name = name, .setting.why = why});
}

void app_store_setting(struct app *a, const char *name, const char *value)
{
	const struct trm_setting *s = setting_find(name);
	struct trm_error err = {0};
	char path[1024];

	if (!trm_config_path(a->opts->config, path, sizeof path)) {
		refuse_setting(a, name, "this is not remembered: there is no folder for a config file");
		return;
	}
	struct settings *scratch = a->settings ? malloc(sizeof *scratch) : NULL;
	if (scratch)
		*scratch = a->settings->now;
	if ((scratch && trm_config_set(scratch, s, value, name, &err) < 0)
			|| trm_config_store(path, s, value, &err) < 0) {
		refuse_setting(a, name, err.msg);
		free(scratch);
		return;
	}
	if (scratch)
		a->settings->now = *scratch;
	tell_stored(a, s, value, path);
	if (scratch) {
		use_setting(a, s);
		app_send(a, &(struct msg){.type = MSG_SETTING_STORED,
					    .setting.name = name,
					    .setting.values = &a->settings->now});
	}
	free(scratch);
}
