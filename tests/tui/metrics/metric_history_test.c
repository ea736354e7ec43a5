/* SPDX-License-Identifier: MIT */
#include "metrics/metric_history.h"

#include "cmocka_all.h"

#define SECOND UINT64_C(1000000000)

static struct metric_history h;
static uint64_t now_ns;

static int begin(void **state)
{
	(void)state;
	now_ns = 1000 * SECOND;
	metric_history_clear(&h);
	return 0;
}

static void add_after(uint64_t ns, double cpu)
{
	struct trm_sample s = {.known = TRM_METRIC_CPU_PERCENT, .cpu_percent = cpu, .time_ns = now_ns += ns};
	metric_history_add(&h, &s);
}

static void add(double cpu)
{
	add_after(SECOND, cpu);
}

static float cpu_at(uint64_t k)
{
	const struct metric_point *p = metric_history_at(&h, k);
	return p ? p->values[SERIES_CPU] : -1.0f;
}

static void keeps_the_last_samples(void **state)
{
	(void)state;
	for (int i = 0; i < METRIC_SAMPLES + 10; i++)
		add(i);
	assert_true(cpu_at(9) < 0.0f);
	assert_true(cpu_at(10) == 10.0f);
	assert_true(cpu_at(METRIC_SAMPLES + 9) == METRIC_SAMPLES + 9);
	assert_true(cpu_at(METRIC_SAMPLES + 10) < 0.0f);
	/* Ten minutes were asked for, at five samples a second. */
	assert_true(METRIC_SAMPLES >= 10 * 60 * 5);
}

static void what_is_unknown_stays_unknown(void **state)
{
	struct metric_span span;
	float columns[60];

	(void)state;
	add(5.0);
	span = metric_span_at(now_ns, SECOND);
	metric_history_columns(&h, SERIES_MEM, &span, 60, columns);
	assert_true(columns[59] < 0.0f);
	metric_history_columns(&h, SERIES_CPU, &span, 60, columns);
	assert_true(columns[59] == 5.0f);
	assert_true(columns[58] < 0.0f);
}

static void columns_stand_still_in_time(void **state)
{
	float before[20], after[20];
	struct metric_span span;

	(void)state;
	for (int i = 0; i < 60; i++)
		add(i == 20 ? 99.0 : i % 3);
	span = metric_span_at(now_ns, 3 * SECOND);
	metric_history_columns(&h, SERIES_CPU, &span, 20, before);
	int peak = metric_span_column(&span, 20, (1000 + 21) * SECOND);
	assert_true(before[peak] == 99.0f);
	/* Three samples on, everything has moved by one column and looks as it did. */
	for (int i = 0; i < 3; i++)
		add(1.0);
	span = metric_span_at(now_ns, 3 * SECOND);
	metric_history_columns(&h, SERIES_CPU, &span, 20, after);
	for (int i = 1; i < 19; i++)
		assert_true(after[i - 1] == before[i]);
}

static void samples_that_come_late_leave_no_holes(void **state)
{
	struct metric_span span;
	float columns[40];

	(void)state;
	for (int i = 0; i < 20; i++)
		add_after(2 * SECOND + SECOND / 100, 7.0);
	span = metric_span_at(now_ns, SECOND);
	metric_history_columns(&h, SERIES_CPU, &span, 40, columns);
	for (int i = 4; i < 40; i++)
		assert_true(columns[i] == 7.0f);
}

static void a_pause_is_a_gap(void **state)
{
	struct metric_span span;
	float columns[40];

	(void)state;
	for (int i = 0; i < 5; i++)
		add(7.0);
	add_after(20 * SECOND, 8.0);
	span = metric_span_at(now_ns, SECOND);
	metric_history_columns(&h, SERIES_CPU, &span, 40, columns);
	assert_true(columns[39] == 8.0f);
	assert_true(columns[30] < 0.0f);
	assert_true(columns[19] == 7.0f);
}

