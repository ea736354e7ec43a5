/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/note.h"
#include "wire/frame.h"

static struct buf line;

static void put(const char *code, size_t n)
{
	const struct kernel_note note = {.id = UINT64_C(4294967299),
			.number = 3,
			.at_ms = UINT64_C(1700000000123),
			.timeout_ms = 30000,
			.set = 2,
			.offers_stdin = true,
			.by = "terrarium repl, pid 42",
			.file = "<run 3>",
			.code = code,
			.code_len = n};
	buf_finish(&line);
	buf_init(&line, 1 << 20);
	assert_int_equal(kernel_note_put(&line, &note), 0);
	assert_int_equal(buf_at(&line)[line.len - 1], '\n');
	assert_true(line.len <= KERNEL_NOTE_MAX);
}

static void what_is_put_is_read(void **state)
{
	static const char CODE[] = "print('a\\tb')\n\t# \xc3\xa9 \"q\" \x1b[31m\n";
	struct kernel_note note;
	(void)state;
	put(CODE, sizeof CODE - 1);
	assert_true(kernel_note_decode(buf_at(&line), line.len - 1, &note));
	assert_true(note.id == UINT64_C(4294967299) && note.number == 3);
	assert_true(note.at_ms == UINT64_C(1700000000123) && note.timeout_ms == 30000);
	assert_true(note.set == 2 && note.offers_stdin && note.code_cut == 0);
	assert_string_equal(note.by, "terrarium repl, pid 42");
	assert_string_equal(note.file, "<run 3>");
	assert_string_equal(note.code, CODE);
	kernel_note_finish(&note);
}

static void a_limit_is_put_and_read(void **state)
{
	struct kernel_note note,
			put_note = {.kind = NOTE_LIMIT, .id = UINT64_C(4294967299), .timeout_ms = 500};
	(void)state;
	buf_finish(&line);
	buf_init(&line, 1 << 20);
	assert_int_equal(kernel_note_put(&line, &put_note), 0);
	assert_memory_equal(buf_at(&line), FRAME_LIMIT_MARK, strlen(FRAME_LIMIT_MARK));
	assert_true(kernel_note_decode(buf_at(&line), line.len - 1, &note));
	assert_true(note.kind == NOTE_LIMIT && note.id == UINT64_C(4294967299) && note.timeout_ms == 500);
	assert_false(note.is_compiling);
	kernel_note_finish(&note);
	buf_clear(&line);
	put_note.is_compiling = true;
	assert_int_equal(kernel_note_put(&line, &put_note), 0);
	assert_true(kernel_note_decode(buf_at(&line), line.len - 1, &note));
	assert_true(note.kind == NOTE_LIMIT && note.timeout_ms == 500 && note.is_compiling);
	kernel_note_finish(&note);
	put("1", 1);
	assert_true(kernel_note_decode(buf_at(&line), line.len - 1, &note));
	assert_int_equal(note.kind, NOTE_BEGIN);
	kernel_note_finish(&note);
}

/* What the agent looks for, which does not decode JSON. */
static void the_agent_finds_a_limit(void **state)
{
	const struct kernel_note put_note = {.id = UINT64_C(4294967299),
			.number = 3,
			.at_ms = UINT64_C(1700000000123),
			.timeout_ms = 30000,
			.by = "",
			.file = ""};
	uint64_t id = 0, timeout_ms = 0, grace_ms = 0;
	(void)state;
	buf_finish(&line);
	buf_init(&line, 1 << 20);
	assert_int_equal(kernel_note_put(&line, &put_note), 0);
	assert_int_equal(sscanf(buf_at(&line), FRAME_BEGIN_FORMAT, &id, &timeout_ms, &grace_ms), 3);
	assert_true(id == put_note.id && timeout_ms == 30000);
}

static void the_agent_finds_a_clock(void **state)
{
	struct kernel_note put_note = {
			.kind = NOTE_CLOCK, .id = 7, .timeout_ms = 60000, .left_ms = 12000, .stops = 2};
	uint64_t id, timeout_ms, left_ms, code_ms;
	unsigned stops;
	(void)state;
	buf_finish(&line);
	buf_init(&line, 1 << 20);
	assert_int_equal(kernel_note_put(&line, &put_note), 0);
	assert_int_equal(buf_append(&line, "", 1), 0);
#define SCAN() sscanf(buf_at(&line), FRAME_CLOCK_FORMAT, &id, &timeout_ms, &left_ms, &stops, &code_ms)
	assert_int_equal(SCAN(), 4);
	assert_true(id == 7 && timeout_ms == 60000 && left_ms == 12000 && stops == 2);
	buf_clear(&line);
	put_note.code_ms = 5000;
	assert_int_equal(kernel_note_put(&line, &put_note), 0);
	assert_int_equal(buf_append(&line, "", 1), 0);
	assert_int_equal(SCAN(), 5);
	assert_true(id == 7 && left_ms == 12000 && stops == 2 && code_ms == 5000);
#undef SCAN
}

