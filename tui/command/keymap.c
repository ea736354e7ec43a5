/* SPDX-License-Identifier: MIT */
#include "command/keymap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

#include "term/event.h"

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
			i = (size_t)-1; /* in any order */
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

	key_shown(c->key, key);
	if (c->mods == MOD_CTRL && c->key > ' ' && c->key < 0x7F) {
		snprintf(out, 32, "^%c", *key >= 'a' && *key <= 'z' ? *key - 'a' + 'A' : *key);
		return;
	}
	snprintf(out, 32, "%s%s%s%s", c->mods & MOD_CTRL ? "Ctrl-" : "", c->mods & MOD_ALT ? "Alt-" : "",
			c->mods & MOD_SHIFT ? "Shift-" : "", key);
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

/* Do the first chords of `keys` begin, or make up, what `wanted` says? */
static bool begins(const struct keys *keys, const struct keys *wanted)
{
	if (keys->n > wanted->n)
		return false;
	for (unsigned i = 0; i < keys->n; i++)
		if (!same_chord(&keys->chords[i], &wanted->chords[i]))
			return false;
	return true;
}

static struct binding *find(const struct keymap *map, enum place place, const struct keys *keys)
{
	for (size_t i = 0; i < map->n; i++) {
		struct binding *b = &map->bindings[i];
		if (b->place == place && b->keys.n == keys->n && begins(keys, &b->keys))
			return b;
	}
	return NULL;
}

static int put(struct keymap *map, enum place place, const struct keys *keys, const struct command *command)
{
	struct binding *b = find(map, place, keys);

	if (b) {
		b->command = command;
		return 0;
	}
	if (map->n == map->cap) {
		size_t cap = map->cap ? 2 * map->cap : 128;
		struct binding *more = realloc(map->bindings, cap * sizeof *more);
		if (!more)
			return TRM_ENOMEM;
		map->bindings = more;
		map->cap = cap;
	}
	map->bindings[map->n++] = (struct binding){place, *keys, command};
	return 0;
}

int keymap_bind(struct keymap *map, enum place place, const char *text, const char *name,
		struct trm_error *reterr)
{
	const struct command *command = name && *name ? command_find(name) : NULL;
	struct keys keys;

	if (keys_parse(text, &keys) < 0)
		return trm_error_set(reterr, TRM_EINVAL,
				"\"%.60s\" is no key: write for example \"ctrl-f\", \"alt-shift-up\", \"f5\" or "
				"\"ctrl-x ctrl-s\"",
				text);
	if (name && *name && !command)
		return trm_error_set(reterr, TRM_EINVAL,
				"there is no command \"%.60s\" for the key \"%.60s\" (the help names them)",
				name, text);
	if (put(map, place, &keys, command) < 0)
		return trm_error_set(reterr, TRM_ENOMEM, "not enough memory for the key map");
	return 0;
}

