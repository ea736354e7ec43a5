/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/backlog.h"
#include "agent/recent.h"

#define DONE "{\"ev\":\"done\""

/* What one who attaches would get: everything by channel, and apart from that what is pinned. */
struct told {
	struct replay replay;
	struct buf by_channel[256];
	char order[200]; /* a letter per change of channel: o n c */
};

static void add(struct recent *recent, uint8_t channel, const char *text)
{
	recent_add(recent, channel, text, strlen(text));
}

static void add_many(struct recent *recent, uint8_t channel, char byte, size_t n)
{
	char *bytes = malloc(n);
	memset(bytes, byte, n);
	recent_add(recent, channel, bytes, n);
	free(bytes);
}

static struct told *listen_to(const struct recent *recent, bool all, bool past)
{
	struct told *told = calloc(1, sizeof *told);
	struct buf backlog;
	size_t n, records = 0;
	uint64_t bytes = 0;
	uint8_t channel;
	buf_init(&backlog, BACKLOG_MAX);
	for (int i = 0; i < 256; i++)
		buf_init(&told->by_channel[i], BACKLOG_MAX);
	assert_int_equal(recent_replay(recent, all, past, &backlog, &told->replay), 0);
	while (backlog.len) {
		const char *at = backlog_front(&backlog, &channel, &n);
		assert_true(n > 0);
		size_t part = n > 1000 ? n / 2 : n; /* big ones in pieces */
		assert_int_equal(buf_append(&told->by_channel[channel], at, part), 0);
		backlog_take(&backlog, part);
		bytes += part;
		char letter = channel == CHANNEL_NOTE      ? 'n'
			      : channel == CHANNEL_CONTROL ? 'c'
			      : channel == CHANNEL_ENDED   ? 'e'
							   : 'o';
		if (records < sizeof told->order - 1 && (!records || told->order[records - 1] != letter))
			told->order[records++] = letter;
	}
	assert_int_equal(bytes, told->replay.replay_bytes);
	assert_true(told->replay.pinned_bytes <= told->replay.replay_bytes);
	buf_finish(&backlog);
	return told;
}

static struct told *listen(const struct recent *recent, bool all)
{
	return listen_to(recent, all, false);
}

static const char *text_of(struct told *told, uint8_t channel)
{
	assert_int_equal(buf_append(&told->by_channel[channel], "", 1), 0);
	told->by_channel[channel].len--;
	return buf_at(&told->by_channel[channel]);
}

static void forget(struct told *told)
{
	for (int i = 0; i < 256; i++)
		buf_finish(&told->by_channel[i]);
	free(told);
}

static void test_nothing(void **state)
{
	struct recent recent;
	(void)state;
	recent_init(&recent);
	for (int all = 0; all < 2; all++) {
		struct told *told = listen(&recent, all);
		assert_int_equal(told->replay.replay_bytes, 0);
		assert_int_equal(told->replay.lost_bytes, 0);
		forget(told);
	}
	recent_finish(&recent);
	recent_finish(&recent);
}

static void test_little_is_kept_whole_and_in_order(void **state)
{
	struct recent recent;
	(void)state;
	recent_init(&recent);
	add(&recent, CHANNEL_CONTROL, "{\"ev\":\"ready\"}\n");
	add(&recent, CHANNEL_NOTE, "{one}\n");
	add(&recent, CHANNEL_STDOUT, "a");
	add(&recent, CHANNEL_STDOUT, "b\n");
	add(&recent, CHANNEL_CONTROL, DONE "}\n");
	add(&recent, CHANNEL_CONTROL, "reply\n");
	struct told *told = listen(&recent, true);
	assert_string_equal(told->order, "cnoc");
	assert_string_equal(text_of(told, CHANNEL_STDOUT), "ab\n");
	assert_string_equal(text_of(told, CHANNEL_CONTROL), "{\"ev\":\"ready\"}\n" DONE "}\nreply\n");
	assert_int_equal(told->replay.pinned_bytes, 0);
	assert_int_equal(told->replay.lost_bytes, 0);
	assert_int_equal(recent.position, 15 + 3 + strlen(DONE "}\nreply\n"));
	forget(told);
	/* Only what tells how things stand. */
	told = listen(&recent, false);
	assert_string_equal(told->order, "nc");
	assert_string_equal(text_of(told, CHANNEL_NOTE), "{one}\n");
	assert_string_equal(text_of(told, CHANNEL_CONTROL), DONE "}\n");
	assert_int_equal(told->replay.pinned_bytes, told->replay.replay_bytes);
	assert_int_equal(told->replay.lost_bytes, recent.position);
	forget(told);
	assert_true(recent.cap <= 4096);
	recent_finish(&recent);
}

