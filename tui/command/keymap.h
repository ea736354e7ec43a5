/* SPDX-License-Identifier: MIT */
#ifndef TUI_KEYMAP_H
#define TUI_KEYMAP_H

/* The keys of the commands, per context. Keys are written "ctrl-f", "alt-shift-up", "f5", "ctrl-x ctrl-s":
 * modifiers ctrl, alt, shift joined with "-" to a character or to a name (enter tab backspace escape up down
 * left right home end pageup pagedown insert delete space f1 … f12). The chords of a sequence are separated
 * by blanks. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/command.h"

struct event;
struct trm_error;

enum { KEYMAP_CHORDS = 3, KEYMAP_NAME_BYTES = 64 };

struct chord {
	uint32_t key; /* as in cells/event.h */
	uint8_t mods;
};

struct keys {
	struct chord chords[KEYMAP_CHORDS];
	uint8_t n;
};

struct binding {
	enum key_context key_context;
	struct keys keys;
	const struct command *command; /* NULL: the keys are unbound */
};

struct keymap {
	struct binding *bindings;
	size_t n, cap;
	bool is_emacs; /* the set "emacs" is in it */
	/* A bit for each first chord of a binding; chords may share a bit. */
	uint64_t firsts[CONTEXT_COUNT];
};

void keymap_finish(struct keymap *map); /* accepts a zeroed object */
/* The default set. 0 or TRM_ENOMEM. */
int keymap_init(struct keymap *map);
/* Add a set where keys are free: "default"; "vi", which is the same because the editor handles vi's own
 * keys; or "emacs", followed by the default set. TRM_EINVAL: there is no such set. */
int keymap_complete(struct keymap *map, const char *set, struct trm_error *reterr);

/* A row of a set. */
struct keymap_row {
	enum key_context key_context;
	const char *keys, *command;
};
extern const struct keymap_row keymap_default[], keymap_emacs[]; /* each in its own file */
extern const size_t keymap_default_count, keymap_emacs_count;

/* Bind keys, in place of an existing binding. `command` NULL or "": unbind them. TRM_EINVAL, with a message,
 * if the keys or the command do not exist. */
int keymap_bind(struct keymap *map, enum key_context key_context, const char *keys, const char *command,
		struct trm_error *reterr);

/* The command of keys in one context. Alt with a digit stands for a function key if it is not bound itself.
 */
enum keymap_match { KEYMAP_NONE, KEYMAP_PREFIX, KEYMAP_COMMAND };
enum keymap_match keymap_resolve(const struct keymap *map, enum key_context key_context,
		const struct keys *keys, const struct command **ret);

/* A binding that these keys make unreachable, or that makes these keys unreachable, because one begins with
 * the other. NULL: there is none. */
const struct binding *keymap_clash(
		const struct keymap *map, enum key_context key_context, const struct keys *keys);

/* Does the binding apply wherever its command does? If not, it is an additional key in some pane. */
bool keymap_is_at_home(const struct binding *b);
/* Does the editor take these keys, or their beginning, before a binding that applies everywhere? */
bool keymap_is_hidden(const struct keymap *map, const struct binding *b);
/* The first binding of a command, if possible one that is at home. NULL: it has no keys. */
const struct keys *keymap_keys(const struct keymap *map, const struct command *command);

int keys_parse(const char *text, struct keys *ret); /* 0 or TRM_EINVAL */
bool keys_equal(const struct keys *a, const struct keys *b);
/* Are all chords of `keys` the first chords of `wanted`? */
bool keys_begin(const struct keys *keys, const struct keys *wanted);
/* In the notation of keys_parse(): "shift-f6", "ctrl-x ctrl-s". */
void keys_write(const struct keys *keys, char out[KEYMAP_NAME_BYTES]);
/* For people: "^F", "Alt-V", "Alt-Shift-N", "Shift-F6", "^X ^S". The workbench names keys with this only. */
void keys_name(const struct keys *keys, char out[KEYMAP_NAME_BYTES]);

/* ---- the key bar ---- */

struct model;

struct keybar_item {
	const struct command *command; /* NULL: keys of the line for input */
	char keys[24];
	const char *label;
	int col, cols;
};
enum { KEYBAR_MAX = 96 };
/* Items for this width: commands with their columns, left to right. Returns their number. */
int keybar_make(const struct model *m, int cols, struct keybar_item items[KEYBAR_MAX]);

#endif