static void an_answer_is_put_and_read(void **state)
{
	const struct kernel_note put_note = {.kind = NOTE_ANSWER, .id = 7};
	struct kernel_note note;
	(void)state;
	buf_finish(&line);
	buf_init(&line, 1 << 20);
	assert_int_equal(kernel_note_put(&line, &put_note), 0);
	assert_memory_equal(buf_at(&line), FRAME_ANSWER_MARK, strlen(FRAME_ANSWER_MARK));
	assert_true(kernel_note_decode(buf_at(&line), line.len - 1, &note));
	assert_true(note.kind == NOTE_ANSWER && note.id == 7);
	kernel_note_finish(&note);
}

/* Whatever it is made of, it is cut at a code point, and a line is never longer than it may be. */
static void long_code_is_cut(void **state)
{
	static const char *const PIECES[] = {
			"a", "\n", "\xe2\x82\xac", "\xc2\x85", "\x1b", "\"", "\xf0\x9f\x8c\xb1"};
	enum { LONG = 1 << 20 };
	char *code = malloc(LONG + 8);
	(void)state;
	for (size_t i = 0; i < sizeof PIECES / sizeof *PIECES; i++) {
		struct kernel_note note;
		size_t len = strlen(PIECES[i]), n = LONG / len * len;
		for (size_t at = 0; at < n; at += len)
			memcpy(code + at, PIECES[i], len);
		put(code, n);
		assert_true(kernel_note_decode(buf_at(&line), line.len - 1, &note));
		assert_true(note.code_cut > 0);
		assert_int_equal(note.code_len + note.code_cut, n);
		assert_int_equal(note.code_len % len, 0);
		assert_memory_equal(note.code, code, note.code_len);
		kernel_note_finish(&note);
	}
	free(code);
}

static void what_is_none_is_refused(void **state)
{
	static const char *const LINES[] = {"", "{}", "[]", "null", "begin", "{\"ev\":\"begin\"}",
			"{\"ev\":\"done\",\"id\":\"7\",\"number\":1,\"by\":\"\",\"file\":\"\",\"code\":\"\"}",
			"{\"ev\":\"begin\",\"id\":7,\"number\":1,\"by\":\"\",\"file\":\"\",\"code\":\"\"}",
			"{\"ev\":\"begin\",\"id\":\"0\",\"number\":1,\"by\":\"\",\"file\":\"\",\"code\":\"\"}",
			"{\"ev\":\"begin\",\"id\":\"-7\",\"number\":1,\"by\":\"\",\"file\":\"\",\"code\":\"\"}",
			"{\"ev\":\"begin\",\"id\":\"7\",\"number\":0,\"by\":\"\",\"file\":\"\",\"code\":\"\"}",
			"{\"ev\":\"begin\",\"id\":\"7\",\"number\":1e300,\"by\":\"\",\"file\":\"\",\"code\":\"\"}",
			"{\"ev\":\"begin\",\"id\":\"7\",\"number\":1,\"by\":1,\"file\":\"\",\"code\":\"\"}",
			"{\"ev\":\"begin\",\"id\":\"7\",\"number\":1,\"by\":\"\",\"file\":\"\",\"code\":null}",
			"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["};
	(void)state;
	for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
		struct kernel_note note;
		char text[200];
		snprintf(text, sizeof text, "%s", LINES[i]);
		assert_false(kernel_note_decode(text, strlen(text), &note));
	}
}

static void numbers_out_of_range_are_absent(void **state)
{
	char text[] = "{\"ev\":\"begin\",\"id\":\"7\",\"number\":1,\"by\":\"\",\"file\":\"\",\"code\":\"x\\u0000y\","
		      "\"set\":99,\"at_ms\":-1,\"timeout_ms\":1e30,\"code_cut\":\"5\",\"stdin\":1}";
	struct kernel_note note;
	(void)state;
	assert_true(kernel_note_decode(text, sizeof text - 1, &note));
	assert_true(note.set == 0 && note.at_ms == 0 && note.timeout_ms == 0 && note.code_cut == 0);
	assert_false(note.offers_stdin);
	assert_string_equal(note.code, "x\xef\xbf\xbdy");
	kernel_note_finish(&note);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(what_is_put_is_read),
			cmocka_unit_test(a_limit_is_put_and_read),
			cmocka_unit_test(the_agent_finds_a_limit),
			cmocka_unit_test(the_agent_finds_a_clock),
			cmocka_unit_test(the_agent_finds_a_clock),
			cmocka_unit_test(an_answer_is_put_and_read),
			cmocka_unit_test(long_code_is_cut),
			cmocka_unit_test(what_is_none_is_refused),
			cmocka_unit_test(numbers_out_of_range_are_absent),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	buf_finish(&line);
	return r;
}