static void test_what_is_pushed_out_leaves_its_trace(void **state)
{
	struct recent recent;
	(void)state;
	recent_init(&recent);
	add(&recent, CHANNEL_NOTE, "{old}\n");
	add(&recent, CHANNEL_CONTROL, DONE " old\n");
	add(&recent, CHANNEL_NOTE, "{new}\n");
	add(&recent, CHANNEL_CONTROL, "display\n" DONE " new\n reply\n");
	for (int i = 0; i < 10; i++)
		add_many(&recent, CHANNEL_STDOUT, 'x', 100000);
	assert_int_equal(recent.cap, FRAME_RECENT_MAX);
	struct told *told = listen(&recent, true);
	assert_string_equal(text_of(told, CHANNEL_NOTE), "{new}\n");
	assert_string_equal(text_of(told, CHANNEL_CONTROL), DONE " new\n");
	assert_int_equal(told->replay.pinned_bytes, 6 + strlen(DONE " new\n"));
	assert_false(told->replay.is_torn);
	assert_int_equal(told->replay.lost_bytes + told->by_channel[CHANNEL_STDOUT].len, recent.position);
	assert_true(told->by_channel[CHANNEL_STDOUT].len > FRAME_RECENT_MAX - 100);
	forget(told);
	recent_finish(&recent);
}

static void test_a_line_pushed_out_in_part_is_whole_again(void **state)
{
	struct recent recent;
	(void)state;
	recent_init(&recent);
	add(&recent, CHANNEL_CONTROL, DONE);
	add_many(&recent, CHANNEL_CONTROL, 'c', 50000 - strlen(DONE));
	add_many(&recent, CHANNEL_STDOUT, 'x', FRAME_RECENT_MAX - 20000);
	add(&recent, CHANNEL_CONTROL, "end\n");
	struct told *told = listen(&recent, true);
	assert_int_equal(told->by_channel[CHANNEL_CONTROL].len, 50004);
	assert_true(told->replay.pinned_bytes > 0 && told->replay.pinned_bytes < 50000);
	assert_false(told->replay.is_torn);
	forget(told);
	/* One who gets no more than the pins gets all of it, for its sake. */
	told = listen(&recent, false);
	assert_int_equal(told->by_channel[CHANNEL_CONTROL].len, 50004);
	forget(told);
	recent_finish(&recent);
}

static void test_a_line_that_is_too_long_is_torn(void **state)
{
	struct recent recent;
	(void)state;
	recent_init(&recent);
	add(&recent, CHANNEL_NOTE, "{n}\n");
	for (int i = 0; i < 50; i++)
		add_many(&recent, CHANNEL_CONTROL, 'c', 100000);
	struct told *told = listen(&recent, true);
	assert_true(told->replay.is_torn);
	forget(told);
	told = listen(&recent, false);
	assert_true(told->replay.is_torn);
	assert_string_equal(text_of(told, CHANNEL_NOTE), "{n}\n");
	forget(told);
	/* What comes behind it is read again. */
	add(&recent, CHANNEL_CONTROL, "cc\n" DONE "\n");
	told = listen(&recent, false);
	assert_false(told->replay.is_torn);
	assert_string_equal(text_of(told, CHANNEL_CONTROL), DONE "\n");
	forget(told);
	recent_finish(&recent);
}

/* A value of a million characters, and then a little of something else. */
static void test_the_longest_end_of_a_run(void **state)
{
	struct recent recent;
	(void)state;
	recent_init(&recent);
	add(&recent, CHANNEL_NOTE, "{n}\n");
	add(&recent, CHANNEL_CONTROL, DONE);
	for (int i = 0; i < 10; i++)
		add_many(&recent, CHANNEL_CONTROL, 'v', 100000);
	add(&recent, CHANNEL_CONTROL, "}\nreply\n");
	for (int all = 0; all < 2; all++) {
		struct told *told = listen(&recent, all);
		size_t end = strlen(DONE) + 1000000 + 2;
		assert_int_equal(told->by_channel[CHANNEL_CONTROL].len, all ? end + 6 : end);
		assert_memory_equal(buf_at(&told->by_channel[CHANNEL_CONTROL]), DONE, strlen(DONE));
		forget(told);
	}
	/* The next run takes its place. */
	add(&recent, CHANNEL_NOTE, "{m}\n");
	add(&recent, CHANNEL_CONTROL, DONE " m\n");
	struct told *told = listen(&recent, false);
	assert_string_equal(text_of(told, CHANNEL_CONTROL), DONE " m\n");
	assert_string_equal(text_of(told, CHANNEL_NOTE), "{m}\n");
	forget(told);
	recent_finish(&recent);
}

