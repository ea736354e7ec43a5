/* SPDX-License-Identifier: MIT */
/* Sets of keys: that of Emacs, and that every row of every set means something that can be reached. */
#include "command/keymap.h"

#include "model/key_hint.h"
#include "text/text.h"
#include "tui/model/desk.h"

static int use_emacs(void **state)
{
	if (desk_setup(state) < 0)
		return -1;
	keymap_finish(&m.keymap);
	return keymap_complete(&m.keymap, "emacs", NULL);
}

static char *buffer(void)
{
	static char out[200];
	const struct text *t = model_editor(&m)->text;

	out[text_copy(t, 0, out, sizeof out - 1)] = '\0';
	return out;
}

static void moves_and_kills(void **state)
{
	(void)state;
	type("one two\nthree");
	press('a', MOD_CTRL);
	press('k', MOD_CTRL);
	assert_string_equal(buffer(), "one two\n");
	press('p', MOD_CTRL);
	press('e', MOD_CTRL);
	press('y', MOD_CTRL);
	assert_string_equal(buffer(), "one twothree\n");
	press('_', MOD_CTRL);
	assert_string_equal(buffer(), "one two\n");
	press('a', MOD_CTRL);
	press('f', MOD_ALT);
	press('d', MOD_CTRL);
	assert_string_equal(buffer(), "onetwo\n");
}

/* Emacs joins kills that follow each other, and a pause does not come between them. */
static void kills_are_collected(void **state)
{
	(void)state;
	type("one\ntwo\nthree");
	press('<', MOD_ALT);
	press('k', MOD_CTRL);
	now_ns += 10000000000u;
	press('k', MOD_CTRL);
	press('k', MOD_CTRL);
	assert_string_equal(buffer(), "\nthree");
	press('>', MOD_ALT);
	press('y', MOD_CTRL);
	assert_string_equal(buffer(), "\nthreeone\ntwo");
	press('_', MOD_CTRL);
	press('_', MOD_CTRL); /* each kill is a step */
	assert_string_equal(buffer(), "two\nthree");
	press('<', MOD_ALT);
	press('k', MOD_CTRL);
	press('f', MOD_CTRL); /* another command comes between */
	press('k', MOD_CTRL);
	press('y', MOD_CTRL);
	press('y', MOD_CTRL);
	assert_string_equal(buffer(), "\nthreethree");
}

static void words_are_collected(void **state)
{
	(void)state;
	type("one two three four");
	press('<', MOD_ALT);
	press('d', MOD_ALT);
	press('d', MOD_ALT);
	press('k', MOD_CTRL);
	assert_string_equal(buffer(), "");
	press('y', MOD_CTRL);
	assert_string_equal(buffer(), "one two three four");
	press(K_BACKSPACE, MOD_ALT); /* in front of what was cut */
	press(K_BACKSPACE, MOD_ALT);
	press('a', MOD_CTRL);
	press('y', MOD_CTRL);
	assert_string_equal(buffer(), "three fourone two ");
}

static void an_older_text_is_pasted(void **state)
{
	(void)state;
	type("one two three");
	press('<', MOD_ALT);
	press('d', MOD_ALT);
	press('f', MOD_CTRL);
	press('d', MOD_ALT);
	assert_string_equal(buffer(), "  three");
	press('y', MOD_ALT); /* not after a paste */
	assert_string_equal(buffer(), "  three");
	assert_screen("paste first", true);
	press('y', MOD_CTRL);
	assert_string_equal(buffer(), " two three");
	press('y', MOD_ALT);
	assert_string_equal(buffer(), " one three");
	press('y', MOD_ALT);
	assert_string_equal(buffer(), " two three");
	press('y', MOD_ALT);
	press('a', MOD_CTRL);
	press('y', MOD_CTRL); /* the one that was chosen */
	assert_string_equal(buffer(), " oneone three");
}

static void characters_are_exchanged(void **state)
{
	(void)state;
	type("abc\nx");
	press('<', MOD_ALT);
	press('t', MOD_CTRL); /* there is none before */
	assert_string_equal(buffer(), "abc\nx");
	press('f', MOD_CTRL);
	press('t', MOD_CTRL);
	assert_string_equal(buffer(), "bac\nx");
	press('t', MOD_CTRL);
	assert_string_equal(buffer(), "bca\nx");
	press('t', MOD_CTRL); /* at the end of the line */
	assert_string_equal(buffer(), "bac\nx");
	press('n', MOD_CTRL);
	press('t', MOD_CTRL);
	assert_string_equal(buffer(), "bac\nx");
}

