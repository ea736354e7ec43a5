/* SPDX-License-Identifier: MIT */
/* Scripts of keys against the text that comes out: '|' is the cursor, '{' the other end of a selection. */
#include "editor/editor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#include "cells/event.h"
#include "cmocka_all.h"
#include "command/keymap.h"
#include "editor/editor_internal.h"
#include "text/text.h"
#include "tui/editor/save_text.h"

static struct clipboard clipboard;
static struct editor ed;
static uint64_t now_ns;
static struct keymap keymap;

static const struct {
	const char *name;
	uint32_t key;
} names[] = {{"left", K_LEFT}, {"right", K_RIGHT}, {"up", K_UP}, {"down", K_DOWN}, {"home", K_HOME},
		{"end", K_END}, {"pgup", K_PAGE_UP}, {"pgdn", K_PAGE_DOWN}, {"enter", K_ENTER},
		{"tab", K_TAB}, {"bs", K_BACKSPACE}, {"del", K_DELETE}, {"ins", K_INSERT}, {"esc", K_ESCAPE}};

static uint32_t key_named(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i].name) == n && memcmp(names[i].name, name, n) == 0)
			return names[i].key;
	assert_int_equal(n, 1);
	return (unsigned char)*name;
}

/* As update() does it: the key map first, then Shift with a motion, else typing. */
static unsigned press_at(uint32_t key, uint8_t mods, uint64_t time_ns)
{
	struct event ev = {.type = EVENT_KEY, .key = key, .mods = mods, .time_ns = time_ns};
	struct keys keys = {.n = 1, .chords = {{key, mods}}};
	const struct command *c;

	if (key == K_TAB && mods == 0) /* by itself it is for completion, too */
		return editor_command(&ed, command_find("indent"), false, time_ns);
	if (keymap_resolve(&keymap, CONTEXT_EDITOR, &keys, &c) == KEYMAP_COMMAND && c->edit)
		return editor_command(&ed, c, false, time_ns);
	keys.chords[0].mods &= (uint8_t)~MOD_SHIFT;
	if (mods & MOD_SHIFT && keymap_resolve(&keymap, CONTEXT_EDITOR, &keys, &c) == KEYMAP_COMMAND
			&& c->is_motion)
		return editor_command(&ed, c, true, time_ns);
	return editor_handle(&ed, &ev);
}

static unsigned press(uint32_t key, uint8_t mods)
{
	return press_at(key, mods, now_ns);
}

/* Play "abc<left><C-x><S-M-up>": plain characters, and keys in angle brackets; <wait> lets time pass.
 * Returns the bits of the last. */
static unsigned play(const char *keys)
{
	unsigned bits = 0;
	while (*keys) {
		const char *end = *keys == '<' ? strchr(keys, '>') : NULL;
		uint8_t mods = 0;
		if (!end) {
			bits = press((unsigned char)*keys++, 0);
			continue;
		}
		for (keys++; keys[1] == '-' && keys + 1 < end; keys += 2)
			mods |= *keys == 'C' ? MOD_CTRL : *keys == 'S' ? MOD_SHIFT : MOD_ALT;
		if (end - keys == 4 && memcmp(keys, "wait", 4) == 0)
			now_ns += 5000000000u;
		else
			bits = press(key_named(keys, (size_t)(end - keys)), mods);
		keys = end + 1;
	}
	return bits;
}

static void expect(const char *want)
{
	char *text = text_slice(ed.text, 0, SIZE_MAX), got[4096];
	size_t len = 0;
	for (size_t i = 0; i <= text_len(ed.text) && len < sizeof(got) - 3; i++) {
		if (i == ed.sel.anchor && ed.sel.anchor != ed.sel.cursor)
			got[len++] = '{';
		if (i == ed.sel.cursor)
			got[len++] = '|';
		if (i < text_len(ed.text))
			got[len++] = text[i];
	}
	got[len] = '\0';
	assert_string_equal(got, want);
	free(text);
}

static void begin_with(const char *text, size_t cursor)
{
	editor_finish(&ed);
	assert_int_equal(editor_init(&ed, NULL, &clipboard), 0);
	editor_resize(&ed, 10, 80);
	assert_int_equal(editor_set_text(&ed, text, strlen(text)), 0);
	editor_select(&ed, cursor, cursor);
}

