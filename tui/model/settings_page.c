/* SPDX-License-Identifier: MIT */
#include "model/settings_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "model/confirm_loss.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "settings/settings.h"
#include "widget/fuzzy.h"

static void answer_setting(struct model *m, int answer, struct effects *out);

static void answer_settings(struct model *m, int answer, struct effects *out);

enum { SETTING_ROWS = 14 };

/* ---- the list ---- */

static const char *when_words(const struct setting_row *r)
{
	static const char *const words[] = {[SETTING_NOW] = "applies immediately",
			[SETTING_SANDBOX] =
					"applies to the next sandbox (a new one has no variables and files)",
			[SETTING_START] = "applies at the next start"};

	return r->is_changed && r->when == SETTING_SANDBOX ? "changed: applies to the next sandbox"
	       : r->is_changed && r->when == SETTING_START ? "changed: applies at the next start"
							   : words[r->when];
}

/* "30 s", "512 MiB": the value with the unit that it is in. What 0 means stands in the help: "0: no limit".
 */
static void put_value(const struct setting_row *r, char *out, size_t cap)
{
	static const char *const units[][2] = {{"S", " s"}, {"MIB", " MiB"}, {"PERCENT", " %"}};
	bool is_number = r->value[0] && !r->value[strspn(r->value, "0123456789.")];
	const char *unit = "", *zero = strcmp(r->value, "0") == 0 ? strstr(r->help, "0: ") : NULL;

	if (zero) {
		snprintf(out, cap, "%.36s", zero + 3);
		return;
	}
	for (size_t i = 0; i < sizeof units / sizeof *units && is_number; i++)
		if (strcmp(r->metavar, units[i][0]) == 0)
			unit = units[i][1];
	if (is_number && strcmp(r->name, "cpus") == 0)
		unit = strcmp(r->value, "1") == 0 ? " core" : " cores";
	snprintf(out, cap, "%.36s%s", r->value[0] ? r->value : "-", unit);
}

/* The kind of value to type, in words. */
static const char *value_words(const char *metavar)
{
	static const char *const words[][2] = {
			{"S", "seconds"}, {"MIB", "MiB"}, {"PERCENT", "percent"}, {"N", "a number"}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(metavar, words[i][0]) == 0)
			return words[i][1];
	return metavar;
}

static void hint_setting(struct model *m)
{
	const struct setting_row *r = dialog_choice(&m->dialog);

	if (r)
		snprintf(m->dialog.hint, sizeof m->dialog.hint, "%s (%s). From: %s; %s", r->help,
				value_words(r->metavar), r->from, when_words(r));
	else
		m->dialog.hint[0] = '\0';
}

static int setting_score(const struct setting_row *r, const char *needle, uint64_t *ret_marks)
{
	int score = 3 * fuzzy_score(needle, r->name, ret_marks);

	if (score || !needle[0])
		return score + 1;
	*ret_marks = 0;
	return strcasestr(r->help, needle) || strcasestr(r->value, needle) ? 1 : 0;
}

static void fill_settings(struct model *m)
{
	struct settings_page *p = &m->settings_page;
	struct dialog *d = &m->dialog;
	const char *needle = field_text(&d->field);
	int scores[SETTINGS_PAGE_MAX], best = 0;

	dialog_clear_items(d);
	for (size_t i = 0; i < p->n; i++) {
		const struct setting_row *r = &p->rows[i];
		uint64_t marks = 0;
		char value[56], plain[48];
		scores[d->n_items] = setting_score(r, needle, &marks);
		if (!scores[d->n_items])
			continue;
		put_value(r, plain, sizeof plain);
		snprintf(value, sizeof value, "%s%s", plain, r->is_changed ? " *" : "");
		/* Select the best match. The order of the list does not change, because it is sorted by
		 * subject. */
		if (needle[0] ? scores[d->n_items] > best : strcmp(r->name, p->current) == 0) {
			best = scores[d->n_items];
			d->current = d->n_items;
		}
		dialog_add_choice(d, r->name, value, marks, r);
	}
	hint_setting(m);
}

static void settings_page_ask(struct model *m, struct effects *out)
{
	m->settings_page.query[0] = m->settings_page.current[0] = '\0';
	effect_plain(out, EFFECT_SETTINGS);
}

void settings_page_show(struct model *m, const struct msg *msg)
{
	struct settings_page *p = &m->settings_page;
	struct dialog *d = &m->dialog;
	size_t n = msg->settings.n < SETTINGS_PAGE_MAX ? msg->settings.n : SETTINGS_PAGE_MAX;

	memcpy(p->rows, msg->settings.rows, n * sizeof *p->rows);
	p->n = n;
	dialog_begin_filtered(d, "Settings", answer_settings, "settings", m->has_utf8, SETTING_ROWS);
	field_set(&d->field, p->query);
	fill_settings(m);
	m->needs_draw = true;
}

/* Some changes only apply to a new sandbox. Offer to start one after all changes. */
static void offer_sandbox(struct model *m, struct effects *out)
{
	struct settings_page *p = &m->settings_page;
	bool is_wanted = false;

	for (size_t i = 0; i < p->n; i++)
		is_wanted |= p->rows[i].is_changed && p->rows[i].when == SETTING_SANDBOX;
	if (is_wanted && !p->has_offered && m->sandbox.state != SANDBOX_DEAD && !m->sandbox.is_attached) {
		p->has_offered = true;
		loss_ask(m, LOSS_SANDBOX, out);
	}
}

