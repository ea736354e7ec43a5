/* SPDX-License-Identifier: MIT */
#include "term/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

static const struct {
	const char *bytes;
	uint32_t key;
	uint8_t mods;
} single[] = {
		{"a", 'a', 0},
		{"\x01", 'a', MOD_CTRL},
		{"\x1A", 'z', MOD_CTRL},
		{"\x1F", '_', MOD_CTRL},
		{"\r", K_ENTER, 0},
		{"\n", K_ENTER, 0},
		{"\t", K_TAB, 0},
		{"\x7F", K_BACKSPACE, 0},
		{"\b", K_BACKSPACE, 0},
		{"\xC3\xA9", 0xE9, 0},
		{"\xE4\xB8\xAD", 0x4E2D, 0},
		{"\xF0\x9F\x91\xA9", 0x1F469, 0},
		{"\xFF", 0xFFFD, 0},
		{"\033a", 'a', MOD_ALT},
		{"\033A", 'A', MOD_ALT},
		{"\033\r", K_ENTER, MOD_ALT},
		{"\033\x7F", K_BACKSPACE, MOD_ALT},
		{"\033\xC3\xA9", 0xE9, MOD_ALT},
		{"\033\x01", 'a', MOD_ALT | MOD_CTRL},
		/* xterm */
		{"\033[A", K_UP, 0},
		{"\033[B", K_DOWN, 0},
		{"\033[C", K_RIGHT, 0},
		{"\033[D", K_LEFT, 0},
		{"\033OA", K_UP, 0},
		{"\033OD", K_LEFT, 0},
		{"\033[H", K_HOME, 0},
		{"\033[F", K_END, 0},
		{"\033OH", K_HOME, 0},
		{"\033[1;2A", K_UP, MOD_SHIFT},
		{"\033[1;3C", K_RIGHT, MOD_ALT},
		{"\033[1;5D", K_LEFT, MOD_CTRL},
		{"\033[1;6C", K_RIGHT, MOD_CTRL | MOD_SHIFT},
		{"\033[1;8F", K_END, MOD_CTRL | MOD_SHIFT | MOD_ALT},
		{"\033[2~", K_INSERT, 0},
		{"\033[3~", K_DELETE, 0},
		{"\033[3;5~", K_DELETE, MOD_CTRL},
		{"\033[5~", K_PAGE_UP, 0},
		{"\033[6;2~", K_PAGE_DOWN, MOD_SHIFT},
		{"\033[Z", K_TAB, MOD_SHIFT},
		{"\033OP", K_F1, 0},
		{"\033OQ", K_F2, 0},
		{"\033OR", K_F3, 0},
		{"\033OS", K_F4, 0},
		{"\033[15~", K_F5, 0},
		{"\033[17~", K_F6, 0},
		{"\033[21~", K_F10, 0},
		{"\033[24~", K_F12, 0},
		{"\033[1;2P", K_F1, MOD_SHIFT},
		{"\033[15;5~", K_F5, MOD_CTRL},
		{"\033O2P", K_F1, MOD_SHIFT},
		/* Linux console */
		{"\033[[A", K_F1, 0},
		{"\033[[E", K_F5, 0},
		{"\033[1~", K_HOME, 0},
		{"\033[4~", K_END, 0},
		{"\033[25~", K_F1, MOD_SHIFT},
		/* rxvt */
		{"\033[7~", K_HOME, 0},
		{"\033[8~", K_END, 0},
		{"\033[a", K_UP, MOD_SHIFT},
		{"\033Od", K_LEFT, MOD_CTRL},
		{"\033[7$", K_HOME, MOD_SHIFT},
		{"\033[3^", K_DELETE, MOD_CTRL},
		{"\033[8@", K_END, MOD_SHIFT | MOD_CTRL},
		{"\033[11~", K_F1, 0},
		{"\033\033[A", K_UP, MOD_ALT},
		{"\033\033OP", K_F1, MOD_ALT},
		/* keypad in application mode */
		{"\033OM", K_ENTER, 0},
		{"\033Oj", '*', 0},
		{"\033Ok", '+', 0},
		{"\033Op", '0', 0},
		{"\033Oy", '9', 0},
		/* modifyOtherKeys, kitty */
		{"\033[27;5;13~", K_ENTER, MOD_CTRL},
		{"\033[27;6;65~", 'a', MOD_CTRL | MOD_SHIFT},
		{"\033[13;5u", K_ENTER, MOD_CTRL},
		{"\033[13;2u", K_ENTER, MOD_SHIFT},
		{"\033[97;5u", 'a', MOD_CTRL},
		{"\033[27u", K_ESCAPE, 0},
		{"\033[9;5u", K_TAB, MOD_CTRL},
		{"\033[127;3u", K_BACKSPACE, MOD_ALT},
		{"\033[97:65;2u", 'A', 0},
		{"\033[57414u", K_ENTER, 0},
		{"\033[1;1:1A", K_UP, 0},
		{"\033[122;6u", 'z', MOD_CTRL | MOD_SHIFT},
		{"\033[32;5u", ' ', MOD_CTRL},
};

