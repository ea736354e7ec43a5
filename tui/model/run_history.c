/* SPDX-License-Identifier: MIT */
#include "model/run_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <terrarium/lang.h>
#include <terrarium/text.h>

#include "command/command.h"
#include "editor/editor_internal.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "syntax/syntax.h"
#include "widget/fuzzy.h"

static void answer_history(struct model *m, int answer, struct effects *out);

enum { LIST_ROWS = 8, PREVIEW_ROWS = 7 };

static void clear_list(struct run_history *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->items[i].code);
	free(h->items);
	h->items = NULL;
	h->n = 0;
}

void run_history_finish(struct run_history *h)
{
	clear_list(h);
	for (size_t i = 0; i < RUN_HISTORY_PENDING; i++)
		free(h->pending[i].code);
	memset(h, 0, sizeof *h);
}

/* ---- writing ---- */

void run_history_begin(struct model *m, uint32_t serial, const char *code, size_t len)
{
	struct run_history *h = &m->run_history;
	size_t i = 0;

	/* Remove the empty lines that only preserve the line numbers of the buffer. */
	for (; len && *code == '\n'; len--)
		code++;
	while (i < RUN_HISTORY_PENDING && h->pending[i].serial)
		i++;
	if (!h->is_on || i == RUN_HISTORY_PENDING || len > RUN_HISTORY_CODE || !len)
		return;
	char *copy = strndup(code, len);
	if (!copy)
		return;
	h->pending[i].serial = serial;
	h->pending[i].code = copy;
	h->pending[i].len = len;
}

/* Write a line without the time, which the app adds. */
static void remember_run(const struct trm_result *r, const char *code, struct effects *out)
{
	cJSON *line = cJSON_CreateObject();

	cJSON_AddStringToObject(line, "language", r->lang->name);
	cJSON_AddStringToObject(line, "status", trm_status_name(r->status));
	cJSON_AddNumberToObject(line, "exit_code", r->exit_code);
	cJSON_AddNumberToObject(line, "wall_us", (double)r->wall_us);
	cJSON_AddStringToObject(line, "code", code);
	char *text = cJSON_PrintUnformatted(line);
	if (text)
		effect_text(out, EFFECT_REMEMBER, text, strlen(text));
	cJSON_free(text);
	cJSON_Delete(line);
}

void run_history_end(struct model *m, uint32_t serial, const struct trm_result *result, struct effects *out)
{
	struct run_history *h = &m->run_history;

	for (size_t i = 0; i < RUN_HISTORY_PENDING; i++) {
		if (h->pending[i].serial != serial || !serial)
			continue;
		if (result && result->lang)
			remember_run(result, h->pending[i].code, out);
		free(h->pending[i].code);
		h->pending[i].code = NULL;
		h->pending[i].serial = 0;
	}
}

/* ---- reading ---- */

static double past_run_number(const cJSON *json, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);

	return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 1e15 ? item->valuedouble
											  : 0;
}

static bool read_entry(const cJSON *json, struct past_run *ret)
{
	const char *lang = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "language"));
	const char *code = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "code"));
	const char *status = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "status"));

	*ret = (struct past_run){.time_s = (int64_t)past_run_number(json, "time"),
			.wall_us = (uint64_t)past_run_number(json, "wall_us")};
	if (!lang || !code || !*code || trm_lang_find(lang, &ret->lang, NULL) < 0
			|| !(ret->code = strdup(code)))
		return false;
	ret->len = strlen(code);
	snprintf(ret->status, sizeof ret->status, "%s", status ? status : "");
	return true;
}

/* Only the newest of several runs with the same code is listed. */
static bool is_known(const struct run_history *h, const struct past_run *one)
{
	for (size_t i = 0; i < h->n && i < 200; i++) {
		const struct past_run *other = &h->items[h->n - 1 - i];
		if (other->len == one->len && other->lang == one->lang
				&& memcmp(other->code, one->code, one->len) == 0)
			return true;
	}
	return false;
}

static void read_line(struct run_history *h, const char *line, size_t n)
{
	cJSON *json = cJSON_ParseWithLength(line, n);
	struct past_run one;

	if (read_entry(json, &one)) {
		if (is_known(h, &one))
			free(one.code);
		else
			h->items[h->n++] = one;
	}
	cJSON_Delete(json);
}

/* Read from the end, where the newest entries are. Broken lines are skipped, and a line that another
 * workbench is just writing. */
static void read_lines(struct run_history *h, const char *text, size_t len)
{
	h->items = calloc(RUN_HISTORY_MAX, sizeof *h->items);
	while (h->items && len > 0 && h->n < RUN_HISTORY_MAX) {
		size_t end = len;
		while (len > 0 && text[len - 1] != '\n')
			len--;
		if (end > len)
			read_line(h, text + len, end - len);
		if (len > 0)
			len--;
	}
}

/* ---- the list ---- */

static const char *ago(int64_t seconds, char out[32])
{
	static const struct {
		int64_t seconds;
		const char *name;
	} units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}};

	for (size_t i = 0; i < 3; i++)
		if (seconds >= units[i].seconds) {
			snprintf(out, 32, "%" PRId64 " %s ago", seconds / units[i].seconds, units[i].name);
			return out;
		}
	return "now";
}