enum keymap_match keymap_look(const struct keymap *map, enum place place, const struct keys *keys,
		const struct command **ret)
{
	bool is_prefix = false, is_off = false;

	for (size_t i = 0; i < map->n; i++) {
		const struct binding *b = &map->bindings[i];
		if (b->place != place || !begins(keys, &b->keys))
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
	return keymap_look(map, place, &function, ret);
}

const struct keys *keymap_keys(const struct keymap *map, const struct command *command)
{
	for (size_t i = 0; i < map->n; i++)
		if (map->bindings[i].command == command)
			return &map->bindings[i].keys;
	return NULL;
}

/* ---- the default set ---- */

static const struct keymap_row defaults[] = {
		{PLACE_ANY, "f1", "help"},
		{PLACE_ANY, "f2", "language"},
		{PLACE_ANY, "f3", "theme"},
		{PLACE_ANY, "f4", "messages"},
		{PLACE_ANY, "f5", "run"},
		{PLACE_ANY, "alt-enter", "run"},
		{PLACE_ANY, "ctrl-enter", "run"},
		{PLACE_ANY, "f6", "next-pane"},
		{PLACE_ANY, "shift-f6", "previous-pane"},
		{PLACE_ANY, "f11", "zoom"},
		{PLACE_ANY, "alt-shift-up", "border-up"},
		{PLACE_ANY, "alt-shift-down", "border-down"},
		{PLACE_ANY, "alt-shift-left", "border-left"},
		{PLACE_ANY, "alt-shift-right", "border-right"},
		{PLACE_ALWAYS, "f10", "quit"},
		{PLACE_ALWAYS, "ctrl-q", "quit"},
		{PLACE_ALWAYS, "ctrl-c", "stop"},
		{PLACE_ANY, "ctrl-o", "open"},
		{PLACE_ANY, "ctrl-s", "save"},
		{PLACE_ANY, "f7", "palette"},
		{PLACE_ANY, "ctrl-p", "palette"},
		{PLACE_ANY, "f12", "save-as"},
		{PLACE_ANY, "ctrl-r", "clear-output"},
		{PLACE_ANY, "alt-k", "record"},
		{PLACE_ANY, "alt-e", "export-notebook"},
		{PLACE_ALWAYS, "ctrl-l", "repaint"},

		{PLACE_ANY, "ctrl-n", "new-buffer"},
		{PLACE_EDITOR, "ctrl-w", "close-buffer"},
		{PLACE_ANY, "alt-.", "next-buffer"},
		{PLACE_ANY, "alt-,", "previous-buffer"},
		{PLACE_ANY, "ctrl-pagedown", "next-buffer"},
		{PLACE_ANY, "ctrl-pageup", "previous-buffer"},

		{PLACE_EDITOR, "ctrl-e", "external-editor"},
		{PLACE_EDITOR, "ctrl-f", "find"},
		{PLACE_EDITOR, "alt-n", "find-next"},
		{PLACE_EDITOR, "alt-p", "find-previous"},
		{PLACE_EDITOR, "alt-r", "replace"},
		{PLACE_EDITOR, "ctrl-g", "go-to-line"},

		{PLACE_ANY, "shift-f5", "run-cell-and-advance"},
		{PLACE_EDITOR, "alt-j", "run-cell-and-advance"},
		{PLACE_ANY, "ctrl-f5", "run-all"},
		{PLACE_EDITOR, "alt-a", "run-all"},
		{PLACE_EDITOR, "alt-l", "run-line"},
		{PLACE_EDITOR, "alt-pagedown", "next-cell"},
		{PLACE_EDITOR, "alt-pageup", "previous-cell"},

		{PLACE_EDITOR, "left", "left"},
		{PLACE_EDITOR, "right", "right"},
		{PLACE_EDITOR, "up", "up"},
		{PLACE_EDITOR, "down", "down"},
		{PLACE_EDITOR, "ctrl-left", "word-left"},
		{PLACE_EDITOR, "ctrl-right", "word-right"},
		{PLACE_EDITOR, "alt-left", "word-left"},
		{PLACE_EDITOR, "alt-right", "word-right"},
		{PLACE_EDITOR, "alt-b", "word-left"},
		{PLACE_EDITOR, "alt-f", "word-right"},
		{PLACE_EDITOR, "home", "line-start"},
		{PLACE_EDITOR, "end", "line-end"},
		{PLACE_EDITOR, "pageup", "page-up"},
		{PLACE_EDITOR, "pagedown", "page-down"},
		{PLACE_EDITOR, "ctrl-home", "text-start"},
		{PLACE_EDITOR, "ctrl-end", "text-end"},
		{PLACE_EDITOR, "ctrl-]", "to-bracket"},
		{PLACE_EDITOR, "ctrl-up", "scroll-up"},
		{PLACE_EDITOR, "ctrl-down", "scroll-down"},
		{PLACE_EDITOR, "ctrl-a", "select-all"},
		{PLACE_EDITOR, "escape", "deselect"},
		{PLACE_EDITOR, "ctrl-insert", "copy"},
		{PLACE_EDITOR, "ctrl-x", "cut"},
		{PLACE_EDITOR, "shift-delete", "cut"},
		{PLACE_EDITOR, "ctrl-v", "paste"},
		{PLACE_EDITOR, "shift-insert", "paste"},
		{PLACE_EDITOR, "ctrl-k", "cut-line"},
		{PLACE_EDITOR, "ctrl-d", "duplicate"},
		{PLACE_EDITOR, "ctrl-z", "undo"},
		{PLACE_EDITOR, "ctrl-y", "redo"},
		{PLACE_EDITOR, "ctrl-shift-z", "redo"},
		{PLACE_EDITOR, "enter", "new-line"},
		{PLACE_EDITOR, "shift-enter", "new-line"},
		{PLACE_EDITOR, "tab", "complete-or-indent"},
		{PLACE_EDITOR, "ctrl-space", "complete"},
		{PLACE_EDITOR, "shift-tab", "dedent"},
		{PLACE_EDITOR, "ctrl-_", "comment"},
		{PLACE_EDITOR, "ctrl-/", "comment"},
		{PLACE_EDITOR, "alt-up", "move-line-up"},
		{PLACE_EDITOR, "alt-down", "move-line-down"},
		{PLACE_EDITOR, "backspace", "delete-left"},
		{PLACE_EDITOR, "shift-backspace", "delete-left"},
		{PLACE_EDITOR, "delete", "delete-right"},
		{PLACE_EDITOR, "ctrl-backspace", "delete-word-left"},
		{PLACE_EDITOR, "alt-backspace", "delete-word-left"},
		{PLACE_EDITOR, "ctrl-delete", "delete-word-right"},
		{PLACE_EDITOR, "alt-delete", "delete-word-right"},

		{PLACE_OUTPUT, "up", "output-up"},
		{PLACE_OUTPUT, "down", "output-down"},
		{PLACE_OUTPUT, "pageup", "output-page-up"},
		{PLACE_OUTPUT, "pagedown", "output-page-down"},
		{PLACE_OUTPUT, "space", "output-page-down"},
		{PLACE_OUTPUT, "home", "output-oldest"},
		{PLACE_OUTPUT, "end", "output-newest"},
		{PLACE_OUTPUT, "shift-up", "output-select-up"},
		{PLACE_OUTPUT, "shift-down", "output-select-down"},
		{PLACE_OUTPUT, "ctrl-a", "output-select-all"},
		{PLACE_OUTPUT, "ctrl-up", "output-scroll-up"},
		{PLACE_OUTPUT, "ctrl-down", "output-scroll-down"},
		{PLACE_OUTPUT, "alt-up", "output-previous-run"},
		{PLACE_OUTPUT, "alt-down", "output-next-run"},
		{PLACE_OUTPUT, "enter", "output-open"},
		{PLACE_OUTPUT, "-", "output-fold"},
		{PLACE_OUTPUT, "alt--", "output-fold"},
		{PLACE_OUTPUT, "=", "output-fold-all"},
		{PLACE_OUTPUT, "alt-=", "output-fold-all"},
		{PLACE_OUTPUT, "ctrl-f", "output-find"},
		{PLACE_OUTPUT, "/", "output-find"},
		{PLACE_OUTPUT, "n", "output-find-next"},
		{PLACE_OUTPUT, "alt-n", "output-find-next"},
		{PLACE_OUTPUT, "N", "output-find-previous"},
		{PLACE_OUTPUT, "alt-N", "output-find-previous"},
		{PLACE_OUTPUT, "c", "output-copy-run"},
		{PLACE_OUTPUT, "alt-c", "output-copy-run"},
		{PLACE_OUTPUT, "f", "output-save"},
		{PLACE_OUTPUT, "alt-f", "output-save"},
		{PLACE_OUTPUT, "w", "output-wrap"},
		{PLACE_OUTPUT, "alt-w", "output-wrap"},
		{PLACE_OUTPUT, "left", "output-left"},
		{PLACE_OUTPUT, "right", "output-right"},
		{PLACE_ANY, "alt-t", "go-to-error"},
		{PLACE_ANY, "alt-d", "spill"},
		{PLACE_OUTPUT, "g", "show-on-graph"},
		{PLACE_OUTPUT, "alt-g", "show-on-graph"},
		{PLACE_OUTPUT, "escape", "output-deselect"},
		{PLACE_OUTPUT, "?", "help"},
		{PLACE_OUTPUT, "s", "save-figure"},
		{PLACE_OUTPUT, "o", "open-figure"},
		{PLACE_OUTPUT, "i", "zoom-figure"},
		{PLACE_ANY, "alt-s", "save-figure"},
		{PLACE_ANY, "alt-o", "open-figure"},
		{PLACE_ANY, "alt-i", "zoom-figure"},

		{PLACE_ANY, "alt-m", "show-metrics"},
		{PLACE_METRICS, "up", "processes-up"},
		{PLACE_METRICS, "down", "processes-down"},
		{PLACE_METRICS, "pageup", "processes-page-up"},
		{PLACE_METRICS, "pagedown", "processes-page-down"},
		{PLACE_METRICS, "home", "processes-first"},
		{PLACE_METRICS, "end", "processes-last"},
		{PLACE_METRICS, "c", "sort-by-cpu"},
		{PLACE_METRICS, "m", "sort-by-memory"},
		{PLACE_METRICS, "p", "sort-by-pid"},
		{PLACE_METRICS, "n", "sort-by-command"},
		{PLACE_METRICS, "t", "process-tree"},
		{PLACE_METRICS, "k", "signal"},
		{PLACE_METRICS, "left", "previous-mark"},
		{PLACE_METRICS, "right", "next-mark"},
		{PLACE_METRICS, "enter", "show-block"},
		{PLACE_METRICS, "shift-left", "look-back"},
		{PLACE_METRICS, "shift-right", "look-forth"},
		{PLACE_METRICS, "b", "look-back"},
		{PLACE_METRICS, "f", "look-forth"},
		{PLACE_METRICS, "0", "look-now"},
		{PLACE_METRICS, "escape", "look-now"},
		{PLACE_METRICS, "+", "graph-zoom-in"},
		{PLACE_METRICS, "=", "graph-zoom-in"},
		{PLACE_METRICS, "-", "graph-zoom-out"},
		{PLACE_METRICS, "?", "help"},

		{PLACE_ANY, "f9", "inspect"},
		{PLACE_ANY, "alt-v", "variables"},
		{PLACE_ANY, "ctrl-t", "history"},
		{PLACE_CLOCK, "escape", "hold-clock"},
		{PLACE_POPUP, "up", "popup-up"},
		{PLACE_POPUP, "down", "popup-down"},
		{PLACE_POPUP, "pageup", "popup-page-up"},
		{PLACE_POPUP, "pagedown", "popup-page-down"},
		{PLACE_POPUP, "tab", "popup-accept"},
		{PLACE_POPUP, "enter", "popup-choose"},
		{PLACE_POPUP, "escape", "popup-close"},

		{PLACE_REPLAY, "space", "replay-pause"},
		{PLACE_REPLAY, "left", "replay-back"},
		{PLACE_REPLAY, "right", "replay-forward"},
		{PLACE_REPLAY, "[", "replay-previous-run"},
		{PLACE_REPLAY, "]", "replay-next-run"},
		{PLACE_REPLAY, "-", "replay-slower"},
		{PLACE_REPLAY, "+", "replay-faster"},
		{PLACE_REPLAY, "=", "replay-faster"},
		{PLACE_REPLAY, "home", "replay-start"},
		{PLACE_REPLAY, "end", "replay-end"},
		{PLACE_REPLAY, "q", "quit"},

		{PLACE_DEMO, "space", "demo-next"},
		{PLACE_DEMO, "pagedown", "demo-next"},
		{PLACE_DEMO, "enter", "demo-next"},
		{PLACE_DEMO, "pageup", "demo-back"},
		{PLACE_DEMO, "backspace", "demo-back"},
		{PLACE_DEMO, "f5", "demo-run"},
		{PLACE_DEMO, "r", "demo-run"},
		{PLACE_DEMO, "n", "demo-skip"},
		{PLACE_DEMO, "-", "demo-type-slower"},
		{PLACE_DEMO, "+", "demo-type-faster"},
		{PLACE_DEMO, "=", "demo-type-faster"},
		{PLACE_DEMO, "escape", "demo-leave"},
		{PLACE_PAUSED, "alt-i", "interrupt-paused"},
		{PLACE_PAUSED, "alt-g", "resume-paused"},

		{PLACE_ANY, "f8", "sandboxes"},
		{PLACE_SANDBOXES, "up", "sandboxes-up"},
		{PLACE_SANDBOXES, "down", "sandboxes-down"},
		{PLACE_SANDBOXES, "pageup", "sandboxes-page-up"},
		{PLACE_SANDBOXES, "pagedown", "sandboxes-page-down"},
		{PLACE_SANDBOXES, "home", "sandboxes-first"},
		{PLACE_SANDBOXES, "end", "sandboxes-last"},
		{PLACE_SANDBOXES, "enter", "sandboxes-look"},
		{PLACE_SANDBOXES, "right", "sandboxes-look"},
		{PLACE_SANDBOXES, "left", "sandboxes-back"},
		{PLACE_SANDBOXES, "escape", "sandboxes-back"},
		{PLACE_SANDBOXES, "q", "sandboxes-back"},
		{PLACE_SANDBOXES, "s", "sandboxes-stop"},
		{PLACE_SANDBOXES, "n", "sandboxes-by-name"},
		{PLACE_SANDBOXES, "c", "sandboxes-by-cpu"},
		{PLACE_SANDBOXES, "m", "sandboxes-by-memory"},
		{PLACE_SANDBOXES, "p", "sandboxes-by-processes"},
		{PLACE_SANDBOXES, "u", "sandboxes-by-uptime"},
		{PLACE_SANDBOXES, "t", "sandboxes-tree"},
		{PLACE_SANDBOXES, "+", "sandboxes-zoom-in"},
		{PLACE_SANDBOXES, "=", "sandboxes-zoom-in"},
		{PLACE_SANDBOXES, "-", "sandboxes-zoom-out"},
		{PLACE_SANDBOXES, "?", "help"},
		{PLACE_VARIABLES, "up", "variables-up"},
		{PLACE_VARIABLES, "down", "variables-down"},
		{PLACE_VARIABLES, "pageup", "variables-page-up"},
		{PLACE_VARIABLES, "pagedown", "variables-page-down"},
		{PLACE_VARIABLES, "home", "variables-first"},
		{PLACE_VARIABLES, "end", "variables-last"},
		{PLACE_VARIABLES, "s", "variables-sort"},
		{PLACE_VARIABLES, "r", "variables-reverse"},
		{PLACE_VARIABLES, "/", "variables-filter"},
		{PLACE_VARIABLES, "enter", "variables-inspect"},
		{PLACE_VARIABLES, "escape", "variables-leave"},
		{PLACE_VARIABLES, "?", "help"},
};

/* Add what a set says where the keys are still free: neither they nor a part of them, nor anything that
 * they are a part of, means something in the same place or where that would be looked for. */
static int fill(struct keymap *map, const struct keymap_row *rows, size_t n)
{
	size_t n_before = map->n;

	for (size_t i = 0; i < n; i++) {
		const struct command *command = command_find(rows[i].command);
		struct keys keys;
		if (!command || keys_parse(rows[i].keys, &keys) < 0)
			return TRM_EINVAL;
		const struct keymap before = {.bindings = map->bindings, .n = n_before};
		bool is_taken = find(&before, PLACE_ANY, &keys) || find(&before, PLACE_ALWAYS, &keys)
				|| find(map, rows[i].place, &keys);
		if (is_taken || keymap_clash(map, rows[i].place, &keys))
			continue;
		if (put(map, rows[i].place, &keys, command) < 0)
			return TRM_ENOMEM;
	}
	return 0;
}

const struct binding *keymap_clash(const struct keymap *map, enum place place, const struct keys *keys)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct binding *b = &map->bindings[i];
		bool is_near = b->place == place || b->place == PLACE_ANY || b->place == PLACE_ALWAYS
			       || ((place == PLACE_ANY || place == PLACE_ALWAYS) && b->keys.n < keys->n);
		if (is_near && b->command && b->keys.n != keys->n
				&& (begins(keys, &b->keys) || begins(&b->keys, keys)))
			return b;
	}
	return NULL;
}

int keymap_complete(struct keymap *map, const char *set, struct trm_error *reterr)
{
	int r = 0;

	if (strcmp(set, "emacs") == 0)
		r = fill(map, keymap_emacs, keymap_emacs_count);
	else if (strcmp(set, "default") != 0)
		return trm_error_set(reterr, TRM_EINVAL,
				"there is no key map \"%.30s\"; there are default and emacs", set);
	return r < 0 ? r : fill(map, defaults, sizeof defaults / sizeof *defaults);
}

int keymap_init(struct keymap *map)
{
	*map = (struct keymap){0};
	int r = keymap_complete(map, "default", NULL);
	if (r < 0)
		keymap_finish(map);
	return r;
}
