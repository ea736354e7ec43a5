/* SPDX-License-Identifier: MIT */
#include "text/cluster.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cmocka_all.h"

#include "text/text.h"
#include "text/walk.h"

static const struct {
	const char *text;
	size_t clusters, columns;
} known[] = {
		{"abc", 3, 3}, {"e\xCC\x81t", 2, 2},                     /* e + combining acute, t */
		{"\xE4\xB8\xAD\xE6\x96\x87", 2, 4},                      /* two ideographs */
		{"\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB!", 2, 3}, /* woman ZWJ computer */
		{"\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA\xF0\x9F\x87\xAB\xF0\x9F\x87\xB7", 2, 4}, /* flags DE FR */
		{"\xF0\x9F\x87\xA9x", 2, 2},                                                /* half a flag */
		{"\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD", 1, 2},     /* thumb, skin tone */
		{"\xE2\x9D\xA4\xEF\xB8\x8F", 1, 1},             /* heart, emoji variation */
		{"\xED\x95\x9C", 1, 2},                         /* Hangul syllable */
		{"\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", 1, 2}, /* the same of its letters */
		{"\xFF\xFE", 2, 2},                             /* broken */
		{"\xE4\xB8", 2, 2},                             /* cut short */
		{"\xCC\x81x", 2, 2},                            /* a mark on nothing */
		{"a\xE2\x80\xAE"
		 "b",
				3, 3},  /* right-to-left override */
		{"\xE2\x80\x8B", 1, 1}, /* zero width space */
};

static void test_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t n = strlen(known[i].text), at = 0, clusters = 0;
		for (; at < n; clusters++)
			at += cluster_at(known[i].text + at, n - at).len;
		assert_int_equal(at, n);
		if (clusters != known[i].clusters || cluster_columns(known[i].text, n) != known[i].columns)
			fail_msg("case %zu: %zu clusters, %zu columns", i, clusters,
					cluster_columns(known[i].text, n));
	}
}

static void test_kinds(void **state)
{
	(void)state;
	assert_int_equal(cluster_at("\t", 1).kind, CLUSTER_CONTROL);
	assert_int_equal(cluster_at("\n\xCC\x81", 3).len, 1);
	assert_int_equal(cluster_at("\x7F", 1).kind, CLUSTER_CONTROL);
	assert_int_equal(cluster_at("\xC2\x9B", 2).kind, CLUSTER_ODD); /* CSI as one character */
	assert_int_equal(cluster_at("\xE2\x80\xAE", 3).kind, CLUSTER_ODD);
	assert_int_equal(cluster_at("\xED\xA0\x80", 3).kind, CLUSTER_ODD); /* surrogate */
	assert_int_equal(cluster_at("\xC0\x80", 2).len, 1);                /* overlong */
	assert_int_equal(cluster_at("\xF4\x90\x80\x80", 4).len, 1);        /* beyond Unicode */
}

static unsigned rnd(unsigned *seed, unsigned n)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 8) % n;
}

/* Whatever the bytes, walking back meets the places that walking forward met. */
static void test_back_is_forward(void **state)
{
	static const char *const bits[] = {"a", " ", "\n", "\t", "\xCC\x81", "\xE2\x80\x8D",
			"\xF0\x9F\x91\xA9", "\xF0\x9F\x87\xA9", "\xF0\x9F\x8F\xBD", "\xE4\xB8\xAD", "\xFF",
			"\xE4", "\xB8", "\xEF\xB8\x8F", "\xE2\x80\xAE", "\xC3\xA9", "\xE1\x84\x92",
			"\xE1\x85\xA1"};
	unsigned seed = 3;
	(void)state;
	for (int round = 0; round < 20000; round++) {
		char s[256];
		size_t n = 0, starts[256], count = 0;
		for (unsigned k = 1 + rnd(&seed, 24); k > 0; k--) {
			const char *bit = bits[rnd(&seed, sizeof(bits) / sizeof(*bits))];
			memcpy(s + n, bit, strlen(bit));
			n += strlen(bit);
		}
		for (size_t at = 0; at < n; at += cluster_at(s + at, n - at).len)
			starts[count++] = at;
		for (size_t end = n; count > 0; end = starts[--count])
			assert_int_equal(end - cluster_before(s, end), starts[count - 1]);
	}
}

/* The painter hands curses only what libc agrees on: that should be nearly everything. */
static void test_agrees_with_libc(void **state)
{
	int differ = 0;
	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	for (uint32_t cp = 0x20; cp < 0x20000; cp++) {
		int theirs = wcwidth((wchar_t)cp);
		if (cp == 0x7F || (cp >= 0xD800 && cp <= 0xDFFF) || theirs < 0)
			continue;
		differ += theirs != codepoint_width(cp);
	}
	assert_true(differ < 500);
}

static void test_walk(void **state)
{
	struct text *t = text_create();
	char line[8000];
	size_t n = 0;
	(void)state;
	for (int i = 0; i < 1000; i++) { /* clusters lie across the walk's windows and the chunks */
		memcpy(line + n, "\xF0\x9F\x91\xA9\xE2\x80\x8D", 7);
		n += 7;
		line[n++] = '\t';
	}
	assert_int_equal(text_insert(t, 0, line, n), 0);
	assert_int_equal(text_insert(t, n, "\x01z\nnext", 7), 0);
	assert_int_equal(walk_column(t, 0, n, 4), 4000);
	assert_int_equal(walk_column(t, 0, n + 1, 4), 4002);
	assert_int_equal(walk_position(t, 0, 4001, 4), n);
	assert_int_equal(walk_position(t, 0, 9999, 4), n + 2);
	assert_int_equal(walk_position(t, 0, 5, 4), 8); /* the right half belongs to the same */
	for (size_t pos = 0; pos < n; pos = text_next(t, pos))
		assert_int_equal(text_previous(t, text_next(t, pos)), pos);
	text_destroy(t);
}

/* The quick ways through plain text count as the slow one does. */
static void test_walk_skips_right(void **state)
{
	static const char *const bits[] = {"abcdefgh", "0123456789012345678901234567890123456789", "\t",
			"\xCC\x81", "\x01", "\xE4\xB8\xAD", "\xFF", " ", "\x7F", "~", "\xE2\x80\x8D"};
	unsigned seed = 17;
	(void)state;
	for (int round = 0; round < 300; round++) {
		struct text *t = text_create();
		struct walk w;
		for (unsigned k = 1 + rnd(&seed, 200); k > 0; k--) {
			const char *bit = bits[rnd(&seed, sizeof(bits) / sizeof(*bits))];
			assert_int_equal(text_insert(t, text_len(t), bit, strlen(bit)), 0);
		}
		walk_init(&w, t, 0, 4);
		while (walk_next(&w)) {
			assert_int_equal(walk_column(t, 0, w.pos, 4), w.column);
			assert_int_equal(walk_position(t, 0, w.column, 4), w.pos);
			assert_int_equal(walk_position(t, 0, w.column + w.columns - 1, 4), w.pos);
		}
		assert_int_equal(w.pos, text_len(t));
		text_destroy(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_known),
			cmocka_unit_test(test_kinds),
			cmocka_unit_test(test_back_is_forward),
			cmocka_unit_test(test_agrees_with_libc),
			cmocka_unit_test(test_walk),
			cmocka_unit_test(test_walk_skips_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