static void begin_in(const char *lang, const char *text)
{
	begin_with(text, strlen(text));
	assert_int_equal(trm_lang_find(lang, &ed.lang, NULL), 0);
}

static void test_typing_and_erasing(void **state)
{
	(void)state;
	begin_with("", 0);
	play("helo<left>l<end>!<bs><bs>");
	expect("hell|");
	play("<home><del><C-right><C-bs>");
	expect("|");
	assert_int_equal(play("<bs>") & EDITOR_CHANGED, 0);
	assert_int_equal(play("<C-q>"), 0); /* not the editor's */
}

static void test_clusters_are_never_cut(void **state)
{
	(void)state;
	begin_with("e\xCC\x81\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBBx", 0);
	play("<right>");
	assert_int_equal(ed.sel.cursor, 3);
	play("<right>");
	assert_int_equal(ed.sel.cursor, 14);
	play("<bs>");
	expect("e\xCC\x81|x");
	play("<bs>");
	expect("|x");
}

static void test_motions(void **state)
{
	(void)state;
	begin_with("one two.three\n    four\n\nfive", 0);
	play("<C-right>");
	expect("one| two.three\n    four\n\nfive");
	play("<C-right><C-right>");
	expect("one two.|three\n    four\n\nfive");
	play("<C-right><M-right>");
	expect("one two.three\n    four|\n\nfive");
	play("<home>");
	expect("one two.three\n    |four\n\nfive");
	play("<home>");
	expect("one two.three\n|    four\n\nfive");
	play("<home><C-left><C-left>");
	expect("one two|.three\n    four\n\nfive");
	play("<C-end><up><up>"); /* the column is kept across the empty line */
	expect("one two.three\n    |four\n\nfive");
	play("<C-home><up><S-end>");
	expect("{one two.three|\n    four\n\nfive");
	play("<C-end><down><S-C-home>");
	expect("|one two.three\n    four\n\nfive{");
	play("<right>");
	expect("one two.three\n    four\n\nfive|");
}

static void test_pages(void **state)
{
	char text[400] = "";
	(void)state;
	for (int i = 0; i < 100; i++)
		strcat(text, "ab\n");
	begin_with(text, 1);
	play("<pgdn>");
	assert_int_equal(editor_line(&ed), 9);
	assert_int_equal(ed.top_line, 9 - 3);
	play("<pgdn><pgup><pgup>");
	assert_int_equal(editor_line(&ed), 0);
	assert_int_equal(ed.sel.cursor, 1);
	play("<C-end>");
	assert_int_equal(ed.top_line, 91);
	play("<C-up><C-up>");
	assert_int_equal(ed.top_line, 89);
	assert_int_equal(editor_line(&ed), 100);
}

static void test_undo(void **state)
{
	(void)state;
	begin_with("", 0);
	play("abc<wait>def<left>X");
	expect("abcdeX|f");
	play("<C-z>");
	expect("abcde|f");
	play("<C-z>");
	expect("abc|");
	play("<C-z>");
	expect("|");
	play("<C-y><C-y>");
	expect("abcdef|");
	play("<C-a>z<C-z>");
	expect("{abcdef|");
	play("<C-z><C-z><C-z><C-z>");
	expect("|");
	assert_false(editor_is_modified(&ed) && text_len(ed.text) > 0);
}

static void test_clipboard(void **state)
{
	(void)state;
	begin_with("one\ntwo\nthree\n", 0);
	assert_true(play("<S-C-right><C-ins>") & EDITOR_CLIPBOARD);
	assert_string_equal(clipboard.text, "one");
	play("<end><C-v>");
	expect("oneone|\ntwo\nthree\n");
	assert_int_equal(play("<C-ins>"), EDITOR_HANDLED); /* nothing selected: the clipboard stays */
	play("<S-home><C-x>");
	expect("|\ntwo\nthree\n");
	play("<C-k><C-k>");
	expect("|three\n");
	assert_string_equal(clipboard.text, "\ntwo\n");
	play("<C-v>");
	expect("\ntwo\n|three\n");
	play("<C-z>");
	expect("|three\n");
	play("<C-z>");
	expect("|\ntwo\nthree\n");
}

