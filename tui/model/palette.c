/* SPDX-License-Identifier: MIT */
#include "model/palette.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cells/event.h"
#include "command/command.h"
#include "command/keymap.h"
#include "model/dialog_dispatch.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/pane.h"
#include "model/update.h"
#include "widget/fuzzy.h"

static void answer_palette(struct model *m, int answer, struct effects *out);

enum { MAX_COMMANDS = 512, ROWS = 14 };

void palette_remember(struct palette *p, const struct command *c)
{
	size_t at = 0;

	while (at < p->n_recent && p->recent[at] != c)
		at++;
	if (at == p->n_recent && p->n_recent < PALETTE_RECENT)
		p->n_recent++;
	if (at == PALETTE_RECENT)
		at--;
	memmove(p->recent + 1, p->recent, at * sizeof *p->recent);
	p->recent[0] = c;
}

/* ---- search ---- */

struct hit {
	const struct command *command;
	uint64_t marks; /* matching letters of the title */
	int score;
	size_t order; /* position in the tables */
};

/* Without a needle these come first, after those that were chosen lately. */
static const char *const useful[] = {"run", "save", "open", "go-to-file", "find", "stop", "run-all-cells",
		"variables", "language", "new-buffer", "save-as", "history", "install-packages", "settings"};

static int usefulness(const struct command *c)
{
	for (size_t i = 0; i < COUNT(useful); i++)
		if (command_is(c, useful[i]))
			return (int)(COUNT(useful) - i);
	return 0;
}

/* Higher for a command that was chosen more recently; 0: never. */
static int recency(const struct palette *p, const struct command *c)
{
	for (size_t i = 0; i < p->n_recent; i++)
		if (p->recent[i] == c)
			return (int)(PALETTE_RECENT - i);
	return 0;
}

enum { WORD_IN_TITLE = 100000, WORD_IN_NAME = 50000 };

/* Does a word of the text begin with the needle? */
static bool begins_word(const char *text, const char *needle)
{
	size_t n = strlen(needle);

	for (const char *at = text; n && (at = strcasestr(at, needle)) != NULL; at++)
		if (at == text || !isalnum((unsigned char)at[-1]))
			return true;
	return false;
}

/* Rate a command. A match in one piece counts more than scattered letters. The title counts more than the
 * command's name and its other words, and these more than the words of the help. */
static struct hit judge(const struct palette *p, const char *needle, const struct command *c)
{
	struct hit h = {.command = c, .score = 3 * fuzzy_score(needle, c->title, &h.marks)};
	int by_name = 2 * fuzzy_score(needle, c->name, NULL);

	if (by_name > h.score) {
		h.score = by_name;
		h.marks = 0;
	}
	if (begins_word(c->title, needle))
		h.score += WORD_IN_TITLE;
	else if (begins_word(c->name, needle) || (c->words && begins_word(c->words, needle)))
		h.score += WORD_IN_NAME;
	if (!h.score && c->help && strlen(needle) > 2 && strcasestr(c->help, needle))
		h.score = 1;
	if (h.score)
		h.score += needle[0] ? recency(p, c) : 1000 * recency(p, c) + usefulness(c);
	return h;
}

static int compare_hits(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static size_t find_hits(const struct model *m, const char *needle, struct hit *hits)
{
	const struct command *c;
	size_t n = 0;

	for (size_t i = 0; (c = command_at(i)) != NULL && n < MAX_COMMANDS; i++) {
		if (!c->title || command_is(c, "palette") || !command_applies(m, c))
			continue;
		struct hit hit = judge(&m->palette, needle, c);
		hit.order = i;
		if (hit.score > 0)
			hits[n++] = hit;
	}
	/* cppcheck-suppress uninitvar; hits is not read if n is 0 */
	qsort(hits, n, sizeof *hits, compare_hits);
	return n;
}

/* ---- the dialog ---- */

static void show_hint(struct model *m)
{
	const struct command *c = dialog_choice(&m->dialog);

	bool is_repeated = c && c->help && c->title && strcasecmp(c->title, c->help) == 0;
	snprintf(m->dialog.hint, sizeof m->dialog.hint, "%s", c && c->help && !is_repeated ? c->help : "");
}

/* Replace the ellipsis at the end of a title if the screen can only show ASCII. */
static const char *title_of(const struct model *m, const struct command *c, char out[80])
{
	static const char ellipsis[] = "…";
	size_t n = strlen(c->title), tail = sizeof ellipsis - 1;

	bool has_ellipsis = n >= tail && strcmp(c->title + n - tail, ellipsis) == 0;
	if (m->has_utf8 || !has_ellipsis)
		return c->title;
	snprintf(out, 80, "%.*s...", (int)(n - tail), c->title);
	return out;
}

static bool is_function_key(const struct keys *keys)
{
	return keys->n == 1 && keys->chords[0].key >= K_F1 && keys->chords[0].key <= K_F12;
}

/* "F5, Alt-Enter": the second key is shown because terminals and desktops use some function keys themselves.
 */
static void name_keys(const struct model *m, const struct command *c, char *out, size_t cap)
{
	const struct keys *first = key_of_command(m, c);
	char name[KEYMAP_NAME_BYTES];

	out[0] = '\0';
	if (!first)
		return;
	keys_name(first, name);
	size_t n = (size_t)snprintf(out, cap, "%s", name);
	for (size_t i = 0; i < m->keymap.n && is_function_key(first); i++) {
		const struct binding *b = &m->keymap.bindings[i];
		if (b->command != c || is_function_key(&b->keys) || !keymap_is_at_home(b)
				|| key_is_hidden(m, b))
			continue;
		keys_name(&b->keys, name);
		if (n + strlen(name) + 2 < cap)
			snprintf(out + n, cap - n, ", %s", name);
		return;
	}
}

static void list_palette(struct model *m)
{
	struct dialog *d = &m->dialog;
	struct hit hits[MAX_COMMANDS];
	size_t n = find_hits(m, field_text(&d->field), hits);
	char name[40], title[80];

	dialog_clear_items(d);
	for (size_t i = 0; i < n; i++) {
		name_keys(m, hits[i].command, name, m->cols < 60 ? 16 : sizeof name);
		dialog_add_choice(
				d, title_of(m, hits[i].command, title), name, hits[i].marks, hits[i].command);
	}
	show_hint(m);
}

void palette_ask(struct model *m, struct effects *out)
{
	struct dialog *d = &m->dialog;

	(void)out;
	dialog_begin_filtered(d, "Commands", answer_palette, "palette", m->has_utf8, ROWS);
	list_palette(m);
	m->needs_draw = true;
}

static void answer_palette(struct model *m, int answer, struct effects *out)
{
	const struct command *c = dialog_choice(&m->dialog);

	if (answer == ANSWER_TYPED) {
		list_palette(m);
	} else if (answer == ANSWER_MOVED || answer == ANSWER_TAB) {
		show_hint(m);
	} else if (answer == ANSWER_ENTER && c) {
		dialog_close(m);
		palette_remember(&m->palette, c);
		pane_focus_for(m, c->key_context); /* so that the person sees its effect */
		command_run(m, c, out);
	} else if (answer != ANSWER_ENTER) {
		dialog_close(m);
	}
}