static void a_count_repeats(void **state)
{
	(void)state;
	press('u', MOD_CTRL);
	type("a");
	assert_string_equal(buffer(), "aaaa");
	press('u', MOD_CTRL);
	type("12b");
	assert_string_equal(buffer(), "aaaabbbbbbbbbbbb");
	press('a', MOD_CTRL);
	press('u', MOD_CTRL);
	press('u', MOD_CTRL);
	press('d', MOD_CTRL);
	assert_string_equal(buffer(), "");
	press('u', MOD_CTRL);
	press('g', MOD_CTRL); /* given up */
	type("1");
	assert_string_equal(buffer(), "1");
}

static void all_is_selected(void **state)
{
	(void)state;
	type("one\ntwo");
	press('x', MOD_CTRL);
	press('h', 0);
	press('w', MOD_CTRL);
	assert_string_equal(buffer(), "");
}

static void a_search_is_given_up(void **state)
{
	(void)state;
	type("a b a b");
	press('<', MOD_ALT);
	press('f', MOD_CTRL);
	press('s', MOD_CTRL);
	type("b");
	press('s', MOD_CTRL);
	assert_int_equal(model_editor(&m)->sel.cursor, 7);
	press('g', MOD_CTRL);
	assert_screen("Find b", false);
	assert_int_equal(model_editor(&m)->sel.cursor, 1);
	assert_false(editor_has_selection(model_editor(&m)));
}

static void all_the_rest_is_replaced(void **state)
{
	(void)state;
	type("a b a b a b");
	press('<', MOD_ALT);
	press('%', MOD_ALT);
	type("b\nc\n");
	type("n!");
	assert_string_equal(buffer(), "a b a c a c");
	press('<', MOD_ALT);
	press('%', MOD_ALT);
	type("\nd\n"); /* the pattern is that of the last time */
	type(" ");
	assert_string_equal(buffer(), "a d a c a c");
}

static void its_search_goes_on_and_ends_by_its_own_keys(void **state)
{
	(void)state;
	type("b a a a");
	press('<', MOD_ALT);
	press('s', MOD_CTRL);
	type("a");
	assert_int_equal(model_editor(&m)->sel.cursor, 3);
	press('s', MOD_CTRL);
	press('s', MOD_CTRL);
	assert_int_equal(model_editor(&m)->sel.cursor, 7);
	press('r', MOD_CTRL);
	assert_int_equal(model_editor(&m)->sel.cursor, 5);
	assert_screen("Find a", true);
	press('g', MOD_CTRL);
	assert_screen("Find a", false);
	press('x', MOD_CTRL);
	press('o', 0);
	press('/', 0);
	assert_true(m.out.bar.is_open);
	press('g', MOD_CTRL);
	assert_false(m.out.bar.is_open);
	press(K_F8, 0);
	assert_true(m.sandboxes.is_shown);
	press('g', MOD_CTRL);
	assert_false(m.sandboxes.is_shown);
}

static void mark_selects(void **state)
{
	(void)state;
	type("one two three");
	press('a', MOD_CTRL);
	press(' ', MOD_CTRL);
	press('f', MOD_ALT);
	press('f', MOD_CTRL);
	press('w', MOD_CTRL);
	assert_string_equal(buffer(), "two three");
	press('e', MOD_CTRL);
	assert_false(editor_has_selection(model_editor(&m)));
	press('y', MOD_CTRL);
	assert_string_equal(buffer(), "two threeone ");
	press(' ', MOD_CTRL);
	press('b', MOD_CTRL);
	assert_true(editor_has_selection(model_editor(&m)));
	press('g', MOD_CTRL);
	assert_false(editor_has_selection(model_editor(&m)));
	press('b', MOD_CTRL);
	assert_false(editor_has_selection(model_editor(&m)));
}

static void sequences(void **state)
{
	(void)state;
	type("x");
	press('x', MOD_CTRL);
	press('s', MOD_CTRL);
	assert_string_equal(m.dialog.title, "Save the python buffer as");
	press('g', MOD_CTRL);
	assert_false(dialog_is_open(&m.dialog));
	press('x', MOD_CTRL);
	press('o', 0);
	assert_int_equal(m.focus, PANE_OUTPUT);
	press('x', MOD_CTRL);
	press('c', MOD_CTRL);
	assert_int_equal(fx.items[fx.n - 1].type, EFFECT_QUIT);
	press('x', MOD_ALT);
	assert_string_equal(m.dialog.title, "Commands");
	assert_screen("^X ^F", true);
}

