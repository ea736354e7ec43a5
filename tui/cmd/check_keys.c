/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "app/keys.h"
#include "cells/event.h"
#include "cmd/check.h"
#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "text/cluster.h"

enum { PALETTE_COLS = 66 }; /* room for a title and its key, with 80 columns */

static void on_check_keys_fault(void *user, const char *sentence)
{
	check_say(user, CHECK_ERROR, "keys", "%s", sentence);
}

/* ---- keys that cannot be typed ---- */

/* Keys with Ctrl for which a terminal sends the same byte as for another key. */
static const struct {
	uint32_t key;
	const char *instead;
} twins[] = {{'i', "Tab"}, {'m', "Enter"}, {'j', "Enter"}, {'[', "Escape"}, {'h', "Backspace"}};

static void check_chord(
		struct check_report *r, const struct binding *b, const char *name, const struct chord *c)
{
	bool takes_text = b->key_context == CONTEXT_EDITOR || b->key_context == CONTEXT_ANY
			  || b->key_context == CONTEXT_ALWAYS;

	for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
		if (c->mods == MOD_CTRL && c->key == twins[i].key)
			check_say(r, CHECK_WARNING, name, "most terminals send %s for it (\"%s\")",
					twins[i].instead, b->command->name);
	if (takes_text && c == &b->keys.chords[0] && c->key > ' ' && c->key < KEYS_BASE
			&& !(c->mods & (MOD_CTRL | MOD_ALT)))
		check_say(r, CHECK_ERROR, name, "you could no longer type this letter in the editor (\"%s\")",
				b->command->name);
}

/* Does another key invoke the command in this context? */
static bool is_reached(const struct keymap *map, enum key_context key_context, const struct command *command)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct binding *b = &map->bindings[i];
		const struct command *c = NULL;
		if (b->command != command || (b->key_context != key_context && b->key_context < CONTEXT_ANY))
			continue;
		if (keymap_resolve(map, key_context, &b->keys, &c) == KEYMAP_NONE || c == command)
			return true;
	}
	return false;
}

static bool is_pane(enum key_context key_context)
{
	return key_context == CONTEXT_EDITOR || key_context == CONTEXT_OUTPUT
	       || key_context == CONTEXT_METRICS || key_context == CONTEXT_VARIABLES
	       || key_context == CONTEXT_TABLE || key_context == CONTEXT_GALLERY;
}

/* A binding for all contexts is hidden in a context with its own binding of the same keys. */
static void check_hidden(
		struct check_report *r, const struct keymap *map, const struct binding *b, const char *name)
{
	for (int key_context = 0; key_context < CONTEXT_ANY && b->key_context == CONTEXT_ANY; key_context++) {
		const struct command *c = NULL;
		if (!is_pane((enum key_context)key_context)
				|| keymap_resolve(map, (enum key_context)key_context, &b->keys, &c)
						   == KEYMAP_NONE
				|| c == b->command
				|| is_reached(map, (enum key_context)key_context, b->command))
			continue;
		check_say(r, CHECK_WARNING, name,
				"is \"%s\", but in the pane %s it is \"%s\", and no other key does it there",
				b->command->name, contexts[key_context].name,
				c ? c->name : "the first of several");
	}
}

static void check_binding(struct check_report *r, const struct keymap *map, const struct binding *b)
{
	const struct binding *clash = keymap_clash(map, b->key_context, &b->keys);
	char name[KEYMAP_NAME_BYTES], other[KEYMAP_NAME_BYTES];

	keys_name(&b->keys, name);
	if (clash && clash->keys.n < b->keys.n) {
		keys_name(&clash->keys, other);
		check_say(r, CHECK_ERROR, name, "cannot be reached for \"%s\": %s is \"%s\" already",
				b->command->name, other, clash->command->name);
	}
	check_hidden(r, map, b, name);
	for (unsigned i = 0; i < b->keys.n; i++)
		check_chord(r, b, name, &b->keys.chords[i]);
}

/* ---- labels ---- */

