/* SPDX-License-Identifier: MIT */
/* The variables below the metrics. */
#include "tui/model/desk.h"

static void send_sample(void)
{
	struct trm_metrics metrics = {.sample = {.known = TRM_METRIC_CPU_PERCENT | TRM_METRIC_MEM
							  | TRM_METRIC_PROCS | TRM_METRIC_UPTIME,
						      .cpu_percent = 12,
						      .mem_bytes = 20u << 20,
						      .procs = 3,
						      .time_ns = now_ns,
						      .uptime_ms = 5000,
						      .source = "cgroup v2"}};

	send((struct msg){.type = MSG_METRICS, .metrics = &metrics});
}

/* The graphs get smaller. They are not covered in their middle. */
static void all_metrics_fit_above_the_variables(void **state)
{
	static const char *const all[] = {
			"CPU  12.0 %", "MEM  20", "DISK", "PROC 3", "up 00:00:05", "cgroup v2"};

	(void)state;
	send_sample();
	press('v', MOD_ALT);
	assert_screen("variables of python", true);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_screen(all[i], true);
	resize(60, 200);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_screen(all[i], true);
	assert_screen("now", true);
}

static void answer_variables(const char *json)
{
	now_ns += 300000000;
	send((struct msg){.type = MSG_TICK});
	send((struct msg){.type = MSG_ANSWER,
			.answer.serial = m.kernel_queries.last_serial,
			.answer.json = json});
}

/* A type is cut only for the sake of values. */
static void a_type_is_whole_where_there_is_room(void **state)
{
	(void)state;
	m.variables[m.lang->index].is_stale = true;
	press('v', MOD_ALT);
	answer_variables(
			"{\"variables\":[{\"name\":\"g\",\"type\":\"DataFrameGroupBy\",\"size\":\"3\",\"value\":"
			"\"<object at 0x7f0000000000 that is long enough to be cut here>\"}]}");
	assert_screen("DataFrameGroupBy 3      <obj", true);
}

/* The editor under the box is out of sight. */
static void a_box_takes_what_is_typed_and_pasted(void **state)
{
	(void)state;
	resize(24, 80);
	type("a");
	press('v', MOD_ALT);
	assert_screen("variables of python", true);
	type("qz");
	press(K_BACKSPACE, 0);
	event((struct event){.type = EVENT_PASTE, .text = "pasted", .text_len = 6});
	press('/', 0);
	event((struct event){.type = EVENT_PASTE, .text = "alph", .text_len = 4});
	assert_screen("Filter alph", true);
	press(K_ESCAPE, 0);
	press(K_ESCAPE, 0);
	assert_screen("variables of python", false);
	type("b");
	assert_screen("1 ab ", true);
}

static void a_box_takes_the_keys_of_vi_too(void **state)
{
	(void)state;
	resize(24, 80);
	type("abc");
	m.vi.mode = VI_NORMAL;
	press('v', MOD_ALT);
	type("x0x");
	press(K_ESCAPE, 0);
	assert_screen("variables of python", false);
	assert_screen("1 abc ", true);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(all_metrics_fit_above_the_variables),
			TEST(a_box_takes_what_is_typed_and_pasted),
			TEST(a_box_takes_the_keys_of_vi_too),
			TEST(a_type_is_whole_where_there_is_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