/* Is each word of the needle in the code, or is it the language or the status? If not, are the letters of
 * the needle in the first line, in this order? */
static bool past_run_fits(const struct past_run *p, const char *needle, const char *first_line)
{
	char words[128], *rest = words, *word;
	bool all = true;

	snprintf(words, sizeof words, "%s", needle);
	while ((word = strsep(&rest, " ")) != NULL)
		all = all
		      && (strcasestr(p->code, word) || strcasestr(p->lang->name, word)
				      || strcasestr(p->status, word));
	return all || fuzzy_score(needle, first_line, NULL) > 0;
}

/* The first line that is not blank. */
static void first_line(const struct past_run *p, char *out, size_t cap)
{
	const char *code = p->code + strspn(p->code, " \t\r\n");
	size_t n = strcspn(code, "\n");

	if (n < cap - 4 && code[n]) {
		n = trm_text_clean_line(out, cap - 4, code, n);
		snprintf(out + n, cap - n, " …");
	} else {
		trm_text_clean_line(out, cap, code, n);
	}
}

/* Show the code of the selected entry. The number of rows is fixed, so that the list does not move. */
static void show_preview(struct model *m)
{
	struct dialog *d = &m->dialog;
	const struct past_run *p = dialog_choice(d);
	const char *at = p ? p->code : "";
	size_t lines = 0, all = 0;

	dialog_clear_lines(d);
	for (const char *c = at; *c; c++)
		all += *c == '\n' || !c[1];
	for (; lines < PREVIEW_ROWS; lines++) {
		size_t n = strcspn(at, "\n");
		dialog_add_code(d, at, n);
		at += n + (at[n] == '\n');
	}
	dialog_color_code(d, 0, p ? grammars_loaded(m->grammars, p->lang->grammar) : NULL);
	d->scroll = 0;
	char of_lines[40] = "";
	if (all > PREVIEW_ROWS)
		snprintf(of_lines, sizeof of_lines, " (%zu lines)", all);
	snprintf(d->hint, sizeof d->hint, "%s%s",
			p ? "Enter: insert at the cursor, Tab: open in a new buffer" : "", of_lines);
}

static void list_run_history(struct model *m)
{
	struct run_history *h = &m->run_history;
	struct dialog *d = &m->dialog;
	char line[64], right[80], when[32];

	dialog_clear_items(d);
	for (size_t i = 0; i < h->n; i++) {
		const struct past_run *p = &h->items[i];
		uint64_t marks = 0;
		first_line(p, line, sizeof line);
		if (!past_run_fits(p, field_text(&d->field), line))
			continue;
		fuzzy_score(field_text(&d->field), line, &marks);
		bool is_ok = strcmp(p->status, "ok") == 0;
		snprintf(right, sizeof right, "%s %s %s", p->lang->name,
				is_ok ? (m->has_utf8 ? "✓" : "ok") : p->status,
				ago(h->now_s - p->time_s, when));
		dialog_add_choice(d, line, right, marks, p);
	}
	show_preview(m);
}

/* ^T: read the file. MSG_HISTORY opens the list. */
static void run_history_ask(struct model *m, struct effects *out)
{
	if (m->run_history.is_on)
		effect_plain(out, EFFECT_READ_HISTORY);
	else
		notices_add(&m->notices, m->now_ns, false,
				"there is no history: the setting \"history\" is off");
}

void run_history_show(struct model *m, const struct msg *msg)
{
	struct run_history *h = &m->run_history;
	struct dialog *d = &m->dialog;

	m->needs_draw = true;
	clear_list(h);
	h->now_s = msg->history.now_s;
	read_lines(h, msg->history.bytes ? msg->history.bytes : "",
			msg->history.bytes ? msg->history.len : 0);
	if (h->n == 0) {
		clear_list(h);
		notices_add(&m->notices, m->now_ns, false, "nothing has run yet");
		return;
	}
	dialog_begin_filtered(d, "Run history", answer_history, "history", m->has_utf8, LIST_ROWS);
	list_run_history(m);
}

/* ---- recall ---- */

static void recall_run(struct model *m, const struct past_run *p, bool into_new, struct effects *out)
{
	struct buffer *b = into_new ? buffers_add(&m->buffers, p->lang) : NULL;

	if (b)
		buffer_show(m, b, out);
	else
		language_set(m, p->lang, out);
	model_focus(m, PANE_EDITOR);
	editor_done(m, editor_insert(model_editor(m), p->code, p->len), out);
}

static void answer_history(struct model *m, int answer, struct effects *out)
{
	const struct past_run *p = dialog_choice(&m->dialog);

	if (answer == ANSWER_TYPED) {
		list_run_history(m);
		return;
	}
	if (answer == ANSWER_MOVED) {
		show_preview(m);
		return;
	}
	if (answer != ANSWER_CANCEL && !p)
		return;
	dialog_close(m);
	if (answer == ANSWER_ENTER || answer == ANSWER_TAB)
		recall_run(m, p, answer == ANSWER_TAB, out);
	clear_list(&m->run_history);
}

static const struct command commands[] = {
		{"history", "Run history…",
				"search earlier runs, of all sessions, and insert one in the editor",
				CONTEXT_ANY, .run = run_history_ask},
};
const struct command_table history_commands = COMMAND_TABLE(commands);
