/* SPDX-License-Identifier: MIT */
/* vi's keys, and what happens to the text between them: undo by the key map, a reload, another buffer, a
 * paste, the mouse, the key map's cuts. Cursor and selection stay in the text and between characters, which
 * stay whole. */
#include <stdlib.h>
#include <string.h>

#include "cells/event.h"
#include "command/command.h"
#include "editor/editor_internal.h"
#include "editor/vi.h"
#include "fuzz/fuzz.h"
#include "text/text.h"
#include "text/walk.h"

enum { BUFFERS = 2, TEXT_MAX = 20000, COUNT_MOST = 100, KEYS_MOST = 2000 };

/* Actions for bytes from 0x80 on. */
enum deed {
	UNDO,
	REDO,
	RELOAD,
	EMPTY,
	SWITCH,
	PASTE,
	CLICK,
	DRAG,
	SELECT,
	COMMAND,
	NAMED,
	WIDE,
	WRAP,
	DEEDS
};

static struct editor editors[BUFFERS];
static struct clipboard clipboard;
static struct vi v;
static size_t current;
static uint64_t now_ns;

static struct editor *shown(void)
{
	return &editors[current];
}

static void look(void)
{
	const struct editor *e = shown();
	size_t len = text_len(e->text), first;
	const size_t at[] = {e->sel.anchor, e->sel.cursor};

	for (size_t i = 0; i < 2; i++)
		if (at[i] > len || (text_byte(e->text, at[i]) & 0xC0) == 0x80)
			abort();
	if (text_broken_bytes(e->text, &first) || e->top_line >= text_lines(e->text))
		abort();
	if ((v.mode == VI_VISUAL || v.mode == VI_VISUAL_LINES) && v.of == e && v.version == editor_version(e)
			&& (v.anchor > len || v.cursor > len))
		abort();
}

static void press(uint32_t key, uint8_t mods)
{
	struct event ev = {.type = EVENT_KEY, .key = key, .mods = mods, .time_ns = now_ns += 10000000};
	enum vi_request request = VI_NOTHING;
	struct editor *e = shown();

	if (key >= '0' && key <= '9' && (v.count * 10 > COUNT_MOST || v.before > 9))
		return; /* large ones make it slow */
	if (vi_wants(&v, &ev)) {
		vi_key(&v, e, &ev, &request);
	} else {
		vi_typed(&v, e, &ev);
		if (key == K_ENTER)
			edit_enter(e, 0);
		else if (key == K_BACKSPACE || key == K_DELETE)
			edit_erase(e, key == K_BACKSPACE ? MOVE_LEFT : MOVE_RIGHT);
		else
			editor_handle(e, &ev);
	}
	look();
	if (request != VI_REPEAT)
		return;
	uint32_t keys[VI_KEYS];
	size_t n = v.n_last;
	memcpy(keys, v.last, sizeof keys);
	v.n_typed = 0;
	v.has_failed = false;
	v.is_repeating = true;
	for (size_t i = 0; i < n && !v.has_failed; i++)
		if (keys[i])
			press(keys[i] < ' ' ? keys[i] | 0x60 : keys[i], keys[i] < ' ' ? MOD_CTRL : 0);
	v.is_repeating = false;
}

static void point(enum mouse_action action, uint8_t arg)
{
	struct event ev = {.type = EVENT_MOUSE,
			.action = action,
			.button = 1,
			.clicks = (uint8_t)(1 + arg % 3),
			.row = arg / 8 % 12 - 1,
			.col = arg * 7 % 50 - 2};

	vi_break(&v, shown());
	editor_handle(shown(), &ev);
}

static void set_text(const char *text)
{
	if (editor_set_text(shown(), text, strlen(text)) < 0)
		abort();
}

static void run_command(uint8_t arg)
{
	size_t i = arg % (editor_commands.n + 1);

	if (i == editor_commands.n)
		editor_paste_older(shown());
	else
		editor_command(shown(), &editor_commands.commands[i], arg & 0x40, now_ns += 10000000);
}

