/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "linear/linear.h"
#include "model/confirm_loss.h"
#include "model/stopping.h"

#define QUICK_NS 1000000000u  /* an action that ends within this time is reported only at its end */
#define AGAIN_NS 15000000000u /* interval between reports of the progress of a start */

void linear_init(struct linear *l, bool has_person, linear_send_fn *send, void *user)
{
	*l = (struct linear){.has_person = has_person, .send = send, .user = user};
	writer_init(&l->out, WRITER_MAX);
}

void linear_finish(struct linear *l)
{
	writer_finish(&l->out);
}

void linear_say(struct linear *l, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	int n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0)
		return;
	if (l->has_prompt)
		writer_text(&l->out, "\n");
	l->has_prompt = false;
	/* Names and paths may contain any bytes, and each replacement U+FFFD makes the text longer. */
	size_t cap = 3 * (size_t)n + 1;
	char *line = malloc(cap);
	if (line) {
		trm_text_clean_line(line, cap, text, (size_t)n);
		writer_print(&l->out, "%s\n", line);
	}
	free(line);
	free(text);
}

/* ---- output ---- */

static const char *const heads[OUT_KINDS] = {[OUT_STDERR] = "stderr: ",
		[OUT_VALUE] = "value: ",
		[OUT_TRACE] = "error: ",
		[OUT_NOTE] = "note: "};

static void say_line(struct linear *l, const struct output_line *line)
{
	struct writer text;
	size_t n = line->n;

	writer_init(&text, WRITER_MAX);
	while (n && strcmp(line->cells[n - 1].text, " ") == 0)
		n--;
	for (size_t i = 0; i < n; i++)
		writer_text(&text, line->cells[i].text);
	bool is_next = l->kind != line->kind && heads[line->kind];
	linear_say(l, "%s%s", is_next ? heads[line->kind] : "", text.n ? text.bytes : "");
	l->kind = line->kind;
	writer_finish(&text);
}

/* An image has several rows; the first one reports the whole image. */
static void say_figure(struct linear *l, const struct model *m, const struct output_line *line)
{
	const struct figure *fig = figures_find(&m->out.figures, line->figure);

	l->kind = OUT_FIGURE;
	if (line->figure_row > 0)
		return;
	if (fig && fig->info.type)
		linear_say(l, "image %u of this run: %s, %d by %d pixels", fig->number,
				image_mime(fig->info.type), fig->info.width, fig->info.height);
	else if (fig)
		linear_say(l, "image %u of this run: %s, %s", fig->number, fig->mime, fig->why);
	else
		linear_say(l, "an image that is no longer kept");
}

/* Report the ends of all runs before this one. */
static void say_ends(struct linear *l, const struct model *m, uint32_t before)
{
	const struct run_info *run;

	while (l->ended + 1 < before) {
		run = runs_find(&m->out.runs, l->ended + 1);
		if (run && run->state != RUN_DONE)
			return;
		l->ended++;
		if (run)
			linear_run(l, run);
	}
}

/* The open last line may still change while a run goes on, so it is reported only after the run. Lines of
 * a progress display reach the store only when they are final. */
static uint64_t last_line(const struct model *m)
{
	const struct scrollback *s = &m->out.store;
	uint64_t end = scrollback_end(s);

	return model_is_running(m) && s->end_line < end ? s->end_line : end;
}

static void say_output(struct linear *l, const struct model *m)
{
	const struct scrollback *s = &m->out.store;
	uint64_t end = last_line(m);
	struct output_line line = {0};
	struct out_reader r;

	if (scrollback_end(s) == 0)
		l->line = 0; /* the output was cleared */
	if (l->line < scrollback_first(s)) {
		linear_say(l, "%" PRIu64 " lines were dropped", scrollback_first(s) - l->line);
		l->line = scrollback_first(s);
	}
	if (l->line >= end)
		return;
	out_reader_seek(&r, s, l->line);
	for (; l->line < end && output_line_read(&line, &r); l->line++) {
		if (line.kind == OUT_HEADER) {
			say_ends(l, m, line.run);
			l->kind = OUT_HEADER;
		} else if (line.kind == OUT_FIGURE) {
			say_figure(l, m, &line);
		} else {
			say_line(l, &line);
		}
	}
	output_line_finish(&line);
}

void linear_output(struct linear *l, const struct model *m, uint32_t serial)
{
	const struct scrollback *s = &m->out.store;
	struct output_line line = {0};
	struct out_reader r;
	bool any = false;

	out_reader_seek(&r, s, scrollback_first(s));
	while (output_line_read(&line, &r)) {
		if (serial && line.run != serial)
			continue;
		any = true;
		if (line.kind == OUT_HEADER)
			linear_run(l, runs_find(&m->out.runs, line.run));
		else if (line.kind == OUT_FIGURE)
			say_figure(l, m, &line);
		else
			say_line(l, &line);
	}
	output_line_finish(&line);
	if (!any)
		linear_say(l, "there is no output");
}

