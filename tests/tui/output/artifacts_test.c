/* SPDX-License-Identifier: MIT */
#include "output/artifacts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

static struct artifacts all;
static struct figures figures;

static void add(uint32_t run, const char *mime, const char *title, bool is_collected, const char *text)
{
	struct artifact one = {.run = run,
			.after = figures.last_id,
			.is_collected = is_collected,
			.n = strlen(text)};

	snprintf(one.mime, sizeof one.mime, "%s", mime);
	snprintf(one.title, sizeof one.title, "%s", title);
	one.bytes = (uint8_t *)strdup(text);
	assert_true(artifacts_add(&all, &one));
}

static void add_image(uint32_t run)
{
	uint8_t *bytes = (uint8_t *)strdup("no image");
	assert_non_null(figures_add(&figures, run, "image/png", bytes, 8));
}

static int stop(void **state)
{
	(void)state;
	artifacts_finish(&all);
	figures_finish(&figures);
	return 0;
}

static void both_kinds_stand_in_their_order(void **state)
{
	struct artifact_row row;
	(void)state;
	add(1, "text/html", "", false, "<b>");
	add_image(1);
	add(2, "text/csv", "out/data.csv", true, "a\n");
	add(2, "application/json", "", false, "{}");
	add_image(2);
	assert_int_equal(artifacts_count(&all, &figures), 5);
	static const char *const names[] = {
			"out-1-1.html", "fig-1-1.png", "data.csv", "out-2-2.json", "fig-2-1.png"};
	for (size_t i = 0; i < 5; i++) {
		row = artifacts_row(&all, &figures, i);
		assert_string_equal(row.name, names[i]);
		struct artifact_row found;
		assert_true(artifacts_find(&all, &figures, row.id, &found));
		assert_string_equal(found.name, names[i]);
	}
	assert_string_equal(artifacts_row(&all, &figures, 2).source, "collected");
	assert_false(artifacts_find(&all, &figures, 77, &row));
	assert_false(artifacts_find(&all, &figures, ARTIFACT_ID + 77, &row));
}

/* A name from a sandbox leads nowhere else. */
static void hostile_names_stay_in_the_folder(void **state)
{
	(void)state;
	add(1, "text/csv", "../../etc/passwd", true, "x");
	add(1, "text/csv", "a/..", true, "x");
	add(1, "text/csv", "dir/", true, "x");
	assert_string_equal(artifacts_row(&all, &figures, 0).name, "passwd");
	assert_string_equal(artifacts_row(&all, &figures, 1).name, "out-1-2.csv");
	assert_string_equal(artifacts_row(&all, &figures, 2).name, "out-1-3.csv");
}

static void the_oldest_make_room(void **state)
{
	(void)state;
	for (int i = 0; i < ARTIFACTS_MAX + 10; i++)
		add(1, "text/html", "", false, "x");
	assert_int_equal(artifacts_count(&all, &figures), ARTIFACTS_MAX);
	assert_int_equal(artifacts_row(&all, &figures, 0).id, ARTIFACT_ID + 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_teardown(both_kinds_stand_in_their_order, stop),
			cmocka_unit_test_teardown(hostile_names_stay_in_the_folder, stop),
			cmocka_unit_test_teardown(the_oldest_make_room, stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
