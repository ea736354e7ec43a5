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

#include "agent/process/backlog.h"
#include "agent/process/history.h"

#define DONE "{\"ev\":\"done\""

/* What one who attaches would get: everything by channel, and apart from that what is pinned. */
struct listener {
	struct replay replay;
	struct buf by_channel[256];
	char order[200]; /* a letter per change of channel: o n c */
};

static void add(struct proc_history *proc_history, uint8_t channel, const char *text)
{
	proc_history_add(proc_history, channel, text, strlen(text));
}

static void add_many(struct proc_history *proc_history, uint8_t channel, char byte, size_t n)
{
	char *bytes = malloc(n);
	memset(bytes, byte, n);
	proc_history_add(proc_history, channel, bytes, n);
	free(bytes);
}

static struct listener *listen_to(const struct proc_history *proc_history, bool all, bool past)
{
	struct listener *listener = calloc(1, sizeof *listener);
	struct buf backlog;
	size_t n, records = 0;
	uint64_t bytes = 0;
	uint8_t channel;
	buf_init(&backlog, BACKLOG_MAX);
	for (int i = 0; i < 256; i++)
		buf_init(&listener->by_channel[i], BACKLOG_MAX);
	assert_int_equal(proc_history_replay(proc_history, all, past, &backlog, &listener->replay), 0);
	while (backlog.len) {
		const char *at = backlog_front(&backlog, &channel, &n);
		assert_true(n > 0);
		size_t part = n > 1000 ? n / 2 : n; /* big ones in pieces */
		assert_int_equal(buf_append(&listener->by_channel[channel], at, part), 0);
		backlog_take(&backlog, part);
		bytes += part;
		char letter = channel == CHANNEL_NOTE      ? 'n'
			      : channel == CHANNEL_CONTROL ? 'c'
			      : channel == CHANNEL_ENDED   ? 'e'
							   : 'o';
		if (records < sizeof listener->order - 1
				&& (!records || listener->order[records - 1] != letter))
			listener->order[records++] = letter;
	}
	assert_int_equal(bytes, listener->replay.replay_bytes);
	assert_true(listener->replay.pinned_bytes <= listener->replay.replay_bytes);
	buf_finish(&backlog);
	return listener;
}

static struct listener *listen(const struct proc_history *proc_history, bool all)
{
	return listen_to(proc_history, all, false);
}

static const char *text_of(struct listener *listener, uint8_t channel)
{
	assert_int_equal(buf_append(&listener->by_channel[channel], "", 1), 0);
	listener->by_channel[channel].len--;
	return buf_at(&listener->by_channel[channel]);
}

static void forget(struct listener *listener)
{
	for (int i = 0; i < 256; i++)
		buf_finish(&listener->by_channel[i]);
	free(listener);
}

static void test_nothing(void **state)
{
	struct proc_history proc_history;
	(void)state;
	proc_history_init(&proc_history);
	for (int all = 0; all < 2; all++) {
		struct listener *listener = listen(&proc_history, all);
		assert_int_equal(listener->replay.replay_bytes, 0);
		assert_int_equal(listener->replay.lost_bytes, 0);
		forget(listener);
	}
	proc_history_finish(&proc_history);
	proc_history_finish(&proc_history);
}

static void test_little_is_kept_whole_and_in_order(void **state)
{
	struct proc_history proc_history;
	(void)state;
	proc_history_init(&proc_history);
	add(&proc_history, CHANNEL_CONTROL, "{\"ev\":\"ready\"}\n");
	add(&proc_history, CHANNEL_NOTE, "{one}\n");
	add(&proc_history, CHANNEL_STDOUT, "a");
	add(&proc_history, CHANNEL_STDOUT, "b\n");
	add(&proc_history, CHANNEL_CONTROL, DONE "}\n");
	add(&proc_history, CHANNEL_CONTROL, "reply\n");
	struct listener *listener = listen(&proc_history, true);
	assert_string_equal(listener->order, "cnoc");
	assert_string_equal(text_of(listener, CHANNEL_STDOUT), "ab\n");
	assert_string_equal(text_of(listener, CHANNEL_CONTROL), "{\"ev\":\"ready\"}\n" DONE "}\nreply\n");
	assert_int_equal(listener->replay.pinned_bytes, 0);
	assert_int_equal(listener->replay.lost_bytes, 0);
	assert_int_equal(proc_history.position, 15 + 3 + strlen(DONE "}\nreply\n"));
	forget(listener);
	/* Only what tells how things stand. */
	listener = listen(&proc_history, false);
	assert_string_equal(listener->order, "nc");
	assert_string_equal(text_of(listener, CHANNEL_NOTE), "{one}\n");
	assert_string_equal(text_of(listener, CHANNEL_CONTROL), DONE "}\n");
	assert_int_equal(listener->replay.pinned_bytes, listener->replay.replay_bytes);
	assert_int_equal(listener->replay.lost_bytes, proc_history.position);
	forget(listener);
	assert_true(proc_history.cap <= 4096);
	proc_history_finish(&proc_history);
}

