/* SPDX-License-Identifier: MIT */
#include "text/history.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

#include "text/text.h"

static struct history *fresh(void)
{
	struct history *h = history_create(text_create());
	assert_non_null(h);
	return h;
}

static void expect(struct history *h, const char *want)
{
	char *s = text_slice(history_text(h), 0, SIZE_MAX);
	assert_string_equal(s, want);
	free(s);
}

static struct selection at(size_t pos)
{
	return (struct selection){.anchor = pos, .cursor = pos};
}

static void type(struct history *h, size_t pos, const char *s, bool joins)
{
	history_begin(h, at(pos), joins);
	assert_int_equal(history_insert(h, pos, s, strlen(s)), 0);
	history_end(h, at(pos + strlen(s)));
}

static void test_bursts_are_one_step(void **state)
{
	struct history *h = fresh();
	struct selection sel;
	(void)state;
	type(h, 0, "a", false);
	type(h, 1, "b", true);
	type(h, 2, "c", true);
	type(h, 3, "\n", false);
	expect(h, "abc\n");
	assert_true(history_undo(h, &sel));
	assert_int_equal(sel.cursor, 3);
	expect(h, "abc");
	assert_true(history_undo(h, &sel));
	expect(h, "");
	assert_int_equal(sel.cursor, 0);
	assert_false(history_undo(h, &sel));
	assert_true(history_redo(h, &sel));
	assert_int_equal(sel.cursor, 3);
	expect(h, "abc");
	type(h, 3, "!", false);
	assert_false(history_redo(h, &sel));
	expect(h, "abc!");
	history_destroy(h);
}

static void test_erasing_both_ways(void **state)
{
	struct history *h = fresh();
	struct selection sel;
	(void)state;
	type(h, 0, "0123456789", false);
	for (size_t i = 0; i < 3; i++) {
		history_begin(h, at(6 - i), i > 0);
		assert_int_equal(history_delete(h, 5 - i, 1), 0);
		history_end(h, at(5 - i));
	}
	expect(h, "0126789");
	for (size_t i = 0; i < 2; i++) {
		history_begin(h, at(3), i > 0);
		assert_int_equal(history_delete(h, 3, 1), 0);
		history_end(h, at(3));
	}
	expect(h, "01289");
	assert_true(history_undo(h, &sel));
	expect(h, "0126789");
	assert_true(history_undo(h, &sel));
	expect(h, "0123456789");
	assert_int_equal(sel.cursor, 6);
	history_destroy(h);
}

static void test_modified(void **state)
{
	struct history *h = fresh();
	struct selection sel;
	(void)state;
	assert_false(history_is_modified(h));
	type(h, 0, "a", false);
	assert_true(history_is_modified(h));
	history_mark_saved(h);
	assert_false(history_is_modified(h));
	/* A burst that goes on after saving can be undone back to what was saved. */
	type(h, 1, "b", true);
	assert_true(history_is_modified(h));
	assert_true(history_undo(h, &sel));
	assert_false(history_is_modified(h));
	expect(h, "a");
	assert_true(history_undo(h, &sel));
	assert_true(history_is_modified(h));
	/* What was saved is lost with the redo. */
	type(h, 0, "x", false);
	assert_true(history_is_modified(h));
	assert_true(history_undo(h, &sel));
	assert_true(history_is_modified(h));
	history_destroy(h);
}

static unsigned rnd(unsigned *seed, unsigned n)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 8) % n;
}

/* Undo to the start and redo to the end pass through the same texts. */
static void test_random_there_and_back(void **state)
{
	enum { STEPS = 300 };
	struct history *h = fresh();
	struct selection sel;
	char *seen[STEPS + 1];
	unsigned seed = 7;
	(void)state;
	seen[0] = strdup("");
	for (int i = 1; i <= STEPS; i++) {
		history_begin(h, at(0), false);
		size_t before = text_len(history_text(h));
		assert_int_equal(history_insert(h, rnd(&seed, (unsigned)before + 1), "hello\nworld",
						 1 + rnd(&seed, 11)),
				0);
		for (unsigned k = rnd(&seed, 4); k > 0; k--) {
			size_t len = text_len(history_text(h));
			size_t pos = rnd(&seed, (unsigned)len);
			assert_int_equal(history_delete(h, pos, rnd(&seed, 5) < len - pos ? 1 : 0), 0);
		}
		history_end(h, at(0));
		seen[i] = text_slice(history_text(h), 0, SIZE_MAX);
	}
	for (int round = 0; round < 2; round++) {
		for (int i = STEPS; i > 0; i--) {
			expect(h, seen[i]);
			assert_true(history_undo(h, &sel));
		}
		for (int i = 0; i < STEPS; i++) {
			expect(h, seen[i]);
			assert_true(history_redo(h, &sel));
		}
	}
	for (int i = 0; i <= STEPS; i++)
		free(seen[i]);
	history_destroy(h);
}

static void test_saving_takes_a_while(void **state)
{
	struct history *h = history_create(text_create());
	struct selection sel;
	(void)state;
	history_begin(h, (struct selection){0}, false);
	history_insert(h, 0, "a", 1);
	history_mark_saving(h);
	assert_true(history_is_modified(h));
	history_begin(h, (struct selection){0}, true);
	history_insert(h, 1, "b", 1);
	history_mark_saved_then(h);
	assert_true(history_is_modified(h)); /* the b came later */
	assert_true(history_undo(h, &sel));
	assert_false(history_is_modified(h));
	/* What is being saved is undone and written over: nothing that can be reached is saved. */
	history_mark_saving(h);
	assert_true(history_undo(h, &sel));
	history_begin(h, (struct selection){0}, false);
	history_insert(h, 0, "c", 1);
	history_mark_saved_then(h);
	assert_true(history_is_modified(h));
	assert_true(history_undo(h, &sel));
	assert_true(history_is_modified(h));
	history_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_saving_takes_a_while),
			cmocka_unit_test(test_bursts_are_one_step),
			cmocka_unit_test(test_erasing_both_ways),
			cmocka_unit_test(test_modified),
			cmocka_unit_test(test_random_there_and_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
