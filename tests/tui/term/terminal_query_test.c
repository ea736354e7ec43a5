/* SPDX-License-Identifier: MIT */
/* Answers of a terminal among the keys: none may come out as typing. */
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"
#include "term/keys.h"
#include "term/terminal_query.h"

#define ALL "\033_Gi=31;OK\033\\\033[6;18;9t\033[?62;1;4;6;22c"

static struct keys *k;
static char typed[64];

static void drain(void)
{
	struct event ev;
	size_t n = strlen(typed);

	while (keys_next(k, &ev))
		n += (size_t)snprintf(typed + n, sizeof typed - n, "%s%c", ev.mods & MOD_ALT ? "M-" : "",
				ev.key < 0x7F ? (char)ev.key : '?');
}

static void feed(const char *bytes, size_t n)
{
	keys_feed(k, bytes, n, 1);
	drain();
}

static int start(void **state)
{
	(void)state;
	k = keys_create();
	typed[0] = '\0';
	return 0;
}

static int stop(void **state)
{
	(void)state;
	keys_destroy(k);
	return 0;
}

static void check_all(void)
{
	const struct terminal_answers *a = keys_answers(k);

	assert_true(a->is_whole && a->has_kitty && a->has_sixel);
	assert_int_equal(a->cell_w, 9);
	assert_int_equal(a->cell_h, 18);
}

static void are_taken_out(void **state)
{
	(void)state;
	keys_expect_answers(k);
	feed("a" ALL "b", strlen(ALL) + 2);
	check_all();
	assert_string_equal(typed, "ab");
}

static void may_come_in_pieces_and_slowly(void **state)
{
	(void)state;
	for (size_t step = 1; step < 7; step++) {
		keys_expect_answers(k);
		typed[0] = '\0';
		for (size_t at = 0; at < strlen(ALL); at += step) {
			feed(&ALL[at], step < strlen(ALL) - at ? step : strlen(ALL) - at);
			if (at + step < strlen(ALL) && at + step > 2 && ALL[at + step - 1] != '\033'
					&& ALL[at + step - 1] != '[' && ALL[at + step - 1] != '_') {
				keys_flush(k);
				drain();
			}
		}
		check_all();
		assert_string_equal(typed, "");
	}
}

static void positions_may_be_cut(void **state)
{
	(void)state;
	keys_expect_answers(k);
	feed("\033[24;", 5);
	keys_flush(k);
	drain();
	feed("3R\033[24;5Rx", 10);
	assert_string_equal(typed, "x");
	assert_int_equal(keys_answers(k)->shaded, EMOJI_JOINED);
	assert_int_equal(keys_answers(k)->linked, EMOJI_APART);
}

static void may_come_late_and_twice(void **state)
{
	(void)state;
	keys_expect_answers(k);
	feed("\033[?1;2c", 7);
	assert_true(keys_answers(k)->is_whole && !keys_answers(k)->has_sixel);
	feed(ALL ALL, 2 * strlen(ALL));
	assert_string_equal(typed, "");
}

static void nothing_is_taken_that_was_not_asked_for(void **state)
{
	(void)state;
	feed("\033_", 2);
	keys_flush(k);
	drain();
	assert_string_equal(typed, "M-_");
	typed[0] = '\0';
	keys_expect_answers(k);
	feed("\033_", 2);
	keys_flush(k);
	drain();
	feed("x", 1);
	assert_string_equal(typed, "M-_x");
}

static void synchronized_output_is_known_or_not(void **state)
{
	static const struct {
		const char *bytes;
		bool has_sync;
	} cases[] = {{"\033[?2026;2$y", true}, {"\033[?2026;1$y", true}, {"\033[?2026;0$y", false},
			{"\033[?2026;4$y", false}, {"\033[?2004;2$y", false}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		keys_expect_answers(k);
		feed(cases[i].bytes, strlen(cases[i].bytes));
		assert_int_equal(keys_answers(k)->has_sync, cases[i].has_sync);
	}
	assert_string_equal(typed, "");
}

