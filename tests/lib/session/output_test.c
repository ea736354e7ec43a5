/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

/* Tiny blocks, so that every case crosses their edges. */
#define OUTPUT_BLOCK_BYTES 8
#define OUTPUT_BLOCK_RECORDS 3
#include "session/output.c"

#include <stdio.h>

static void finish(struct trm_result *r)
{
	free(r->output);
	free(r->chunks);
}

static void assert_chunks_tile(const struct trm_result *r)
{
	size_t at = 0;
	for (size_t i = 0; i < r->n_chunks; i++) {
		assert_int_equal(r->chunks[i].offset, at);
		assert_true(r->chunks[i].n > 0);
		at += r->chunks[i].n;
	}
	assert_int_equal(at, r->output_len);
}

static void keeps_all_that_fits(void **state)
{
	struct output o;
	struct trm_result r = {0};
	(void)state;
	output_init(&o, 26);
	output_append(&o, TRM_STDOUT, "abcdefghijklm", 13);
	output_append(&o, TRM_STDERR, "nop", 3);
	output_append(&o, TRM_STDOUT, "qrstuvwxyz", 10);
	output_to_result(&o, &r);
	assert_int_equal(r.output_len, 26);
	assert_memory_equal(r.output, "abcdefghijklmnopqrstuvwxyz", 26);
	assert_int_equal(r.n_chunks, 3);
	assert_int_equal(r.chunks[1].stream, TRM_STDERR);
	assert_int_equal(r.chunks[1].offset, 13);
	assert_int_equal(r.dropped_bytes, 0);
	assert_chunks_tile(&r);
	finish(&r);
	output_finish(&o);
}

static void keeps_both_ends_to_the_byte(void **state)
{
	(void)state;
	for (size_t keep = 0; keep < 60; keep++) {
		for (size_t piece = 1; piece < 40; piece++) {
			struct output o;
			struct trm_result r = {0};
			char all[600];
			for (size_t i = 0; i < sizeof all; i++)
				all[i] = (char)('0' + i % 75);
			output_init(&o, keep);
			for (size_t at = 0; at < sizeof all; at += piece)
				output_append(&o, TRM_STDOUT, all + at,
						piece < sizeof all - at ? piece : sizeof all - at);
			output_to_result(&o, &r);
			assert_int_equal(r.output_len, keep);
			assert_int_equal(r.dropped_bytes, sizeof all - keep);
			if (keep) {
				size_t tail = keep - keep / 2;
				assert_memory_equal(r.output, all, keep / 2);
				assert_memory_equal(r.output + keep / 2, all + sizeof all - tail, tail);
			}
			assert_chunks_tile(&r);
			finish(&r);
			output_finish(&o);
		}
	}
}

static void alternating_streams_do_not_grow_memory(void **state)
{
	struct output o;
	struct trm_result r = {0};
	(void)state;
	output_init(&o, 64);
	for (int i = 0; i < 100000; i++) {
		output_append(&o, i % 2 ? TRM_STDERR : TRM_STDOUT, "x", 1);
		assert_true(o.n_blocks <= o.max_blocks + 1);
	}
	output_to_result(&o, &r);
	assert_int_equal(r.stdout_bytes, 50000);
	assert_int_equal(r.stderr_bytes, 50000);
	assert_true(r.output_len > 16 && r.output_len <= 64);
	assert_int_equal(r.dropped_bytes, 100000 - r.output_len);
	assert_chunks_tile(&r);
	finish(&r);
	output_finish(&o);
}

static void reset_forgets_and_keeps_a_block(void **state)
{
	struct output o;
	struct trm_result r = {0};
	(void)state;
	output_init(&o, 64);
	for (int i = 0; i < 1000; i++)
		output_append(&o, TRM_STDOUT, "0123456789", 10);
	output_reset(&o, 64);
	assert_non_null(o.spare);
	struct output_block *spare = o.spare;
	output_append(&o, TRM_STDERR, "new", 3);
	assert_ptr_equal(o.first, spare);
	output_to_result(&o, &r);
	assert_int_equal(r.output_len, 3);
	assert_int_equal(r.stdout_bytes, 0);
	assert_memory_equal(r.output, "new", 3);
	finish(&r);
	output_reset(&o, 64);
	assert_ptr_equal(o.spare, spare);
	output_finish(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(keeps_all_that_fits),
			cmocka_unit_test(keeps_both_ends_to_the_byte),
			cmocka_unit_test(alternating_streams_do_not_grow_memory),
			cmocka_unit_test(reset_forgets_and_keeps_a_block),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
