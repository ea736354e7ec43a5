/* SPDX-License-Identifier: MIT */
/* The help: all keys, those of the current pane first. Typing searches. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "command/command.h"
#include "command/keymap.h"
#include "model/dialog_dispatch.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/pane.h"
#include "model/update.h"
#include "model/vi_keys.h"

static void answer_help(struct model *m, int answer, struct effects *out);

/* Keys that belong to no command. */
static const struct {
	enum key_context key_context; /* CONTEXT_COUNT: in dialogs */
	const char *keys, *help;
} extras[] = {
		{CONTEXT_EDITOR, "Shift", "with any motion selects"},
		{CONTEXT_OUTPUT, "typing", "while code runs: opens a line for its standard input"},
		{CONTEXT_OUTPUT, "Enter", "sends that line; ^D ends the input"},
		{CONTEXT_OUTPUT, "link",
				"a URL (http, https) is a link where the terminal shows links: click it as the terminal "
				"wants, mostly with Ctrl"},
		{CONTEXT_METRICS, "WAIT",
				"share of time in which something waited for CPU, memory (mem) or disk (io), and in which "
				"the CPU limit held programs back (throttled)"},
		{CONTEXT_ANY, "^", "is Ctrl: ^S is Ctrl-S; a letter is the one on its key, without Shift"},
		{CONTEXT_ANY, "Alt-1..0", "work as F1 to F10 where the terminal uses those itself"},
		{CONTEXT_ANY, "mouse",
				"click to focus, drag to select or to move a border, wheel to scroll; hold Shift "
				"for the terminal's own selection"},
		{CONTEXT_COUNT, "Tab",
				"next button, also the arrow keys; Enter presses it, or the letter that is underlined in it"},
		{CONTEXT_COUNT, "Esc", "cancel"},
};

/* Sections that are no contexts of keys. */
enum { HELP_DIALOGS = CONTEXT_COUNT, HELP_KEYLESS, HELP_FIRST, HELP_VI, HELP_EMACS };

static const char *help_section(int section)
{
	static const char *const names[] = {"In dialogs", "Without a key: from the list of commands",
			"First of all", "Keys of vi, in NORMAL and VISUAL mode of the editor",
			"Keys of Emacs"};

	return section >= CONTEXT_COUNT ? names[section - CONTEXT_COUNT] : contexts[section].section;
}

struct help {
	struct model *m;
	const char *needle;
	int section; /* the section that is being written; -1: its heading is not written yet */
	struct keybar_item first[KEYBAR_MAX]; /* what comes first, and is not repeated in its section */
	int n_first;
};

/* Is each word of the needle in one of the texts? */
static bool help_fits(const char *needle, const char *const *texts, size_t n_texts)
{
	while (*needle) {
		char word[32];
		size_t n = strcspn(needle, " ");
		snprintf(word, sizeof word, "%.*s", (int)n, needle);
		bool is_there = n == 0;
		for (size_t i = 0; i < n_texts && !is_there; i++)
			is_there = strcasestr(texts[i], word) != NULL;
		if (!is_there)
			return false;
		needle += n + strspn(needle + n, " ");
	}
	return true;
}

/* `c` is NULL if no command has these keys. */
static void add_help_row(
		struct help *h, int section, const char *keys, const struct command *c, const char *text)
{
	struct dialog *d = &h->m->dialog;
	const char *const texts[] = {keys, text, c ? c->name : "", c && c->words ? c->words : ""};

	if (!help_fits(h->needle, texts, sizeof texts / sizeof *texts))
		return;
	if (h->section != section && d->n_lines)
		dialog_add(d, ROLE_DIALOG, "%s", "");
	if (h->section != section)
		dialog_add(d, ROLE_DIALOG_WARN, "%s", help_section(section));
	h->section = section;
	char column[32]; /* a column that is wide enough for most keys, if there is room */
	snprintf(column, sizeof column, "%-*s", h->m->cols < 70 ? 9 : 15, keys);
	dialog_add_labeled(d, column, ROLE_DIALOG, "%s", text);
}

/* Was this key of this command listed before? A command can have the same key in several panes. */
static bool is_listed_before(const struct keymap *map, size_t i)
{
	const struct binding *b = &map->bindings[i];

	for (size_t k = 0; k < i; k++) {
		const struct binding *before = &map->bindings[k];
		if (before->command == b->command && keys_equal(&before->keys, &b->keys))
			return true;
	}
	return false;
}

