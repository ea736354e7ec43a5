/* SPDX-License-Identifier: MIT */
/* vi's keys in the workbench: modes, repeat, ":" commands, search. */
#include "tui/model/desk.h"

#include "editor/editor_internal.h"
#include "text/text.h"

static int vi_setup(void **state)
{
	int r = desk_setup(state);

	m.vi.mode = VI_NORMAL;
	m.confirm = false;
	return r;
}

static void has_text(const char *want)
{
	char got[300];

	got[text_copy(model_editor(&m)->text, 0, got, sizeof got - 1)] = '\0';
	assert_string_equal(got, want);
}

static void modes_are_shown_and_kept_apart(void **state)
{
	(void)state;
	assert_screen("NORMAL 1:1", true);
	type("ix = 1");
	assert_screen("INSERT 1:6", true);
	has_text("x = 1");
	press(K_ESCAPE, 0);
	assert_screen("NORMAL 1:5", true);
	type("0v");
	assert_screen("VISUAL 1:2", true);
	press(K_ESCAPE, 0);
	press(K_F5, 0); /* the key map's still work */
	assert_non_null(last_effect(EFFECT_RUN));
}

/* The character after such a key is not taken for a command. */
static void a_missing_key_says_so(void **state)
{
	(void)state;
	type("iabc");
	press(K_ESCAPE, 0);
	type("0qx");
	has_text("abc");
	assert_screen("vi's key q is not known here (macros)", true);
	type("\"ax");
	has_text("bc");
	assert_screen("vi's key \" is not known here (registers)", true);
	type("dmx"); /* the operator is forgotten, too */
	has_text("bc");
	type("H");
	assert_screen("vi's key H is not known here", true);
	type("0x==."); /* the change before */
	has_text("");
}

/* Nothing of it is carried out. */
static void a_missing_sequence_says_so(void **state)
{
	(void)state;
	type("iabc\n\ndef");
	press(K_ESCAPE, 0);
	type("gg=ip");
	assert_screen("vi's key = is not known here: > and < indent", true);
	type("==!ipzaZx");
	type("gx");
	assert_screen("vi's keys gx are not known here", true);
	type("dzx"); /* z takes a character */
	has_text("abc\n\ndef");
	type("dH");
	assert_screen("vi's keys dH are not known here", true);
	has_text("abc\n\ndef");
	type("d/"); /* what is typed after it is searched, and nothing is deleted */
	assert_screen("vi's keys d/ are not known here", true);
	type("d\n");
	has_text("abc\n\ndef");
	assert_screen("NORMAL 3:1", true);
	type("v/a\n");
	assert_screen("NORMAL 1:1", true);
	has_text("abc\n\ndef");
}

/* The key map's keys with Ctrl would duplicate, cut, paste or close. */
/* In NORMAL mode vi takes ^F, ^Z and others; in INSERT mode the editor does. */
static void the_keys_that_work_are_named(void **state)
{
	(void)state;
	resize(24, 160);
	assert_screen(" / Find", true);
	assert_screen("^F Find", false);
	press(K_F1, 0);
	type("undo");
	assert_screen("u               undo", true);
	press(K_ESCAPE, 0);
	press(K_F1, 0);
	type("duplicate");
	assert_screen("(in INSERT mode)", true);
	press(K_ESCAPE, 0);
	type("i");
	assert_screen("^F Find", true);
}

static void keys_with_ctrl_are_vis_own(void **state)
{
	static const char keys[] = "vdkxzadu]";
	size_t n_buffers = m.buffers.n;

	(void)state;
	type("iabc def\nghi");
	press(K_ESCAPE, 0);
	type("ggyw");
	for (size_t mode = 0; mode < 2; mode++) {
		for (size_t i = 0; keys[i]; i++)
			press((uint32_t)keys[i], MOD_CTRL);
		press('v', MOD_CTRL);
		assert_screen("vi's key ^V is not known here (a block): v and V select", true);
		press(K_DELETE, MOD_CTRL);
		press(K_BACKSPACE, MOD_ALT);
		press(K_TAB, 0);
		press(K_TAB, MOD_SHIFT);
		press(' ', MOD_CTRL);
		press('w', MOD_CTRL);
		type("o"); /* which is of a window, and opens no line */
		has_text("abc def\nghi");
		assert_int_equal(m.vi.mode, mode ? VI_VISUAL : VI_NORMAL);
		assert_screen("vi's key ^W is not known here (windows): ^W w", true);
		type("ggv");
	}
	press(K_ESCAPE, 0);
	press('w', MOD_CTRL);
	type("w");
	assert_int_equal(m.focus, PANE_OUTPUT);
	assert_int_equal(m.buffers.n, n_buffers);
}