/* The help and the palette tell the keys of the set, not those that it has replaced. */
static void its_keys_are_reported(void **state)
{
	char name[KEYMAP_NAME_BYTES];

	(void)state;
	keys_name(keymap_keys(&m.keymap, command_find("paste")), name);
	assert_string_equal(name, "^Y");
	keys_name(keymap_keys(&m.keymap, command_find("save")), name);
	assert_string_equal(name, "^X ^S");
	keys_name(keymap_keys(&m.keymap, command_find("run")), name);
	assert_string_equal(name, "^X ^E");
}

/* Which command do keys of the editor mean in the end? */
static const struct command *meant(const struct keys *keys)
{
	static const enum key_context order[] = {CONTEXT_EDITOR, CONTEXT_ANY, CONTEXT_ALWAYS};
	const struct command *c = NULL;

	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		switch (keymap_resolve(&m.keymap, order[i], keys, &c)) {
		case KEYMAP_COMMAND: return c;
		case KEYMAP_PREFIX: return NULL;
		case KEYMAP_NONE: break;
		}
	return NULL;
}

/* A key that is named for a command is not one that the editor takes for another. */
static void every_named_key_works(void **state)
{
	const struct command *c;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; (c = command_at(i)) != NULL; i++) {
		const struct keys *keys = key_of_command(&m, c);
		if (c->key_context != CONTEXT_EDITOR && c->key_context < CONTEXT_ANY)
			continue;
		/* Commands of the editor may have a key outside of it only. */
		if (keys && meant(keys) != c)
			fail_msg("%s is not what its key means", c->name);
		n += keys != NULL;
	}
	assert_true(n > 60);
	assert_string_equal(key_hint(&m, "find", (char[KEYMAP_NAME_BYTES]){0}), "^S");
	assert_string_equal(key_hint(&m, "variables", (char[KEYMAP_NAME_BYTES]){0}), "^X v");
	assert_string_equal(key_hint(&m, "wrap", (char[KEYMAP_NAME_BYTES]){0}), "\"Wrap long lines\"");
}

static void hints_name_them(void **state)
{
	(void)state;
	assert_screen("press ^X ^E to run it", true);
	assert_screen("the list of commands (Alt-X)", true);
	press(K_F1, 0);
	type("lists the variables");
	assert_screen("Alt-V", false);
}

static void the_help_lists_them(void **state)
{
	(void)state;
	press(K_F1, 0);
	type("exchange");
	assert_screen("Keys of Emacs", true);
	assert_screen("^T", true);
	press(K_ESCAPE, 0);
	assert_int_equal(keymap_bind(&m.keymap, CONTEXT_EDITOR, "ctrl-t", "undo", NULL), 0);
	press(K_F1, 0);
	type("exchange");
	assert_screen("Keys of Emacs", false);
}

/* No binding of a set hides behind another one. */
static void nothing_is_out_of_reach(void **state)
{
	static const char *const sets[] = {"default", "emacs"};

	(void)state;
	for (size_t s = 0; s < 2; s++) {
		struct keymap map = {0};
		assert_int_equal(keymap_complete(&map, sets[s], NULL), 0);
		for (size_t i = 0; i < map.n; i++) {
			const struct binding *b = &map.bindings[i],
					     *clash = keymap_clash(&map, b->key_context, &b->keys);
			const struct command *c = NULL;
			if (clash)
				fail_msg("%s: %s and %s", sets[s], b->command->name, clash->command->name);
			assert_int_equal(keymap_resolve(&map, b->key_context, &b->keys, &c), KEYMAP_COMMAND);
			assert_ptr_equal(c, b->command);
		}
		keymap_finish(&map);
	}
}

static void no_such_set(void **state)
{
	struct keymap map = {0};

	(void)state;
	assert_true(keymap_complete(&map, "ed", NULL) < 0);
	assert_int_equal(map.n, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, use_emacs, desk_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(moves_and_kills),
			TEST(kills_are_collected),
			TEST(words_are_collected),
			TEST(an_older_text_is_pasted),
			TEST(characters_are_exchanged),
			TEST(a_count_repeats),
			TEST(all_is_selected),
			TEST(a_search_is_given_up),
			TEST(all_the_rest_is_replaced),
			TEST(its_search_goes_on_and_ends_by_its_own_keys),
			TEST(mark_selects),
			TEST(sequences),
			TEST(its_keys_are_reported),
			TEST(every_named_key_works),
			TEST(hints_name_them),
			TEST(the_help_lists_them),
			TEST(nothing_is_out_of_reach),
			TEST(no_such_set),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