enum { PLACES_NAMED = 2 }; /* a key that means the same in more panes is not listed with each of them */

/* In how many panes does this key, which is not the command's own one, mean the command? */
static int places_of(const struct keymap *map, const struct binding *b)
{
	int n = 0;

	for (size_t i = 0; i < map->n; i++) {
		const struct binding *other = &map->bindings[i];
		bool is_meant = other->command == b->command && !keymap_is_at_home(other)
				&& keys_equal(&other->keys, &b->keys);
		if (is_meant && other->key_context == CONTEXT_EDITOR)
			return 0; /* all the others are not all outside of it */
		n += is_meant;
	}
	return n;
}

/* "^Q", "? in the output": a key, and the pane in which it applies, unless that is the command's own. */
static void name_with_place(
		const struct model *m, const struct binding *b, bool has_name, char *out, size_t cap)
{
	const struct keymap *map = &m->keymap;
	char name[KEYMAP_NAME_BYTES], pane[64];

	keys_name(&b->keys, name);
	if (places_of(map, b) > PLACES_NAMED || (keymap_is_at_home(b) && keymap_is_hidden(map, b))) {
		snprintf(out, cap, "%s outside of the editor", name);
		return;
	}
	snprintf(pane, sizeof pane, " %s", help_section(b->key_context));
	pane[1] = (char)tolower((unsigned char)pane[1]);
	snprintf(out, cap, "%s%s", has_name ? name : "",
			keymap_is_at_home(b) ? ""
			: has_name           ? pane
					     : pane + 1);
}

/* The key that works now, or else the one that vi's INSERT mode leaves to the command. */
static const struct keys *first_key(const struct model *m, const struct command *c)
{
	const struct keys *keys = key_of_command(m, c);

	return keys || m->vi.mode == VI_OFF ? keys : keymap_keys(&m->keymap, c);
}

/* " (also Alt-Enter, ^Enter)": all keys of a command but the first. */
static void other_keys(const struct model *m, const struct command *c, char *out, size_t cap)
{
	const struct keys *first = first_key(m, c);
	char name[KEYMAP_NAME_BYTES + 64];
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < m->keymap.n; i++) {
		const struct binding *b = &m->keymap.bindings[i];
		bool was_listed = is_listed_before(&m->keymap, i);
		bool is_of_vi = !keymap_is_hidden(&m->keymap, b) && key_is_hidden(m, b);
		if (b->command != c || &b->keys == first || is_of_vi
				|| (was_listed
						&& (keymap_is_at_home(b)
								|| places_of(&m->keymap, b) > PLACES_NAMED)))
			continue;
		name_with_place(m, b, !was_listed, name, sizeof name);
		int n = snprintf(out + used, cap - used, "%s%s", used ? ", " : " (also ", name);
		if (n < 0 || used + (size_t)n + 1 >= cap)
			break;
		used += (size_t)n;
	}
	if (used)
		snprintf(out + used, cap - used, ")");
}

static bool is_first(const struct help *h, const struct command *c)
{
	for (int i = 0; i < h->n_first; i++)
		if (h->first[i].command == c)
			return true;
	return false;
}

/* With `has_title`: commands that are also in the palette. Without: basic ones, such as arrow keys. */
static void add_commands(struct help *h, enum key_context key_context, bool has_title)
{
	const struct command *c;
	char key[KEYMAP_NAME_BYTES], others[240], text[500];

	for (size_t i = 0; (c = command_at(i)) != NULL; i++) {
		const struct keys *keys = first_key(h->m, c);
		if (c->key_context != key_context || !c->help || !keys || (c->title != NULL) != has_title
				|| is_first(h, c))
			continue;
		keys_name(keys, key);
		other_keys(h->m, c, others, sizeof others);
		snprintf(text, sizeof text, "%s%s%s", c->help,
				key_of_command(h->m, c) ? "" : " (in INSERT mode)", others);
		add_help_row(h, (int)key_context, key, c, text);
	}
}

