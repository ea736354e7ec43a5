/* SPDX-License-Identifier: MIT */
#include "command/keymap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

#include "cells/event.h"

/* ---- names of keys ---- */

static const struct {
	const char *name, *shown;
	uint32_t key;
} key_names[] = {
		{"enter", "Enter", K_ENTER},
		{"tab", "Tab", K_TAB},
		{"backspace", "Bksp", K_BACKSPACE},
		{"escape", "Esc", K_ESCAPE},
		{"up", "Up", K_UP},
		{"down", "Down", K_DOWN},
		{"left", "Left", K_LEFT},
		{"right", "Right", K_RIGHT},
		{"home", "Home", K_HOME},
		{"end", "End", K_END},
		{"pageup", "PgUp", K_PAGE_UP},
		{"pagedown", "PgDn", K_PAGE_DOWN},
		{"insert", "Ins", K_INSERT},
		{"delete", "Del", K_DELETE},
		{"space", "Space", ' '},
};

static const struct {
	const char *name;
	uint8_t mod;
} mod_names[] = {{"ctrl-", MOD_CTRL}, {"alt-", MOD_ALT}, {"shift-", MOD_SHIFT}};

static bool is_word(const char *text, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(text, word, n) == 0;
}

static int function_key(const char *text, size_t n, uint32_t *ret)
{
	int number = n == 2 ? text[1] - '0' : n == 3 && text[1] == '1' ? 10 + text[2] - '0' : 0;

	if (*text != 'f' || number < 1 || number > 12)
		return TRM_EINVAL;
	*ret = K_F1 + (uint32_t)(number - 1);
	return 0;
}

static int parse_key(const char *text, size_t n, uint32_t *ret)
{
	for (size_t i = 0; i < sizeof key_names / sizeof *key_names; i++)
		if (is_word(text, n, key_names[i].name)) {
			*ret = key_names[i].key;
			return 0;
		}
	if (function_key(text, n, ret) == 0)
		return 0;
	bool is_valid = false;
	size_t used = n ? trm_utf8_decode(text, n, ret, &is_valid) : 0;
	return is_valid && used == n && *ret > ' ' && *ret != 0x7F ? 0 : TRM_EINVAL;
}

static int parse_chord(const char *text, size_t n, struct chord *ret)
{
	*ret = (struct chord){0};
	for (size_t i = 0; i < sizeof mod_names / sizeof *mod_names; i++) {
		size_t len = strlen(mod_names[i].name);
		if (n > len && memcmp(text, mod_names[i].name, len) == 0) {
			ret->mods |= mod_names[i].mod;
			text += len;
			n -= len;
			i = (size_t)-1; /* modifiers may be in any order */
		}
	}
	return parse_key(text, n, &ret->key);
}

int keys_parse(const char *text, struct keys *ret)
{
	*ret = (struct keys){0};
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t n = strcspn(text, " ");
		if (ret->n == KEYMAP_CHORDS || parse_chord(text, n, &ret->chords[ret->n]) < 0)
			return TRM_EINVAL;
		ret->n++;
		text += n;
	}
	return ret->n ? 0 : TRM_EINVAL;
}

static void key_shown(uint32_t key, char out[16])
{
	for (size_t i = 0; i < sizeof key_names / sizeof *key_names; i++)
		if (key_names[i].key == key) {
			snprintf(out, 16, "%s", key_names[i].shown);
			return;
		}
	if (key >= K_F1 && key <= K_F12) {
		snprintf(out, 16, "F%u", (unsigned)(key - K_F1 + 1));
		return;
	}
	out[trm_utf8_encode(key, out)] = '\0';
}

static void key_written(uint32_t key, char out[16])
{
	for (size_t i = 0; i < sizeof key_names / sizeof *key_names; i++)
		if (key_names[i].key == key) {
			snprintf(out, 16, "%s", key_names[i].name);
			return;
		}
	if (key >= K_F1 && key <= K_F12)
		snprintf(out, 16, "f%u", (unsigned)(key - K_F1 + 1));
	else
		out[trm_utf8_encode(key, out)] = '\0';
}

void keys_write(const struct keys *keys, char out[KEYMAP_NAME_BYTES])
{
	size_t used = 0;
	char key[16];

	out[0] = '\0';
	for (unsigned i = 0; i < keys->n && used < KEYMAP_NAME_BYTES; i++) {
		const struct chord *c = &keys->chords[i];
		key_written(c->key, key);
		used += (size_t)snprintf(out + used, KEYMAP_NAME_BYTES - used, "%s%s%s%s%s", i ? " " : "",
				c->mods & MOD_CTRL ? "ctrl-" : "", c->mods & MOD_ALT ? "alt-" : "",
				c->mods & MOD_SHIFT ? "shift-" : "", key);
	}
}