/* ---- one setting ---- */

/* `why` says why `typed` was refused. Both NULL: nothing was typed yet. */
static void open_setting(struct model *m, const struct setting_row *r, const char *typed, const char *why)
{
	struct dialog *d = &m->dialog;
	const struct setting_row kept = *r;
	char title[64], text[sizeof kept.value];

	snprintf(text, sizeof text, "%s", typed ? typed : kept.value);

	snprintf(title, sizeof title, "Setting: %s", kept.name);
	dialog_begin(d, title, answer_setting);
	dialog_add(d, ROLE_DIALOG, "%s", kept.help);
	dialog_add_labeled(d, "Takes", ROLE_DIALOG, "%s", value_words(kept.metavar));
	dialog_add_labeled(d, "From", ROLE_DIALOG, "%s", kept.from);
	dialog_add_labeled(d, "Change", kept.when == SETTING_SANDBOX ? ROLE_DIALOG_WARN : ROLE_DIALOG, "%s",
			when_words(&kept));
	if (kept.is_choice || why)
		dialog_add(d, ROLE_DIALOG, "%s", "");
	for (const char *at = kept.is_choice ? kept.metavar : ""; *at;) {
		size_t n = strcspn(at, "|");
		char word[32];
		snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), at);
		if (strcmp(word, kept.value) == 0)
			d->current = d->n_items;
		dialog_add_item(d, word);
		at += n + (at[n] == '|');
	}
	if (!kept.is_choice)
		dialog_set_field(d, "Value: ", text, why != NULL);
	if (why)
		dialog_add(d, ROLE_DIALOG_WARN, "%s", why);
	m->needs_draw = true;
}

static void answer_settings(struct model *m, int answer, struct effects *out)
{
	struct settings_page *p = &m->settings_page;
	const struct setting_row *r = dialog_choice(&m->dialog);

	if (answer == ANSWER_TYPED) {
		fill_settings(m);
	} else if (answer == ANSWER_MOVED || answer == ANSWER_TAB) {
		hint_setting(m);
	} else if (answer == ANSWER_ENTER && r) {
		p->edited = (size_t)(r - p->rows);
		snprintf(p->current, sizeof p->current, "%s", r->name);
		snprintf(p->query, sizeof p->query, "%s", field_text(&m->dialog.field));
		if (strcmp(r->name, "theme") == 0)
			effect_plain(out, EFFECT_LIST_THEMES);
		else
			open_setting(m, r, NULL, NULL);
	} else if (answer != ANSWER_ENTER) {
		dialog_close(m);
		offer_sandbox(m, out);
	}
}

static void answer_setting(struct model *m, int answer, struct effects *out)
{
	struct settings_page *p = &m->settings_page;
	const struct setting_row *r = &p->rows[p->edited];
	struct dialog *d = &m->dialog;

	if (answer == ANSWER_ENTER)
		effect_setting(out, r->name,
				r->is_choice && d->n_items ? d->items[d->current] : field_text(&d->field));
	else if (answer != ANSWER_MOVED && answer != ANSWER_TAB)
		effect_plain(out, EFFECT_SETTINGS);
}

/* Update the parts of the model that depend on a setting. */
static void take_setting(struct model *m, const char *name, const struct settings *c)
{
	if (strcmp(name, "confirm") == 0)
		m->confirm = c->config.confirm;
	else if (strcmp(name, "trust") == 0)
		snprintf(m->trust, sizeof m->trust, "%s", c->config.trust);
	else if (strcmp(name, "timeout") == 0)
		m->timeout_ms = c->config.timeout_ms;
	else if (strcmp(name, "auto_complete") == 0)
		m->auto_complete = c->auto_complete;
	else if (strcmp(name, "auto_close") == 0)
		buffers_set_style(&m->buffers, c->auto_close, m->buffers.wraps);
	else if (strcmp(name, "wrap") == 0)
		buffers_set_style(&m->buffers, m->buffers.closes_pairs, c->wrap);
	else if (strcmp(name, "history") == 0)
		m->run_history.is_on = c->history;
	else if (strcmp(name, "alert_at") == 0)
		m->alerts.opts.percent = c->alert_at;
	else if (strcmp(name, "alert_after") == 0)
		m->alerts.opts.after_ms = c->alert_after_ms;
	else if (strcmp(name, "alert_run") == 0)
		m->alerts.opts.run_ms = c->alert_run_ms;
	else if (strcmp(name, "alerts") == 0)
		m->alerts.opts.ways = alerts_parse(c->alerts);
}

void settings_page_stored(struct model *m, const struct msg *msg, struct effects *out)
{
	m->needs_draw = true;
	if (msg->setting.why && m->dialog.answer == answer_setting)
		open_setting(m, &m->settings_page.rows[m->settings_page.edited], field_text(&m->dialog.field),
				msg->setting.why);
	else if (msg->setting.why)
		notices_add(&m->notices, m->now_ns, true, "%s", msg->setting.why);
	if (msg->setting.why)
		return;
	take_setting(m, msg->setting.name, msg->setting.values);
	m->settings_page.has_offered = false;
	if (m->dialog.answer == answer_setting)
		effect_plain(out, EFFECT_SETTINGS);
}

static const struct command commands[] = {
		{"settings", "Settings", "search and change settings", CONTEXT_ANY, .run = settings_page_ask,
				.words = "options preferences config"},
};
const struct command_table settings_commands = COMMAND_TABLE(commands);