/* Whether it waits for input, say: who does not want to know what was needs to know what is. */
static void test_of_a_run_that_is_not_over_all_is_told(void **state)
{
	struct recent recent;
	(void)state;
	recent_init(&recent);
	add(&recent, CHANNEL_STDOUT, "before\n");
	add(&recent, CHANNEL_NOTE, "{n}\n");
	add(&recent, CHANNEL_CONTROL, "input\n");
	struct told *told = listen(&recent, false);
	assert_string_equal(text_of(told, CHANNEL_CONTROL), "input\n");
	assert_string_equal(text_of(told, CHANNEL_STDOUT), "before\n");
	assert_int_equal(told->replay.lost_bytes, 0);
	forget(told);
	add(&recent, CHANNEL_CONTROL, DONE "\n");
	told = listen(&recent, false);
	assert_string_equal(told->order, "nc");
	assert_string_equal(text_of(told, CHANNEL_CONTROL), DONE "\n");
	forget(told);
	recent_finish(&recent);
}

static void test_a_note_longer_than_the_ring(void **state)
{
	struct recent recent;
	(void)state;
	recent_init(&recent);
	add(&recent, CHANNEL_STDOUT, "before\n");
	add_many(&recent, CHANNEL_NOTE, 'n', FRAME_NOTE_MAX);
	add(&recent, CHANNEL_STDOUT, "after\n");
	struct told *told = listen(&recent, true);
	assert_string_equal(told->order, "no");
	assert_int_equal(told->by_channel[CHANNEL_NOTE].len, FRAME_NOTE_MAX);
	assert_string_equal(text_of(told, CHANNEL_STDOUT), "after\n");
	assert_int_equal(told->replay.lost_bytes, 7);
	forget(told);
	recent_finish(&recent);
}

static void test_greeting(void **state)
{
	struct recent recent;
	(void)state;
	recent_init(&recent);
	add(&recent, CHANNEL_STDOUT, "noise\n");
	add(&recent, CHANNEL_CONTROL, "{\"ev\":");
	assert_false(recent.has_greeting);
	add(&recent, CHANNEL_CONTROL, "\"ready\"}\nmore\n");
	assert_true(recent.has_greeting);
	assert_int_equal(recent.greeting_len, 14);
	assert_memory_equal(recent.greeting, "{\"ev\":\"ready\"}", 14);
	recent_finish(&recent);
	recent_init(&recent);
	add_many(&recent, CHANNEL_CONTROL, 'x', FRAME_GREETING_MAX + 1);
	add(&recent, CHANNEL_CONTROL, "x\nsecond\n");
	assert_true(recent.has_greeting);
	assert_int_equal(recent.greeting_len, 0);
	recent_finish(&recent);
}

/* The newest bytes of each channel, and only those, however they came. */
static void test_any_sizes(void **state)
{
	static const uint8_t channels[] = {CHANNEL_STDOUT, CHANNEL_STDERR, CHANNEL_CONTROL, CHANNEL_NOTE};
	uint32_t seed = 1;
	(void)state;
	for (int round = 0; round < 20; round++) {
		struct recent recent;
		struct buf all[256];
		uint64_t position = 0;
		recent_init(&recent);
		for (int i = 0; i < 256; i++)
			buf_init(&all[i], 64u << 20);
		for (int i = 0; i < 300; i++) {
			char bytes[20000];
			seed = seed * 1664525 + 1013904223;
			uint8_t channel = channels[seed >> 30];
			size_t n = 1 + (seed >> 8) % (i % 7 ? 100 : sizeof bytes);
			for (size_t j = 0; j < n; j++)
				bytes[j] = (char)('a' + (i + (int)j) % 26);
			bytes[n - 1] = '\n';
			recent_add(&recent, channel, bytes, n);
			assert_int_equal(buf_append(&all[channel], bytes, n), 0);
			position += channel == CHANNEL_NOTE ? 0 : n;
			if (round % 2 && seed % 40 == 0)
				recent_end(&recent, 1);
		}
		assert_int_equal(recent.position, position);
		struct told *told = listen(&recent, true);
		assert_true(told->replay.replay_bytes <= FRAME_RECENT_MAX || told->replay.pinned_bytes);
		forget(told);
		told = listen_to(&recent, true, true);
		assert_true(told->replay.replay_bytes > FRAME_RECENT_MAX / 2);
		for (size_t i = 0; i < 2; i++) {
			const struct buf *got = &told->by_channel[channels[i]], *put = &all[channels[i]];
			assert_true(got->len <= put->len);
			assert_memory_equal(buf_at(got), buf_at(put) + put->len - got->len, got->len);
		}
		forget(told);
		for (int i = 0; i < 256; i++)
			buf_finish(&all[i]);
		recent_finish(&recent);
	}
}