static void add_section(struct help *h, enum key_context key_context)
{
	if (key_context < CONTEXT_COUNT) {
		add_commands(h, key_context, true);
		add_commands(h, key_context, false);
	}
	for (int i = 0; i < COUNT(extras); i++)
		if (extras[i].key_context == key_context)
			add_help_row(h, (int)key_context, extras[i].keys, NULL, extras[i].help);
}

/* Commands without a key, by their titles. */
static void add_keyless(struct help *h)
{
	const struct command *c;
	char text[400];

	for (size_t i = 0; (c = command_at(i)) != NULL; i++) {
		if (!c->title || !c->help || first_key(h->m, c))
			continue;
		bool is_same = strcasecmp(c->title, c->help) == 0;
		snprintf(text, sizeof text, "%s%s%s", c->title, is_same ? "" : ": ", is_same ? "" : c->help);
		add_help_row(h, HELP_KEYLESS, "", c, text);
	}
}

/* The keys of the key bar, which are needed most. Away from the editor those of the pane come first. */
static void add_first(struct help *h, enum key_context here)
{
	bool has_own = here != CONTEXT_EDITOR;
	char others[240], text[500];

	h->n_first = keybar_make(h->m, 1000, h->first);
	for (int i = 0; i < h->n_first * (1 + has_own); i++) {
		const struct keybar_item *item = &h->first[i % h->n_first];
		bool is_own = item->command && item->command->key_context == here;
		if (!item->command || !item->command->help || (has_own && is_own != (i < h->n_first)))
			continue;
		other_keys(h->m, item->command, others, sizeof others);
		snprintf(text, sizeof text, "%s%s", item->command->help, others);
		add_help_row(h, HELP_FIRST, item->keys, item->command, text);
	}
}

static void add_vi(struct help *h)
{
	for (const struct vi_help *row = vi_help; row->keys; row++)
		add_help_row(h, HELP_VI, row->keys, NULL, row->help);
}

/* The rows of the set that no key of the person's own has replaced. */
static void add_emacs(struct help *h)
{
	for (size_t i = 0; i < keymap_emacs_count; i++) {
		const struct keymap_row *row = &keymap_emacs[i];
		const struct command *c = NULL;
		char name[KEYMAP_NAME_BYTES];
		struct keys keys;
		if (keys_parse(row->keys, &keys) < 0 || row->key_context == CONTEXT_POPUP
				|| keymap_resolve(&h->m->keymap, row->key_context, &keys, &c)
						   != KEYMAP_COMMAND
				|| !command_is(c, row->command))
			continue;
		keys_name(&keys, name);
		add_help_row(h, HELP_EMACS, name, c, c->help ? c->help : c->title ? c->title : c->name);
	}
	add_help_row(h, HELP_EMACS, "^U", NULL, "repeat the next key four times; ^U 12: so often");
}

static void list_help(struct model *m)
{
	struct help h = {.m = m, .needle = field_text(&m->dialog.field), .section = -1};
	enum key_context here = context_of_keys(m);

	dialog_clear_lines(&m->dialog);
	/* The key bar is about a pane, and the page of sandboxes is not one. */
	if (!*h.needle && here != CONTEXT_SANDBOXES)
		add_first(&h, here);
	if (m->vi.mode != VI_OFF)
		add_vi(&h);
	if (m->keymap.is_emacs)
		add_emacs(&h);
	add_section(&h, here);
	add_section(&h, CONTEXT_ANY);
	add_section(&h, CONTEXT_ALWAYS);
	for (int i = 0; i < CONTEXT_ANY; i++)
		if (i != (int)here)
			add_section(&h, (enum key_context)i);
	add_section(&h, CONTEXT_COUNT);
	add_keyless(&h);
	if (!m->dialog.n_lines)
		dialog_add(&m->dialog, ROLE_DIALOG_DIM, "no matches");
}

void show_help(struct model *m)
{
	struct dialog *d = &m->dialog;

	dialog_begin(d, "Help (type to search, arrow keys scroll, Esc closes)", answer_help);
	d->command = "help";
	d->is_large = d->has_field = d->is_live = true;
	d->field_label = "Search";
	list_help(m);
	m->needs_draw = true;
}

static void answer_help(struct model *m, int answer, struct effects *out)
{
	(void)out;
	if (answer == ANSWER_TYPED)
		list_help(m);
	else if (answer != ANSWER_TAB)
		dialog_close(m);
}
