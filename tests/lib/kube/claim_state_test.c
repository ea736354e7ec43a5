/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include "kube/claim_state.h"

static struct json_value scanned(const char *text)
{
	struct json_value value;
	assert_true(json_scan(text, strlen(text), &value));
	return value;
}

static void expect_object(const char *kind, char *const *operands, const char *expected)
{
	struct buf out;
	buf_init(&out, 4096);
	assert_int_equal(claim_object_put(&out, kind, operands), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(buf_at(&out), expected);
	buf_finish(&out);
}

#define METADATA(kind) \
	"{\"apiVersion\":\"extensions.agents.x-k8s.io/v1beta1\",\"kind\":\"" kind \
	"\",\"metadata\":{\"name\":\"terrarium-lab-1\",\"labels\":{\"dev.terrarium\":\"1\",\"dev.terrarium.owner\":\"7\"}," \
	"\"annotations\":{\"dev.terrarium.supervisor\":\"host/\\\"x\",\"dev.terrarium.name\":\"lab-1\"}},"

static void a_claim_names_its_pool(void **state)
{
	char name[] = "terrarium-lab-1", supervisor[] = "host/\"x", owner[] = "7";
	char until[] = "2030-01-01T00:00:00Z", kind[] = "pool", template[] = "template", from[] = "warm";
	char *operands[] = {name, supervisor, owner, until, kind, from};
	(void)state;
	expect_object("SandboxClaim", operands,
			METADATA("SandboxClaim") "\"spec\":{\"warmPoolRef\":{\"name\":\"warm\"},\"lifecycle\":{"
						 "\"shutdownTime\":\"2030-01-01T00:00:00Z\",\"shutdownPolicy\":\"Delete\"}}}");
	operands[CLAIM_KIND] = template;
	expect_object("SandboxClaim", operands,
			METADATA("SandboxClaim") "\"spec\":{\"warmPoolRef\":{\"name\":\"terrarium-lab-1\"},\"lifecycle\":{"
						 "\"shutdownTime\":\"2030-01-01T00:00:00Z\",\"shutdownPolicy\":\"Delete\"}}}");
	expect_object("SandboxWarmPool", operands,
			METADATA("SandboxWarmPool") "\"spec\":{\"replicas\":0,\"sandboxTemplateRef\":{\"name\":\"warm\"}}}");
}

#define NOT_READY(reason, message) \
	"{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\",\"reason\":\"" reason \
	"\",\"message\":\"" message "\"}]}}"

static void expect_claim(const char *claim, const char *kind, bool has_pod, const char *expected)
{
	char out[POD_STATE];
	assert_string_equal(claim_state_format(scanned(claim), false, kind, has_pod, out), expected);
}

static void a_claim_waits_unless_it_is_hopeless(void **state)
{
	char out[POD_STATE];
	(void)state;
	expect_claim("{}", "pool", false, "");
	expect_claim(NOT_READY("Pending", "soon"), "pool", false, "waiting\x1f\x1f\x1fPending: soon");
	expect_claim(NOT_READY("Pending", "soon"), "pool", true, "");
	expect_claim(NOT_READY("WarmPoolNotFound", "no x"), "pool", false,
			"WarmPoolNotFound\x1f\x1f\x1fno x");
	expect_claim(NOT_READY("WarmPoolNotFound", "no x"), "template", false,
			"waiting\x1f\x1f\x1fWarmPoolNotFound: no x");
	expect_claim(NOT_READY("ReconcilerError", "pods is forbidden"), "pool", true,
			"ReconcilerError\x1f\x1f\x1fpods is forbidden");
	expect_claim(NOT_READY("ClaimExpired", "late"), "pool", true, "ClaimExpired\x1f\x1f\x1flate");
	expect_claim("{\"metadata\":{\"deletionTimestamp\":\"x\"}}", "pool", true, "removing");
	assert_string_equal(claim_state_format(scanned("{}"), true, "pool", false, out), "removing");
}

static void a_bound_claim_names_its_pod(void **state)
{
	char out[KUBE_NAME];
	(void)state;
	assert_string_equal(claim_pod(scanned("{\"status\":{\"sandbox\":{\"name\":\"p-1\"}}}"), out), "p-1");
	assert_string_equal(claim_pod(scanned("{\"status\":{}}"), out), "");
	assert_string_equal(claim_pod(scanned("[]"), out), "");
}

#define RUNNING(mounted) \
	"{\"metadata\":{\"name\":\"p-1\"},\"spec\":{\"containers\":[{\"name\":\"main\",\"volumeMounts\":[" \
	"{\"name\":\"v\",\"mountPath\":\"/.terrarium\"}]},{\"name\":\"other\"}],\"volumes\":[{\"name\":\"v\"," \
	"\"configMap\":{\"name\":\"" mounted "\"}}]},\"status\":{\"containerStatuses\":[{\"name\":\"main\"," \
	"\"state\":{\"running\":{}}}]}}"

static void a_pod_that_runs_tells_where_the_agent_is(void **state)
{
	char out[POD_STATE];
	(void)state;
	claim_pod_state_format(scanned(RUNNING("terrarium-7")), "terrarium-7", out);
	assert_string_equal(out, "running\x1f\x1f\x1f\x1fp-1\x1f/.terrarium/agent");
	claim_pod_state_format(scanned(RUNNING("terrarium-6")), "terrarium-7", out);
	assert_string_equal(out, "running\x1f\x1f\x1f\x1fp-1\x1f");
	claim_pod_state_format(scanned("{\"metadata\":{\"name\":\"p\"}}"), "terrarium-7", out);
	assert_string_equal(out, "waiting");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_claim_names_its_pool),
			cmocka_unit_test(a_claim_waits_unless_it_is_hopeless),
			cmocka_unit_test(a_bound_claim_names_its_pod),
			cmocka_unit_test(a_pod_that_runs_tells_where_the_agent_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