static void pages_are_scrolled(void **state)
{
	size_t rows;

	(void)state;
	type("i");
	for (int i = 0; i < 100; i++)
		type("a\n");
	press(K_ESCAPE, 0);
	type("gg");
	rows = (size_t)model_editor(&m)->rows;
	press('d', MOD_CTRL);
	assert_int_equal(editor_line(model_editor(&m)), rows / 2);
	assert_int_equal(model_editor(&m)->top_line, rows / 2 - 3); /* the margin of the editor */
	press('u', MOD_CTRL);
	assert_int_equal(editor_line(model_editor(&m)), 0);
	press('f', MOD_CTRL);
	assert_int_equal(editor_line(model_editor(&m)), rows - 2);
	press('b', MOD_CTRL);
	assert_int_equal(editor_line(model_editor(&m)), 0);
	press('e', MOD_CTRL);
	assert_int_equal(model_editor(&m)->top_line, 1);
	press('y', MOD_CTRL);
	assert_int_equal(model_editor(&m)->top_line, 0);
	type("V");
	press(K_PAGE_DOWN, 0);
	type("d");
	assert_int_equal(text_lines(model_editor(&m)->text), 101 - (rows - 2) - 1);
	type("20Gzz");
	assert_int_equal(model_editor(&m)->top_line, 19 - rows / 2);
}

/* F5 runs what one sees to be selected: nothing is after a search. */
static void a_search_leaves_no_selection(void **state)
{
	(void)state;
	type("iab\ncd\nab");
	press(K_ESCAPE, 0);
	type("gg*");
	assert_screen("NORMAL 3:1", true);
	assert_false(editor_has_selection(model_editor(&m)));
	press(K_TAB, 0);
	has_text("ab\ncd\nab");
	press(K_F5, 0);
	assert_int_equal(last_effect(EFFECT_RUN)->run.len, 8);
	type("/cd");
	press(K_ESCAPE, 0); /* goes back */
	assert_false(editor_has_selection(model_editor(&m)));
	assert_screen("NORMAL 3:1", true);
}

/* Whatever selects, the mode tells that something is selected. */
static void a_selection_is_seen(void **state)
{
	(void)state;
	type("iab cd\nef");
	press(K_ESCAPE, 0);
	type("gg");
	press(K_RIGHT, MOD_SHIFT);
	press(K_RIGHT, MOD_SHIFT);
	assert_screen("VISUAL 1:3", true);
	type("e");
	assert_int_equal(selection_end(model_editor(&m)->sel), 5);
	type("d");
	has_text("\nef");
	type("jv");
	press(K_HOME, MOD_CTRL); /* without a selection it ends */
	assert_screen("NORMAL 1:1", true);
}

static void colon_in_visual_mode_is_for_its_lines(void **state)
{
	(void)state;
	type("ia\na\na\na");
	press(K_ESCAPE, 0);
	type("2GVj:s/a/b/\n");
	has_text("a\nb\nb\na");
	assert_screen("NORMAL", true);
}

static void it_is_left_by_two_keys(void **state)
{
	(void)state;
	type("ZZ");
	assert_non_null(last_effect(EFFECT_QUIT_SAVING));
	type("ZQ");
	assert_non_null(last_effect(EFFECT_QUIT_DISCARDING));
}

static void a_change_is_repeated_as_it_was_typed(void **state)
{
	(void)state;
	type("iif a:\nb");
	press(K_ESCAPE, 0);
	has_text("if a:\n    b");
	type("oc");
	press(K_ESCAPE, 0);
	type(".");
	has_text("if a:\n    b\n    c\n    c");
	type("u"); /* the new line and what is typed in it are one step */
	has_text("if a:\n    b\n    c");
	type("u");
	has_text("if a:\n    b");
}

