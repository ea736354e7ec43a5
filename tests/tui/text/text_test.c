/* SPDX-License-Identifier: MIT */
/* The tree against a flat array, with chunks so small that every edit cuts and joins. */
#define TEXT_CHUNK 8
#include "text/text.c"

#include "cmocka_all.h"

struct model {
	char bytes[4096];
	size_t len;
};

static void model_insert(struct model *m, size_t pos, const char *s, size_t n)
{
	memmove(m->bytes + pos + n, m->bytes + pos, m->len - pos);
	memcpy(m->bytes + pos, s, n);
	m->len += n;
}

static void model_delete(struct model *m, size_t pos, size_t n)
{
	memmove(m->bytes + pos, m->bytes + pos + n, m->len - pos - n);
	m->len -= n;
}

static void check(const struct text *t, const struct model *m)
{
	char copy[4096];
	assert_true(text_is_sound(t));
	assert_int_equal(text_len(t), m->len);
	assert_int_equal(text_copy(t, 0, copy, sizeof(copy)), m->len);
	assert_memory_equal(copy, m->bytes, m->len);
	size_t lines = 1;
	for (size_t i = 0; i < m->len; i++)
		lines += m->bytes[i] == '\n';
	assert_int_equal(text_lines(t), lines);
}

static void check_lines(const struct text *t, const struct model *m)
{
	size_t line = 0, start = 0;
	for (size_t pos = 0; pos <= m->len; pos++) {
		assert_int_equal(text_line_of(t, pos), line);
		if (pos < m->len && m->bytes[pos] != '\n')
			continue;
		assert_int_equal(text_line_start(t, line), start);
		assert_int_equal(text_line_end(t, line), pos);
		assert_int_equal(text_line_end_from(t, line, start), pos);
		line++;
		start = pos + 1;
	}
	assert_int_equal(text_line_start(t, line + 5), text_line_start(t, line - 1));
}

static unsigned rnd(unsigned *seed, unsigned n)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 8) % n;
}

/* Text that was not read in by copying is no different. */
static struct text *text_of(struct model *m, size_t n, unsigned *seed)
{
	struct text *t = text_create();
	char *block = malloc(n + 1);
	for (size_t i = 0; i < n; i++)
		block[i] = (char)(rnd(seed, 5) ? 'a' + rnd(seed, 26) : '\n');
	m->len = n;
	memcpy(m->bytes, block, n);
	assert_int_equal(text_adopt(t, block, n), 0);
	check(t, m);
	return t;
}

static void edit_randomly(size_t loaded)
{
	static struct model m;
	unsigned seed = 1;
	struct text *t = text_of(&m, loaded, &seed);
	for (int i = 0; i < 30000; i++) {
		size_t pos = rnd(&seed, (unsigned)m.len + 1);
		if (rnd(&seed, 100) < (m.len > 3000 ? 30u : 55u)) {
			char s[64];
			size_t n = rnd(&seed, rnd(&seed, 8) ? 4 : sizeof(s)) + 1;
			for (size_t k = 0; k < n; k++)
				s[k] = (char)(rnd(&seed, 5) ? 'a' + rnd(&seed, 26) : '\n');
			if (m.len + n > sizeof(m.bytes))
				continue;
			assert_int_equal(text_insert(t, pos, s, n), 0);
			model_insert(&m, pos, s, n);
		} else {
			size_t n = rnd(&seed, rnd(&seed, 8) ? 4 : 100);
			n = n < m.len - pos ? n : m.len - pos;
			assert_int_equal(text_delete(t, pos, n), 0);
			model_delete(&m, pos, n);
		}
		check(t, &m);
		if (i % 100 == 0)
			check_lines(t, &m);
	}
	text_destroy(t);
}

static void test_random_edits(void **state)
{
	(void)state;
	edit_randomly(0);
	edit_randomly(2900);
}

static void test_counts_newlines(void **state)
{
	static char bytes[20000];
	uint32_t count = 0;
	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = i % 3 ? '\n' : 'x';
		count += i % 3 > 0;
	}
	assert_int_equal(chunk_newlines(bytes, sizeof(bytes)), count);
	assert_int_equal(chunk_newlines(bytes + 1, 17), 12);
	assert_int_equal(chunk_newlines(bytes, 0), 0);
}

static void test_beyond_the_end(void **state)
{
	struct text *t = text_create();
	(void)state;
	assert_int_equal(text_lines(t), 1);
	assert_int_equal(text_line_of(t, 99), 0);
	assert_int_equal(text_insert(t, 99, "one\ntwo\n", 8), 0);
	assert_int_equal(text_delete(t, 99, 5), 0);
	assert_int_equal(text_delete(t, 7, 500), 0);
	char *s = text_slice(t, 2, 500);
	assert_string_equal(s, "e\ntwo");
	free(s);
	size_t n;
	text_peek(t, 7, &n);
	assert_int_equal(n, 0);
	text_destroy(t);
}

static size_t depth(const struct chunk *c)
{
	size_t left = c ? depth(c->left) : 0, right = c ? depth(c->right) : 0;
	return c ? 1 + (left > right ? left : right) : 0;
}

static void test_stays_shallow(void **state)
{
	struct text *t = text_create();
	(void)state;
	for (int i = 0; i < 20000; i++)
		assert_int_equal(text_insert(t, text_len(t) / 2, "0123456", 7), 0);
	assert_true(text_is_sound(t));
	assert_true(depth(t->root) < 60);
	text_destroy(t);
}

/* Bytes that are not UTF-8 are counted, wherever the chunks end. */
static void test_counts_broken_bytes(void **state)
{
	size_t first;

	(void)state;
	for (size_t before = 0; before < 40; before++) {
		struct text *t = text_create();
		assert_non_null(t);
		for (size_t i = 0; i < before; i++)
			assert_int_equal(text_insert(t, 0, "x", 1), 0);
		for (size_t i = 0; i < 30; i++)
			assert_int_equal(text_insert(t, text_len(t), "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
							 9),
					0);
		assert_int_equal(text_broken_bytes(t, &first), 0);
		size_t at = text_len(t);
		assert_int_equal(text_insert(t, at, "caf\xe9\n\xc3", 6), 0);
		assert_int_equal(text_broken_bytes(t, &first), 2);
		assert_int_equal(first, at + 3);
		assert_int_equal(text_insert(t, 1, "\xff", 1), 0);
		assert_int_equal(text_broken_bytes(t, &first), before ? 3 : 5);
		assert_int_equal(first, before ? 1 : 0);
		text_destroy(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_random_edits),
			cmocka_unit_test(test_counts_newlines),
			cmocka_unit_test(test_beyond_the_end),
			cmocka_unit_test(test_stays_shallow),
			cmocka_unit_test(test_counts_broken_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