/* One process ends in the middle of a run and of a line, and another goes on with what is kept. */
static void test_the_past_is_for_who_asks(void **state)
{
	struct recent recent;
	(void)state;
	recent_init(&recent);
	add(&recent, CHANNEL_CONTROL, "ready\n");
	add(&recent, CHANNEL_NOTE, "{old}\n");
	add(&recent, CHANNEL_STDOUT, "was");
	add(&recent, CHANNEL_CONTROL, "torn");
	recent_end(&recent, 137);
	assert_int_equal(recent.position, 6 + 3 + 4);
	assert_false(recent.has_greeting);
	struct told *told = listen_to(&recent, false, true);
	assert_string_equal(told->order, "ne");
	assert_int_equal(*text_of(told, CHANNEL_ENDED), (char)137);
	forget(told);
	told = listen(&recent, false);
	assert_string_equal(told->order, "");
	forget(told);
	add(&recent, CHANNEL_CONTROL, "hello\n");
	assert_memory_equal(recent.greeting, "hello", 5);
	add(&recent, CHANNEL_STDOUT, "is");
	told = listen_to(&recent, true, true);
	assert_string_equal(told->order, "cnoceco");
	assert_int_equal(told->replay.lost_bytes, 0);
	forget(told);
	told = listen(&recent, true);
	assert_string_equal(told->order, "co");
	assert_string_equal(text_of(told, CHANNEL_STDOUT), "is");
	assert_int_equal(told->replay.pinned_bytes, 0);
	assert_int_equal(told->replay.lost_bytes, 6 + 3 + 4);
	assert_int_equal(recent.position, 6 + 3 + 4 + 6 + 2);
	forget(told);
	recent_finish(&recent);
}

/* What is pushed out of the ring says still which run it was, and that it is over. */
static void test_a_past_that_is_pushed_out(void **state)
{
	struct recent recent;
	(void)state;
	recent_init(&recent);
	add(&recent, CHANNEL_NOTE, "{old}\n");
	add(&recent, CHANNEL_CONTROL, "torn");
	recent_end(&recent, 3);
	add_many(&recent, CHANNEL_STDOUT, 'x', FRAME_RECENT_MAX - 100);
	add_many(&recent, CHANNEL_STDERR, 'y', 200);
	struct told *told = listen_to(&recent, true, true);
	assert_string_equal(told->order, "neo");
	assert_int_equal(told->replay.pinned_bytes, 6 + 1);
	assert_false(told->replay.is_torn);
	uint64_t lost_bytes = told->replay.lost_bytes;
	forget(told);
	told = listen(&recent, true);
	assert_string_equal(told->order, "o");
	assert_int_equal(told->replay.pinned_bytes, 0);
	assert_int_equal(told->replay.lost_bytes, lost_bytes);
	forget(told);
	/* A run of the next one's is open until it is over, too. */
	add(&recent, CHANNEL_NOTE, "{new}\n");
	add_many(&recent, CHANNEL_STDOUT, 'z', 2 * FRAME_RECENT_MAX);
	told = listen(&recent, true);
	assert_string_equal(told->order, "n");
	assert_string_equal(text_of(told, CHANNEL_NOTE), "{new}\n");
	forget(told);
	recent_end(&recent, 0);
	told = listen_to(&recent, true, true);
	assert_string_equal(told->order, "ne");
	assert_int_equal(told->replay.lost_bytes, recent.position);
	forget(told);
	recent_finish(&recent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_nothing),
			cmocka_unit_test(test_little_is_kept_whole_and_in_order),
			cmocka_unit_test(test_what_is_pushed_out_leaves_its_trace),
			cmocka_unit_test(test_a_line_pushed_out_in_part_is_whole_again),
			cmocka_unit_test(test_a_line_that_is_too_long_is_torn),
			cmocka_unit_test(test_the_longest_end_of_a_run),
			cmocka_unit_test(test_of_a_run_that_is_not_over_all_is_told),
			cmocka_unit_test(test_a_note_longer_than_the_ring),
			cmocka_unit_test(test_greeting),
			cmocka_unit_test(test_any_sizes),
			cmocka_unit_test(test_the_past_is_for_who_asks),
			cmocka_unit_test(test_a_past_that_is_pushed_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