static void test_what_is_pushed_out_leaves_its_trace(void **state)
{
	struct proc_history proc_history;
	(void)state;
	proc_history_init(&proc_history);
	add(&proc_history, CHANNEL_NOTE, "{old}\n");
	add(&proc_history, CHANNEL_CONTROL, DONE " old\n");
	add(&proc_history, CHANNEL_NOTE, "{new}\n");
	add(&proc_history, CHANNEL_CONTROL, "display\n" DONE " new\n reply\n");
	for (int i = 0; i < 10; i++)
		add_many(&proc_history, CHANNEL_STDOUT, 'x', 100000);
	assert_int_equal(proc_history.cap, FRAME_RECENT_MAX);
	struct listener *listener = listen(&proc_history, true);
	assert_string_equal(text_of(listener, CHANNEL_NOTE), "{new}\n");
	assert_string_equal(text_of(listener, CHANNEL_CONTROL), DONE " new\n");
	assert_int_equal(listener->replay.pinned_bytes, 6 + strlen(DONE " new\n"));
	assert_false(listener->replay.is_torn);
	assert_int_equal(listener->replay.lost_bytes + listener->by_channel[CHANNEL_STDOUT].len,
			proc_history.position);
	assert_true(listener->by_channel[CHANNEL_STDOUT].len > FRAME_RECENT_MAX - 100);
	forget(listener);
	proc_history_finish(&proc_history);
}

static void test_a_line_pushed_out_in_part_is_whole_again(void **state)
{
	struct proc_history proc_history;
	(void)state;
	proc_history_init(&proc_history);
	add(&proc_history, CHANNEL_CONTROL, DONE);
	add_many(&proc_history, CHANNEL_CONTROL, 'c', 50000 - strlen(DONE));
	add_many(&proc_history, CHANNEL_STDOUT, 'x', FRAME_RECENT_MAX - 20000);
	add(&proc_history, CHANNEL_CONTROL, "end\n");
	struct listener *listener = listen(&proc_history, true);
	assert_int_equal(listener->by_channel[CHANNEL_CONTROL].len, 50004);
	assert_true(listener->replay.pinned_bytes > 0 && listener->replay.pinned_bytes < 50000);
	assert_false(listener->replay.is_torn);
	forget(listener);
	/* One who gets no more than the pins gets all of it, for its sake. */
	listener = listen(&proc_history, false);
	assert_int_equal(listener->by_channel[CHANNEL_CONTROL].len, 50004);
	forget(listener);
	proc_history_finish(&proc_history);
}

static void test_a_line_that_is_too_long_is_torn(void **state)
{
	struct proc_history proc_history;
	(void)state;
	proc_history_init(&proc_history);
	add(&proc_history, CHANNEL_NOTE, "{n}\n");
	for (int i = 0; i < 50; i++)
		add_many(&proc_history, CHANNEL_CONTROL, 'c', 100000);
	struct listener *listener = listen(&proc_history, true);
	assert_true(listener->replay.is_torn);
	forget(listener);
	listener = listen(&proc_history, false);
	assert_true(listener->replay.is_torn);
	assert_string_equal(text_of(listener, CHANNEL_NOTE), "{n}\n");
	forget(listener);
	/* What comes behind it is read again. */
	add(&proc_history, CHANNEL_CONTROL, "cc\n" DONE "\n");
	listener = listen(&proc_history, false);
	assert_false(listener->replay.is_torn);
	assert_string_equal(text_of(listener, CHANNEL_CONTROL), DONE "\n");
	forget(listener);
	proc_history_finish(&proc_history);
}

