/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include "wire/entry.h"
#include "wire/pack.h"

static struct entry node(enum entry_kind kind, const char *name, const char *text)
{
	struct entry e = {.kind = kind, .mode = 0640, .mtime_s = -5, .mtime_ns = 7};
	strcpy(e.name, name);
	strcpy(e.text, text);
	return e;
}

/* Written and read again. */
static int round_trip(const struct entry *entry, struct entry *ret)
{
	struct buf out;
	struct frame frame;
	struct trm_error why;
	buf_init(&out, FRAME_HEADER + FRAME_MAX_PAYLOAD);
	assert_int_equal(entry_put(&out, 9, entry), 0);
	assert_int_equal(frame_next(&out, &frame), 1);
	assert_int_equal(frame.stream, 9);
	int r = entry_get(&frame, ret, &why);
	buf_finish(&out);
	return r;
}

static void test_what_is_written_is_read(void **state)
{
	(void)state;
	struct entry e = node(ENTRY_LINK, "na\xffme", "../x"), got;
	assert_int_equal(round_trip(&e, &got), 0);
	assert_string_equal(got.name, e.name);
	assert_string_equal(got.text, e.text);
	assert_int_equal(got.mode, 0640);
	assert_true(got.mtime_s == -5 && got.mtime_ns == 7);
	e = node(ENTRY_FILE, "new\nline", "");
	e.size = (uint64_t)1 << 40;
	assert_int_equal(round_trip(&e, &got), 0);
	assert_true(got.size == e.size);
	e = (struct entry){.kind = ENTRY_FAIL, .name = "f", .code = TRM_EPERM, .text = "no\033[1m"};
	assert_int_equal(round_trip(&e, &got), 0);
	assert_int_equal(got.code, TRM_EPERM);
	assert_null(strchr(got.text, '\033'));
	e.code = 0; /* a failure is never a success */
	assert_int_equal(round_trip(&e, &got), 0);
	assert_int_equal(got.code, TRM_EIO);
}

static void test_names_that_lead_elsewhere_are_no_names(void **state)
{
	static const char *const bad[] = {".", "..", "/", "/etc", "a/b", "../x", "a/", "./a"};
	struct entry got;
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct entry e = node(ENTRY_FILE, bad[i], "");
		assert_int_equal(round_trip(&e, &got), TRM_EPROTO);
		e = node(ENTRY_DIR, bad[i], "");
		assert_int_equal(round_trip(&e, &got), TRM_EPROTO);
		e = node(ENTRY_LINK, bad[i], "x");
		assert_int_equal(round_trip(&e, &got), TRM_EPROTO);
	}
	struct entry e = node(ENTRY_LINK, "l", "");
	assert_int_equal(round_trip(&e, &got), TRM_EPROTO); /* a link to nothing at all */
	e = node(ENTRY_FILE, "f", "");
	e.mtime_ns = 1000000000;
	assert_int_equal(round_trip(&e, &got), TRM_EPROTO);
	e = node(ENTRY_FILE, "f", "");
	e.size = UINT64_MAX;
	assert_int_equal(round_trip(&e, &got), TRM_EPROTO);
}

