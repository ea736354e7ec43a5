/* SPDX-License-Identifier: MIT */
/* What is typed, line by line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <terrarium/lang.h>

#include "command/command.h"
#include "linear/linear.h"
#include "model/msg.h"
#include "model/order.h"
#include "text/text.h"

void linear_order(struct linear *l, struct order order)
{
	l->send(l->user, &(struct msg){.type = MSG_ORDER, .order = &order});
}

void linear_order_command(struct linear *l, const char *name)
{
	linear_order(l, (struct order){.kind = ORDER_COMMAND, .command = command_find(name)});
}

static void press_escape(struct linear *l, const struct model *m)
{
	struct event ev = {.type = EVENT_KEY, .key = K_ESCAPE, .time_ns = m->now_ns};

	l->send(l->user, &(struct msg){.type = MSG_EVENT, .event = &ev});
}

/* ---- code ---- */

void linear_append(struct linear *l, const struct model *m, const char *text)
{
	size_t end = text_len(model_editor(m)->text);

	linear_order(l, (struct order){.kind = ORDER_EDIT,
					.from = end,
					.to = end,
					.text = text,
					.len = strlen(text)});
}

/* Code is about to be typed behind text that this person may not know of. */
static void say_target(struct linear *l, const struct model *m)
{
	const struct buffer *b = buffers_current(&m->buffers);
	char name[4200];

	if (l->has_person && l->typed_in != b->id && text_len(b->editor.text) > 0)
		linear_say(l, "typed code goes to the end of %s", buffer_name(b, name, sizeof name));
	l->typed_in = b->id;
}

/* What is typed after a run is another cell, so that what has run is not run again. */
static void type_code(struct linear *l, const struct model *m, const char *line)
{
	const struct editor *e = model_editor(m);
	size_t len = text_len(e->text);
	bool is_next = l->last_run != m->out.runs.last && len > 0;
	const char *end = len && text_line_start(e->text, text_lines(e->text) - 1) < len ? "\n" : "";
	char *text = NULL;

	say_target(l, m);
	l->last_run = m->out.runs.last;
	int n = is_next ? asprintf(&text, "%s%s %%%%\n%s\n", end, e->lang->comment, line)
			: asprintf(&text, "%s%s\n", end, line);
	if (n < 0)
		return;
	linear_append(l, m, text);
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

static void answer_question(struct linear *l, const struct model *m, const char *line)
{
	const struct dialog *d = &m->dialog;
	struct order order = {.kind = ORDER_FILL};
	long k = 0;

	if (!*line) {
		press_escape(l, m);
		return;
	}
	if (d->n_items) {
		order.kind = ORDER_PICK;
		k = find_item(d, line);
		if (k < 0)
			linear_say(l, "\"%s\" is not one of these", line);
	} else if (d->has_field) {
		order.text = strcmp(line, ".") != 0 ? line : NULL;
	} else if (d->n_buttons) {
		order.kind = ORDER_PRESS;
		k = find_button(d, line);
		k = k < 0 ? find_yes_no(d, line) : k;
		if (k < 0)
			say_letters(l, d);
	}
	order.number = (uint64_t)k;
	if (k >= 0)
		linear_order(l, order);
}

/* ---- lines ---- */

void linear_line(struct linear *l, const struct model *m, const char *line)
{
	l->has_prompt = false; /* the newline that ended the line has ended it, too */
	if (m->is_quitting)
		return;
	if (l->kernel_query_words) {
		linear_complete_end(l, m);
		if (!*line)
			return;
	}
	if (dialog_is_open(&m->dialog) && line[0] != ':') {
		answer_question(l, m, line);
		return;
	}
	if (line[0] == ':' && line[1] != ':') {
		linear_command(l, m, line + 1);
		return;
	}
	if (line[0] == ':')
		line++;
	if (m->replay.is_on)
		linear_order(l, (struct order){.kind = ORDER_REFUSE});
	else if (model_is_running(m) && m->run.state == RUN_RUNNING)
		linear_order(l, (struct order){.kind = ORDER_INPUT, .text = line});
	else
		type_code(l, m, line);
}

void linear_interrupt(struct linear *l, const struct model *m)
{
	if (model_is_running(m))
		linear_order_command(l, "stop");
	else if (dialog_is_open(&m->dialog))
		press_escape(l, m);
	else
		linear_say(l, "nothing is running; :quit quits");
}

void linear_end(struct linear *l, const struct model *m)
{
	if (m->run.reads_line && l->has_person)
		linear_order(l, (struct order){.kind = ORDER_INPUT});
	else if (l->has_person)
		linear_order_command(l, "quit");
	else
		linear_order(l, (struct order){.kind = ORDER_LEAVE}); /* the input was a pipe or a file */
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
