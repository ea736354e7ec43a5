/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "kube/pod_state.h"

static void expect_state(const char *status, const char *expected)
{
	char text[2048], state[POD_STATE];
	struct json_value pod;
	snprintf(text, sizeof text, "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"status\":%s}", status);
	assert_true(json_scan(text, strlen(text), &pod));
	if (strcmp(pod_state_format(pod, KUBE_MAIN, state), expected) != 0)
		fail_msg("%s is '%s', not '%s'", status, state, expected);
}

static void states_are_those_of_the_recipe(void **state)
{
	(void)state;
	expect_state("{}", "waiting");
	expect_state("{\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"message\":\"0/1 nodes\"}]}",
			"waiting\x1f\x1f\x1f"
			"0/1 nodes");
	expect_state("{\"containerStatuses\":[{\"name\":\"sandbox\",\"state\":{\"waiting\":{\"reason\":\"ContainerCreating\"}}}]}",
			"waiting\x1f\x1f\x1f"
			"ContainerCreating");
	expect_state("{\"containerStatuses\":[{\"name\":\"sandbox\",\"state\":{\"waiting\":{\"reason\":\"ErrImagePull\","
		     "\"message\":\"no\\nsuch image\"}}}]}",
			"ErrImagePull\x1f\x1f\x1fno such image");
	expect_state("{\"containerStatuses\":[{\"name\":\"other\",\"state\":{\"waiting\":{\"reason\":\"X\"}}},"
		     "{\"name\":\"sandbox\",\"state\":{\"running\":{}}}]}",
			"running");
	expect_state("{\"containerStatuses\":[{\"name\":\"sandbox\",\"state\":{\"terminated\":{\"exitCode\":137,\"reason\":"
		     "\"OOMKilled\"}}}]}",
			"OOMKilled\x1f"
			"137\x1ftrue\x1f");
	expect_state("{\"reason\":\"Evicted\",\"message\":\"low on memory\"}",
			"Evicted\x1f\x1f\x1flow on memory");
}

static void a_network_that_is_not_cut_is_the_state(void **state)
{
	static const char failed[] =
			"{\"containerStatuses\":[{\"name\":\"cut-network\",\"state\":{\"terminated\":{\"exitCode\":125,\"reason\":"
			"\"Error\",\"message\":\"not permitted\"}}},{\"name\":\"sandbox\",\"state\":{\"running\":{}}}]}";
	(void)state;
	expect_state(failed, "InitFailed\x1f"
			     "125\x1f"
			     "false\x1fnot permitted");
	expect_state("{\"containerStatuses\":[{\"name\":\"cut-network\",\"state\":{\"terminated\":{\"exitCode\":0}}},"
		     "{\"name\":\"sandbox\",\"state\":{\"running\":{}}}]}",
			"running");
	expect_state("{\"initContainerStatuses\":[{\"name\":\"cut-network\",\"ready\":false,\"state\":{\"terminated\":"
		     "{\"exitCode\":125,\"reason\":\"Error\"}}}]}",
			"InitFailed\x1f"
			"125\x1f"
			"false\x1f"
			"Error");
}

static void a_pod_that_is_deleted_is_removed(void **state)
{
	static const char pod[] =
			"{\"metadata\":{\"deletionTimestamp\":\"now\"},\"status\":{\"containerStatuses\":"
			"[{\"name\":\"sandbox\",\"state\":{\"running\":{}}}]}}";
	struct json_value value;
	char text[POD_STATE];
	(void)state;
	assert_true(json_scan(pod, sizeof pod - 1, &value));
	assert_string_equal(pod_state_format(value, KUBE_MAIN, text), "removing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(states_are_those_of_the_recipe),
			cmocka_unit_test(a_network_that_is_not_cut_is_the_state),
			cmocka_unit_test(a_pod_that_is_deleted_is_removed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