/* Nobody keeps how the run ended, but that it has. */
static void test_an_end_that_is_too_long_is_an_end(void **state)
{
	struct proc_history proc_history;
	(void)state;
	proc_history_init(&proc_history);
	add(&proc_history, CHANNEL_NOTE, "{n}\n");
	add(&proc_history, CHANNEL_CONTROL, DONE);
	for (int i = 0; i < 50; i++)
		add_many(&proc_history, CHANNEL_CONTROL, 'v', 100000);
	add(&proc_history, CHANNEL_CONTROL, "}\nreply\n");
	struct listener *listener = listen(&proc_history, false);
	assert_string_equal(text_of(listener, CHANNEL_NOTE), "{n}\n");
	assert_string_equal(text_of(listener, CHANNEL_CONTROL), FRAME_LOST_END);
	forget(listener);
	add(&proc_history, CHANNEL_NOTE, "{m}\n");
	add(&proc_history, CHANNEL_CONTROL, DONE "\n");
	listener = listen(&proc_history, false);
	assert_string_equal(text_of(listener, CHANNEL_CONTROL), DONE "\n");
	forget(listener);
	proc_history_finish(&proc_history);
}

/* That the time of a run is up adds to its note, also once both are pushed out, wherever the ring is torn. */
static void test_a_limit_adds_to_the_note(void **state)
{
	static const char LIMIT[] = FRAME_LIMIT_MARK "}\n";
	(void)state;
	for (size_t shift = 0; shift < 40; shift++) {
		struct proc_history proc_history;
		proc_history_init(&proc_history);
		add_many(&proc_history, CHANNEL_STDOUT, 'x', FRAME_RECENT_MAX - 60 + shift);
		add(&proc_history, CHANNEL_NOTE, "{n}\n");
		add(&proc_history, CHANNEL_NOTE, LIMIT);
		add(&proc_history, CHANNEL_CONTROL, DONE "\n");
		struct listener *listener = listen(&proc_history, false);
		assert_string_equal(text_of(listener, CHANNEL_NOTE), "{n}\n" FRAME_LIMIT_MARK "}\n");
		assert_string_equal(text_of(listener, CHANNEL_CONTROL), DONE "\n");
		forget(listener);
		for (int i = 0; i < 10; i++)
			add_many(&proc_history, CHANNEL_STDOUT, 'x', 100000);
		listener = listen(&proc_history, true);
		assert_string_equal(text_of(listener, CHANNEL_NOTE), "{n}\n" FRAME_LIMIT_MARK "}\n");
		assert_string_equal(text_of(listener, CHANNEL_CONTROL), DONE "\n");
		forget(listener);
		proc_history_finish(&proc_history);
	}
}

/* A value of a million characters, and then a little of something else. */
static void test_the_longest_end_of_a_run(void **state)
{
	struct proc_history proc_history;
	(void)state;
	proc_history_init(&proc_history);
	add(&proc_history, CHANNEL_NOTE, "{n}\n");
	add(&proc_history, CHANNEL_CONTROL, DONE);
	for (int i = 0; i < 10; i++)
		add_many(&proc_history, CHANNEL_CONTROL, 'v', 100000);
	add(&proc_history, CHANNEL_CONTROL, "}\nreply\n");
	for (int all = 0; all < 2; all++) {
		struct listener *listener = listen(&proc_history, all);
		size_t end = strlen(DONE) + 1000000 + 2;
		assert_int_equal(listener->by_channel[CHANNEL_CONTROL].len, all ? end + 6 : end);
		assert_memory_equal(buf_at(&listener->by_channel[CHANNEL_CONTROL]), DONE, strlen(DONE));
		forget(listener);
	}
	/* The next run takes its place. */
	add(&proc_history, CHANNEL_NOTE, "{m}\n");
	add(&proc_history, CHANNEL_CONTROL, DONE " m\n");
	struct listener *listener = listen(&proc_history, false);
	assert_string_equal(text_of(listener, CHANNEL_CONTROL), DONE " m\n");
	assert_string_equal(text_of(listener, CHANNEL_NOTE), "{m}\n");
	forget(listener);
	proc_history_finish(&proc_history);
}

