/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include <terrarium/error.h>

#include "websocket/channel.h"

/* Output in fragments, an empty message of a channel, a ping, errors, the end of a channel, and the status in
 * two. */
static const char STREAM[] = "\x82\x01\x01"
			     "\x02\x03\x01"
			     "ab"
			     "\x89\x01p"
			     "\x80\x01"
			     "c"
			     "\x82\x04\x02"
			     "err"
			     "\x82\x02\xff\x01"
			     "\x82\x03\x03"
			     "{\""
			     "\x82\x04\x03"
			     "s\"}"
			     "\x88\x02\x03\xe8";

static void read_stream(size_t step, struct buf *out, struct buf *err, unsigned *ret_pings)
{
	static struct channel_reader reader;
	bool is_closed = false;
	channel_reader_init(&reader);
	for (size_t at = 0; at < sizeof STREAM - 1; at += step) {
		const size_t left = sizeof STREAM - 1 - at, n = left < step ? left : step;
		for (size_t done = 0, taken;; done += taken) {
			struct channel_event event;
			assert_int_equal(channel_read(&reader, STREAM + at + done, n - done, &taken, &event),
					0);
			if (event.type == CHANNEL_NOTHING)
				break;
			if (event.type == CHANNEL_OUT || event.type == CHANNEL_ERR)
				buf_append(event.type == CHANNEL_OUT ? out : err, event.bytes, event.n);
			*ret_pings += event.type == CHANNEL_PINGED;
			is_closed |= event.type == CHANNEL_CLOSED;
		}
	}
	assert_true(is_closed);
	assert_int_equal(reader.n_status, 5);
	assert_memory_equal(reader.status, "{\"s\"}", 5);
}

static void channels_survive_any_cutting(void **state)
{
	(void)state;
	for (size_t step = 1; step < sizeof STREAM; step++) {
		struct buf out, err;
		unsigned pings = 0;
		buf_init(&out, 100);
		buf_init(&err, 100);
		read_stream(step, &out, &err, &pings);
		assert_int_equal(out.len, 3);
		assert_memory_equal(buf_at(&out), "abc", 3);
		assert_int_equal(err.len, 3);
		assert_memory_equal(buf_at(&err), "err", 3);
		assert_int_equal(pings, 1);
		buf_finish(&out);
		buf_finish(&err);
	}
}

static int read_text(const char *bytes, size_t n)
{
	static struct channel_reader reader;
	struct channel_event event;
	size_t taken;
	channel_reader_init(&reader);
	return channel_read(&reader, bytes, n, &taken, &event);
}

static void unknown_channels_are_refused(void **state)
{
	(void)state;
	assert_int_equal(read_text("\x82\x02\x04x", 4), TRM_EPROTO);
	assert_int_equal(read_text("\x82\x02\x00x", 4), TRM_EPROTO); /* standard input comes from us */
	assert_int_equal(read_text("\x82\x00", 2), TRM_EPROTO);      /* no channel */
}

static void a_long_status_is_cut(void **state)
{
	static struct channel_reader reader;
	static char bytes[4 + CHANNEL_STATUS_MAX + 100];
	struct channel_event event;
	size_t taken;
	(void)state;
	memset(bytes, 'x', sizeof bytes);
	memcpy(bytes, "\x82\x7e\x20\x64\x03", 5); /* 8292 bytes */
	channel_reader_init(&reader);
	assert_int_equal(channel_read(&reader, bytes, sizeof bytes, &taken, &event), 0);
	assert_int_equal(taken, sizeof bytes);
	assert_int_equal(reader.n_status, CHANNEL_STATUS_MAX);
}

static void input_and_its_end_are_written(void **state)
{
	static const uint8_t mask[4] = {1, 2, 3, 4};
	struct buf out;
	(void)state;
	buf_init(&out, 100);
	assert_int_equal(channel_put_input(&out, mask, "ab", 2), 0);
	assert_int_equal(channel_put_end(&out, mask), 0);
	assert_int_equal(out.len, 17);
	assert_memory_equal(buf_at(&out), "\x82\x83\1\2\3\4\1\x63\x61\x82\x82\1\2\3\4\xfe\2", 17);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(channels_survive_any_cutting),
			cmocka_unit_test(unknown_channels_are_refused),
			cmocka_unit_test(a_long_status_is_cut),
			cmocka_unit_test(input_and_its_end_are_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