static void other_attributes_are_not_sixel(void **state)
{
	static const char *const without[] = {"\033[?4c", "\033[?62c", "\033[?64;14;41c", "\033[?1;2c"};

	(void)state;
	for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
		keys_expect_answers(k);
		feed(without[i], strlen(without[i]));
		assert_true(keys_answers(k)->is_whole);
		assert_false(keys_answers(k)->has_sixel);
	}
	keys_expect_answers(k);
	feed("\033[6;0;9t\033[6;99999;9t\033_Gi=31;ENOTSUP\033\\",
			strlen("\033[6;0;9t\033[6;99999;9t\033_Gi=31;ENOTSUP\033\\"));
	assert_int_equal(keys_answers(k)->cell_w, 0);
	assert_false(keys_answers(k)->has_kitty);
	assert_string_equal(typed, "");
}

/* Column 3 is behind one picture of two columns; anything else is behind two emoji. */
static void positions_tell_how_emoji_are_drawn(void **state)
{
	static const char bytes[] = "\033[40;3R\033[40;5R\033[40;9R";
	(void)state;
	keys_expect_answers(k);
	feed(bytes, sizeof bytes - 1);
	assert_int_equal(keys_answers(k)->shaded, EMOJI_JOINED);
	assert_int_equal(keys_answers(k)->linked, EMOJI_APART);
}

static void keyboard_flags_are_known(void **state)
{
	(void)state;
	keys_expect_answers(k);
	feed("\033[?u", 4);
	assert_false(keys_answers(k)->tells_keys);
	feed("\033[?0u", 5);
	assert_false(keys_answers(k)->tells_keys);
	feed("\033[?1u", 5);
	assert_true(keys_answers(k)->tells_keys);
	assert_string_equal(typed, "");
}

static void odd_answers_change_nothing(void **state)
{
	static const char *const odd[] = {"\033[6;18t", "\033[4;18;9t", "\033[6;18;0t", "\033[6;18;513t",
			"\033[6;513;9t", "\033[?2026$y", "\033[?2026;1;1$y", "\033[?62;x;4c", "\033[7R",
			"\033[7;3;1R"};
	(void)state;
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		keys_expect_answers(k);
		feed(odd[i], strlen(odd[i]));
		const struct terminal_answers *a = keys_answers(k);
		assert_false(a->has_sync || a->cell_w || a->cell_h || a->n_positions);
		assert_false(a->has_sixel);
		typed[0] = '\0';
	}
}

static void keys_stay_keys_while_answers_are_awaited(void **state)
{
	(void)state;
	keys_expect_answers(k);
	feed("\033OP", 3);    /* F1 */
	feed("\033[1;2R", 6); /* F3 with Shift, or a position in row 1 */
	assert_string_equal(typed, "??");
	assert_int_equal(keys_answers(k)->n_positions, 0);
	typed[0] = '\0';
	feed("\033_x", 3); /* no graphics command: Alt-_ */
	assert_string_equal(typed, "M-_x");
}

/* Half an answer must not hold up typing for ever. */
static void an_endless_answer_is_given_up(void **state)
{
	char bytes[600] = "\033_G";

	(void)state;
	keys_expect_answers(k);
	memset(bytes + 3, 'x', sizeof bytes - 3);
	bytes[40] = '\\'; /* ends it only behind an escape character */
	feed(bytes, sizeof bytes);
	feed("y", 1);
	assert_non_null(strchr(typed, 'y'));
	assert_false(keys_answers(k)->has_kitty);
}

static void a_bell_ends_an_answer(void **state)
{
	(void)state;
	keys_expect_answers(k);
	feed("\033_Gi=31;OK\az", 12);
	assert_true(keys_answers(k)->has_kitty);
	assert_string_equal(typed, "z");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
			CASE(are_taken_out),
			CASE(may_come_in_pieces_and_slowly),
			CASE(positions_may_be_cut),
			CASE(may_come_late_and_twice),
			CASE(nothing_is_taken_that_was_not_asked_for),
			CASE(synchronized_output_is_known_or_not),
			CASE(other_attributes_are_not_sixel),
			CASE(positions_tell_how_emoji_are_drawn),
			CASE(keyboard_flags_are_known),
			CASE(odd_answers_change_nothing),
			CASE(keys_stay_keys_while_answers_are_awaited),
			CASE(an_endless_answer_is_given_up),
			CASE(a_bell_ends_an_answer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
