/* SPDX-License-Identifier: MIT */
#include "model/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <terrarium/text.h>

#include "command/command.h"
#include "model/complete_internal.h"
#include "model/dialog_dispatch.h"
#include "model/kernel_query.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/variable_tree.h"
#include "text/text.h"

enum { CONTEXT_BEFORE = 16384, CONTEXT_BEHIND = 1024 };

/* ---- the question ---- */

/* Bash takes long to read a long text, and the text further up matters little to it. */
static size_t context_start(const struct model *m, size_t cursor)
{
	const struct text *t = model_editor(m)->text;
	size_t line = text_line_of(t, cursor);
	size_t from = m->lang->style == TRM_STYLE_SHELL || cursor < CONTEXT_BEFORE ? 0
										   : cursor - CONTEXT_BEFORE;

	if (m->lang->style == TRM_STYLE_SHELL)
		return text_line_start(t, line);
	if (from == 0)
		return 0;
	size_t next = text_line_start(t, text_line_of(t, from) + 1);
	return next < cursor ? next : text_line_start(t, line);
}

/* Replace bytes that are not UTF-8 with question marks, in place, so that all lengths remain. Returns how
 * many code points begin before `upto`. */
static size_t make_valid(char *text, size_t n, size_t upto)
{
	size_t at = 0, count = 0;

	while (at < n) {
		uint32_t cp;
		bool is_valid = false;
		size_t used = trm_utf8_decode(text + at, n - at, &cp, &is_valid);
		if (!used)
			break;
		if (!is_valid || cp == 0)
			memset(text + at, '?', used);
		count += at < upto ? (is_valid && cp != 0 ? 1 : used) : 0;
		at += used;
	}
	return count;
}

char *inspect_context(const struct model *m, size_t *ret_len, size_t *ret_cursor, size_t *ret_pos)
{
	const struct editor *e = model_editor(m);
	size_t cursor = e->sel.cursor, from = context_start(m, cursor);
	size_t end = text_line_end(e->text, text_line_of(e->text, cursor));

	if (end > cursor + CONTEXT_BEHIND)
		end = cursor + CONTEXT_BEHIND;
	char *text = text_slice(e->text, from, end - from);
	if (!text)
		return NULL;
	*ret_len = end - from;
	*ret_pos = from;
	*ret_cursor = make_valid(text, end - from, cursor - from);
	return text;
}

/* ---- the dialog ---- */

static void ask_inspection(struct model *m, enum ask_purpose purpose, struct effects *out)
{
	size_t len, cursor, pos;
	char *text = inspect_context(m, &len, &cursor, &pos);

	if (text)
		kernel_query_send(m, purpose, TRM_ASK_INSPECT, m->lang, text, len, cursor, out);
	free(text);
}

static bool is_possible(struct model *m)
{
	if (kernel_query_can(m, m->lang))
		return true;
	notices_add(&m->notices, m->now_ns, false, "the %s interpreter %s: cannot inspect now", m->lang->name,
			m->sandbox.state == SANDBOX_READY ? "is busy" : "is not running");
	return false;
}

/* Inspect the name at the cursor of the editor. */
static void inspect_cursor(struct model *m, struct effects *out)
{
	if (is_possible(m))
		ask_inspection(m, ASK_INSPECT, out);
}

void inspect_variable(struct model *m, struct effects *out)
{
	struct variable_line line;
	bool is_there = variable_line_current(m, &line) && line.row;
	const struct variable *v = is_there ? line.row : NULL;

	if (v && line.of) { /* all that is known of a member is on its line */
		dialog_begin(&m->dialog, "Member (Esc closes)", dialog_dismiss);
		m->dialog.command = "inspect";
		m->dialog.is_large = true;
		dialog_add_labeled(&m->dialog, "Name", ROLE_DIALOG, "%s", v->name);
		dialog_add_labeled(&m->dialog, "Type", ROLE_DIALOG, "%s", v->type);
		dialog_add(&m->dialog, ROLE_DIALOG, "%s", "");
		dialog_add(&m->dialog, ROLE_DIALOG, "%s", v->value);
	} else if (v && is_possible(m))
		kernel_query_send(m, ASK_INSPECT, TRM_ASK_INSPECT, m->lang, v->name, strlen(v->name),
				make_valid(v->name, strlen(v->name), strlen(v->name)), out);
}