/* Everything that the bytes make, as text. With step 0 they come whole, else so many at a time. */
static void decode(struct keys *k, const char *bytes, size_t n, size_t step, char *out, size_t cap)
{
	struct event e;
	size_t len = 0;
	*out = '\0';
	for (size_t at = 0; at < n || at == 0; at += step ? step : n) {
		size_t take = step && step < n - at ? step : n - at;
		assert_int_equal(keys_feed(k, bytes + at, take, 1000), 0);
		while (keys_next(k, &e) && len < cap - 200) {
			if (e.type == EVENT_PASTE)
				len += (size_t)snprintf(out + len, cap - len, "paste(%.*s) ",
						e.text_len < 100 ? (int)e.text_len : 100, e.text);
			else
				len += (size_t)snprintf(out + len, cap - len, "%d:%x:%d:%d:%d:%d,%d:%d ",
						(int)e.type, e.key, e.mods, (int)e.action, e.button, e.row,
						e.col, e.clicks);
		}
		if (n == 0)
			break;
	}
}

static void test_single_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(single) / sizeof(*single); i++) {
		for (size_t step = 0; step < 2; step++) {
			char got[512], want[64];
			struct keys *k = keys_create();
			decode(k, single[i].bytes, strlen(single[i].bytes), step, got, sizeof(got));
			snprintf(want, sizeof(want), "0:%x:%d:0:0:0,0:0 ", single[i].key, single[i].mods);
			if (strcmp(got, want) != 0)
				fail_msg("case %zu, step %zu: got %s want %s", i, step, got, want);
			assert_false(keys_is_waiting(k));
			keys_destroy(k);
		}
	}
}

static void expect(const char *bytes, const char *want)
{
	for (size_t step = 0; step < 3; step++) {
		char got[4096];
		struct keys *k = keys_create();
		decode(k, bytes, strlen(bytes), step, got, sizeof(got));
		assert_string_equal(got, want);
		keys_destroy(k);
	}
}

static void test_mouse(void **state)
{
	(void)state;
	expect("\033[<0;5;3M\033[<0;5;3m", "1:0:0:0:1:2,4:1 1:0:0:1:1:2,4:0 ");
	expect("\033[<0;5;3M\033[<0;5;3M\033[<0;5;3M\033[<0;5;3M",
			"1:0:0:0:1:2,4:1 1:0:0:0:1:2,4:2 1:0:0:0:1:2,4:3 1:0:0:0:1:2,4:1 ");
	expect("\033[<32;6;3M", "1:0:0:2:1:2,5:0 ");
	expect("\033[<64;1;1M\033[<65;1;1M\033[<66;1;1M", "1:0:0:3:0:0,0:0 1:0:0:4:0:0,0:0 ");
	expect("\033[<20;1;1M", "1:0:5:0:1:0,0:1 ");
	expect("\033[M !!", "1:0:0:0:1:0,0:1 ");
	expect("\033[<35;1;1M\033[<0;0;0Mx", "1:0:0:5:0:0,0:0 1:0:0:0:1:0,0:1 0:78:0:0:0:0,0:0 ");
	expect("\033[I\033[O", "4:1:0:0:0:0,0:0 4:0:0:0:0:0,0:0 ");
}

static void test_paste(void **state)
{
	(void)state;
	expect("\033[200~one\r\ntwo\rthree\n\x01\x1B[A\033[201~x",
			"paste(one\ntwo\nthree\n[A) 0:78:0:0:0:0,0:0 ");
	expect("\033[200~\033[201~", "paste() ");
	expect("\033[200~a\xFF\033[20\033[201~", "paste(a\xEF\xBF\xBD[20) ");
	expect("\033[200~no end", "");
	expect("\033[201~y", "0:79:0:0:0:0,0:0 ");
}

