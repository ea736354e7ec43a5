/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>

#include "rpc/events.h"

/* What came, as "name=text|name=text|", with newlines in texts shown as "/". */
struct heard {
	char text[4096];
	int answer;
};

static int hear(void *user, const char *name, const char *data, size_t n)
{
	struct heard *heard = user;
	size_t at = strlen(heard->text);
	assert_int_equal(data ? strlen(data) : 0, n);
	snprintf(heard->text + at, sizeof heard->text - at, "%s=%s|", name, data ? data : "(too big)");
	for (char *c = heard->text + at; *c; c++)
		*c = *c == '\n' ? '/' : *c;
	return heard->answer;
}

/* The whole text in pieces of `step` bytes. */
static int feed(const char *bytes, size_t n, size_t step, size_t max, struct heard *heard, bool *ret_between)
{
	struct event_reader reader;
	int r = 0;
	heard->text[0] = '\0';
	event_reader_init(&reader, max);
	for (size_t at = 0; at < n && !r; at += step)
		r = event_reader_feed(&reader, bytes + at, n - at < step ? n - at : step, hear, heard);
	*ret_between = event_reader_is_between(&reader);
	event_reader_finish(&reader);
	return r;
}

static void events_survive_any_cutting(void **state)
{
	static const struct {
		const char *stream, *heard;
		bool is_whole;
	} cases[] = {
			{"event: output\ndata: {\"a\":1}\n\n", "output={\"a\":1}|", true},
			{"event:a\r\ndata:x\r\n\r\nevent:b\rdata:y\r\r", "a=x|b=y|", true},
			{"data: one\ndata: two\n\n", "message=one/two|", true},
			{"data\n\n", "message=|", true},
			{"data:  two spaces\n\n", "message= two spaces|", true},
			{"\xEF\xBB\xBF"
			 "data: x\n\n",
					"message=x|", true},
			{": beat\n\n:\n\nid: 7\nretry: 5\nodd: 1\ndata: z\n\n", "message=z|", true},
			{"event: lost\n\ndata: kept\n\n", "message=kept|", true},
			{"data: \xC3\xA4\xE2\x82\xAC\n\n", "message=\xC3\xA4\xE2\x82\xAC|", true},
			{"data: whole\n\ndata: half", "message=whole|", false},
			{"data: whole\n\ndata: half\n", "message=whole|", false},
			{"event: half\n", "", false},
			{"\n\n\r\n\r\n", "", true},
	};
	struct heard heard = {.answer = 0};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (size_t step = 1; step < 40; step++) {
			bool is_between;
			assert_int_equal(feed(cases[i].stream, strlen(cases[i].stream), step, 64, &heard,
							 &is_between),
					0);
			assert_string_equal(heard.text, cases[i].heard);
			assert_int_equal(is_between, cases[i].is_whole);
		}
	}
}

static void what_is_no_event_stream_is_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		int error;
	} cases[] = {
			{"data: \xFF\n\n", 9, TRM_EPROTO},
			{"data: a\0b\n\n", 11, TRM_EPROTO},
			{"event: 0123456789012345678901234567890123\n\n", 43, TRM_EPROTO},
			{"event: a\0b\ndata: x\n\n", 20, TRM_EPROTO},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (size_t step = 1; step < 60; step++) {
			struct heard heard = {.answer = 0};
			bool is_between;
			assert_int_equal(feed(cases[i].bytes, cases[i].n, step, 16, &heard, &is_between),
					cases[i].error);
		}
	}
}

/* The text may have 16 bytes here. */
static void what_is_too_big_is_passed_over(void **state)
{
	static const struct {
		const char *stream, *heard;
	} cases[] = {
			{"data: 0123456789abcdef\n\n", "message=0123456789abcdef|"},
			{"data: 0123456789abcdefX\n\ndata: y\n\n", "message=(too big)|message=y|"},
			{"event: e\ndata: 01234567\ndata: 89abcde\ndata: f\n\ndata: y\n\n",
					"e=(too big)|message=y|"},
			{"data: 0123456789012345678901234567890123456789012345678901234567890123456789\r\n\r\n"
			 "data: y\n\n",
					"message=(too big)|message=y|"},
			{": 012345678901234567890123456789012345678901234567890123456789 a long comment\ndata: y\n\n",
					"message=y|"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (size_t step = 1; step < 90; step++) {
			struct heard heard = {.answer = 0};
			bool is_between;
			assert_int_equal(feed(cases[i].stream, strlen(cases[i].stream), step, 16, &heard,
							 &is_between),
					0);
			assert_string_equal(heard.text, cases[i].heard);
			assert_true(is_between);
		}
	}
}

static void an_error_stays(void **state)
{
	struct event_reader reader;
	struct heard heard = {.answer = TRM_ECANCELED};
	(void)state;
	event_reader_init(&reader, 64);
	const char *stream = "data: 1\n\ndata: 2\n\n";
	assert_int_equal(event_reader_feed(&reader, stream, strlen(stream), hear, &heard), TRM_ECANCELED);
	assert_int_equal(event_reader_feed(&reader, stream, strlen(stream), hear, &heard), TRM_ECANCELED);
	assert_string_equal(heard.text, "message=1|");
	event_reader_finish(&reader);
}

static void what_is_written_can_be_read(void **state)
{
	struct buf out;
	struct heard heard = {.answer = 0};
	bool is_between;
	(void)state;
	buf_init(&out, 1024);
	assert_int_equal(event_put(&out, "output", "{\"text\":\"x\"}", 12), 0);
	assert_int_equal(buf_append(&out, ":\n\n", 3), 0); /* shows that the sender is alive */
	assert_int_equal(event_put(&out, "lines", "a\n\nb\n", 5), 0);
	assert_int_equal(event_put(&out, "empty", "", 0), 0);
	assert_int_equal(feed(buf_at(&out), out.len, 7, 64, &heard, &is_between), 0);
	assert_string_equal(heard.text, "output={\"text\":\"x\"}|lines=a//b/|empty=|");
	assert_true(is_between);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(events_survive_any_cutting),
			cmocka_unit_test(what_is_no_event_stream_is_refused),
			cmocka_unit_test(what_is_too_big_is_passed_over),
			cmocka_unit_test(an_error_stays),
			cmocka_unit_test(what_is_written_can_be_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
