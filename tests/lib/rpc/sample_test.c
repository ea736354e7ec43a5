/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <cjson/cJSON.h>
#include <string.h>

#include <terrarium/metrics.h>

#include "rpc/sample.h"

static void what_is_known_comes_back(void **state)
{
	struct trm_sample in = {.known = TRM_METRIC_MEM | TRM_METRIC_CPU_PERCENT | TRM_METRIC_NET,
			.mem_bytes = 123456789012,
			.cpu_percent = 12.5,
			.net_rx_bytes = 7,
			.net_tx_bytes = 8,
			.procs = 99,
			.source = "cgroup v1"};
	struct trm_sample out = {.known = TRM_METRIC_UPTIME, .uptime_ms = 5};
	(void)state;
	cJSON *json = rpc_sample_write(&in);
	assert_null(cJSON_GetObjectItem(json, "procs"));
	rpc_sample_read(json, &out);
	cJSON_Delete(json);
	assert_int_equal(out.known, in.known | TRM_METRIC_UPTIME);
	assert_true(out.mem_bytes == in.mem_bytes);
	assert_true(out.cpu_percent == in.cpu_percent);
	assert_int_equal(out.net_rx_bytes, 7);
	assert_int_equal(out.net_tx_bytes, 8);
	assert_int_equal(out.procs, 0);
	assert_int_equal(out.uptime_ms, 5);
	assert_string_equal(out.source, "cgroup v1");
}

static void what_is_no_measure_is_passed_over(void **state)
{
	static const char *const texts[] = {
			"{\"mem_bytes\":-1,\"procs\":\"5\",\"cpu_percent\":1e300,\"disk_bytes\":null}", "[]",
			"5", "{\"source\":5,\"pressure_is_machine\":1}"};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct trm_sample out = {0};
		cJSON *json = cJSON_Parse(texts[i]);
		assert_non_null(json);
		rpc_sample_read(json, &out);
		assert_int_equal(out.known, 0);
		cJSON_Delete(json);
	}
	struct trm_sample out = {0};
	rpc_sample_read(NULL, &out);
	assert_int_equal(out.known, 0);
	cJSON *json = cJSON_Parse("{\"source\":\"\\u001b[2Ja much too long name of a source\"}");
	rpc_sample_read(json, &out);
	cJSON_Delete(json);
	assert_true(strlen(out.source) < sizeof out.source);
	assert_null(strchr(out.source, '\033'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(what_is_known_comes_back),
			cmocka_unit_test(what_is_no_measure_is_passed_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