static void test_cuts_collect_only_behind_their_own(void **state)
{
	(void)state;
	begin_with("one\ntwo\nthree\n", 0);
	edit_cut_to_line_end(&ed, 0);
	edit_cut_to_line_end(&ed, 0);
	assert_string_equal(clipboard.text, "one\n");
	clipboard_finish(&clipboard); /* something else was copied elsewhere */
	clipboard = (struct clipboard){.text = strdup("secret"), .len = 6};
	edit_cut_to_line_end(&ed, 0);
	assert_string_equal(clipboard.text, "two");
}

static void test_paste_is_verbatim_and_one_step(void **state)
{
	static const char pasted[] = "if x:\n\ty\n  z\n";
	struct event ev = {.type = EVENT_PASTE, .text = pasted, .text_len = sizeof(pasted) - 1};
	(void)state;
	begin_in("python", "    ");
	assert_int_equal(editor_handle(&ed, &ev), EDITOR_HANDLED | EDITOR_REDRAW | EDITOR_CHANGED);
	expect("    if x:\n\ty\n  z\n|");
	play("<C-z>");
	expect("    |");
}

static void test_enter_indents(void **state)
{
	(void)state;
	begin_in("python", "def f():");
	play("<enter>x = 1<enter>if x:<enter>return x<enter>y");
	expect("def f():\n    x = 1\n    if x:\n        return x\n    y|");
	play("<C-z>");
	begin_in("python", "    x");
	play("<enter><enter>y");
	expect("    x\n\n    y|");
	begin_in("javascript", "\tif (x) {");
	play("<enter>y");
	expect("\tif (x) {\n\t\ty|");
	begin_in("bash", "for i in 1; do");
	play("<enter>x<enter>");
	expect("for i in 1; do\n    x\n    |");
	begin_in("bash", "echo undo");
	play("<enter>");
	expect("echo undo\n|");
	begin_with("    ab", 5);
	play("<enter>");
	expect("    a\n    |b");
	/* Keys without a pause between them were pasted; typed blanks are more indentation. */
	begin_in("python", "");
	play("for i in x:<enter>    if i:<enter>          y<enter>z");
	expect("for i in x:\n    if i:\n          y\n          z|");
	begin_in("python", "");
	play("if x:<enter><wait>  y");
	expect("if x:\n      y|");
	begin_in("python", "");
	play("if x:<enter>y  z");
	expect("if x:\n    y  z|");
}

static void test_tabs(void **state)
{
	(void)state;
	begin_with("ab", 2);
	play("<tab>c<tab>");
	expect("ab  c   |");
	begin_with("a\n\n  b\nc", 0);
	play("<S-down><S-down><S-down><tab>");
	expect("{    a\n\n      b\n|c");
	play("<S-tab>");
	expect("{a\n\n  b\n|c");
	play("<S-tab>");
	expect("{a\n\nb\n|c");
	play("<C-z>");
	expect("{a\n\n  b\n|c");
	begin_with("      x", 7);
	play("<S-tab>");
	expect("  x|");
	play("<S-tab>");
	expect("x|");
	begin_with("\tx", 2);
	play("<tab>");
	expect("\tx\t|");
	/* Backspace takes a level of indentation, but only of that. */
	begin_with("        x", 8);
	play("<bs>");
	expect("    |x");
	play("<bs><C-z>");
	expect("        |x");
	begin_with("      x", 6);
	play("<bs>");
	expect("    |x");
	begin_with("\t  x  ", 7);
	play("<bs>");
	expect("\t  x |");
	play("<left><left><bs>");
	expect("\t |x ");
}

static void test_comments(void **state)
{
	(void)state;
	begin_in("python", "  a\n\n    b");
	play("<C-a><C-_>");
	expect("{  # a\n\n  #   b|");
	play("<C-_>");
	expect("{  a\n\n    b|");
	play("<C-end><C-_>");
	expect("  a\n\n    # b|");
}

