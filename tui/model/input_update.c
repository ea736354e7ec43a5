/* SPDX-License-Identifier: MIT */
/* The line for standard input of the current run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"

static void open_input(struct model *m)
{
	m->has_input = true;
	if (m->focus != PANE_OUTPUT && !m->owes_focus) {
		m->focus_back = m->focus;
		m->owes_focus = true;
		model_focus(m, PANE_OUTPUT);
	}
	m->needs_draw = true;
}

void input_close(struct model *m)
{
	m->has_input = false;
	m->run.reads_line = false;
	m->run.prompt[0] = '\0';
	field_clear(&m->input);
}

void input_ask(struct model *m, const struct msg *msg)
{
	m->run.reads_line = true;
	m->run.is_secret = msg->run.input.is_secret;
	snprintf(m->run.prompt, sizeof m->run.prompt, "%s",
			msg->run.input.prompt ? msg->run.input.prompt : "");
	open_input(m);
}

/* An interpreter that prints its prompt itself has already done so. */
static void echo_prompt(struct model *m)
{
	const char *prompt = m->run.prompt;

	if (!outpane_ends_with(&m->out, prompt))
		outpane_print(&m->out, OUT_INPUT, m->run.serial, prompt, strlen(prompt));
}

/* Show the typed line in the output, as a terminal would. */
static void echo_input(struct model *m, const char *text)
{
	echo_prompt(m);
	if (!m->run.is_secret)
		outpane_print(&m->out, OUT_INPUT, m->run.serial, text, strlen(text));
	outpane_print(&m->out, OUT_INPUT, m->run.serial, "\n", 1);
}

/* ---- earlier lines ---- */

/* Store a line in the history, except secrets, empty lines and repetitions. */
static void remember_input(struct model *m, const char *text)
{
	struct input_history *h = &m->input_history;
	char *copy;

	h->at = h->n;
	if (m->run.is_secret || !*text || (h->n && strcmp(h->lines[h->n - 1], text) == 0)
			|| !(copy = strdup(text)))
		return;
	if (h->n == INPUT_LINES) {
		free(h->lines[0]);
		memmove(h->lines, h->lines + 1, --h->n * sizeof *h->lines);
	}
	h->lines[h->n++] = copy;
	h->at = h->n;
}

void input_history_finish(struct input_history *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->lines[i]);
	*h = (struct input_history){0};
}

/* After the newest line comes the line that is being typed, which is empty. */
static void recall_input(struct model *m, int by)
{
	struct input_history *h = &m->input_history;

	if (m->run.is_secret || (by < 0 && h->at == 0) || (by > 0 && h->at == h->n))
		return;
	h->at += (size_t)by;
	field_set(&m->input, h->at < h->n ? h->lines[h->at] : "");
}

static void send_line(struct model *m, struct effects *out)
{
	char *line = NULL;
	int n = asprintf(&line, "%s\n", field_text(&m->input));

	if (n < 0)
		return;
	effect_add(out, (struct effect){.type = EFFECT_STDIN,
					.input = {m->run.serial, effects_copy(out, line, (size_t)n),
							(size_t)n}});
	remember_input(m, field_text(&m->input));
	free(line);
	echo_input(m, field_text(&m->input));
	input_close(m);
}

void input_event(struct model *m, const struct msg *msg, struct effects *out)
{
	const struct event *ev = msg->event;
	bool is_key = ev->type == EVENT_KEY;

	m->needs_draw = true;
	if (is_key && ev->key == K_ENTER) {
		send_line(m, out);
	} else if (is_key && ev->key == 'd' && ev->mods == MOD_CTRL) {
		effect_serial(out, EFFECT_STDIN_EOF, m->run.serial);
		echo_prompt(m);
		outpane_print(&m->out, OUT_INPUT, m->run.serial, "^D\n", 3);
		input_close(m);
	} else if (is_key && (ev->key == K_UP || ev->key == K_DOWN)) {
		recall_input(m, ev->key == K_UP ? -1 : 1);
	} else if (is_key && ev->key == K_ESCAPE) {
		if (!m->run.reads_line)
			input_close(m);
	} else if (field_handle(&m->input, ev) && !m->has_input) {
		open_input(m);
	}
}