static void chord_name(const struct chord *c, char out[32])
{
	char key[16];

	bool is_upper = c->mods && c->key >= 'A' && c->key <= 'Z';

	key_shown(c->key, key);
	/* The notation is always the same: ^ is Ctrl, before a letter and before a key with a name. A letter
	 * behind it, or behind Alt, is the one that is printed on the key. */
	if (c->mods && c->key >= 'a' && c->key <= 'z')
		*key = (char)(*key - 'a' + 'A');
	snprintf(out, 32, "%s%s%s%s", c->mods & MOD_CTRL ? "^" : "", c->mods & MOD_ALT ? "Alt-" : "",
			c->mods & MOD_SHIFT || is_upper ? "Shift-" : "", key);
}

void keys_name(const struct keys *keys, char out[KEYMAP_NAME_BYTES])
{
	size_t used = 0;
	char chord[32];

	out[0] = '\0';
	for (unsigned i = 0; i < keys->n; i++) {
		chord_name(&keys->chords[i], chord);
		int n = snprintf(out + used, KEYMAP_NAME_BYTES - used, "%s%s", i ? " " : "", chord);
		if (n < 0 || used + (size_t)n >= KEYMAP_NAME_BYTES)
			return;
		used += (size_t)n;
	}
}

/* ---- the map ---- */

void keymap_finish(struct keymap *map)
{
	free(map->bindings);
	*map = (struct keymap){0};
}

static bool same_chord(const struct chord *a, const struct chord *b)
{
	return a->key == b->key && a->mods == b->mods;
}

bool keys_begin(const struct keys *keys, const struct keys *wanted)
{
	if (keys->n > wanted->n)
		return false;
	for (unsigned i = 0; i < keys->n; i++)
		if (!same_chord(&keys->chords[i], &wanted->chords[i]))
			return false;
	return true;
}

bool keys_equal(const struct keys *a, const struct keys *b)
{
	return a->n == b->n && keys_begin(a, b);
}

static struct binding *find_binding(
		const struct keymap *map, enum key_context key_context, const struct keys *keys)
{
	for (size_t i = 0; i < map->n; i++) {
		struct binding *b = &map->bindings[i];
		if (b->key_context == key_context && keys_equal(keys, &b->keys))
			return b;
	}
	return NULL;
}

/* The bit of a chord in a context's `firsts`. */
static uint64_t first_bit(const struct chord *c)
{
	return UINT64_C(1) << (c->key + c->mods * 29u) % 64;
}

/* Most typed keys begin no binding. This test avoids a search through all bindings, which take much memory.
 */
static bool may_begin(const struct keymap *map, enum key_context key_context, const struct chord *c)
{
	return key_context < CONTEXT_COUNT && map->firsts[key_context] & first_bit(c);
}

static int append_binding(struct keymap *map, enum key_context key_context, const struct keys *keys,
		const struct command *command)
{
	if (map->n == map->cap) {
		size_t cap = map->cap ? 2 * map->cap : 128;
		struct binding *more = realloc(map->bindings, cap * sizeof *more);
		if (!more)
			return TRM_ENOMEM;
		map->bindings = more;
		map->cap = cap;
	}
	map->bindings[map->n++] = (struct binding){key_context, *keys, command};
	map->firsts[key_context] |= first_bit(&keys->chords[0]);
	return 0;
}

static int put_binding(struct keymap *map, enum key_context key_context, const struct keys *keys,
		const struct command *command)
{
	struct binding *b = find_binding(map, key_context, keys);

	if (!b)
		return append_binding(map, key_context, keys, command);
	b->command = command;
	return 0;
}

int keymap_bind(struct keymap *map, enum key_context key_context, const char *text, const char *name,
		struct trm_error *reterr)
{
	const struct command *command = name && *name ? command_find(name) : NULL;
	struct keys keys;

	if (keys_parse(text, &keys) < 0)
		return trm_error_set(reterr, TRM_EINVAL,
				"\"%.60s\" is not a key: write for example \"ctrl-f\", \"alt-shift-up\", \"f5\" or "
				"\"ctrl-x ctrl-s\"",
				text);
	if (name && *name && !command)
		return trm_error_set(reterr, TRM_EINVAL,
				"there is no command \"%.60s\" for the key \"%.60s\" (the help names them)",
				name, text);
	if (put_binding(map, key_context, &keys, command) < 0)
		return trm_error_set(reterr, TRM_ENOMEM, "not enough memory for the key map");
	return 0;
}