static void test_moving_and_doubling_lines(void **state)
{
	(void)state;
	begin_with("a\nb\nc", 3);
	play("<M-up>");
	expect("b|\na\nc");
	assert_int_equal(play("<M-up>"), EDITOR_HANDLED);
	play("<M-down><M-down>");
	expect("a\nc\nb|");
	play("<C-z>");
	expect("a\nb|\nc");
	play("<C-d>");
	expect("a\nb\nb|\nc");
}

static unsigned mouse(enum mouse_action action, int row, int col, uint8_t clicks, uint8_t mods)
{
	struct event ev = {.type = EVENT_MOUSE,
			.action = action,
			.row = row,
			.col = col,
			.clicks = clicks,
			.mods = mods,
			.button = 1};
	return editor_handle(&ed, &ev);
}

static void test_mouse(void **state)
{
	int gutter;
	(void)state;
	begin_with("one two three\n\xE4\xB8\xAD\xE6\x96\x87 x\nlast", 0);
	gutter = editor_gutter(&ed);
	mouse(MOUSE_PRESS, 0, gutter + 5, 1, 0);
	expect("one t|wo three\n\xE4\xB8\xAD\xE6\x96\x87 x\nlast");
	mouse(MOUSE_RELEASE, 0, gutter + 5, 0, 0);
	mouse(MOUSE_PRESS, 0, gutter + 5, 2, 0);
	expect("one {two| three\n\xE4\xB8\xAD\xE6\x96\x87 x\nlast");
	mouse(MOUSE_DRAG, 0, gutter + 9, 0, 0);
	expect("one {two three|\n\xE4\xB8\xAD\xE6\x96\x87 x\nlast");
	mouse(MOUSE_DRAG, 0, gutter + 1, 0, 0);
	expect("|one two{ three\n\xE4\xB8\xAD\xE6\x96\x87 x\nlast");
	mouse(MOUSE_RELEASE, 0, 0, 0, 0);
	mouse(MOUSE_PRESS, 1, gutter + 3, 1, 0); /* the right half of the second ideograph */
	assert_int_equal(ed.sel.cursor, 17);
	mouse(MOUSE_PRESS, 9, 70, 1, MOD_SHIFT);
	assert_int_equal(ed.sel.anchor, 17);
	assert_int_equal(ed.sel.cursor, text_len(ed.text));
	mouse(MOUSE_RELEASE, 0, 0, 0, 0);
	mouse(MOUSE_PRESS, 1, 0, 3, 0);
	assert_int_equal(ed.sel.anchor, 14);
	assert_int_equal(ed.sel.cursor, 23);
	mouse(MOUSE_RELEASE, 0, 0, 0, 0);
	assert_int_equal(mouse(MOUSE_DRAG, 0, 0, 0, 0), 0); /* no drag goes on */
}

/* Where a drag began moves with the text, as when a file is read again meanwhile. */
static void test_drag_over_a_change(void **state)
{
	static const char other[] = "\xC3\xA9\xE4\xB8\xAD";

	(void)state;
	begin_with("\n\n\n\n", 0);
	int gutter = editor_gutter(&ed);
	mouse(MOUSE_PRESS, 3, gutter, 1, 0);
	assert_int_equal(editor_set_text(&ed, other, strlen(other)), 0);
	mouse(MOUSE_DRAG, 0, gutter + 9, 0, 0);
	expect("\xC3\xA9\xE4\xB8\xAD|"); /* all was replaced: it is at the end */
	mouse(MOUSE_RELEASE, 0, 0, 0, 0);
	mouse(MOUSE_PRESS, 0, gutter + 1, 1, 0);
	assert_int_equal(text_len(ed.text), 5);
	editor_undo(&ed);
	mouse(MOUSE_DRAG, 9, gutter, 0, 0);
	assert_true(ed.sel.anchor <= 4 && ed.sel.cursor <= 4);
	mouse(MOUSE_RELEASE, 0, 0, 0, 0);
}

