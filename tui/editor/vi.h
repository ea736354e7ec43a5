/* SPDX-License-Identifier: MIT */
#ifndef TUI_EDITOR_VI_H
#define TUI_EDITOR_VI_H

/* The keys of vi on an editor: normal, visual and visual line mode. In insert mode the editor's own keys
 * count; here only its end is known. Keys with Ctrl, Alt and function keys are the key map's, but for Ctrl-R.
 * Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct editor;
struct event;

enum vi_mode { VI_OFF, VI_NORMAL, VI_INSERT, VI_VISUAL, VI_VISUAL_LINES };

/* What a key asks for that is not the editor's. */
enum vi_request { VI_NOTHING, VI_SEARCH, VI_NEXT, VI_PREVIOUS, VI_COMMAND, VI_REPEAT };

enum { VI_KEYS = 512 }; /* of a change that can be repeated */

struct vi {
	enum vi_mode mode;
	unsigned count, before;   /* typed: of the motion; in front of the operator. 0: none */
	uint32_t operator;        /* d c y < >; 0: none waits for its motion */
	uint32_t prefix;          /* f F t T r g Z; 0: none waits for its character */
	uint32_t find, find_char; /* the last f F t T, for ; and , */
	size_t anchor, cursor;    /* of visual mode: both characters are in it */
	bool has_lines;           /* the clipboard holds whole lines … */
	size_t lines_len;         /* … if it is still so long */
	/* The last change as it was typed, and the one that is being typed. */
	uint32_t last[VI_KEYS], typed[VI_KEYS];
	size_t n_last, n_typed;
	bool is_recording, is_change;
};

/* Is this key for vi_key() now? */
bool vi_wants(const struct vi *v, const struct event *ev);
/* Carry it out; returns enum editor_bits. *ret_request: what else is to be done. */
unsigned vi_key(struct vi *v, struct editor *e, const struct event *ev, enum vi_request *ret_request);
/* A key of insert mode has been the editor's: part of what can be repeated. */
void vi_typed(struct vi *v, const struct event *ev);
const char *vi_mode_name(const struct vi *v); /* "NORMAL"; "" in insert mode and without vi */

#endif