enum keymap_match keymap_resolve(const struct keymap *map, enum key_context key_context,
		const struct keys *keys, const struct command **ret)
{
	bool is_prefix = false, is_off = false;

	for (size_t i = 0; i < map->n && may_begin(map, key_context, &keys->chords[0]); i++) {
		const struct binding *b = &map->bindings[i];
		if (b->key_context != key_context || !keys_begin(keys, &b->keys))
			continue;
		if (b->keys.n == keys->n && b->command) {
			*ret = b->command;
			return KEYMAP_COMMAND;
		}
		is_prefix = is_prefix || b->command;
		is_off = is_off || b->keys.n == keys->n;
	}
	if (is_prefix || is_off)
		return is_prefix ? KEYMAP_PREFIX : KEYMAP_NONE;
	const struct chord *c = &keys->chords[0];
	if (keys->n != 1 || c->mods != MOD_ALT || c->key < '0' || c->key > '9')
		return KEYMAP_NONE;
	struct keys function = {.n = 1, .chords = {{c->key == '0' ? K_F10 : K_F1 + (c->key - '1'), 0}}};
	return keymap_resolve(map, key_context, &function, ret);
}

bool keymap_is_at_home(const struct binding *b)
{
	return b->command
	       && (b->key_context == b->command->key_context || b->key_context == CONTEXT_ANY
			       || b->key_context == CONTEXT_ALWAYS);
}

bool keymap_is_hidden(const struct keymap *map, const struct binding *b)
{
	if (b->key_context != CONTEXT_ANY && b->key_context != CONTEXT_ALWAYS)
		return false;
	for (size_t i = 0; i < map->n; i++) {
		const struct binding *other = &map->bindings[i];
		if (other->key_context == CONTEXT_EDITOR && other->command && other->command != b->command
				&& (keys_begin(&other->keys, &b->keys) || keys_begin(&b->keys, &other->keys)))
			return true;
	}
	return false;
}

const struct keys *keymap_keys(const struct keymap *map, const struct command *command)
{
	const struct keys *first = NULL;

	for (size_t i = 0; i < map->n; i++) {
		const struct binding *b = &map->bindings[i];
		if (b->command == command && keymap_is_at_home(b))
			return &b->keys;
		if (b->command == command && !first)
			first = &b->keys;
	}
	return first;
}

/* ---- sets ---- */

/* Add the bindings of a set whose keys are free. Keys are not free if they, their beginning, or longer keys
 * that begin with them are bound in the same context. Keys that are bound everywhere are not free either. A
 * set does not disagree with itself. */
static int add_free_bindings(struct keymap *map, const struct keymap_row *rows, size_t n)
{
	size_t n_before = map->n;

	for (size_t i = 0; i < n; i++) {
		const struct command *command = command_find(rows[i].command);
		struct keys keys;
		if (!command || keys_parse(rows[i].keys, &keys) < 0)
			return TRM_EINVAL;
		const struct keymap before = {.bindings = map->bindings, .n = n_before};
		bool is_taken = n_before > 0
				&& (find_binding(&before, CONTEXT_ANY, &keys)
						|| find_binding(&before, CONTEXT_ALWAYS, &keys)
						|| find_binding(map, rows[i].key_context, &keys)
						|| keymap_clash(map, rows[i].key_context, &keys));
		if (!is_taken && append_binding(map, rows[i].key_context, &keys, command) < 0)
			return TRM_ENOMEM;
	}
	return 0;
}

const struct binding *keymap_clash(
		const struct keymap *map, enum key_context key_context, const struct keys *keys)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct binding *b = &map->bindings[i];
		bool is_near = b->key_context == key_context || b->key_context == CONTEXT_ANY
			       || b->key_context == CONTEXT_ALWAYS
			       || ((key_context == CONTEXT_ANY || key_context == CONTEXT_ALWAYS)
					       && b->keys.n < keys->n);
		if (is_near && b->command && b->keys.n != keys->n
				&& (keys_begin(keys, &b->keys) || keys_begin(&b->keys, keys)))
			return b;
	}
	return NULL;
}

int keymap_complete(struct keymap *map, const char *set, struct trm_error *reterr)
{
	int r = 0;

	map->is_emacs = strcmp(set, "emacs") == 0;
	if (map->is_emacs)
		r = add_free_bindings(map, keymap_emacs, keymap_emacs_count);
	/* Vi's own keys are in editor/vi.h. */
	else if (strcmp(set, "default") != 0 && strcmp(set, "vi") != 0)
		return trm_error_set(reterr, TRM_EINVAL,
				"there is no key map \"%.30s\"; there are default, emacs and vi", set);
	return r < 0 ? r : add_free_bindings(map, keymap_default, keymap_default_count);
}

int keymap_init(struct keymap *map)
{
	*map = (struct keymap){0};
	int r = keymap_complete(map, "default", NULL);
	if (r < 0)
		keymap_finish(map);
	return r;
}