static void test_wheel_leaves_the_cursor(void **state)
{
	char text[400] = "";
	(void)state;
	for (int i = 0; i < 100; i++)
		strcat(text, "ab\n");
	begin_with(text, 0);
	mouse(MOUSE_WHEEL_DOWN, 0, 0, 0, 0);
	assert_int_equal(ed.top_line, 3);
	assert_int_equal(ed.sel.cursor, 0);
	mouse(MOUSE_WHEEL_UP, 0, 0, 0, 0);
	mouse(MOUSE_WHEEL_UP, 0, 0, 0, 0);
	assert_int_equal(ed.top_line, 0);
}

static void test_long_lines_scroll(void **state)
{
	char text[301];
	(void)state;
	memset(text, 'x', 300);
	text[300] = '\0';
	begin_with(text, 0);
	play("<end>");
	assert_true(ed.left_col > 0);
	assert_true(editor_column(&ed) - ed.left_col < (size_t)(80 - editor_gutter(&ed)));
	play("<home>");
	assert_int_equal(ed.left_col, 0);
}

static void expect_run(enum editor_run_kind kind, const char *code, size_t first_line)
{
	struct editor_run run = editor_run_range(&ed);
	char *got = text_slice(ed.text, run.pos, run.len);
	assert_int_equal(run.kind, kind);
	assert_string_equal(got, code);
	assert_int_equal(run.first_line, first_line);
	free(got);
}

static void test_what_runs(void **state)
{
	(void)state;
	begin_in("python", "a = 1\n");
	expect_run(EDITOR_RUN_ALL, "a = 1\n", 0);
	play("<C-home><S-right><S-right>");
	expect_run(EDITOR_RUN_SELECTION, "a ", 0);
	begin_in("python", "a\n# %% two\nb\nc\n#%%\nd");
	expect_run(EDITOR_RUN_CELL, "d", 5);
	play("<up>");
	expect_run(EDITOR_RUN_CELL, "d", 5);
	play("<up>");
	expect_run(EDITOR_RUN_CELL, "b\nc\n", 2);
	play("<C-home>");
	expect_run(EDITOR_RUN_CELL, "a\n", 0);
	begin_in("javascript", "x\n// %%");
	expect_run(EDITOR_RUN_CELL, "", 2);
}

static void test_files(void **state)
{
	char path[] = "/tmp/terrarium-editor-XXXXXX";
	struct trm_error err = {0};
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "a\r\nb\r\n", 6), 6);
	begin_with("kept", 2);
	assert_int_equal(editor_open(&ed, "/nosuch/file", &err), TRM_ENOENT);
	expect("ke|pt");
	assert_int_equal(save_text(&ed, &err), TRM_EINVAL);
	assert_int_equal(editor_open(&ed, path, &err), 0);
	expect("|a\nb\n");
	assert_false(editor_is_modified(&ed));
	play("x");
	assert_true(editor_is_modified(&ed));
	play("<C-z>");
	assert_false(editor_is_modified(&ed));
	assert_false(editor_is_stale(&ed));
	assert_int_equal(write(fd, "c", 1), 1);
	assert_true(editor_is_stale(&ed));
	play("<C-end>!");
	assert_int_equal(save_text(&ed, &err), 0);
	assert_false(editor_is_modified(&ed) || editor_is_stale(&ed));
	close(fd);
	assert_int_equal(editor_open(&ed, path, &err), 0);
	expect("|a\nb\n!");
	assert_int_equal(editor_begin(&ed, "/nosuch/new"), 0);
	expect("|");
	assert_string_equal(ed.path, "/nosuch/new");
	assert_false(ed.format.has_crlf || editor_is_modified(&ed) || editor_is_stale(&ed));
	unlink(path);
}

/* Any keys whatever: positions stay on clusters, and undoing it all brings back the beginning. */
static void test_random_keys(void **state)
{
	static const char *const keys[] = {"a", " ", "<enter>", "<tab>", "<S-tab>", "<bs>", "<del>", "<left>",
			"<S-right>", "<up>", "<S-down>", "<C-left>", "<S-C-right>", "<home>", "<end>",
			"<C-x>", "<C-v>", "<C-k>", "<C-d>", "<C-_>", "<M-up>", "<M-down>", "<C-z>", "<C-y>",
			"<C-bs>", "<C-del>", "{", ":", "<S-pgup>", "<pgdn>"};
	unsigned seed = 99;
	(void)state;
	begin_in("python", "start\n\tx\n\xE4\xB8\xAD e\xCC\x81\n");
	for (int i = 0; i < 20000; i++) {
		seed = seed * 1103515245u + 12345u;
		play(keys[(seed >> 8) % (sizeof(keys) / sizeof(*keys))]);
		assert_true(ed.sel.cursor <= text_len(ed.text) && ed.sel.anchor <= text_len(ed.text));
		if (text_len(ed.text) > 20000)
			play("<C-a><bs>");
		if (i % 500 == 0)
			assert_true(text_is_sound(ed.text));
	}
	while (history_undo(ed.history, &ed.sel))
		;
	expect("|");
}