static void colon_takes_commands(void **state)
{
	(void)state;
	type("ia\nb\nc");
	press(K_ESCAPE, 0);
	type(":2\n");
	assert_int_equal(editor_line(model_editor(&m)), 1);
	type(":w notes.py\n");
	assert_string_equal(last_effect(EFFECT_WRITE)->save.path, "notes.py");
	type(":w! notes.py\n");
	assert_string_equal(last_effect(EFFECT_WRITE_OVER)->save.path, "notes.py");
	type(":w !sort\n");
	assert_screen("writes only to a file here", true);
	type(":e other.py\n");
	assert_string_equal(last_effect(EFFECT_OPEN)->open.path, "other.py");
	type(":wq\n");
	assert_non_null(last_effect(EFFECT_QUIT_SAVING));
	type(":stop\n");
	assert_non_null(last_effect(EFFECT_SUSPEND));
	type(":nonsense\n");
	assert_screen("is not known here", true);
	type(":q\n");
	assert_true(dialog_is_open(&m.dialog) || last_effect(EFFECT_QUIT));
}

static void a_search_goes_on(void **state)
{
	(void)state;
	type("iab\ncd\nab\ncd");
	press(K_ESCAPE, 0);
	type("gg/cd\n"); /* Enter closes the bar */
	assert_int_equal(m.finder.state, FINDER_CLOSED);
	assert_int_equal(editor_line(model_editor(&m)), 1);
	assert_screen("cd: 1 of 2", true);
	assert_screen("NORMAL 2:1", true);
	type("n");
	assert_int_equal(editor_line(model_editor(&m)), 3);
	type("N");
	assert_int_equal(editor_line(model_editor(&m)), 1);
	type("x");
	has_text("ab\nd\nab\ncd");
}

static void a_selection_of_the_mouse_is_a_visual_one(void **state)
{
	struct rect pane = m.layout.panes[PANE_EDITOR];
	int col = pane.col + editor_gutter(model_editor(&m));

	(void)state;
	type("ione two\nthree");
	press(K_ESCAPE, 0);
	mouse(MOUSE_PRESS, pane.row, col + 4);
	mouse(MOUSE_DRAG, pane.row + 1, col + 2);
	mouse(MOUSE_RELEASE, pane.row + 1, col + 2);
	type("d");
	has_text("one ree");
	assert_screen("NORMAL 1:5", true);
	type("/one\nx"); /* what a search has found is none */
	has_text("ne ree");
}

static void press_at(int row, int col)
{
	struct rect pane = m.layout.panes[PANE_EDITOR];
	int first = pane.col + editor_gutter(model_editor(&m));

	mouse(MOUSE_PRESS, pane.row + row, first + col);
	mouse(MOUSE_RELEASE, pane.row + row, first + col);
}

/* Its keys alone would be another change. */
static void a_change_of_the_mouse_is_not_repeated(void **state)
{
	struct rect pane = m.layout.panes[PANE_EDITOR];
	int col = pane.col + editor_gutter(model_editor(&m));

	(void)state;
	type("ione two\nthree\nfour");
	press(K_ESCAPE, 0);
	type("ggA!");
	press(K_ESCAPE, 0);
	mouse(MOUSE_PRESS, pane.row, col + 4);
	mouse(MOUSE_DRAG, pane.row, col + 7);
	mouse(MOUSE_RELEASE, pane.row, col + 7);
	type("d");
	has_text("one !\nthree\nfour");
	type("gg.");
	has_text("one !!\nthree\nfour"); /* the change before */
	type("j");
	has_text("one !!\nthree\nfour");
	assert_screen("NORMAL 2:", true);
	type("x.");
	has_text("one !!\nthr\nfour");
}

static void a_click_ends_a_count(void **state)
{
	(void)state;
	type("ione\ntwo\nthree");
	press(K_ESCAPE, 0);
	type("gg3ix");
	press_at(2, 1);
	press(K_ESCAPE, 0);
	has_text("xone\ntwo\nthree");
	type("gg3iy");
	buffer_show(&m, buffers_current(&m.buffers), &fx); /* as for another buffer */
	press(K_ESCAPE, 0);
	has_text("yxone\ntwo\nthree");
}

static void a_search_goes_back(void **state)
{
	(void)state;
	type("iab\ncd\nab\ncd\nab");
	press(K_ESCAPE, 0);
	type("3G?ab"); /* shown while it is typed */
	assert_int_equal(editor_line(model_editor(&m)), 0);
	type("\n");
	assert_int_equal(editor_line(model_editor(&m)), 0);
	type("n"); /* around the top */
	assert_int_equal(editor_line(model_editor(&m)), 4);
	type("N");
	assert_int_equal(editor_line(model_editor(&m)), 0);
	type("/cd\nn");
	assert_int_equal(editor_line(model_editor(&m)), 3);
}

