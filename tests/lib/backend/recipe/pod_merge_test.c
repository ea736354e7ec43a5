/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "backend/recipe/pod_merge.h"
#include "base/buf.h"

static const char POD[] =
		"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"terrarium-a\",\"labels\":{\"dev.terrarium\":\"1\"}},"
		"\"spec\":{\"restartPolicy\":\"Never\",\"automountServiceAccountToken\":false,"
		"\"initContainers\":[{\"name\":\"cut-network\"}],"
		"\"containers\":[{\"name\":\"sandbox\",\"image\":\"i\",\"command\":[\"a\"],\"env\":[{\"name\":\"A\",\"value\":\"1\"}],"
		"\"resources\":{\"limits\":{\"memory\":\"1\",\"cpu\":\"1\"}},"
		"\"securityContext\":{\"capabilities\":{\"drop\":[\"ALL\"]}},"
		"\"volumeMounts\":[{\"name\":\"terrarium-agent\",\"mountPath\":\"/.terrarium\"}]}],"
		"\"volumes\":[{\"name\":\"terrarium-agent\"},{\"name\":\"tmp\"}]}}";

static cJSON *pod;
static char changes[4096];
static struct trm_error why;

/* Merge a manifest with this spec and metadata into POD. Returns the code. */
static int merge(const char *parts)
{
	char text[2048];
	cJSON *manifest = NULL;
	struct buf out;
	cJSON_Delete(pod);
	pod = cJSON_Parse(POD);
	snprintf(text, sizeof text, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",%s}", parts);
	buf_init(&out, sizeof changes - 1);
	assert_int_equal(pod_manifest_parse(text, strlen(text), &manifest, &why), 0);
	int r = pod_merge(pod, manifest, &out, &why);
	snprintf(changes, sizeof changes, "%.*s", (int)out.len, out.len ? buf_at(&out) : "");
	buf_finish(&out);
	cJSON_Delete(manifest);
	return r;
}

static int drop_pod(void **state)
{
	(void)state;
	cJSON_Delete(pod);
	pod = NULL;
	return 0;
}

static void expect_json(const char *key, const char *json)
{
	char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(cJSON_GetObjectItem(pod, "spec"), key));
	assert_non_null(text);
	assert_string_equal(text, json);
	cJSON_free(text);
}

static void test_lists_go_by_names(void **state)
{
	(void)state;
	assert_int_equal(merge("\"spec\":{\"containers\":[{\"env\":[{\"name\":\"A\",\"value\":\"2\"},"
			       "{\"name\":\"B\",\"value\":\"3\"}]},{\"name\":\"side\",\"image\":\"x\"}],"
			       "\"tolerations\":[{\"key\":\"gpu\"}],\"volumes\":[{\"name\":\"data\"}]}"),
			0);
	expect_json("tolerations", "[{\"key\":\"gpu\"}]");
	expect_json("volumes", "[{\"name\":\"terrarium-agent\"},{\"name\":\"tmp\"},{\"name\":\"data\"}]");
	const cJSON *containers = cJSON_GetObjectItem(cJSON_GetObjectItem(pod, "spec"), "containers");
	assert_int_equal(cJSON_GetArraySize(containers), 2);
	char *env = cJSON_PrintUnformatted(cJSON_GetObjectItem(cJSON_GetArrayItem(containers, 0), "env"));
	assert_string_equal(env, "[{\"name\":\"A\",\"value\":\"2\"},{\"name\":\"B\",\"value\":\"3\"}]");
	cJSON_free(env);
	assert_string_equal(changes,
			"spec.containers[side]: {\"name\":\"side\",\"image\":\"x\"}\nspec.volumes[data]: {\"name\":\"data\"}\n");
}

static void test_what_it_changes_is_listed(void **state)
{
	(void)state;
	assert_int_equal(
			merge("\"metadata\":{\"labels\":{\"team\":\"a\"}},\"spec\":{\"hostPID\":true,"
			      "\"automountServiceAccountToken\":false,\"nodeSelector\":{\"disk\":\"ssd\"},"
			      "\"containers\":[{\"name\":\"sandbox\",\"resources\":{\"limits\":{\"memory\":\"2Gi\",\"cpu\":null}},"
			      "\"securityContext\":{\"capabilities\":{\"drop\":[]}}}]}"),
			0);
	assert_string_equal(changes, "spec.hostPID: true\n"
				     "spec.containers[sandbox].resources.limits.memory: \"2Gi\"\n"
				     "spec.containers[sandbox].resources.limits.cpu: removed\n"
				     "spec.containers[sandbox].securityContext.capabilities.drop: []\n");
}

static void test_what_a_sandbox_needs_stays(void **state)
{
	static const char *const bad[] = {"\"metadata\":{\"name\":\"x\"}",
			"\"metadata\":{\"namespace\":\"x\"}",
			"\"metadata\":{\"labels\":{\"dev.terrarium.owner\":\"0\"}}",
			"\"spec\":{\"restartPolicy\":\"Always\"}", "\"spec\":{\"hostNetwork\":true}",
			"\"spec\":{\"containers\":[{\"command\":[\"sh\"]}]}",
			"\"spec\":{\"containers\":[{\"volumeMounts\":[{\"name\":\"x\",\"mountPath\":\"/.terrarium\"}]}]}",
			"\"spec\":{\"volumes\":[{\"name\":\"terrarium-agent\",\"emptyDir\":{}}]}",
			"\"spec\":{\"initContainers\":[{\"name\":\"cut-network\",\"command\":[\"true\"]}]}",
			"\"spec\":{\"containers\":null}", "\"spec\":{\"volumes\":{}}",
			"\"spec\":{\"volumes\":[{\"emptyDir\":{}}]}", "\"spec\":{\"initContainers\":null}",
			"\"spec\":{\"containers\":[{\"volumeMounts\":null}]}"};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (merge(bad[i]) != TRM_EINVAL)
			fail_msg("this should be refused: %s", bad[i]);
}

static void test_what_is_no_manifest(void **state)
{
	static const char *const bad[] = {"", "[]", "{", "{\"kind\":\"Deployment\"}",
			"{\"kind\":\"Pod\",\"spec\":[]}", "{\"kind\":\"Pod\",\"a\":\"\\u0000\"}"};
	cJSON *manifest = NULL;
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (pod_manifest_parse(bad[i], strlen(bad[i]), &manifest, &why) != TRM_EINVAL)
			fail_msg("this should be refused: %s", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_teardown(test_lists_go_by_names, drop_pod),
			cmocka_unit_test_teardown(test_what_it_changes_is_listed, drop_pod),
			cmocka_unit_test_teardown(test_what_a_sandbox_needs_stays, drop_pod),
			cmocka_unit_test(test_what_is_no_manifest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
