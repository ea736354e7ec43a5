/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include "wire/pool_note.h"

static struct trm_pool_entry pool;
static char note[POOL_NOTE_BYTES];

static void fill_pool(void)
{
	pool = (struct trm_pool_entry){.name = "pool.python",
			.backend = "local",
			.group = "serve:5555/pool",
			.pid = 42,
			.size = 8,
			.stats = {.idle = 7, .taken = 3, .n_started = UINT64_MAX, .n_failed = 2}};
	memset(pool.stats.why.msg, 'x', sizeof pool.stats.why.msg - 1);
	pool.stats.why.code = TRM_EMISSING;
}

static void comes_back_as_it_was(void **state)
{
	struct trm_pool_entry back;
	(void)state;
	fill_pool();
	pool_note_put(note, 1, &pool);
	assert_int_equal(pool_note_get(note, sizeof note, &back), 0);
	pool.stats.why.code = TRM_EIO;
	assert_string_equal(back.name, pool.name);
	assert_string_equal(back.backend, pool.backend);
	assert_string_equal(back.group, pool.group);
	assert_int_equal(back.pid, 42);
	assert_int_equal(back.size, 8);
	assert_memory_equal(&back.stats, &pool.stats, sizeof back.stats);
}

static void an_old_reason_is_none(void **state)
{
	struct trm_pool_entry back;
	(void)state;
	fill_pool();
	pool.stats.why.code = TRM_OK;
	pool_note_put(note, 1, &pool);
	assert_int_equal(pool_note_get(note, sizeof note, &back), 0);
	assert_int_equal(back.stats.why.code, TRM_OK);
}

/* A reader may see the beginning of one version and the end of another one. */
static void half_of_two_versions_is_refused(void **state)
{
	struct trm_pool_entry back;
	char next[POOL_NOTE_BYTES];
	(void)state;
	fill_pool();
	pool_note_put(note, 1, &pool);
	pool_note_put(next, 2, &pool);
	memcpy(note, next, 100);
	assert_int_equal(pool_note_get(note, sizeof note, &back), TRM_EPROTO);
	for (size_t n = 0; n < 100; n++)
		assert_int_equal(pool_note_get(next, n, &back), TRM_EPROTO);
}

static void rubbish_is_refused_or_cleaned(void **state)
{
	struct trm_pool_entry back;
	static const char odd[] = "version 1\nname a\033[31mb\nsize 99999999999999\nfoo\nbar 3\nend 1\n";
	(void)state;
	assert_int_equal(pool_note_get("", 0, &back), TRM_EPROTO);
	memset(note, ' ', sizeof note);
	assert_int_equal(pool_note_get(note, sizeof note, &back), TRM_EPROTO);
	assert_int_equal(pool_note_get(odd, sizeof odd, &back), 0);
	assert_null(strchr(back.name, '\033'));
	assert_int_equal(back.size, UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(comes_back_as_it_was),
			cmocka_unit_test(an_old_reason_is_none),
			cmocka_unit_test(half_of_two_versions_is_refused),
			cmocka_unit_test(rubbish_is_refused_or_cleaned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