/* A NUL would cut a name short behind its check; the writer cannot make one, so by hand. */
static void test_raw_payloads(void **state)
{
	struct entry got;
	struct trm_error why;
	(void)state;
	static const struct {
		const char *bytes;
		size_t n;
	} bad[] = {
			{"", 0},
			{"\x63", 1},
			{"\3\3\0\0\0a\0b\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 36},
			{"\3\xff\xff\xff\xff", 5},
			{"\4\1\2", 3},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const struct frame frame = {.payload = bad[i].bytes, .len = (uint32_t)bad[i].n};
		assert_int_equal(entry_get(&frame, &got, &why), TRM_EPROTO);
	}
}

static void test_links_stay_inside(void **state)
{
	static const struct {
		const char *target;
		unsigned depth;
		bool is_inside;
	} cases[] = {
			{"a", 0, true},
			{"a/b//c", 0, true},
			{"./a", 0, true},
			{".", 0, true},
			{"..", 0, false},
			{"..", 1, true},
			{"../..", 1, false},
			{"../../a", 2, true},
			{".././../a", 2, true},
			{"./../..//..", 2, false},
			{"/a", 5, false},
			{"//", 5, false},
			{"a/..", 0, false}, /* 'a' may be a link: '..' would count from where that leads */
			{"../a/../../..", 3, false},
			{"..a/...", 0, true},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (entry_link_is_inside(cases[i].target, cases[i].depth) != cases[i].is_inside)
			fail_msg("%s at depth %u", cases[i].target, cases[i].depth);
}

/* Steps by letters: d D(root) directory, f F(root) file, u up, e end, h hole of 4, b 4 bytes, l link, L link
 * as root, x fail, X fail as root, t total, o other. */
static int play(const char *steps, uint64_t max_bytes, uint64_t max_files)
{
	static const struct {
		char letter;
		enum entry_kind kind;
		const char *name;
	} words[] = {{'d', ENTRY_DIR, "n"}, {'D', ENTRY_DIR, ""}, {'f', ENTRY_FILE, "n"},
			{'F', ENTRY_FILE, ""}, {'u', ENTRY_UP, ""}, {'e', ENTRY_END, ""},
			{'h', ENTRY_HOLE, ""}, {'l', ENTRY_LINK, "n"}, {'L', ENTRY_LINK, ""},
			{'x', ENTRY_FAIL, "n"}, {'X', ENTRY_FAIL, ""}, {'t', ENTRY_TOTAL, ""},
			{'o', ENTRY_OTHER, "n"}, {'n', ENTRY_NOTE, ""}};
	struct entry_check check = {.max_bytes = max_bytes, .max_files = max_files};
	struct trm_error why;
	int r = 0;
	for (; *steps && r == 0; steps++) {
		if (*steps == 'b') {
			r = entry_check_data(&check, 4, &why);
			continue;
		}
		size_t i = 0;
		while (words[i].letter != *steps)
			i++;
		struct entry e = node(words[i].kind, words[i].name, "t");
		e.size = *steps == 'h' ? 4 : check.file_bytes;
		r = entry_check(&check, &e, &why);
	}
	return r ? r : check.is_over;
}

static void test_order(void **state)
{
	static const char *const whole[] = {"Du", "tFbbe", "Fhe", "Dfbedluxu", "X", "Fbx", "Ddddluuuu"};
	static const char *const open[] = {"", "t", "D", "Dd", "Ddu", "F", "Fb", "Dfb"};
	static const char *const wrong[] = {"u", "e", "b", "h", "d", "f", "l", "L", "x", "o", "n", "DD",
			"Duu", "Dt", "Dud", "Fd", "Ff", "Fu", "Dfd", "Dfu", "Db", "De", "Dh", "FbeF", "XX",
			"Do", "Dn", "DX", "Fn"};
	(void)state;
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		assert_int_equal(play(whole[i], 100, 100), 1);
	for (size_t i = 0; i < sizeof open / sizeof *open; i++)
		assert_int_equal(play(open[i], 100, 100), 0);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (play(wrong[i], 100, 100) != TRM_EPROTO)
			fail_msg("%s was taken", wrong[i]);
}

static void test_ceilings(void **state)
{
	struct entry_check check = {.max_bytes = 1000, .max_files = 5};
	struct trm_error why;
	(void)state;
	assert_int_equal(play("Fbbe", 8, 1), 1);
	assert_int_equal(play("Fbbb", 8, 1), TRM_ETOOBIG);
	assert_int_equal(play("Fbhb", 8, 1), TRM_ETOOBIG);
	assert_int_equal(play("Dll", 8, 2), TRM_ETOOBIG);
	struct entry e = node(ENTRY_FILE, "", "");
	e.size = (uint64_t)1 << 60; /* said before a byte of it has come */
	assert_int_equal(entry_check(&check, &e, &why), TRM_ETOOBIG);
	check = (struct entry_check){.max_bytes = 1000, .max_files = 5};
	e = node(ENTRY_FILE, "", "");
	assert_int_equal(entry_check(&check, &e, &why), 0);
	e = (struct entry){.kind = ENTRY_HOLE, .size = UINT64_MAX};
	assert_int_equal(entry_check(&check, &e, &why), TRM_ETOOBIG);
	check = (struct entry_check){.max_bytes = 1000, .max_files = 100000};
	int r = 0;
	e = node(ENTRY_DIR, "", "");
	for (int i = 0; r == 0 && i < 100000; i++) {
		r = entry_check(&check, &e, &why);
		strcpy(e.name, "d");
	}
	assert_int_equal(r, TRM_ETOOBIG);
	assert_int_equal(check.depth, ENTRY_DEPTH_MAX);
}

static void test_an_end_that_lies(void **state)
{
	struct entry_check check = {.max_bytes = 1000, .max_files = 5};
	struct trm_error why;
	struct entry e = node(ENTRY_FILE, "", "");
	(void)state;
	assert_int_equal(entry_check(&check, &e, &why), 0);
	assert_int_equal(entry_check_data(&check, 10, &why), 0);
	e = (struct entry){.kind = ENTRY_END, .size = 11};
	assert_int_equal(entry_check(&check, &e, &why), TRM_EPROTO);
}

static void test_requests(void **state)
{
	const struct tree_msg msg = {.path = (char *)"/a",
			.base = (char *)"b",
			.flags = TREE_LIST,
			.depth = 3,
			.window = 4,
			.max_bytes = 5,
			.max_files = 6};
	struct tree_msg got;
	static const struct tree_sum sum = {1, 2, 3, 4, 5, 0}; /* static: its padding is 0, too */
	struct tree_sum got_sum;
	struct frame frame;
	struct buf out;
	(void)state;
	buf_init(&out, FRAME_HEADER + FRAME_MAX_PAYLOAD);
	assert_int_equal(tree_msg_put(&out, 1, FRAME_TREE_GET, &msg), 0);
	assert_int_equal(frame_next(&out, &frame), 1);
	assert_int_equal(tree_msg_get(&frame, &got), 0);
	assert_string_equal(got.path, "/a");
	assert_string_equal(got.base, "b");
	assert_true(got.depth == 3 && got.window == 4 && got.max_bytes == 5 && got.max_files == 6);
	tree_msg_finish(&got);
	frame_done(&out, &frame);
	struct tree_msg bad = msg;
	bad.base = (char *)"../b";
	assert_int_equal(tree_msg_put(&out, 1, FRAME_TREE_PUT, &bad), 0);
	assert_int_equal(frame_next(&out, &frame), 1);
	assert_int_equal(tree_msg_get(&frame, &got), TRM_EPROTO);
	frame_done(&out, &frame);
	assert_int_equal(tree_sum_put(&out, 1, &sum), 0);
	assert_int_equal(frame_next(&out, &frame), 1);
	assert_int_equal(tree_sum_get(&frame, &got_sum), 0);
	assert_true(got_sum.bytes == 1 && got_sum.files == 2 && got_sum.dirs == 3 && got_sum.links == 4
			&& got_sum.refused == 5);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_what_is_written_is_read),
			cmocka_unit_test(test_names_that_lead_elsewhere_are_no_names),
			cmocka_unit_test(test_raw_payloads),
			cmocka_unit_test(test_links_stay_inside),
			cmocka_unit_test(test_order),
			cmocka_unit_test(test_ceilings),
			cmocka_unit_test(test_an_end_that_lies),
			cmocka_unit_test(test_requests),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