static void the_word_at_the_cursor_is_searched(void **state)
{
	(void)state;
	type("iabc\nab\nabc x\nabcd");
	press(K_ESCAPE, 0);
	type("ggl*");
	assert_screen("NORMAL 3:1", true);
	type("n");
	assert_screen("NORMAL 1:1", true);
	type("l#");
	assert_screen("NORMAL 3:1", true);
	type("n");
	assert_screen("NORMAL 1:1", true);
	type("x/bc\n"); /* which is no whole word */
	assert_screen("NORMAL 3:2", true);
}

/* The options of the bar are for what is typed in it. */
static void a_searched_word_is_plain_text(void **state)
{
	(void)state;
	type("ia.b\nacb\na.b");
	press(K_ESCAPE, 0);
	m.finder.opts.is_regex = true;
	type("ggl*"); /* a dot, which is no word */
	assert_screen("NORMAL 3:2", true);
	type("n");
	assert_screen("NORMAL 1:2", true);
	assert_true(m.finder.opts.is_regex);
	assert_false(m.finder.opts.is_word);
}

/* The first match is the one after the cursor, even if the cursor stands on a match. */
static void a_search_begins_after_the_cursor(void **state)
{
	(void)state;
	type("ione\none\none");
	press(K_ESCAPE, 0);
	type("gg/one\n");
	assert_int_equal(editor_line(model_editor(&m)), 1);
	type("n");
	assert_int_equal(editor_line(model_editor(&m)), 2);
	type("n");
	assert_int_equal(editor_line(model_editor(&m)), 0);
	type("/none here\n");
	assert_int_equal(editor_line(model_editor(&m)), 0);
	type("x");
	has_text("ne\none\none");
}

static void text_is_substituted(void **state)
{
	(void)state;
	type("iaa b\naa\naa c/d");
	press(K_ESCAPE, 0);
	type(":2s/a/x/\n");
	has_text("aa b\nxa\naa c/d");
	type(":%s/a/&&/g\n");
	has_text("aaaa b\nxaa\naaaa c/d");
	type("u");
	has_text("aa b\nxa\naa c/d");
	type(":%s#(a+) c/#\\1$#\n");
	has_text("aa b\nxa\naa$d");
	type(":1,2s/A/y/gi\n");
	has_text("yy b\nxy\naa$d");
	type(":s/zz/y/\n");
	assert_screen("no match", true);
	type(":s/aa/y/q\n");
	assert_screen("flags g and i", true);
	has_text("yy b\nxy\naa$d");
}

/* Undo of the menus, a reload and another buffer take the text away from under visual mode. */
static void visual_mode_ends_with_its_text(void **state)
{
	static const char *const disturbing[] = {"undo", "new-buffer", "next-buffer", "select-all"};
	size_t n = sizeof disturbing / sizeof *disturbing;

	(void)state;
	for (size_t i = 0; i <= n; i++) {
		editor_set_text(model_editor(&m), "a\n", 2);
		editor_goto_line(model_editor(&m), 0);
		type("yy99pvG");
		assert_int_equal(m.vi.mode, VI_VISUAL);
		if (i < n)
			command_run(&m, command_find(disturbing[i]), &fx);
		else
			editor_set_text(model_editor(&m), "b", 1); /* as a reload does */
		send((struct msg){.type = MSG_RELOADED, .file.buffer = buffers_current(&m.buffers)->id});
		assert_int_equal(m.vi.mode, VI_NORMAL);
		size_t len = text_len(model_editor(&m)->text);
		type("rz~vU");
		assert_true(text_len(model_editor(&m)->text) <= len);
	}
}

/* Another program may write the file of a buffer that is not shown. */
static void a_reload_in_the_background_leaves_what_is_typed(void **state)
{
	struct buffer *other = m.buffers.items[1];

	(void)state;
	type("3i");
	other->editor.path = strdup("/w/other.js");
	send((struct msg){.type = MSG_RELOADED, .file.buffer = other->id, .file.path = "/w/other.js"});
	assert_non_null(strstr(notices_at(&m.notices, 0)->text, "other.js: reloaded from the disk"));
	type("x");
	press(K_ESCAPE, 0);
	has_text("xxx");
}

