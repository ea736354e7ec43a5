/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <terrarium/error.h>

#include "cmocka_all.h"
#include "wire/fields.h"

enum color { RED, GREEN, BLUE };

struct part {
	char *text;
	int64_t number;
};

struct thing {
	bool is_on;
	enum color color;
	char *text;
	char **texts;
	struct slice slice;
	char line[8], name[5];
	double share;
	uint32_t later;
	struct part part;
};

static const struct field part_rows[] = {{TEXT(struct part, text, 4)}, {FIELD(struct part, number)}};
static const struct fields PART_FIELDS = FIELDS(part_rows);
static const struct field thing_rows[] = {
		{FIELD(struct thing, is_on)},
		{ENUM(struct thing, color, BLUE)},
		{TEXT(struct thing, text, 4)},
		{FIELD_OF(struct thing, texts, FIELD_TEXTS, 2)},
		{FIELD(struct thing, slice)},
		{LINE(struct thing, line)},
		{FIELD_OF(struct thing, name, FIELD_NAME, 4)},
		{FIELD(struct thing, share)},
		{FIELD(struct thing, later), LATER},
		{PART(struct thing, part, &PART_FIELDS)},
};
static const struct fields THING = FIELDS(thing_rows);

static struct thing example(void)
{
	static char text[] = "abcd", one[] = "1", two[] = "", inner[] = "in", *texts[] = {one, two, NULL};
	return (struct thing){.is_on = true,
			.color = BLUE,
			.text = text,
			.texts = texts,
			.slice = {"\0\1", 2},
			.line = "a\nb",
			.name = "\xff/",
			.share = 0.5,
			.later = 7,
			.part = {inner, -3}};
}

static int put(struct buf *out, const struct thing *thing)
{
	return fields_put(out, 3, FRAME_SPAWN, &THING, thing);
}

static int get(const struct buf *in, size_t n, struct thing *ret)
{
	const struct frame frame = {.payload = buf_at(in) + FRAME_HEADER, .len = (uint32_t)n};
	return fields_get(&frame, &THING, NULL, ret, sizeof *ret);
}

static void all_kinds_come_through(void **state)
{
	const struct thing thing = example();
	struct thing got;
	struct buf b;
	(void)state;
	buf_init(&b, 1000);
	assert_int_equal(put(&b, &thing), 0);
	assert_int_equal(get(&b, b.len - FRAME_HEADER, &got), 0);
	assert_true(got.is_on && got.color == BLUE && got.share == 0.5);
	assert_string_equal(got.text, "abcd");
	assert_string_equal(got.texts[0], "1");
	assert_string_equal(got.texts[1], "");
	assert_null(got.texts[2]);
	assert_int_equal(got.slice.n, 2);
	assert_string_equal(got.line, "a b"); /* cleaned */
	assert_string_equal(got.name, "\xff/");
	assert_int_equal(got.later, 7);
	assert_string_equal(got.part.text, "in");
	assert_int_equal(got.part.number, -3);
	fields_free(&THING, &got);
	buf_finish(&b);
}

/* An older writer ends before the row that is LATER; any other end is a fault. */
static void what_came_later_may_be_missing(void **state)
{
	const struct thing thing = example();
	const size_t later = 4 + 4 + 2 + 8;
	struct thing got;
	struct buf b;
	(void)state;
	buf_init(&b, 1000);
	assert_int_equal(put(&b, &thing), 0);
	const size_t whole = b.len - FRAME_HEADER;
	for (size_t n = 0; n < whole; n++)
		if (n != whole - later)
			assert_int_equal(get(&b, n, &got), TRM_EPROTO);
	assert_int_equal(get(&b, whole - later, &got), 0);
	assert_int_equal(got.later, 0);
	assert_string_equal(got.part.text, "");
	fields_free(&THING, &got);
	buf_finish(&b);
}

/* What its reader would refuse is not written. */
static void too_much_is_refused(void **state)
{
	char text[] = "abcde", one[] = "", *texts[] = {one, one, one, NULL};
	struct thing thing = example(), got;
	struct buf b;
	(void)state;
	buf_init(&b, 1000);
	thing.text = text;
	assert_int_equal(put(&b, &thing), TRM_ETOOBIG);
	assert_int_equal(b.len, 0);
	thing = example();
	thing.texts = texts;
	assert_int_equal(put(&b, &thing), TRM_ETOOBIG);
	thing = example();
	thing.color = BLUE + 1;
	assert_int_equal(put(&b, &thing), 0);
	assert_int_equal(get(&b, b.len - FRAME_HEADER, &got), TRM_EPROTO);
	assert_null(got.text);
	buf_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(all_kinds_come_through),
			cmocka_unit_test(what_came_later_may_be_missing),
			cmocka_unit_test(too_much_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
