/* SPDX-License-Identifier: MIT */
/* Search, replace and completion. */
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "linear/linear.h"
#include "model/order.h"
#include "text/text.h"

#define WORDS_REPORTED 40

/* ---- the buffer ---- */

/* Say the lines that contain a text, each with its place: "12: …" or "notes.py:12: …". */
static size_t find_in(struct linear *l, const struct text *t, const char *name, const char *what)
{
	size_t found = 0;

	for (size_t k = 0; *what && k < text_lines(t); k++) {
		size_t start = text_line_start(t, k);
		char *line = text_slice(t, start, text_line_end(t, k) - start);
		if (line && strstr(line, what)) {
			linear_say(l, "%s%s%zu: %s", name, *name ? ":" : "", k + 1, line);
			found++;
		}
		free(line);
	}
	return found;
}

static void say_found(struct linear *l, const char *what, size_t found, const char *where)
{
	if (!*what)
		linear_say(l, "find what? for example :find import");
	else
		linear_say(l, "%zu line%s of %s", found, found == 1 ? "" : "s", where);
}

void linear_find(struct linear *l, const struct model *m, const char *what)
{
	say_found(l, what, find_in(l, model_editor(m)->text, "", what), "the buffer");
}

void linear_find_all(struct linear *l, const struct model *m, const char *what)
{
	size_t found = 0;
	char name[256];

	for (size_t i = 0; i < m->buffers.n; i++) {
		const struct buffer *b = m->buffers.items[i];
		found += find_in(l, b->editor.text, buffer_short_name(b, name, sizeof name), what);
	}
	say_found(l, what, found, "all buffers");
}

/* Replace every `old` in `text`. The result is malloc'd; NULL: out of memory. */
static char *replaced(const char *text, const char *old, const char *new, size_t *ret_count)
{
	struct writer w;

	writer_init(&w, WRITER_MAX);
	writer_text(&w, "");
	*ret_count = 0;
	for (const char *at; (at = strstr(text, old)) != NULL; text = at + strlen(old)) {
		writer_put(&w, text, (size_t)(at - text));
		writer_text(&w, new);
		++*ret_count;
	}
	writer_text(&w, text);
	if (!w.error)
		return w.bytes;
	writer_finish(&w);
	return NULL;
}

/* "/old/new/", with any character in the place of the slash. The replacement is one step of undo. */
void linear_replace(struct linear *l, const struct model *m, const char *what)
{
	char *rule = strdup(what), sign[2] = {rule ? rule[0] : '\0'}, *rest = rule ? rule + 1 : NULL;
	char *old = rule && *rule ? strsep(&rest, sign) : NULL, *new = rest ? strsep(&rest, sign) : NULL;
	const struct text *t = model_editor(m)->text;
	size_t count = 0;

	if (!old || !*old || !new) {
		linear_say(l, "replace what with what? for example :replace /old/new/");
	} else {
		char *text = text_slice(t, 0, text_len(t));
		char *after = text ? replaced(text, old, new, &count) : NULL;
		if (count && after)
			linear_order(l, (struct order){.kind = ORDER_EDIT,
							.to = text_len(t),
							.text = after,
							.len = strlen(after)});
		if (after)
			linear_say(l, "replaced %zu time%s", count, count == 1 ? "" : "s");
		else
			linear_say(l, "out of memory: the text is unchanged");
		free(after);
		free(text);
	}
	free(rule);
}

/* ---- the output ---- */

void linear_search(struct linear *l, const struct model *m, const char *what)
{
	const struct scrollback *s = &m->out.store;
	struct output_line line = {0};
	struct out_reader r;
	struct writer text;
	size_t found = 0;

	writer_init(&text, WRITER_MAX);
	out_reader_seek(&r, s, scrollback_first(s));
	while (*what && output_line_read(&line, &r)) {
		writer_clear(&text);
		writer_text(&text, "");
		for (size_t i = 0; i < line.n; i++)
			writer_text(&text, line.cells[i].text);
		if (!text.n || !strstr(text.bytes, what))
			continue;
		linear_say(l, "%s", text.bytes);
		found++;
	}
	writer_finish(&text);
	output_line_finish(&line);
	if (!*what)
		linear_say(l, "search for what? for example :search error");
	else
		linear_say(l, "%zu line%s of the output", found, found == 1 ? "" : "s");
}

/* ---- completion ---- */

/* The words stand at the end of the buffer until the kernel has answered. */
void linear_complete(struct linear *l, const struct model *m, const char *words)
{
	if (l->kernel_query_words)
		linear_complete_end(l, m);
	l->probe = strlen(words);
	l->kernel_query_words = true;
	linear_append(l, m, words);
	linear_order_command(l, "complete");
}

void linear_complete_end(struct linear *l, const struct model *m)
{
	size_t end = text_len(model_editor(m)->text);

	linear_order(l, (struct order){.kind = ORDER_FORGET_HELP});
	l->kernel_query_words = false;
	if (l->probe && l->probe <= end)
		linear_order(l, (struct order){.kind = ORDER_EDIT, .from = end - l->probe, .to = end});
}

/* Ask the kernel about a name; the answer comes as a text. The words can leave the buffer at once,
 * because the command has already copied them into its question. */
void linear_inspect(struct linear *l, const struct model *m, const char *words)
{
	linear_append(l, m, words);
	linear_order_command(l, "inspect");
	l->probe = strlen(words);
	linear_complete_end(l, m);
}

/* True: the completions were reported, and the caller calls linear_complete_end(). */
bool linear_print_candidates(struct linear *l, const struct model *m)
{
	const struct complete *c = &m->completion;
	struct writer list;

	if (!l->kernel_query_words || c->state == COMPLETE_ASKED)
		return false;
	if (c->state == COMPLETE_CLOSED || !c->n_shown) {
		linear_say(l, "no completions");
		return true;
	}
	writer_init(&list, WRITER_MAX);
	for (size_t k = 0; k < c->n_shown && k < WORDS_REPORTED; k++)
		writer_print(&list, "%s%s", k ? ", " : "", complete_at(m, k)->text);
	linear_say(l, "%zu completion%s: %s%s", c->n_shown, c->n_shown == 1 ? "" : "s",
			list.n ? list.bytes : "", c->n_shown > WORDS_REPORTED ? " ..." : "");
	writer_finish(&list);
	return true;
}