static void test_unknown_is_dropped_whole(void **state)
{
	(void)state;
	expect("\033[?2026;2$yx", "0:78:0:0:0:0,0:0 ");
	expect("\033[99~x", "0:78:0:0:0:0,0:0 ");
	expect("\033[1;1:3Ax", "0:78:0:0:0:0,0:0 "); /* kitty: a release */
	expect("\033[57441ux", "0:78:0:0:0:0,0:0 "); /* kitty: Shift alone */
	expect("\033[12\033[Bx", "0:110006:0:0:0:0,0:0 0:78:0:0:0:0,0:0 ");
}

static void test_lone_escape_waits(void **state)
{
	struct keys *k = keys_create();
	struct event e;
	(void)state;
	keys_feed(k, "\033", 1, 0);
	assert_false(keys_next(k, &e));
	assert_true(keys_is_waiting(k));
	keys_flush(k);
	assert_true(keys_next(k, &e));
	assert_int_equal(e.key, K_ESCAPE);
	assert_false(keys_is_waiting(k));
	keys_feed(k, "\033[", 2, 0);
	assert_false(keys_next(k, &e));
	keys_flush(k);
	assert_true(keys_next(k, &e));
	assert_int_equal(e.key, '[');
	assert_int_equal(e.mods, MOD_ALT);
	keys_feed(k, "\xE4\xB8", 2, 0);
	assert_false(keys_next(k, &e));
	keys_flush(k);
	assert_true(keys_next(k, &e));
	assert_int_equal(e.key, 0xFFFD);
	keys_destroy(k);
}

static void test_terminfo_strings(void **state)
{
	(void)state;
	for (size_t step = 0; step < 2; step++) {
		char got[512];
		struct keys *k = keys_create();
		keys_add(k, "\033x1", K_F9, 0);
		keys_add(k, "\033[Y", K_HOME, MOD_CTRL);
		keys_add(k, "\001@\r", K_F1, 0);
		decode(k, "\033x1\033[Y\033xq", 9, step, got, sizeof(got));
		char want[200];
		snprintf(want, sizeof(want),
				"0:%x:0:0:0:0,0:0 0:%x:4:0:0:0,0:0 0:78:2:0:0:0,0:0 0:71:0:0:0:0,0:0 ", K_F9,
				K_HOME);
		assert_string_equal(got, want);
		keys_destroy(k);
	}
}

/* Any bytes, cut anywhere, make the same events. */
static void test_random_cuts(void **state)
{
	static const char alphabet[] = "\033\033\033[[O;:0123456789~ABMmuZ<?$^ \r\x7F"
				       "a\xC3\xA9\xE4\xB8\xAD";
	unsigned seed = 11;
	(void)state;
	for (int round = 0; round < 5000; round++) {
		char bytes[200], whole[8192], cut[8192];
		size_t n = 1 + (seed >> 8) % 60;
		for (size_t i = 0; i < n; i++) {
			seed = seed * 1103515245u + 12345u;
			bytes[i] = alphabet[(seed >> 8) % (sizeof(alphabet) - 1)];
		}
		/* A letter ends what may be begun; what only time decides is not compared. */
		struct keys *a = keys_create(), *b = keys_create();
		decode(a, bytes, n, 0, whole, sizeof(whole));
		decode(b, bytes, n, 1 + (seed >> 16) % 5, cut, sizeof(cut));
		assert_string_equal(whole, cut);
		keys_destroy(a);
		keys_destroy(b);
	}
}

static void test_big_paste(void **state)
{
	struct keys *k = keys_create();
	struct event e;
	size_t n = 450000;
	char *text = malloc(n);
	(void)state;
	memset(text, 'x', n);
	keys_feed(k, "\033[200~", 6, 0);
	for (size_t at = 0; at < n; at += 1000) {
		keys_feed(k, text + at, 1000, 0);
		assert_false(keys_next(k, &e));
		assert_false(keys_is_waiting(k));
	}
	keys_feed(k, "\033[201~", 6, 0);
	assert_true(keys_next(k, &e));
	assert_int_equal(e.type, EVENT_PASTE);
	assert_int_equal(e.text_len, n);
	free(text);
	keys_destroy(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_single_keys),
			cmocka_unit_test(test_mouse),
			cmocka_unit_test(test_paste),
			cmocka_unit_test(test_unknown_is_dropped_whole),
			cmocka_unit_test(test_lone_escape_waits),
			cmocka_unit_test(test_terminfo_strings),
			cmocka_unit_test(test_random_cuts),
			cmocka_unit_test(test_big_paste),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
