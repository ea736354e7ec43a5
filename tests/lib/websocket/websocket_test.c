/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include <terrarium/error.h>

#include "websocket/websocket.h"

static const uint8_t no_mask[4] = {0, 0, 0, 0};

/* Reads everything, cut into pieces, and joins the data. Returns the last event, or an error. */
static int read_all(const char *bytes, size_t n, size_t step, struct buf *data, unsigned *ret_ends,
		struct websocket_event *last)
{
	static struct websocket_reader reader;
	websocket_reader_init(&reader);
	*ret_ends = 0;
	*last = (struct websocket_event){.type = WEBSOCKET_NOTHING};
	for (size_t at = 0; at < n; at += step) {
		const size_t n_piece = n - at < step ? n - at : step;
		for (size_t done = 0, taken;; done += taken) {
			struct websocket_event event;
			int r = websocket_read(&reader, bytes + at + done, n_piece - done, &taken, &event);
			if (r < 0)
				return r;
			if (event.type == WEBSOCKET_NOTHING)
				break;
			*last = event;
			*ret_ends += event.is_end;
			if (event.type == WEBSOCKET_DATA)
				assert_int_equal(buf_append(data, event.bytes, event.n), 0);
		}
	}
	return 0;
}

static void expect_refused(const char *bytes, size_t n)
{
	struct websocket_event last;
	struct buf data;
	unsigned ends;
	buf_init(&data, 1 << 20);
	assert_int_equal(read_all(bytes, n, n, &data, &ends, &last), TRM_EPROTO);
	assert_int_equal(read_all(bytes, n, 1, &data, &ends, &last), TRM_EPROTO);
	buf_finish(&data);
}
#define REFUSED(text) expect_refused(text, sizeof text - 1)

/* The examples of RFC 6455, section 5.7. */
static void examples_of_the_rfc_are_read(void **state)
{
	static const char hello[] = "\x81\x05Hello", parts[] = "\x01\x03Hel\x80\x02lo",
			  ping[] = "\x89\x05Hello";
	struct websocket_event last;
	struct buf data;
	unsigned ends;
	(void)state;
	for (size_t step = 1; step < 9; step++) {
		buf_init(&data, 100);
		assert_int_equal(read_all(hello, sizeof hello - 1, step, &data, &ends, &last), 0);
		assert_int_equal(ends, 1);
		assert_int_equal(read_all(parts, sizeof parts - 1, step, &data, &ends, &last), 0);
		assert_int_equal(ends, 1);
		assert_int_equal(data.len, 10);
		assert_memory_equal(buf_at(&data), "HelloHello", 10);
		assert_int_equal(read_all(ping, sizeof ping - 1, step, &data, &ends, &last), 0);
		assert_int_equal(last.type, WEBSOCKET_PINGED);
		assert_int_equal(last.n, 5);
		assert_memory_equal(last.bytes, "Hello", 5);
		buf_finish(&data);
	}
}

static void control_frames_come_between_fragments(void **state)
{
	static const char bytes[] = "\x02\x02"
				    "ab"
				    "\x8a\x01x"
				    "\x00\x00"
				    "\x80\x01"
				    "c"
				    "\x88\x04\x03\xe8ok";
	struct websocket_event last;
	struct buf data;
	unsigned ends;
	(void)state;
	for (size_t step = 1; step < sizeof bytes; step++) {
		buf_init(&data, 100);
		assert_int_equal(read_all(bytes, sizeof bytes - 1, step, &data, &ends, &last), 0);
		assert_int_equal(data.len, 3);
		assert_int_equal(ends, 1);
		assert_int_equal(last.type, WEBSOCKET_CLOSED);
		assert_int_equal(last.code, 1000);
		assert_int_equal(last.n, 2);
		buf_finish(&data);
	}
}

/* A server's frame: ours without the mask. */
static void put_unmasked(struct buf *out, const char *payload, size_t n)
{
	const uint8_t head[] = {0x82,
			n < 126     ? (uint8_t)n
			: n < 65536 ? 126
				    : 127,
			0, 0, 0, 0, (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n};
	buf_append(out, head, 2);
	if (n >= 126)
		buf_append(out, n < 65536 ? head + 8 : head + 2, n < 65536 ? 2 : 8);
	buf_append(out, payload, n);
}

static void all_lengths_are_read(void **state)
{
	static const size_t lengths[] = {0, 1, 125, 126, 127, 65535, 65536, 70000};
	static char payload[70000];
	struct websocket_event last;
	struct buf out, data;
	unsigned ends;
	(void)state;
	memset(payload, 'x', sizeof payload);
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		buf_init(&out, 1 << 20);
		buf_init(&data, 1 << 20);
		put_unmasked(&out, payload, lengths[i]);
		assert_int_equal(read_all(buf_at(&out), out.len, 4096, &data, &ends, &last), 0);
		assert_int_equal(data.len, lengths[i]);
		assert_int_equal(ends, 1);
		buf_finish(&out);
		buf_finish(&data);
	}
}