static void check_command(struct check_report *r, const struct keymap *map, const struct command *c)
{
	const struct keys *keys = keymap_keys(map, c);
	char name[KEYMAP_NAME_BYTES] = "";

	if (!c->title)
		return;
	if (keys)
		keys_name(keys, name);
	size_t cols = cluster_columns(c->title, strlen(c->title)) + cluster_columns(name, strlen(name)) + 2;
	if (cols > PALETTE_COLS || strlen(c->title) > 63)
		check_say(r, CHECK_ERROR, c->name, "its title and key take %zu columns, and there are %d",
				cols, PALETTE_COLS);
	if (!c->help)
		check_say(r, CHECK_WARNING, c->name, "the help does not explain it");
}

static bool has_key_everywhere(const struct keymap *map, const struct command *c)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct binding *b = &map->bindings[i];
		if (b->command == c && (b->key_context == CONTEXT_ANY || b->key_context == CONTEXT_ALWAYS))
			return true;
	}
	return false;
}

/* Commands that every key map must have. */
static void check_needed(struct check_report *r, const struct keymap *map)
{
	static const char *const needed[] = {"quit", "help", "palette", "run", "stop", "next-pane"};

	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
		const struct command *c = command_find(needed[i]);
		if (c && !has_key_everywhere(map, c))
			check_say(r, strcmp(needed[i], "quit") == 0 ? CHECK_ERROR : CHECK_WARNING, needed[i],
					"no key is left for this command");
	}
}

void check_keys(struct check_report *r)
{
	const struct keys_faults faults = {on_check_keys_fault, r};
	size_t before = r->n_errors, bound = 0, n = 0;
	const struct command *c;
	struct keymap map;

	if (app_keys_load(&map, r->config, r->keymap, &faults) < 0) {
		check_say(r, CHECK_ERROR, "keys", "out of memory");
		return;
	}
	for (size_t i = 0; i < map.n; i++) {
		bound += map.bindings[i].command != NULL;
		if (map.bindings[i].command)
			check_binding(r, &map, &map.bindings[i]);
	}
	for (; (c = command_at(n)) != NULL; n++)
		check_command(r, &map, c);
	check_needed(r, &map);
	if (r->n_errors == before)
		check_say(r, CHECK_OK, r->keymap, "%zu keys for %zu commands", bound, n);
	keymap_finish(&map);
}

/* ---- the list ---- */

static void report_nobody(void *user, const char *sentence)
{
	(void)user;
	(void)sentence;
}

static void print_command(const struct keymap *map, const struct command *c)
{
	printf("%-10s %-24s", contexts[c->key_context].name, c->name);
	for (size_t k = 0, n = 0; k < map->n; k++) {
		const struct binding *b = &map->bindings[k];
		char name[KEYMAP_NAME_BYTES];
		if (b->command != c)
			continue;
		keys_write(&b->keys, name);
		printf("%s%s", n++ ? ", " : " ", name);
		if (b->key_context != c->key_context)
			printf(" (%s)", contexts[b->key_context].name);
	}
	putchar('\n');
}

static void put_command(struct json_out *j, const struct keymap *map, const struct command *c)
{
	json_open(j, NULL, '{');
	json_put_text(j, "command", c->name);
	json_put_text(j, "place", contexts[c->key_context].name);
	json_put_text(j, "title", c->title);
	json_put_text(j, "help", c->help);
	json_open(j, "keys", '[');
	for (size_t k = 0; k < map->n; k++) {
		const struct binding *b = &map->bindings[k];
		char name[KEYMAP_NAME_BYTES];
		if (b->command != c)
			continue;
		keys_write(&b->keys, name);
		json_open(j, NULL, '{');
		json_put_text(j, "keys", name);
		json_put_text(j, "place", contexts[b->key_context].name);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

int check_list_keys(const struct check_report *r)
{
	const struct keys_faults faults = {report_nobody, NULL};
	const struct command *c;
	struct json_out j;
	struct keymap map;

	if (app_keys_load(&map, r->config, r->keymap, &faults) < 0)
		return cmd_fail("out of memory");
	json_init(&j);
	if (r->is_json)
		json_open(&j, NULL, '[');
	for (size_t i = 0; (c = command_at(i)) != NULL; i++)
		if (r->is_json)
			put_command(&j, &map, c);
		else
			print_command(&map, c);
	if (r->is_json)
		json_close(&j, ']');
	keymap_finish(&map);
	return json_finish(&j);
}