/* Over a slow line Escape and the key after it come as Alt and that key. */
static void an_alt_key_without_a_function_is_escape_and_the_key(void **state)
{
	(void)state;
	type("iabc");
	press(':', MOD_ALT);
	assert_true(dialog_is_open(&m.dialog));
	press(K_ESCAPE, 0);
	assert_int_equal(m.vi.mode, VI_NORMAL);
	has_text("abc");
	press('~', MOD_ALT);
	has_text("abC");
	type("/b");
	press('c', MOD_ALT); /* the bar's own key */
	assert_true(m.finder.opts.is_exact && m.finder.state != FINDER_CLOSED);
	press(K_ESCAPE, 0);
	type("$");
	m.tells_keys = true; /* then Alt is Alt */
	press('~', MOD_ALT);
	has_text("abC");
}

/* A search that other keys have begun selects something else than visual mode does. */
static void a_search_ends_visual_mode(void **state)
{
	(void)state;
	type("ione two one");
	press(K_ESCAPE, 0);
	type("0/one\n");
	type("0ve");
	assert_int_equal(m.vi.mode, VI_VISUAL);
	command_run(&m, command_find("find-next"), &fx);
	event((struct event){.type = EVENT_FOCUS});
	assert_int_equal(m.vi.mode, VI_NORMAL);
	type("x"); /* where the cursor is shown */
	has_text("one two ne");
}

static void the_help_lists_them(void **state)
{
	(void)state;
	press(K_F1, 0);
	type("gu gU");
	assert_screen("Keys of vi, in NORMAL and VISUAL mode", true);
	assert_screen("lower case, upper case", true);
	press(K_ESCAPE, 0);
	m.vi.mode = VI_OFF;
	press(K_F1, 0);
	type("gu gU");
	assert_screen("Keys of vi", false);
}

static void an_exclamation_mark_discards(void **state)
{
	(void)state;
	type("ia");
	press(K_ESCAPE, 0);
	type(":q!\n");
	assert_false(dialog_is_open(&m.dialog));
	assert_non_null(last_effect(EFFECT_QUIT_DISCARDING));
}

/* It is about the text that is seen, unless it says "all". */
static void an_exclamation_mark_spares_other_buffers(void **state)
{
	(void)state;
	type("iother");
	press(K_ESCAPE, 0);
	buffer_new(&m, &fx);
	uint32_t id = buffers_current(&m.buffers)->id;
	type("ithis");
	press(K_ESCAPE, 0);
	type(":q!\n");
	assert_null(last_effect(EFFECT_QUIT_DISCARDING));
	assert_null(buffers_find(&m.buffers, id));
	has_text("other");
	assert_screen("the python buffer has unsaved changes, too", true);
	buffer_new(&m, &fx);
	type("ZQ");
	assert_null(last_effect(EFFECT_QUIT_DISCARDING));
	has_text("other");
	buffer_new(&m, &fx);
	type(":qa!\n");
	assert_non_null(last_effect(EFFECT_QUIT_DISCARDING));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, vi_setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(modes_are_shown_and_kept_apart),
			TEST(a_missing_key_says_so),
			TEST(a_missing_sequence_says_so),
			TEST(keys_with_ctrl_are_vis_own),
			TEST(the_keys_that_work_are_named),
			TEST(pages_are_scrolled),
			TEST(a_search_leaves_no_selection),
			TEST(a_selection_is_seen),
			TEST(colon_in_visual_mode_is_for_its_lines),
			TEST(it_is_left_by_two_keys),
			TEST(a_change_is_repeated_as_it_was_typed),
			TEST(colon_takes_commands),
			TEST(a_search_goes_on),
			TEST(a_selection_of_the_mouse_is_a_visual_one),
			TEST(a_change_of_the_mouse_is_not_repeated),
			TEST(a_click_ends_a_count),
			TEST(a_search_goes_back),
			TEST(the_word_at_the_cursor_is_searched),
			TEST(a_searched_word_is_plain_text),
			TEST(a_search_begins_after_the_cursor),
			TEST(text_is_substituted),
			TEST(visual_mode_ends_with_its_text),
			TEST(a_reload_in_the_background_leaves_what_is_typed),
			TEST(an_alt_key_without_a_function_is_escape_and_the_key),
			TEST(a_search_ends_visual_mode),
			TEST(the_help_lists_them),
			TEST(an_exclamation_mark_discards),
			TEST(an_exclamation_mark_spares_other_buffers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