/* The name in a text such as " ?os.path " or "os.path?? ". 0: the text is something else. */
static size_t name_asked_for(const char *text, const char **ret)
{
	const char *at = text + strspn(text, " \t\n");
	size_t before = strspn(at, "?");
	const char *name = at + before;
	size_t n = 0;

	while (is_word_byte((unsigned char)name[n]) || (n && name[n] == '.'))
		n++;
	size_t behind = strspn(name + n, "?");
	const char *rest = name + n + behind;
	*ret = name;
	return before + behind > 0 && rest[strspn(rest, " \t\n")] == '\0' ? n : 0;
}

bool inspect_is_asked(struct model *m, struct editor_run what, struct effects *out)
{
	char text[256];
	const char *name;

	if (what.len >= sizeof text || m->lang->style == TRM_STYLE_SHELL)
		return false;
	text[text_copy(model_editor(m)->text, what.pos, text, what.len)] = '\0';
	size_t n = name_asked_for(text, &name);
	if (!n)
		return false;
	if (is_possible(m)) {
		text[name - text + n] = '\0';
		size_t at = (size_t)(name - text), points = make_valid(text + at, n, n);
		kernel_query_send(m, ASK_INSPECT, TRM_ASK_INSPECT, m->lang, text + at, n, points, out);
	}
	return true;
}

static const char *json_member(const cJSON *json, const char *name)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));

	return text ? text : "";
}

/* Add a text of several lines to the dialog, line by line. */
static void add_lines(struct dialog *d, const char *text)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");
		dialog_add_code(d, p, n);
		p += n + (p[n] == '\n');
	}
}

static void add_section(struct dialog *d, const char *title, const char *text)
{
	if (!*text)
		return;
	dialog_add(d, ROLE_DIALOG, "%s", "");
	dialog_add(d, ROLE_DIALOG_TITLE, "%s", title);
	add_lines(d, text);
}

static void show_inspection_dialog(struct model *m, const cJSON *json)
{
	struct dialog *d = &m->dialog;
	char title[90];

	snprintf(title, sizeof title, "%.60s (Esc closes)", json_member(json, "name"));
	dialog_begin(d, title, dialog_dismiss);
	d->command = "inspect";
	d->is_large = true;
	if (*json_member(json, "signature"))
		dialog_add_labeled(d, "Name", ROLE_DIALOG, "%s", json_member(json, "signature"));
	dialog_add_labeled(d, "Type", ROLE_DIALOG, "%s", json_member(json, "type"));
	add_section(d, "Value", json_member(json, "value"));
	add_section(d, "Documentation", json_member(json, "doc"));
}

void inspect_answer(struct model *m, const struct msg *msg, struct effects *out)
{
	cJSON *json = msg->answer.json ? cJSON_Parse(msg->answer.json) : NULL;

	(void)out;
	m->needs_draw = true;
	if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "found")) && !dialog_is_open(&m->dialog))
		show_inspection_dialog(m, json);
	else if (!json)
		notices_add(&m->notices, m->now_ns, true, "%s",
				msg->answer.why ? msg->answer.why : "the interpreter did not answer");
	else
		notices_add(&m->notices, m->now_ns, false,
				"%s does not know the name at the cursor (run its code first)",
				m->lang->name);
	cJSON_Delete(json);
}

/* ---- the call at the cursor ---- */

enum { CALL_BYTES = 2000 }; /* in a longer call the hint is no longer shown */

/* What lies between the bracket of a call and the cursor; brackets and commas in strings do not count. */
struct call_so_far {
	int depth;       /* below 0: the call is closed */
	unsigned commas; /* of the call itself */
};

