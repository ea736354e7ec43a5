/* SPDX-License-Identifier: MIT */
/* Commands with arguments. Users can also enter every other command of the workbench by its name. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#include "command/command.h"
#include "linear/linear.h"
#include "model/order.h"
#include "text/text.h"

struct line_command {
	const char *name, *words, *help;
	void (*run)(struct linear *l, const struct model *m, const char *rest);
};
static const struct line_command table[];

/* ---- help ---- */

static bool command_fits(const char *needle, const char *a, const char *b)
{
	return !*needle || strcasestr(a, needle) || strcasestr(b, needle);
}

static void linear_help(struct linear *l, const struct model *m, const char *rest)
{
	const struct command *c;
	bool is_all = strcmp(rest, "all") == 0;
	const char *needle = is_all ? "" : rest;

	(void)m;
	if (!*rest)
		linear_say(l, "Lines are code for the buffer. A line that begins with a colon is a command; type two "
			      "colons for one in code. While code waits for input, lines are its input. "
			      "Ctrl-C interrupts the run.");
	for (const struct line_command *k = table; k->name; k++)
		if (command_fits(needle, k->name, k->help))
			linear_say(l, ":%s%s%s: %s", k->name, *k->words ? " " : "", k->words, k->help);
	for (size_t i = 0; (*rest || is_all) && (c = command_at(i)) != NULL; i++)
		if (c->title && command_fits(needle, c->name, c->title))
			linear_say(l, ":%s: %s", c->name, c->help ? c->help : c->title);
	if (!*rest)
		linear_say(l, ":help all lists every command of the workbench, :help WORD those about a word");
}

/* ---- the buffer ---- */

/* "3", "3 7" or nothing: line numbers from 1. False: the lines do not exist, which has been reported. */
static bool read_range(
		struct linear *l, const struct model *m, const char *text, size_t *ret_from, size_t *ret_to)
{
	const struct text *t = model_editor(m)->text;
	size_t last = text_lines(t) - (text_line_start(t, text_lines(t) - 1) == text_len(t));
	char *end;

	*ret_from = 1;
	*ret_to = last;
	if (*text) {
		*ret_from = *ret_to = strtoul(text, &end, 10);
		while (*end == ' ' || *end == '-')
			end++;
		if (*end)
			*ret_to = strtoul(end, &end, 10);
		if (*end || *ret_from < 1 || *ret_to < *ret_from || *ret_to > last) {
			linear_say(l, "there are no such lines; the buffer has %zu", last);
			return false;
		}
	}
	return true;
}

static void linear_list(struct linear *l, const struct model *m, const char *rest)
{
	const struct text *t = model_editor(m)->text;
	size_t from, to;

	if (!read_range(l, m, rest, &from, &to))
		return;
	if (to < from)
		linear_say(l, "the buffer is empty");
	for (size_t k = from; k <= to; k++) {
		size_t start = text_line_start(t, k - 1);
		char *line = text_slice(t, start, text_line_end(t, k - 1) - start);
		linear_say(l, "%zu: %s", k, line ? line : "");
		free(line);
	}
}

/* Replace the lines [from, to] by `text`. */
static void replace_lines(struct linear *l, const struct model *m, size_t from, size_t to, const char *text)
{
	const struct text *t = model_editor(m)->text;

	linear_order(l, (struct order){.kind = ORDER_EDIT,
					.from = text_line_start(t, from - 1),
					.to = to < text_lines(t) ? text_line_start(t, to) : text_len(t),
					.text = text,
					.len = strlen(text)});
}

static void delete_lines(struct linear *l, const struct model *m, const char *rest)
{
	size_t from, to;

	if (!*rest)
		linear_say(l, "which lines? :delete 3 or :delete 3 7");
	else if (read_range(l, m, rest, &from, &to))
		replace_lines(l, m, from, to, "");
}

/* "3 text" */
static void put_line(struct linear *l, const struct model *m, const char *rest, bool is_new)
{
	char number[24], *line = NULL;
	size_t n = strcspn(rest, " "), from, to;

	snprintf(number, sizeof number, "%.*s", (int)(n < 20 ? n : 20), rest);
	rest += n + (rest[n] == ' ');
	if (!*number) {
		linear_say(l, "which line, and what text? for example :change 3 x = 1");
		return;
	}
	if (!read_range(l, m, number, &from, &to) || asprintf(&line, "%s\n", rest) < 0)
		return;
	replace_lines(l, m, from, is_new ? from - 1 : to, line);
	free(line);
}

static void change_line(struct linear *l, const struct model *m, const char *rest)
{
	put_line(l, m, rest, false);
}