static void do_deed(enum deed deed, uint8_t arg)
{
	static const char *const texts[] = {"", "a\n", "one two(a, b)\n\n    three\n",
			"\xC3\xA9\xE4\xB8\xAD x\n\t{\n}\n", "no break", "\n\n\n",
			"\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB e\xCC\x81.\n"};
	static const uint32_t wide[] = {0xE9, 0x4E2D, 0x1F600, 0x301, 0x200D};
	const char *text = texts[arg % (sizeof texts / sizeof *texts)];
	struct event paste = {.type = EVENT_PASTE, .text = text, .text_len = strlen(text)};
	size_t len = text_len(shown()->text);

	switch (deed) {
	case UNDO: editor_undo(shown()); break;
	case REDO: editor_redo(shown()); break;
	case RELOAD: set_text(text); break;
	case EMPTY:
		if (editor_begin(shown(), "x.py") < 0)
			abort();
		break;
	case SWITCH:
		history_gather(shown()->history, false);
		current = arg % BUFFERS;
		break;
	case PASTE: editor_handle(shown(), &paste); break;
	case CLICK: point(MOUSE_PRESS, arg); break;
	case DRAG: point(MOUSE_DRAG, arg); break;
	case SELECT:
		editor_select(shown(), text_line_start(shown()->text, arg % 4), arg & 0x80 ? len : 0);
		break;
	case COMMAND: run_command(arg); break;
	case NAMED: press(K_ENTER + arg % (K_F1 - K_ENTER), arg & 0x80 ? MOD_CTRL : 0); break;
	case WIDE: press(wide[arg % (sizeof wide / sizeof *wide)], 0); break;
	case WRAP: shown()->wraps = arg & 1; break;
	case DEEDS: break;
	}
	look();
	if (arg & 0x20)
		vi_follow(&v, shown(), true);
	if (arg & 0x10)
		vi_break(&v, shown());
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < BUFFERS; i++) {
		if (editor_init(&editors[i], NULL, &clipboard) < 0)
			abort();
		editor_resize(&editors[i], 10, 40);
	}
	v = (struct vi){.mode = VI_NORMAL};
	current = 0;
	for (size_t i = 0; i < n && i < KEYS_MOST; i++) {
		uint8_t b = bytes[i];
		if (b >= 0x80)
			do_deed((b & 0x7F) % DEEDS, i + 1 < n ? bytes[++i] : 0);
		else if (b == 0x1B || b == '\r' || b == 0x7F)
			press(b == 0x1B ? K_ESCAPE : b == '\r' ? K_ENTER : K_BACKSPACE, 0);
		else
			press(b < ' ' ? b | 0x60u : b, b < ' ' ? MOD_CTRL : 0);
		look();
		if (text_len(shown()->text) > TEXT_MAX)
			set_text("a\n");
		if (clipboard.len > TEXT_MAX / 10)
			clipboard_finish(&clipboard);
	}
	for (size_t i = 0; i < BUFFERS; i++)
		editor_finish(&editors[i]);
	clipboard_finish(&clipboard);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("ia\rb\x1byy99pvG\x80\x01rz"),
		SEED("\x82\x02ggVG\x82\x01~\x82\x03Vju\x84\x01vU\x84\x00d"),
		SEED("\x82\x02wviwd.w.u\x12"
		     "3ixy\x1bu.2o\x1b"
		     "3>>Vj2>Jp3PyyjVp"),
		SEED("\x82\x03ggvg_$y\x84\x01p\x85\x02v3lr\x8b\x01gUiwgg~~ci(x\x1b.da\"dapyap"),
		SEED("\x82\x02i\x86\x11xx\x87\x35yz\x1b.\x89\x23\x89\x45\x88\x82"
		     "d\x8a\x08\x8a\x8avipc\x1b"),
		SEED("\x82\x06vey$pvep\x80\x20\x81\x20"
		     "Axx\x17\x15yy\x1b"
		     "f:;,t.%{}\x05\x19\x06\x02"),
		{NULL, 0},
};
