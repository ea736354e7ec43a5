/* SPDX-License-Identifier: MIT */
#include "tui/model/desk.h"

#include "model/which_key.h"

static void wait_ms(unsigned ms)
{
	now_ns += ms * UINT64_C(1000000);
	send((struct msg){.type = MSG_TICK});
}

static void who_waits_sees_what_may_come(void **state)
{
	(void)state;
	assert_int_equal(keymap_bind(&m.keymap, CONTEXT_ANY, "alt-q ctrl-s", "save", NULL), 0);
	assert_int_equal(keymap_bind(&m.keymap, CONTEXT_EDITOR, "alt-q u", "undo", NULL), 0);
	assert_int_equal(keymap_bind(&m.keymap, CONTEXT_OUTPUT, "alt-q o", "undo", NULL), 0);
	press('q', MOD_ALT);
	assert_screen("Alt-Q ...", false);
	int wait = which_key_wait_ms(&m);
	assert_true(wait > 450 && wait <= 501 && model_tick_ms(&m) <= wait);
	wait_ms((unsigned)wait);
	assert_screen("Alt-Q ...", true);
	assert_screen("^S  Save", true);
	assert_screen("u   Undo", true);
	assert_screen("o   Undo", false); /* of another pane */
	assert_int_equal(which_key_wait_ms(&m), -1);
	m.needs_draw = false;
	press('u', 0);
	assert_true(m.needs_draw);
	assert_screen("Alt-Q ...", false);
}

static void who_goes_on_at_once_sees_nothing(void **state)
{
	(void)state;
	assert_int_equal(keymap_bind(&m.keymap, CONTEXT_ANY, "alt-q ctrl-s", "save", NULL), 0);
	press('q', MOD_ALT);
	press('s', MOD_CTRL);
	wait_ms(900);
	assert_false(which_key_is_shown(&m));
}

static void operators_of_vi_tell_their_motions(void **state)
{
	(void)state;
	m.vi.mode = VI_NORMAL;
	press('d', 0);
	wait_ms(600);
	assert_screen("d ...", true);
	assert_screen("the whole line", true);
	press('f', 0); /* any character may come now: there is nothing to be listed */
	wait_ms(600);
	assert_screen("...", false);
	press(K_ESCAPE, 0);
	press('g', 0);
	wait_ms(600);
	assert_screen("first line", true);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)

/* The bytes between the fields of a chord may hold anything. */
static void only_the_keys_count(void **state)
{
	(void)state;
	assert_int_equal(keymap_bind(&m.keymap, CONTEXT_ANY, "alt-q ctrl-s", "save", NULL), 0);
	assert_int_equal(keymap_bind(&m.keymap, CONTEXT_EDITOR, "alt-q u", "undo", NULL), 0);
	press('q', MOD_ALT);
	struct chord typed = m.typed.chords[0];
	memset(m.typed.chords, 0x5A, sizeof m.typed.chords);
	m.typed.chords[0].key = typed.key;
	m.typed.chords[0].mods = typed.mods;
	wait_ms(600);
	assert_screen("Alt-Q ...", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(who_waits_sees_what_may_come),
			TEST(who_goes_on_at_once_sees_nothing),
			TEST(operators_of_vi_tell_their_motions),
			TEST(only_the_keys_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
