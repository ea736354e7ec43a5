/* SPDX-License-Identifier: MIT */
#ifndef TUI_CELLS_EVENT_H
#define TUI_CELLS_EVENT_H

/* Events from the person at the terminal. */

#include <stddef.h>
#include <stdint.h>

enum event_type { EVENT_KEY, EVENT_MOUSE, EVENT_PASTE, EVENT_RESIZE, EVENT_FOCUS };

/* A key is a Unicode code point (control characters arrive as letter + MOD_CTRL), or one of these. */
enum key {
	KEYS_BASE = 0x110000, /* beyond Unicode */
	K_ENTER,
	K_TAB,
	K_BACKSPACE,
	K_ESCAPE,
	K_UP,
	K_DOWN,
	K_LEFT,
	K_RIGHT,
	K_HOME,
	K_END,
	K_PAGE_UP,
	K_PAGE_DOWN,
	K_INSERT,
	K_DELETE,
	K_F1,
	K_F2,
	K_F3,
	K_F4,
	K_F5,
	K_F6,
	K_F7,
	K_F8,
	K_F9,
	K_F10,
	K_F11,
	K_F12,
};
enum { MOD_SHIFT = 1, MOD_ALT = 2, MOD_CTRL = 4 };

enum mouse_action { MOUSE_PRESS, MOUSE_RELEASE, MOUSE_DRAG, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN, MOUSE_MOVE };

struct event {
	enum event_type type;
	uint32_t key;             /* KEY; FOCUS: 1 gained, 0 lost */
	uint8_t mods;             /* KEY, MOUSE */
	enum mouse_action action; /* MOUSE */
	uint8_t button;           /* MOUSE: 1 left, 2 middle, 3 right; MOVE: 0 */
	uint8_t clicks;           /* MOUSE PRESS: 1, 2 double, 3 triple */
	int row, col;             /* MOUSE: cell; RESIZE: new rows and columns */
	const char *text; /* PASTE: borrowed while the event is handled; valid UTF-8, newlines as \n */
	size_t text_len;
	uint64_t time_ns;
};

#endif