/* ---- what goes on ---- */

static void say_sandbox(struct linear *l, const struct model *m)
{
	const struct sandbox_info *s = &m->sandbox;

	if (m->is_quitting || m->replay.is_on || (l->has_sandbox && l->sandbox == s->state))
		return;
	if (s->state == SANDBOX_READY)
		linear_say(l, "sandbox %s is ready", s->name);
	else if (s->state == SANDBOX_DEAD && !s->reason[0]) /* otherwise the output shows the reason */
		linear_say(l, "the sandbox has ended");
	l->sandbox = s->state;
	l->has_sandbox = true;
	l->doing_ns = 0;
}

/* Report the current step of a start, such as the pull of an image: every new step, and the progress of a
 * long step now and then. */
static void say_doing(struct linear *l, const struct model *m)
{
	const struct sandbox_info *s = &m->sandbox;
	const char *time = strstr(s->doing, " ("), *detail = strstr(s->doing, " - ");
	size_t n = time ? (size_t)(time - s->doing) : detail ? (size_t)(detail - s->doing) : strlen(s->doing);

	if (m->is_quitting || s->state != SANDBOX_STARTING || !n)
		return;
	if (!l->doing_ns) {
		l->doing_ns = m->now_ns + QUICK_NS;
		l->doing[0] = '\0';
	}
	bool is_same = strlen(l->doing) == n && strncmp(l->doing, s->doing, n) == 0;
	if (m->now_ns < l->doing_ns && (is_same || !l->doing[0]))
		return;
	linear_say(l, "%s", s->doing);
	snprintf(l->doing, sizeof l->doing, "%.*s", (int)n, s->doing);
	l->doing_ns = m->now_ns + AGAIN_NS;
}

static void say_start(struct linear *l, const struct model *m)
{
	const struct run_info *run = runs_find(&m->out.runs, m->run.serial);

	if (m->run.state != RUN_RUNNING || l->started == m->run.serial || m->run.reads_line
			|| m->now_ns - m->run.started_ns < QUICK_NS)
		return;
	l->started = m->run.serial;
	if (run && run->number)
		linear_say(l, "run %" PRIu64 ", %s: running", run->number, run->lang->name);
}

static void say_stopping(struct linear *l, const struct model *m)
{
	enum trm_stop step = model_is_running(m) ? m->run.ladder.step : TRM_STOP_NONE;
	char text[240];

	if (step == l->step)
		return;
	l->step = step;
	stopping_text(m, text, sizeof text);
	if (step != TRM_STOP_NONE && text[0])
		linear_say(l, "%s", text);
}

/* True for a notice that only repeats a message of the output. The output has already reported it. */
static bool is_reported(const struct notice *notice, const struct model *m)
{
	const char *reason = m->sandbox.reason;

	return m->sandbox.state == SANDBOX_DEAD && *reason
	       && strncmp(notice->text, reason, strlen(reason)) == 0;
}

static void say_notices(struct linear *l, const struct model *m)
{
	uint64_t n = m->notices.n - l->notices, kept = notices_count(&m->notices);

	for (uint64_t k = n < kept ? n : kept; k > 0; k--) {
		const struct notice *notice = notices_at(&m->notices, k - 1);
		if (!is_reported(notice, m))
			linear_say(l, "%s: %s", notice->is_error ? "error" : "note", notice->text);
	}
	l->notices = m->notices.n;
}

/* Skip the line of the output that contains the prompt and the answer: both have been reported. */
static void say_input(struct linear *l, const struct model *m)
{
	bool reads = m->run.reads_line && model_is_running(m);

	if (reads && !l->reads_line) {
		linear_say(l, "the code asks%s: %s", m->run.is_secret ? " for a secret" : "",
				m->run.prompt[0] ? m->run.prompt : "for a line of input");
		if (scrollback_end(&m->out.store) > m->out.store.end_line || !m->out.store.line_is_empty)
			l->line = m->out.store.end_line + 1;
		else
			l->line = m->out.store.end_line + (m->run.prompt[0] != '\0');
	}
	l->reads_line = reads;
}

/* ---- questions ---- */

static uint64_t hash_status(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	return h;
}

/* The lines of this dialog arrive while the dialog is already open. */
static bool is_filled_in(const struct dialog *d)
{
	return d->answer == answer_loss;
}