static struct call_so_far read_call(const struct text *t, size_t from, size_t to)
{
	char code[CALL_BYTES], quote = '\0';
	struct call_so_far call = {0};
	size_t n = text_copy(t, from, code, to - from);

	for (size_t i = 0; i < n && call.depth >= 0; i++) {
		if (quote && code[i] == '\\')
			i++;
		else if (quote)
			quote = code[i] == quote ? '\0' : quote;
		else if (code[i] == '"' || code[i] == '\'')
			quote = code[i];
		else if (strchr("([{", code[i]) && code[i])
			call.depth++;
		else if (strchr(")]}", code[i]) && code[i])
			call.depth--;
		else
			call.commas += code[i] == ',' && call.depth == 0;
	}
	return call;
}

/* Is the cursor in the call whose bracket is before `pos`? */
static bool is_in_call(const struct model *m, size_t pos)
{
	const struct signature *s = &m->signature;
	const struct editor *e = model_editor(m);
	size_t cursor = e->sel.cursor;

	return m->focus == PANE_EDITOR && s->buffer == buffers_current(&m->buffers)->id && cursor >= pos
	       && cursor - pos < CALL_BYTES && editor_line(e) == s->line
	       && read_call(e->text, pos, cursor).depth >= 0;
}

const char *signature_text(const struct model *m)
{
	return m->signature.text;
}

unsigned signature_argument(const struct model *m)
{
	const struct editor *e = model_editor(m);
	size_t pos = m->signature.pos;

	return e->sel.cursor >= pos && e->sel.cursor - pos < CALL_BYTES
			       ? read_call(e->text, pos, e->sel.cursor).commas
			       : 0;
}

/* Show what the buffer says of the call whose bracket opened before `pos`. */
static void take_from_text(struct model *m, size_t pos)
{
	struct signature now = {.buffer = buffers_current(&m->buffers)->id,
			.line = editor_line(model_editor(m)),
			.pos = pos,
			.asked_pos = pos};

	if (!signature_from_text(m, pos - 1, now.text, sizeof now.text))
		return;
	m->signature = now;
	m->needs_draw = true;
}

void signature_typed(struct model *m, unsigned typed, struct effects *out)
{
	const struct editor *e = model_editor(m);

	if (typed != '(' || m->lang->style == TRM_STYLE_SHELL)
		return;
	take_from_text(m, e->sel.cursor);
	if (!kernel_query_can(m, m->lang))
		return;
	/* The hint of the outer call remains, because the new bracket may not belong to a call. */
	if (!m->signature.text[0])
		m->signature = (struct signature){.buffer = buffers_current(&m->buffers)->id,
				.line = editor_line(e),
				.pos = e->sel.cursor};
	m->signature.asked_pos = e->sel.cursor;
	ask_inspection(m, ASK_SIGNATURE, out);
}

void signature_follow(struct model *m, const struct event *ev)
{
	bool is_escape = ev->type == EVENT_KEY && ev->key == K_ESCAPE;

	if (!m->signature.buffer || (!is_escape && is_in_call(m, m->signature.pos)))
		return;
	m->needs_draw |= m->signature.text[0] != '\0';
	m->signature = (struct signature){0};
}

void signature_answer(struct model *m, const struct msg *msg, struct effects *out)
{
	cJSON *json = msg->answer.json ? cJSON_Parse(msg->answer.json) : NULL;
	const char *text = json_member(json, "signature");

	(void)out;
	/* The cursor may have left the call in the meantime. */
	if (m->signature.buffer && *text && is_in_call(m, m->signature.asked_pos)) {
		m->signature.pos = m->signature.asked_pos;
		snprintf(m->signature.text, sizeof m->signature.text, "%s", text);
		m->needs_draw = true;
	}
	cJSON_Delete(json);
}

static const struct command commands[] = {
		{"inspect", "Inspect the name at the cursor",
				"show signature, type, value and documentation of the name at "
				"the cursor (also: run \"name?\")",
				CONTEXT_ANY, .run = inspect_cursor},
};
const struct command_table inspect_commands = COMMAND_TABLE(commands);
