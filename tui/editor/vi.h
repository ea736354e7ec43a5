/* SPDX-License-Identifier: MIT */
#ifndef TUI_EDITOR_VI_H
#define TUI_EDITOR_VI_H

/* The keys of vi for an editor: normal, visual and visual line mode. In insert mode the keys of the editor
 * apply, but for Escape, Ctrl-W and Ctrl-U. In the other modes vi also takes the keys that would edit the
 * text without being vi's: what it does not know, it says. Function keys, and other keys with Ctrl or Alt,
 * belong to the key map. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct editor;
struct event;

enum vi_mode { VI_OFF, VI_NORMAL, VI_INSERT, VI_VISUAL, VI_VISUAL_LINES };

/* Requests of a key that the caller must carry out. */
enum vi_request {
	VI_NOTHING,
	VI_SEARCH,
	VI_SEARCH_BACK,
	VI_WORD, /* search the word at the cursor */
	VI_WORD_BACK,
	VI_NEXT,
	VI_PREVIOUS,
	VI_COMMAND, /* ":"; in visual mode for its lines */
	VI_REPEAT,
	VI_CLOSE,     /* ZZ */
	VI_DISCARD,   /* ZQ */
	VI_NEXT_PANE, /* ^W w */
};

enum { VI_KEYS = 512 }; /* keys of a change that can be repeated */

struct vi {
	enum vi_mode mode;
	unsigned count, before; /* typed counts: of the motion; before the operator. 0: none */
	uint32_t operator;      /* d c y < > = !, u U ~ after g: waiting for its motion; 0: none */
	uint32_t prefix; /* f F t T r g z Z, or i a of a text object: waiting for its character; 0: none */
	/* After vi_key(): the key that is missing here, and the keys that it follows: g, z, Z, an operator, v
	 * of visual mode; 0: none. */
	uint32_t unknown, unknown_prefix;
	uint8_t unknown_mods;
	uint32_t find, find_char; /* the last f F t T and its character, for ; and , */
	size_t anchor, cursor;    /* of visual mode, which includes both characters … */
	const struct editor *of;  /* … in the text of this editor, as the start of an insertion is … */
	uint64_t version;         /* … as long as its version is still this */
	unsigned repeats;         /* how often more Escape inserts what was typed: 3ix; 0: not */
	size_t insert_at;         /* where the insertion began; SIZE_MAX: the cursor has moved since */
	bool was_indented;        /* by the line that was opened, in which nothing was typed since */
	bool opens_lines;         /* each time in a line of its own: 3ox */
	bool has_lines;           /* the clipboard holds whole lines … */
	size_t lines_len;         /* … as long as its length is still this */
	/* The keys of the last change, and of the change that is being typed. */
	uint32_t last[VI_KEYS], typed[VI_KEYS];
	size_t n_last, n_typed;
	bool is_change;
	bool has_failed;   /* after vi_key(): the command did nothing, which ends a repeat */
	bool is_repeating; /* set by the caller while it types `last` again: "." then does nothing */
};

/* Must this key go to vi_key() now? */
bool vi_wants(const struct vi *v, const struct event *ev);
/* Something else may have changed the selection, the text or the buffer, as the mouse does, an undo, or
 * another program that writes the file: visual mode then ends. With `takes` it starts again with the present
 * selection. The change of such a selection is not repeated. */
void vi_follow(struct vi *v, struct editor *e, bool takes);
/* Carry out a key. Returns enum editor_bits. *ret_request is what the caller must do. */
unsigned vi_key(struct vi *v, struct editor *e, const struct event *ev, enum vi_request *ret_request);
/* The editor is about to handle a key of insert mode, which becomes part of the change that can be repeated.
 */
void vi_typed(struct vi *v, struct editor *e, const struct event *ev);
/* Something else moves the cursor or changes the text: what is typed from here on is another insertion. */
void vi_break(struct vi *v, struct editor *e);
const char *vi_mode_name(const struct vi *v); /* "NORMAL"; "" without vi */

#endif