/* A different title or text means a new dialog. */
static uint64_t question_of(const struct dialog *d)
{
	uint64_t h = hash_status(1469598103934665603u, d->title);

	for (size_t i = 0; i < d->n_lines && !is_filled_in(d); i++)
		h = hash_status(h, d->lines[i].text);
	return dialog_is_open(d) ? h | 1 : 0;
}

/* False: the line was already reported, or there is no room to remember it. */
static bool is_new_line(struct linear *l, const char *text)
{
	const uint64_t h = hash_status(0, text);

	for (size_t i = 0; i < l->n_question_lines; i++)
		if (l->question_lines[i] == h)
			return false;
	if (l->n_question_lines == sizeof l->question_lines / sizeof *l->question_lines)
		return false;
	l->question_lines[l->n_question_lines++] = h;
	return true;
}

static void say_lines(struct linear *l, const struct dialog *d)
{
	for (size_t i = 0; i < d->n_lines; i++) {
		const char *text = d->lines[i].text;
		if (*text && !strstr(text, "Esc: cancel") && (!is_filled_in(d) || is_new_line(l, text)))
			linear_say(l, "%s", text);
	}
}

static void say_answers(struct linear *l, const struct dialog *d)
{
	struct writer text;

	writer_init(&text, WRITER_MAX);
	for (int i = 0; i < d->n_buttons; i++) {
		writer_print(&text, "%s%s", i ? ", " : "", d->buttons[i].label);
		if (d->buttons[i].letter)
			writer_print(&text, " (%c)", d->buttons[i].letter);
	}
	linear_say(l, "answer with one of: %s", text.n ? text.bytes : "");
	writer_finish(&text);
}

static void say_question(struct linear *l, const struct dialog *d)
{
	bool is_question = d->n_buttons || d->has_field || d->n_items;

	size_t title = strcspn(d->title, "("); /* leave out the hint about keys */
	linear_say(l, "%s%.*s", is_question ? "question: " : "", (int)(title ? title : strlen(d->title)),
			d->title);
	l->n_question_lines = 0;
	say_lines(l, d);
	for (size_t i = 0; i < d->n_items; i++)
		linear_say(l, "%zu: %s", i + 1, d->items[i]);
	if (d->n_items)
		linear_say(l, "answer with a number or a name; an empty line cancels");
	else if (d->has_field && !*field_text(&d->field))
		linear_say(l, "%s? an empty line cancels", d->field_label ? d->field_label : "text");
	else if (d->has_field)
		linear_say(l, "%s? the default is \"%s\"; an empty line cancels, a single dot accepts it",
				d->field_label ? d->field_label : "text", field_text(&d->field));
	else if (d->n_buttons)
		say_answers(l, d);
}

/* The request asked for values, and values are never empty. */
static void say_variables(struct linear *l, const struct model *m)
{
	const struct variables *v = &m->variables[m->lang->index];
	bool is_asked = m->kernel_queries.items[ASK_VARIABLES].is_open;
	bool are_there = v->has_values && !v->is_stale && !is_asked && v->is_known
			 && (!v->n || v->rows[0].value[0]);

	if (!l->wants_variables || (!are_there && (!v->is_untold || is_asked)))
		return;
	linear_variables(l, m);
	l->wants_variables = false;
}

bool linear_report(struct linear *l, const struct model *m)
{
	const struct dialog *d = &m->dialog;
	uint64_t question = question_of(d);

	say_sandbox(l, m);
	say_doing(l, m);
	say_output(l, m);
	say_ends(l, m, m->out.runs.last + 1);
	say_start(l, m);
	say_stopping(l, m);
	say_notices(l, m);
	say_input(l, m);
	say_variables(l, m);
	if (l->wants_sandboxes && m->sandboxes.is_known) {
		linear_sandboxes(l, m);
		l->wants_sandboxes = false;
	}
	bool is_new = question != l->question && question;
	l->question = question;
	if (is_new)
		say_question(l, d);
	else if (is_filled_in(d))
		say_lines(l, d);
	if (linear_print_candidates(l, m))
		return true;
	return is_new && !d->n_buttons && !d->n_items && (!d->has_field || d->is_live);
}

void linear_prompt(struct linear *l, const struct model *m)
{
	if (!l->has_person || l->has_prompt || m->is_quitting)
		return;
	if (dialog_is_open(&m->dialog))
		writer_text(&l->out, "answer> ");
	else if (m->run.reads_line)
		writer_text(&l->out, "input> ");
	else if (model_is_running(m))
		return;
	else
		writer_print(&l->out, "%s> ", m->lang->name);
	l->has_prompt = true;
}
