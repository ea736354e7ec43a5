/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <cjson/cJSON.h>
#include <string.h>

#include <terrarium/metrics.h>

#include "rpc/processes.h"

static void processes_come_back(void **state)
{
	const struct trm_process in[2] = {{.pid = 2,
							  .ppid = 1,
							  .state = 'S',
							  .has_cpu = true,
							  .cpu_percent = 12.5,
							  .mem_bytes = 1 << 20,
							  .threads = 3,
							  .cpu_ns = 77,
							  .start = 12345,
							  .command = "python kernel"},
			{.pid = 3, .ppid = 2, .state = 'R', .command = "sleep 5"}};
	struct trm_process out[2];
	(void)state;
	cJSON *json = rpc_processes_write(in, 2);
	assert_int_equal(rpc_processes_read(json, out, 2), 2);
	assert_int_equal(rpc_processes_read(json, out, 1), 1);
	cJSON_Delete(json);
	assert_int_equal(out[0].pid, 2);
	assert_int_equal(out[0].ppid, 1);
	assert_int_equal(out[0].state, 'S');
	assert_true(out[0].has_cpu && out[0].cpu_percent == 12.5);
	assert_true(out[0].mem_bytes == 1 << 20 && out[0].cpu_ns == 77 && out[0].start == 12345);
	assert_int_equal(out[0].threads, 3);
	assert_string_equal(out[0].command, "python kernel");
	assert_false(out[1].has_cpu);
}

static void what_is_no_process_is_passed_over(void **state)
{
	struct trm_process out[2];
	cJSON *json = cJSON_Parse("[5,null,{},{\"pid\":-1},{\"pid\":1e300},{\"pid\":7,\"state\":\"\\u001b\","
				  "\"mem_bytes\":1e300,\"command\":\"\\u001b[2Jx\"}]");
	(void)state;
	assert_non_null(json);
	assert_int_equal(rpc_processes_read(json, out, 2), 1);
	cJSON_Delete(json);
	assert_int_equal(out[0].pid, 7);
	assert_int_equal(out[0].state, '?');
	assert_true(out[0].mem_bytes == 0);
	assert_null(strchr(out[0].command, '\033'));
	assert_int_equal(rpc_processes_read(NULL, out, 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(processes_come_back),
			cmocka_unit_test(what_is_no_process_is_passed_over)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