/* Whether it waits for input, say: who does not want to know what was needs to know what is. */
static void test_of_a_run_that_is_not_over_all_is_reported(void **state)
{
	struct proc_history proc_history;
	(void)state;
	proc_history_init(&proc_history);
	add(&proc_history, CHANNEL_STDOUT, "before\n");
	add(&proc_history, CHANNEL_NOTE, "{n}\n");
	add(&proc_history, CHANNEL_CONTROL, "input\n");
	struct listener *listener = listen(&proc_history, false);
	assert_string_equal(text_of(listener, CHANNEL_CONTROL), "input\n");
	assert_string_equal(text_of(listener, CHANNEL_STDOUT), "before\n");
	assert_int_equal(listener->replay.lost_bytes, 0);
	forget(listener);
	add(&proc_history, CHANNEL_CONTROL, DONE "\n");
	listener = listen(&proc_history, false);
	assert_string_equal(listener->order, "nc");
	assert_string_equal(text_of(listener, CHANNEL_CONTROL), DONE "\n");
	forget(listener);
	proc_history_finish(&proc_history);
}

static void test_a_note_longer_than_the_ring(void **state)
{
	struct proc_history proc_history;
	(void)state;
	proc_history_init(&proc_history);
	add(&proc_history, CHANNEL_STDOUT, "before\n");
	add_many(&proc_history, CHANNEL_NOTE, 'n', FRAME_NOTE_MAX);
	add(&proc_history, CHANNEL_STDOUT, "after\n");
	struct listener *listener = listen(&proc_history, true);
	assert_string_equal(listener->order, "no");
	assert_int_equal(listener->by_channel[CHANNEL_NOTE].len, FRAME_NOTE_MAX);
	assert_string_equal(text_of(listener, CHANNEL_STDOUT), "after\n");
	assert_int_equal(listener->replay.lost_bytes, 7);
	forget(listener);
	proc_history_finish(&proc_history);
}

static void test_greeting(void **state)
{
	struct proc_history proc_history;
	(void)state;
	proc_history_init(&proc_history);
	add(&proc_history, CHANNEL_STDOUT, "noise\n");
	add(&proc_history, CHANNEL_CONTROL, "{\"ev\":");
	assert_false(proc_history.has_greeting);
	add(&proc_history, CHANNEL_CONTROL, "\"ready\"}\nmore\n");
	assert_true(proc_history.has_greeting);
	assert_int_equal(proc_history.greeting_len, 14);
	assert_memory_equal(proc_history.greeting, "{\"ev\":\"ready\"}", 14);
	proc_history_finish(&proc_history);
	proc_history_init(&proc_history);
	add_many(&proc_history, CHANNEL_CONTROL, 'x', FRAME_GREETING_MAX + 1);
	add(&proc_history, CHANNEL_CONTROL, "x\nsecond\n");
	assert_true(proc_history.has_greeting);
	assert_int_equal(proc_history.greeting_len, 0);
	proc_history_finish(&proc_history);
}

/* The newest bytes of each channel, and only those, however they came. */
static void test_any_sizes(void **state)
{
	static const uint8_t channels[] = {CHANNEL_STDOUT, CHANNEL_STDERR, CHANNEL_CONTROL, CHANNEL_NOTE};
	uint32_t seed = 1;
	(void)state;
	for (int round = 0; round < 20; round++) {
		struct proc_history proc_history;
		struct buf all[256];
		uint64_t position = 0;
		proc_history_init(&proc_history);
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
			proc_history_add(&proc_history, channel, bytes, n);
			assert_int_equal(buf_append(&all[channel], bytes, n), 0);
			position += channel == CHANNEL_NOTE ? 0 : n;
			if (round % 2 && seed % 40 == 0)
				proc_history_end(&proc_history, 1);
		}
		assert_int_equal(proc_history.position, position);
		struct listener *listener = listen(&proc_history, true);
		assert_true(listener->replay.replay_bytes <= FRAME_RECENT_MAX
				|| listener->replay.pinned_bytes);
		forget(listener);
		listener = listen_to(&proc_history, true, true);
		assert_true(listener->replay.replay_bytes > FRAME_RECENT_MAX / 2);
		for (size_t i = 0; i < 2; i++) {
			const struct buf *got = &listener->by_channel[channels[i]], *put = &all[channels[i]];
			assert_true(got->len <= put->len);
			assert_memory_equal(buf_at(got), buf_at(put) + put->len - got->len, got->len);
		}
		forget(listener);
		for (int i = 0; i < 256; i++)
			buf_finish(&all[i]);
		proc_history_finish(&proc_history);
	}
}