static void peaks_of_a_stretch(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++)
		add(i == 4 ? 50.0 : 1.0);
	assert_true(metric_history_peak(&h, SERIES_CPU, 0, now_ns) == 50.0f);
	assert_true(metric_history_peak(&h, SERIES_CPU, now_ns - 3 * SECOND, now_ns) == 1.0f);
	assert_true(metric_history_peak(&h, SERIES_MEM, 0, now_ns) < 0.0f);
}

static void a_peak_between_samples_is_shown(void **state)
{
	struct trm_sample s = {.known = TRM_METRIC_MEM | TRM_METRIC_CPU_PERCENT, .cpu_percent = 5};
	struct metric_span span;
	float columns[20];

	(void)state;
	for (int i = 0; i < 10; i++) {
		s.time_ns = now_ns += SECOND;
		s.mem_bytes = (uint64_t)(i == 5 ? 200 : 100) << 20;
		metric_history_add(&h, &s);
	}
	/* Over several samples: the highest of them is raised, and only upwards. */
	metric_history_raise(&h, SERIES_MEM, now_ns - 6 * SECOND, now_ns, 300.0f);
	assert_true(metric_history_at(&h, 5)->values[SERIES_MEM] == 300.0f);
	metric_history_raise(&h, SERIES_MEM, now_ns - 6 * SECOND, now_ns, 50.0f);
	assert_true(metric_history_at(&h, 5)->values[SERIES_MEM] == 300.0f);
	/* Between two: a point of its own, which says nothing of the CPU. */
	metric_history_raise(&h, SERIES_MEM, now_ns + SECOND / 10, now_ns + SECOND / 5, 400.0f);
	assert_int_equal(h.n, 11);
	s.time_ns = now_ns += SECOND;
	metric_history_add(&h, &s);
	span = metric_span_at(now_ns, SECOND);
	metric_history_columns(&h, SERIES_CPU, &span, 20, columns);
	for (int i = 12; i < 20; i++)
		assert_true(columns[i] == 5.0f);
	assert_true(metric_history_peak(&h, SERIES_MEM, 0, now_ns) == 400.0f);
}

static void network_is_a_rate(void **state)
{
	struct trm_sample s = {.known = TRM_METRIC_NET, .time_ns = SECOND, .net_rx_bytes = 1024};

	(void)state;
	metric_history_add(&h, &s);
	s.time_ns = 3 * SECOND;
	s.net_tx_bytes = 4096;
	metric_history_add(&h, &s);
	assert_true(metric_history_at(&h, 0)->values[SERIES_NET] < 0.0f);
	assert_true(metric_history_at(&h, 1)->values[SERIES_NET] == 2.0f);
}

static void the_wait_of_the_machine_is_not_the_sandboxs(void **state)
{
	struct trm_sample s = {.known = TRM_METRIC_PRESSURE_CPU | TRM_METRIC_THROTTLED_PERCENT,
			.pressure_cpu_percent = 30,
			.throttled_percent = 20};

	(void)state;
	metric_history_add(&h, &s);
	s.pressure_is_machine = true;
	metric_history_add(&h, &s);
	assert_true(metric_history_at(&h, 0)->values[SERIES_WAIT] == 30.0f);
	assert_true(metric_history_at(&h, 1)->values[SERIES_WAIT] == 20.0f);
}

static void scales_change_seldom(void **state)
{
	const float low[] = {3.0f, 1.0f}, high[] = {300.0f, 1.0f};

	(void)state;
	assert_true(metric_scale(low, 2, 512.0, true) == 32.0);
	assert_true(metric_scale(high, 2, 512.0, true) == 512.0);
	assert_true(metric_scale(low, 2, 512.0, false) == 512.0);
	assert_true(metric_scale(high, 2, 0.0, true) == 512.0);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(keeps_the_last_samples),
			TEST(what_is_unknown_stays_unknown),
			TEST(columns_stand_still_in_time),
			TEST(samples_that_come_late_leave_no_holes),
			TEST(a_pause_is_a_gap),
			TEST(peaks_of_a_stretch),
			TEST(a_peak_between_samples_is_shown),
			TEST(network_is_a_rate),
			TEST(the_wait_of_the_machine_is_not_the_sandboxs),
			TEST(scales_change_seldom),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	metric_history_finish(&h);
	return failed;
}
