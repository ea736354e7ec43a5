/* SPDX-License-Identifier: MIT */
#include "model/metric_history.h"

#include "cmocka_all.h"

static struct metric_history h;

static void add(double cpu)
{
	struct trm_sample s = {.known = TRM_METRIC_CPU_PERCENT, .cpu_percent = cpu};
	metric_history_add(&h, &s);
}

static void keeps_the_last_samples(void **state)
{
	(void)state;
	metric_history_clear(&h);
	for (int i = 0; i < METRIC_SAMPLES + 10; i++)
		add(i);
	assert_true(metric_history_at(&h, SERIES_CPU, 9) < 0.0f);
	assert_true(metric_history_at(&h, SERIES_CPU, 10) == 10.0f);
	assert_true(metric_history_at(&h, SERIES_CPU, METRIC_SAMPLES + 9) == METRIC_SAMPLES + 9);
	assert_true(metric_history_at(&h, SERIES_CPU, METRIC_SAMPLES + 10) < 0.0f);
}

static void what_is_unknown_stays_unknown(void **state)
{
	float columns[60];

	(void)state;
	metric_history_clear(&h);
	add(5.0);
	assert_true(metric_history_at(&h, SERIES_MEM, 0) < 0.0f);
	metric_history_columns(&h, SERIES_MEM, 60, columns);
	assert_true(columns[59] < 0.0f);
	metric_history_columns(&h, SERIES_CPU, 60, columns);
	assert_true(columns[59] == 5.0f);
	assert_true(columns[58] < 0.0f);
}

static void a_narrow_graph_reaches_back_a_minute_all_the_same(void **state)
{
	float columns[20], before[20];

	(void)state;
	assert_int_equal(metric_history_per_column(20), 3);
	assert_int_equal(metric_history_per_column(60), 1);
	metric_history_clear(&h);
	for (int i = 0; i < 60; i++)
		add(i == 0 ? 99.0 : i % 3);
	metric_history_columns(&h, SERIES_CPU, 20, columns);
	assert_true(columns[0] == 99.0f);
	assert_true(columns[19] == 2.0f);
	/* A peak keeps its column until a whole column of samples is new. */
	metric_history_clear(&h);
	for (int i = 0; i < 30; i++)
		add(i == 10 ? 50.0 : 1.0);
	metric_history_columns(&h, SERIES_CPU, 20, before);
	add(1.0);
	metric_history_columns(&h, SERIES_CPU, 20, columns);
	for (int i = 0; i < 19; i++)
		assert_true(columns[i] == before[i + 1]);
	add(1.0);
	metric_history_columns(&h, SERIES_CPU, 20, before);
	for (int i = 0; i < 20; i++)
		assert_true(columns[i] == before[i]);
}

static void the_scale_is_a_part_of_the_limit(void **state)
{
	const float small[] = {3.0f, 10.0f}, large[] = {3.0f, 400.0f};

	(void)state;
	assert_true(metric_scale(large, 2, 512.0, true) == 512.0);
	assert_true(metric_scale(small, 2, 512.0, true) == 32.0);
	assert_true(metric_scale(small, 2, 512.0, false) == 512.0);
	assert_true(metric_scale(small, 2, 0.0, true) == 16.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(keeps_the_last_samples),
			cmocka_unit_test(what_is_unknown_stays_unknown),
			cmocka_unit_test(a_narrow_graph_reaches_back_a_minute_all_the_same),
			cmocka_unit_test(the_scale_is_a_part_of_the_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
