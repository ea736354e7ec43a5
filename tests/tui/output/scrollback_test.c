/* SPDX-License-Identifier: MIT */
/* The store with chunks and lines so small that every case crosses their edges. */
#define OUT_CHUNK_BYTES 64u
#define OUT_LINE_BYTES 40u
#include "output/outread.c"
#include "output/scrollback.c"

#include <stdio.h>

#include "cmocka_all.h"

#define PLENTY ((size_t)1 << 15)

/* Lines [from, end) as text, soft ends as '+', hard ones as '/'. */
static char *text_from(const struct scrollback *s, uint64_t from)
{
	struct out_reader r;
	struct out_piece piece;
	char *out = calloc(1, PLENTY + 1);
	size_t len = 0;

	out_reader_seek(&r, s, from);
	while (out_reader_next(&r, &piece)) {
		assert_true(len + piece.n + 2 < PLENTY);
		memcpy(out + len, piece.bytes, piece.n);
		len += piece.n;
		skim(&piece);
		if (piece.ends_line)
			out[len++] = piece.is_soft ? '+' : '/';
	}
	return out;
}

static void assert_store(const struct scrollback *s, const char *want)
{
	char *text = text_from(s, scrollback_first(s));

	assert_string_equal(text, want);
	free(text);
}

static void put_text(struct scrollback *s, const char *text)
{
	scrollback_append(s, OUT_STDOUT, 1, text, strlen(text));
}

static void append_run(struct scrollback *s, uint32_t run, const char *text)
{
	scrollback_append(s, OUT_STDOUT, run, text, strlen(text));
}

/* A run that floods gives up what it printed itself, and a line says so. */
static void a_flood_keeps_what_was_before(void **state)
{
	struct scrollback s;
	struct out_shift shift;
	char line[16];
	uint64_t second;

	(void)state;
	scrollback_init(&s, 12 * sizeof(struct out_chunk));
	scrollback_header(&s, 1);
	append_run(&s, 1, "first\n");
	second = scrollback_end(&s);
	scrollback_header(&s, 2);
	append_run(&s, 2, "begin\n");
	for (int i = 0; i < 300; i++) {
		snprintf(line, sizeof line, "%d\n", i);
		append_run(&s, 2, line);
		shift = scrollback_take_shift(&s);
		if (second < shift.before)
			second += shift.by;
	}
	char *text = text_from(&s, scrollback_first(&s));
	assert_int_equal(strncmp(text, "/first//begin/0/", 16), 0);
	assert_non_null(strstr(text, "... "));
	assert_non_null(strstr(text, " lines dropped .../"));
	assert_string_equal(text + strlen(text) - 8, "298/299/");
	free(text);
	/* Numbers have no holes: the header is where it is told, and every line can be found. */
	text = text_from(&s, second);
	assert_int_equal(strncmp(text, "/begin/", 7), 0);
	free(text);
	assert_int_equal(s.front_lines, 0);
	for (uint64_t at = scrollback_first(&s); at < scrollback_end(&s); at++) {
		struct out_reader r;
		out_reader_seek(&r, &s, at);
		assert_int_equal(r.line, at);
	}
	assert_int_equal(scrollback_end(&s), 304); /* two headers, two texts, 300 lines */
	/* Another run pushes that out in its turn. */
	scrollback_header(&s, 3);
	for (int i = 0; i < 100; i++)
		append_run(&s, 3 + (uint32_t)i, "x\n");
	assert_true(s.front_lines > 100);
	scrollback_finish(&s);
}

static void keeps_what_is_appended(void **state)
{
	struct scrollback s;

	(void)state;
	scrollback_init(&s, PLENTY);
	assert_int_equal(scrollback_end(&s), 0);
	put_text(&s, "one\ntwo");
	assert_int_equal(scrollback_end(&s), 2);
	put_text(&s, " and more\n");
	assert_int_equal(scrollback_end(&s), 2);
	assert_store(&s, "one/two and more/");
	scrollback_header(&s, 7);
	put_text(&s, "open");
	scrollback_end_line(&s);
	scrollback_end_line(&s);
	assert_store(&s, "one/two and more//open/");
	assert_int_equal(scrollback_end(&s), 4);
	scrollback_finish(&s);
}

static void breaks_endless_lines_between_characters(void **state)
{
	struct scrollback s;
	char line[101];

	(void)state;
	scrollback_init(&s, PLENTY);
	for (size_t i = 0; i < 100; i++)
		line[i] = (char)('a' + i % 26);
	line[100] = '\0';
	put_text(&s, line);
	put_text(&s, "\n");
	char *text = text_from(&s, 0);
	size_t soft = 0, other = 0;
	for (const char *p = text; *p; p++)
		*p == '+' ? soft++ : other++;
	assert_int_equal(soft, 2);
	assert_int_equal(other, 101);
	free(text);
	scrollback_clear(&s);
	for (int i = 0; i < 40; i++)
		put_text(&s, "\xe2\x82\xac");
	text = text_from(&s, scrollback_first(&s));
	for (const char *p = strchr(text, '+'); p; p = strchr(p + 1, '+'))
		assert_int_equal((unsigned char)p[1] & 0xc0, 0xc0); /* a character begins behind each break */
	free(text);
	scrollback_finish(&s);
}