static void broken_frames_are_refused(void **state)
{
	(void)state;
	REFUSED("\xc1\x01x");          /* a reserved bit */
	REFUSED("\x83\x01x");          /* a reserved opcode */
	REFUSED("\x8b\x00");           /* a reserved opcode of control frames */
	REFUSED("\x81\x81mask");       /* a server that masks */
	REFUSED("\x80\x01x");          /* a continuation of nothing */
	REFUSED("\x01\x01x\x81\x01y"); /* a new message within another */
	REFUSED("\x09\x00");           /* a control frame in fragments */
	REFUSED("\x89\x7e\x00\x7e");   /* a control frame that is too long */
	REFUSED("\x82\x7e\x00\x7d");   /* a length in more bytes than needed */
	REFUSED("\x82\x7f\x00\x00\x00\x00\x00\x00\xff\xff");
	REFUSED("\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff");
	REFUSED("\x82\x7f\x00\x00\x00\x00\x40\x00\x00\x01"); /* more than a message may have */
	REFUSED("\x88\x01\x03");                             /* half a code */
	REFUSED("\x88\x02\x03\xed");                         /* a code that is never sent */
	REFUSED("\x88\x00\x81\x01x");                        /* data after the end */
}

static void a_message_may_not_grow_without_end(void **state)
{
	static const char half[] = "\x7f\x00\x00\x00\x00\x20\x00\x00\x00";
	static char zeros[1 << 16];
	struct websocket_reader reader;
	struct websocket_event event;
	size_t taken;
	(void)state;
	websocket_reader_init(&reader);
	for (int i = 0; i < 3; i++) {
		const char opcode = i ? '\0' : '\2';
		assert_int_equal(websocket_read(&reader, &opcode, 1, &taken, &event), 0);
		int r = websocket_read(&reader, half, sizeof half - 1, &taken, &event);
		assert_int_equal(r, i < 2 ? 0 : TRM_EPROTO);
		for (size_t n = 0; i < 2 && n < 1 << 29; n += taken)
			assert_int_equal(websocket_read(&reader, zeros, sizeof zeros, &taken, &event), 0);
	}
}

static void frames_are_masked(void **state)
{
	static const uint8_t mask[4] = {0x37, 0xfa, 0x21, 0x3d};
	static const char expected[] = "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";
	const struct websocket_part parts[] = {{"Hel", 3}, {"lo", 2}};
	struct buf out;
	(void)state;
	buf_init(&out, 100);
	assert_int_equal(websocket_put(&out, WEBSOCKET_TEXT, mask, parts, 2), 0);
	assert_int_equal(out.len, sizeof expected - 1);
	assert_memory_equal(buf_at(&out), expected, sizeof expected - 1);
	buf_finish(&out);
}

static void lengths_are_written_short(void **state)
{
	static const struct {
		size_t n, n_head;
	} rows[] = {{0, 6}, {125, 6}, {126, 8}, {65535, 8}, {65536, 14}};
	static char payload[65536];
	struct buf out;
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		buf_init(&out, 1 << 17);
		assert_int_equal(websocket_put(&out, WEBSOCKET_BINARY, no_mask,
						 &(struct websocket_part){payload, rows[i].n}, 1),
				0);
		assert_int_equal(out.len, rows[i].n_head + rows[i].n);
		buf_finish(&out);
	}
	buf_init(&out, 100);
	assert_int_equal(websocket_put(&out, WEBSOCKET_PING, no_mask, &(struct websocket_part){payload, 126},
					 1),
			TRM_EINVAL);
	assert_int_equal(websocket_put(&out, WEBSOCKET_BINARY, no_mask, &(struct websocket_part){payload, 99},
					 1),
			TRM_ETOOBIG);
	assert_int_equal(out.len, 0);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(examples_of_the_rfc_are_read),
			cmocka_unit_test(control_frames_come_between_fragments),
			cmocka_unit_test(all_lengths_are_read),
			cmocka_unit_test(broken_frames_are_refused),
			cmocka_unit_test(a_message_may_not_grow_without_end),
			cmocka_unit_test(frames_are_masked),
			cmocka_unit_test(lengths_are_written_short),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