/* One process ends in the middle of a run and of a line, and another goes on with what is kept. */
static void test_the_past_is_for_who_asks(void **state)
{
	struct proc_history proc_history;
	(void)state;
	proc_history_init(&proc_history);
	add(&proc_history, CHANNEL_CONTROL, "ready\n");
	add(&proc_history, CHANNEL_NOTE, "{old}\n");
	add(&proc_history, CHANNEL_STDOUT, "was");
	add(&proc_history, CHANNEL_CONTROL, "torn");
	proc_history_end(&proc_history, 137);
	assert_int_equal(proc_history.position, 6 + 3 + 4);
	assert_false(proc_history.has_greeting);
	struct listener *listener = listen_to(&proc_history, false, true);
	assert_string_equal(listener->order, "ne");
	assert_int_equal(*text_of(listener, CHANNEL_ENDED), (char)137);
	forget(listener);
	listener = listen(&proc_history, false);
	assert_string_equal(listener->order, "");
	forget(listener);
	add(&proc_history, CHANNEL_CONTROL, "hello\n");
	assert_memory_equal(proc_history.greeting, "hello", 5);
	add(&proc_history, CHANNEL_STDOUT, "is");
	listener = listen_to(&proc_history, true, true);
	assert_string_equal(listener->order, "cnoceco");
	assert_int_equal(listener->replay.lost_bytes, 0);
	forget(listener);
	listener = listen(&proc_history, true);
	assert_string_equal(listener->order, "co");
	assert_string_equal(text_of(listener, CHANNEL_STDOUT), "is");
	assert_int_equal(listener->replay.pinned_bytes, 0);
	assert_int_equal(listener->replay.lost_bytes, 6 + 3 + 4);
	assert_int_equal(proc_history.position, 6 + 3 + 4 + 6 + 2);
	forget(listener);
	proc_history_finish(&proc_history);
}

/* What is pushed out of the ring says still which run it was, and that it is over. */
static void test_a_past_that_is_pushed_out(void **state)
{
	struct proc_history proc_history;
	(void)state;
	proc_history_init(&proc_history);
	add(&proc_history, CHANNEL_NOTE, "{old}\n");
	add(&proc_history, CHANNEL_CONTROL, "torn");
	proc_history_end(&proc_history, 3);
	add_many(&proc_history, CHANNEL_STDOUT, 'x', FRAME_RECENT_MAX - 100);
	add_many(&proc_history, CHANNEL_STDERR, 'y', 200);
	struct listener *listener = listen_to(&proc_history, true, true);
	assert_string_equal(listener->order, "neo");
	assert_int_equal(listener->replay.pinned_bytes, 6 + 1);
	assert_false(listener->replay.is_torn);
	uint64_t lost_bytes = listener->replay.lost_bytes;
	forget(listener);
	listener = listen(&proc_history, true);
	assert_string_equal(listener->order, "o");
	assert_int_equal(listener->replay.pinned_bytes, 0);
	assert_int_equal(listener->replay.lost_bytes, lost_bytes);
	forget(listener);
	/* A run of the next one's is open until it is over, too. */
	add(&proc_history, CHANNEL_NOTE, "{new}\n");
	add_many(&proc_history, CHANNEL_STDOUT, 'z', 2 * FRAME_RECENT_MAX);
	listener = listen(&proc_history, true);
	assert_string_equal(listener->order, "n");
	assert_string_equal(text_of(listener, CHANNEL_NOTE), "{new}\n");
	forget(listener);
	proc_history_end(&proc_history, 0);
	listener = listen_to(&proc_history, true, true);
	assert_string_equal(listener->order, "ne");
	assert_int_equal(listener->replay.lost_bytes, proc_history.position);
	forget(listener);
	proc_history_finish(&proc_history);
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
			cmocka_unit_test(test_an_end_that_is_too_long_is_an_end),
			cmocka_unit_test(test_a_limit_adds_to_the_note),
			cmocka_unit_test(test_of_a_run_that_is_not_over_all_is_reported),
			cmocka_unit_test(test_a_note_longer_than_the_ring),
			cmocka_unit_test(test_greeting),
			cmocka_unit_test(test_any_sizes),
			cmocka_unit_test(test_the_past_is_for_who_asks),
			cmocka_unit_test(test_a_past_that_is_pushed_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
