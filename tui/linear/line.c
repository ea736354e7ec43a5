/* SPDX-License-Identifier: MIT */
/* What is typed, line by line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <terrarium/lang.h>

#include "command/command.h"
#include "linear/linear.h"
#include "model/effect.h"
#include "model/msg.h"
#include "model/update.h"
#include "text/text.h"

static void send_key(struct model *m, uint32_t key, uint8_t mods, struct effects *out)
{
	struct event ev = {.type = EVENT_KEY, .key = key, .mods = mods, .time_ns = m->now_ns};

	update(m, &(struct msg){.type = MSG_EVENT, .now_ns = m->now_ns, .event = &ev}, out);
}

/* ---- code ---- */

void linear_append(struct model *m, const char *text, size_t n, struct effects *out)
{
	struct editor *e = model_editor(m);
	struct event ev = {.type = EVENT_PASTE, .text = text, .text_len = n, .time_ns = m->now_ns};
	size_t end = text_len(e->text);

	editor_select(e, end, end);
	editor_done(m, editor_handle(e, &ev), out);
}

/* What is typed after a run is another cell, so that what has run is not run again. */
static void type_code(struct linear *l, struct model *m, const char *line, struct effects *out)
{
	struct editor *e = model_editor(m);
	bool is_next = l->last_run != m->out.runs.last && text_len(e->text) > 0;
	char *text = NULL;

	l->last_run = m->out.runs.last;
	int n = is_next ? asprintf(&text, "%s%s %%%%\n%s\n", e->lang->comment, "", line)
			: asprintf(&text, "%s\n", line);
	if (n < 0)
		return;
	linear_append(m, text, (size_t)n, out);
	free(text);
}

/* ---- answers ---- */

/* A button by its letter, or by how its label begins; -1: none. */
static int find_button(const struct dialog *d, const char *line)
{
	for (int i = 0; i < d->n_buttons; i++)
		if (line[0] && !line[1] && strncasecmp(&d->buttons[i].letter, line, 1) == 0)
			return i;
	for (int i = 0; i < d->n_buttons; i++)
		if (strncasecmp(d->buttons[i].label, line, strlen(line)) == 0)
			return i;
	return -1;
}

/* "y" and "yes" are the first button, which agrees, unless another one is chosen for a reason; "n" and "no"
 * cancel. */
static int find_yes_no(const struct dialog *d, const char *line)
{
	bool is_yes = strcasecmp(line, "y") == 0 || strcasecmp(line, "yes") == 0;
	bool is_no = strcasecmp(line, "n") == 0 || strcasecmp(line, "no") == 0;

	if (is_yes && d->focus == 0 && d->buttons[0].answer != ANSWER_CANCEL)
		return 0;
	for (int i = 0; i < d->n_buttons && is_no; i++)
		if (d->buttons[i].answer == ANSWER_CANCEL)
			return i;
	return -1;
}

/* "Please answer r, a or c." Not the whole question once more: it may be long, and is read out. */
static void say_letters(struct linear *l, const struct dialog *d)
{
	char text[120] = "";
	size_t n = 0;

	for (int i = 0; i < d->n_buttons && n + 24 < sizeof text; i++) {
		const char *before = i == 0 ? "" : i + 1 == d->n_buttons ? " or " : ", ";
		char letter[2] = {d->buttons[i].letter, '\0'};
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%.20s", before,
				*letter ? letter : d->buttons[i].label);
	}
	linear_say(l, "please answer %s", text);
}

/* An item by its number, or by how it begins; -1: none. */
static long find_item(const struct dialog *d, const char *line)
{
	char *end;
	long k = strtol(line, &end, 10);

	if (end != line && !*end)
		return k >= 1 && (size_t)k <= d->n_items ? k - 1 : -1;
	for (size_t i = 0; i < d->n_items; i++)
		if (strncasecmp(d->items[i], line, strlen(line)) == 0)
			return (long)i;
	return -1;
}

static void answer_question(struct linear *l, struct model *m, const char *line, struct effects *out)
{
	struct dialog *d = &m->dialog;

	if (!*line) {
		send_key(m, K_ESCAPE, 0, out);
		return;
	}
	if (d->n_items) {
		long k = find_item(d, line);
		if (k < 0) {
			linear_say(l, "\"%s\" is not one of these", line);
			return;
		}
		d->current = (size_t)k;
	} else if (d->has_field) {
		if (strcmp(line, ".") != 0)
			field_set(&d->field, line);
	} else if (d->n_buttons) {
		int k = find_button(d, line);
		if (k < 0)
			k = find_yes_no(d, line);
		if (k < 0) {
			say_letters(l, d);
			return;
		}
		d->focus = k;
	}
	send_key(m, K_ENTER, 0, out);
}

/* ---- input of the run ---- */

static void send_input(struct model *m, const char *line, struct effects *out)
{
	struct event ev = {.type = EVENT_KEY, .key = K_ENTER, .time_ns = m->now_ns};

	field_set(&m->input, line);
	input_event(m, &(struct msg){.type = MSG_EVENT, .now_ns = m->now_ns, .event = &ev}, out);
	m->needs_draw = true;
}

/* ---- lines ---- */

void linear_line(struct linear *l, struct model *m, const char *line, struct effects *out)
{
	l->has_prompt = false; /* the newline that ended the line has ended it, too */
	m->needs_draw = true;
	if (m->is_quitting)
		return;
	if (l->kernel_query_words) {
		linear_complete_end(l, m, out);
		if (!*line)
			return;
	}
	if (dialog_is_open(&m->dialog) && line[0] != ':') {
		answer_question(l, m, line, out);
		return;
	}
	if (line[0] == ':' && line[1] != ':') {
		linear_command(l, m, line + 1, out);
		return;
	}
	if (line[0] == ':')
		line++;
	if (m->replay.is_on)
		replay_refuse(m);
	else if (model_is_running(m) && m->run.state == RUN_RUNNING)
		send_input(m, line, out);
	else
		type_code(l, m, line, out);
}

void linear_interrupt(struct linear *l, struct model *m, struct effects *out)
{
	m->needs_draw = true;
	if (model_is_running(m))
		command_run(m, command_find("stop"), out);
	else if (dialog_is_open(&m->dialog))
		send_key(m, K_ESCAPE, 0, out);
	else
		linear_say(l, "nothing is running; :quit quits");
}

void linear_end(struct linear *l, struct model *m, struct effects *out)
{
	struct event ev = {.type = EVENT_KEY, .key = 'd', .mods = MOD_CTRL, .time_ns = m->now_ns};

	m->needs_draw = true;
	if (m->run.reads_line && l->has_person)
		input_event(m, &(struct msg){.type = MSG_EVENT, .now_ns = m->now_ns, .event = &ev}, out);
	else if (l->has_person)
		command_run(m, command_find("quit"), out);
	else
		effect_plain(out, EFFECT_QUIT_DISCARDING); /* the text came from a pipe or a file */
}

bool linear_is_ready(const struct linear *l, const struct model *m)
{
	const struct ask *kernel_queries = m->kernel_queries.items;
	bool kernel_query_kernel = kernel_queries[ASK_COMPLETE].is_open || kernel_queries[ASK_INSPECT].is_open
				   || kernel_queries[ASK_VARIABLES].is_open;

	if (l->kernel_query_words || l->wants_sandboxes || kernel_query_kernel
			|| (l->wants_variables && variables_wait_ms(m) >= 0))
		return false;
	if (m->replay.is_on)
		return !m->replay.is_playing;
	return !model_is_running(m) || m->run.reads_line;
}