static void insert_line(struct linear *l, const struct model *m, const char *rest)
{
	put_line(l, m, rest, true);
}

static void linear_go_to(struct linear *l, const struct model *m, const char *rest)
{
	size_t from, to;

	if (!read_range(l, m, rest, &from, &to))
		return;
	linear_order(l, (struct order){.kind = ORDER_GO_TO_LINE, .number = from - 1});
	linear_list(l, m, rest);
}

void linear_say_buffers(struct linear *l, const struct model *m, bool has_empty)
{
	char name[4200];

	for (size_t i = 0; i < m->buffers.n; i++) {
		const struct buffer *b = m->buffers.items[i];
		if (!has_empty && i != m->buffers.current && !b->editor.path && !text_len(b->editor.text))
			continue;
		linear_say(l, "%zu: %s, %s%s%s", i + 1, buffer_name(b, name, sizeof name),
				b->editor.lang->name, editor_is_modified(&b->editor) ? ", not saved" : "",
				i == m->buffers.current ? ", current: typed code goes here" : "");
	}
}

static void buffers(struct linear *l, const struct model *m, const char *rest)
{
	size_t k = strtoul(rest, NULL, 10);

	if (k >= 1 && k <= m->buffers.n)
		linear_order(l, (struct order){.kind = ORDER_BUFFER, .number = k - 1});
	linear_say_buffers(l, m, true);
}

/* ---- files ---- */

/* The command that asks for a path, or what is done with the path that is given. */
static void with_path(struct linear *l, const char *path, enum order_kind kind, const char *asks)
{
	if (*path)
		linear_order(l, (struct order){.kind = kind, .text = path});
	else
		linear_order_command(l, asks);
}

static void open_file(struct linear *l, const struct model *m, const char *rest)
{
	(void)m;
	with_path(l, rest, ORDER_OPEN, "open");
}

static void save_file(struct linear *l, const struct model *m, const char *rest)
{
	(void)m;
	with_path(l, rest, ORDER_SAVE, "save");
}

static void export(struct linear *l, const struct model *m, const char *rest)
{
	(void)m;
	if (*rest)
		linear_order(l, (struct order){.kind = ORDER_EXPORT, .text = rest});
	else
		linear_say(l, "which file? for example :export session.ipynb (or .md .html .py)");
}

static void record(struct linear *l, const struct model *m, const char *rest)
{
	(void)m;
	with_path(l, rest, ORDER_RECORD, "start-recording");
}

/* ---- looking ---- */

static void output(struct linear *l, const struct model *m, const char *rest)
{
	uint64_t number = strtoull(rest, NULL, 10);
	uint32_t serial = m->out.runs.last;

	for (uint32_t s = serial; number && s > 0; s--) {
		const struct run_info *run = runs_find(&m->out.runs, s);
		if (run && run->number == number) {
			serial = s;
			break;
		}
	}
	linear_output(l, m, strcmp(rest, "all") == 0 ? 0 : serial);
}

static void metrics(struct linear *l, const struct model *m, const char *rest)
{
	(void)rest;
	linear_metrics(l, m);
}

static void processes(struct linear *l, const struct model *m, const char *rest)
{
	(void)rest;
	linear_processes(l, m);
}

static void status(struct linear *l, const struct model *m, const char *rest)
{
	(void)rest;
	linear_status(l, m);
}

static void variables(struct linear *l, const struct model *m, const char *rest)
{
	(void)rest;
	l->wants_variables = true; /* reported as soon as they are known with their values */
	if (!m->variables_page.is_shown)
		linear_order_command(l, "variables");
}

/* The page stays open in the model, so that the list stays current for :stop-sandbox. */
static void sandboxes(struct linear *l, const struct model *m, const char *rest)
{
	(void)rest;
	l->wants_sandboxes = true;
	if (!m->sandboxes.is_shown)
		linear_order_command(l, "sandboxes");
}

static void stop_sandbox(struct linear *l, const struct model *m, const char *rest)
{
	const struct sandboxes *s = &m->sandboxes;
	size_t k = strtoul(rest, NULL, 10);

	if (!s->is_shown || k < 1 || k > s->n) {
		linear_say(l, "which one? :sandboxes numbers them");
		return;
	}
	linear_order(l, (struct order){.kind = ORDER_SANDBOX, .number = k - 1});
	linear_order_command(l, "sandboxes-stop");
}

static void linear_find_command(struct linear *l, const struct model *m, const char *rest)
{
	linear_find(l, m, rest);
}

static void linear_find_all_command(struct linear *l, const struct model *m, const char *rest)
{
	linear_find_all(l, m, rest);
}