static void a_line_rewritten_for_ever_stays_one_line(void **state)
{
	struct scrollback s;
	struct out_reader r;
	struct out_piece piece;
	size_t seen = 0;
	char bar[32];

	(void)state;
	scrollback_init(&s, PLENTY);
	put_text(&s, "before\n");
	for (int i = 0; i < 1000; i++) {
		snprintf(bar, sizeof bar, "\rstep %d of 1000", i);
		put_text(&s, bar);
	}
	assert_int_equal(scrollback_end(&s), 2);
	out_reader_seek(&r, &s, 1);
	while (out_reader_next(&r, &piece))
		seen += piece.n;
	assert_in_range(seen, 16, 3 * OUT_CHUNK_BYTES); /* only its end is given */
	scrollback_finish(&s);
}

static void drops_the_oldest_and_counts_it(void **state)
{
	struct scrollback s;
	size_t cap = 8 * sizeof(struct out_chunk);
	char line[16];

	(void)state;
	scrollback_init(&s, cap);
	for (int i = 0; i < 10000; i++) {
		snprintf(line, sizeof line, "%07d\n", i);
		put_text(&s, line);
	}
	assert_true(scrollback_memory(&s) <= cap + s.n_ring * sizeof *s.ring);
	assert_int_equal(scrollback_end(&s), 10000);
	assert_in_range(scrollback_first(&s), 9900, 9990);
	assert_in_range(s.dropped_lines, 9900, 9990);
	for (uint64_t k = scrollback_first(&s) + 1; k < 10000; k++) {
		struct out_reader r;
		struct out_piece piece;
		out_reader_seek(&r, &s, k);
		assert_true(out_reader_next(&r, &piece));
		snprintf(line, sizeof line, "%07u", (unsigned)k);
		assert_memory_equal(piece.bytes, line, piece.n < 7 ? piece.n : 7);
	}
	scrollback_finish(&s);
}

/* Random pieces of random text of several kinds: every line is found, whatever the cuts. */
static void finds_every_line_of_random_output(void **state)
{
	static const char letters[] = "abc\n\r\x1b[3m;\xc3\xa9";
	unsigned seed = 12345;

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct scrollback s;
		scrollback_init(&s, PLENTY);
		for (int i = 0; i < 100; i++) {
			char piece[100];
			size_t n = (size_t)(seed = seed * 1103515245u + 12345u) >> 8 & 63;
			for (size_t k = 0; k < n; k++)
				piece[k] = letters[((seed = seed * 1103515245u + 12345u) >> 16)
						   % (sizeof letters - 1)];
			scrollback_append(&s, seed & 0x10000 ? OUT_STDOUT : OUT_STDERR, 1, piece, n);
			if ((seed >> 20) % 16 == 0)
				scrollback_header(&s, 2);
		}
		/* Reading on from each line's start gives the tail of reading from the first. */
		char *all = text_from(&s, 0);
		uint64_t line = 0;
		for (const char *p = all; line < scrollback_end(&s); line++) {
			struct out_reader r;
			out_reader_seek(&r, &s, line);
			if (r.line == line) {
				char *tail = text_from(&s, line);
				size_t len = strlen(tail);
				assert_true(len <= strlen(p));
				assert_string_equal(p + strlen(p) - len, tail);
				free(tail);
			}
			p += strcspn(p, "/+");
			p += *p != '\0';
		}
		free(all);
		scrollback_finish(&s);
	}
}

static void knows_how_the_open_line_ends(void **state)
{
	struct scrollback s;

	(void)state;
	scrollback_init(&s, PLENTY);
	put_text(&s, "name? ");
	assert_true(scrollback_ends_with(&s, "name? "));
	assert_true(scrollback_ends_with(&s, "? "));
	assert_false(scrollback_ends_with(&s, "your name? "));
	put_text(&s, "\n");
	assert_false(scrollback_ends_with(&s, "\n"));
	scrollback_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(keeps_what_is_appended),
			cmocka_unit_test(a_flood_keeps_what_was_before),
			cmocka_unit_test(breaks_endless_lines_between_characters),
			cmocka_unit_test(a_line_rewritten_for_ever_stays_one_line),
			cmocka_unit_test(drops_the_oldest_and_counts_it),
			cmocka_unit_test(finds_every_line_of_random_output),
			cmocka_unit_test(knows_how_the_open_line_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