static int begin(void **state)
{
	(void)state;
	return keymap_init(&keymap);
}

static int finish(void **state)
{
	(void)state;
	editor_finish(&ed);
	keymap_finish(&keymap);
	clipboard_finish(&clipboard);
	return 0;
}

/* Whatever is in the file: the text becomes that, and one undo makes it what it was. */
static void test_takes_files_in_one_step(void **state)
{
	char path[] = "/tmp/terrarium-take-XXXXXX", before[200], after[200];
	unsigned seed = 5;
	int fd = mkstemp(path);
	(void)state;
	assert_true(fd >= 0);
	for (int round = 0; round < 500; round++) {
		char *const texts[] = {before, after};
		for (int k = 0; k < 2; k++) {
			size_t n = (seed = seed * 1103515245u + 12345u) >> 8 & 63;
			for (size_t i = 0; i < n; i++)
				texts[k][i] = "ab\n"[((seed = seed * 1103515245u + 12345u) >> 8) % 3];
			texts[k][n] = '\0';
		}
		begin_with(before, strlen(before) / 2);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, after, strlen(after), 0), (ssize_t)strlen(after));
		assert_int_equal(editor_take_file(&ed, path, NULL), 0);
		char *text = text_slice(ed.text, 0, SIZE_MAX);
		assert_string_equal(text, after);
		free(text);
		if (strcmp(before, after) != 0)
			editor_undo(&ed);
		text = text_slice(ed.text, 0, SIZE_MAX);
		assert_string_equal(text, before);
		free(text);
	}
	close(fd);
	unlink(path);
	assert_int_equal(editor_take_file(&ed, path, NULL), TRM_ENOENT);
}

static void test_places_that_people_write(void **state)
{
	(void)state;
	begin_with("one\n\ttwo\nthree", 0);
	assert_true(editor_goto(&ed, " 2:5 "));
	assert_int_equal(ed.sel.cursor, 5); /* columns count cells: a tab is four */
	assert_true(editor_goto(&ed, "+1"));
	assert_int_equal(editor_line(&ed), 2);
	assert_true(editor_goto(&ed, "-9"));
	assert_int_equal(editor_line(&ed), 0);
	assert_false(editor_goto(&ed, ""));
	assert_false(editor_goto(&ed, "12 x"));
	assert_false(editor_goto(&ed, "0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_typing_and_erasing),
			cmocka_unit_test(test_clusters_are_never_cut),
			cmocka_unit_test(test_motions),
			cmocka_unit_test(test_pages),
			cmocka_unit_test(test_undo),
			cmocka_unit_test(test_clipboard),
			cmocka_unit_test(test_cuts_collect_only_behind_their_own),
			cmocka_unit_test(test_paste_is_verbatim_and_one_step),
			cmocka_unit_test(test_enter_indents),
			cmocka_unit_test(test_tabs),
			cmocka_unit_test(test_comments),
			cmocka_unit_test(test_moving_and_doubling_lines),
			cmocka_unit_test(test_mouse),
			cmocka_unit_test(test_drag_over_a_change),
			cmocka_unit_test(test_wheel_leaves_the_cursor),
			cmocka_unit_test(test_long_lines_scroll),
			cmocka_unit_test(test_what_runs),
			cmocka_unit_test(test_files),
			cmocka_unit_test(test_takes_files_in_one_step),
			cmocka_unit_test(test_places_that_people_write),
			cmocka_unit_test(test_random_keys),
	};
	return cmocka_run_group_tests(tests, begin, finish);
}