static void linear_search_output(struct linear *l, const struct model *m, const char *rest)
{
	linear_search(l, m, rest);
}

static void substitute(struct linear *l, const struct model *m, const char *rest)
{
	linear_replace(l, m, rest);
}

/* ---- the rest ---- */

static void linear_language(struct linear *l, const struct model *m, const char *rest)
{
	struct trm_error why = {0};
	const struct trm_lang *lang;

	if (!*rest)
		linear_say(l, "the language is %s; known are python, javascript and bash", m->lang->name);
	else if (trm_lang_find(rest, &lang, &why) < 0)
		linear_say(l, "%s", why.msg);
	else
		linear_order(l, (struct order){.kind = ORDER_LANGUAGE, .lang = lang});
}

static void send_eof(struct linear *l, const struct model *m, const char *rest)
{
	(void)rest;
	if (model_is_running(m))
		linear_order(l, (struct order){.kind = ORDER_INPUT});
	else
		linear_say(l, "nothing runs");
}

static void linear_stop(struct linear *l, const struct model *m, const char *rest)
{
	(void)rest;
	linear_interrupt(l, m);
}

static const struct line_command table[] = {
		{"run", "", "run the cell typed last, or the cell of the current line", NULL},
		{"stop", "", "interrupt the run; again: take the next step", linear_stop},
		{"list", "[FROM [TO]]", "read lines of the buffer", linear_list},
		{"goto", "N", "make line N the current one", linear_go_to},
		{"change", "N TEXT", "replace line N with TEXT", change_line},
		{"insert", "N TEXT", "insert a line before line N", insert_line},
		{"delete", "FROM [TO]", "delete lines", delete_lines},
		{"find", "TEXT", "list the lines of the buffer that contain a text", linear_find_command},
		{"find-in-buffers", "TEXT", "the same for all buffers", linear_find_all_command},
		{"replace", "/OLD/NEW/", "replace a text in the whole buffer", substitute},
		{"complete", "WORDS", "list the completions of the words", linear_complete},
		{"inspect", "NAME", "explain a name", linear_inspect},
		{"undo", "", "undo the last change of the buffer", NULL},
		{"output", "[N | all]", "read the output of the last run again, of run N, or of all", output},
		{"search", "TEXT", "list the lines of the output that contain a text", linear_search_output},
		{"metrics", "", "show the resource usage", metrics},
		{"processes", "", "list the processes in the sandbox", processes},
		{"variables", "", "list the variables of the interpreter", variables},
		{"status", "", "show where you are and what is running", status},
		{"sandboxes", "", "list your sandboxes on this machine", sandboxes},
		{"stop-sandbox", "N", "stop one of them, after a confirmation", stop_sandbox},
		{"language", "[NAME]",
				"switch to a language of terrarium langs; each has its own buffer and state",
				linear_language},
		{"buffers", "[N]", "list the open buffers; with a number, go to one", buffers},
		{"open", "[PATH]", "open a file, or a Jupyter notebook", open_file},
		{"save", "[PATH]", "save the buffer", save_file},
		{"export", "PATH", "export all runs as .ipynb, .md, .html or a script", export},
		{"record", "[PATH]", "record the session; :stop-recording ends it", record},
		{"eof", "", "end the input of the run", send_eof},
		{"messages", "", "read messages again", NULL},
		{"help", "[WORD | all]", "this help", linear_help},
		{"quit", "", "leave", NULL},
		{0},
};

/* Find a command by its name or by a unique beginning of it. NULL: none, or several. */
static const struct command *find_command(const char *name)
{
	const struct command *c = command_find(name), *found = NULL;

	for (size_t i = 0; !c && (c = command_at(i)) != NULL; i++, c = NULL)
		if (c->title && strncmp(c->name, name, strlen(name)) == 0) {
			if (found)
				return NULL;
			found = c;
		}
	return c ? c : found;
}

void linear_command(struct linear *l, const struct model *m, const char *text)
{
	size_t n = strcspn(text, " ");
	char name[64];

	snprintf(name, sizeof name, "%.*s", (int)(n < 60 ? n : 60), text);
	text += n + strspn(text + n, " ");
	for (const struct line_command *k = table; k->name; k++)
		if (k->run && strcmp(k->name, name) == 0) {
			k->run(l, m, text);
			return;
		}
	const struct command *c = *name ? find_command(name) : NULL;
	if (!c)
		linear_say(l, "there is no command \":%s\"; :help lists them", name);
	else
		linear_order(l, (struct order){.kind = ORDER_COMMAND, .command = c});
}
