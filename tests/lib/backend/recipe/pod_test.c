/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "backend/recipe/pod.h"
#include "base/base64.h"
#include "base/buf.h"

static const char *const ENV[] = {"A=1", "B=$(A) and $HOME", "C="};

static struct pod_spec example(void)
{
	return (struct pod_spec){.name = "terrarium-lab-0123abcd",
			.key = "0123abcd",
			.supervisor = "\1supervisor\1",
			.owner = "1000",
			.image = "python:3.13-slim",
			.workdir = "/workspace",
			.arch = "amd64",
			.agent = "\177ELF",
			.agent_n = 4,
			.limits = {.mem_bytes = 512 << 20,
					.disk_bytes = 256 << 20,
					.file_bytes = 64 << 20,
					.cpus = 0.5,
					.open_files = 256},
			.env = ENV,
			.n_env = 3,
			.cut = POD_CUT_BY_INIT};
}

typedef int put_fn(struct buf *out, const struct pod_spec *spec, struct trm_error *reterr);

static cJSON *make_by(put_fn *put, const struct pod_spec *spec)
{
	struct buf out;
	struct trm_error why = {0};
	buf_init(&out, 1 << 20);
	if (put(&out, spec, &why) < 0)
		fail_msg("%s", why.msg);
	cJSON *list = cJSON_ParseWithLength(buf_at(&out), out.len);
	buf_finish(&out);
	assert_non_null(list);
	return list;
}

static cJSON *make(const struct pod_spec *spec)
{
	return make_by(pod_put, spec);
}

/* The object of a kind in the list; NULL: there is none. */
static const cJSON *kind(const cJSON *list, const char *name)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, cJSON_GetObjectItem(list, "items"))
	{
		if (!strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(item, "kind")), name))
			return item;
	}
	return NULL;
}

/* "spec.containers.0.name" */
static const cJSON *at(const cJSON *item, const char *path)
{
	char copy[200], *rest, *part;
	snprintf(copy, sizeof copy, "%s", path);
	for (part = strtok_r(copy, "/", &rest); part && item; part = strtok_r(NULL, "/", &rest))
		item = *part >= '0' && *part <= '9' ? cJSON_GetArrayItem(item, atoi(part))
						    : cJSON_GetObjectItemCaseSensitive(item, part);
	return item;
}

static void expect_text(const cJSON *item, const char *path, const char *text)
{
	const char *found = cJSON_GetStringValue(at(item, path));
	if (!found || strcmp(found, text) != 0)
		fail_msg("%s is '%s', not '%s'", path, found ? found : "(nothing)", text);
}

static void expect_number(const cJSON *item, const char *path, double n)
{
	const cJSON *found = at(item, path);
	if (!cJSON_IsNumber(found) || found->valuedouble != n)
		fail_msg("%s is not %g", path, n);
}

static void test_a_pod_has_few_rights(void **state)
{
	struct pod_spec spec = example();
	cJSON *list = make(&spec);
	const cJSON *pod = kind(list, "Pod");
	(void)state;
	expect_number(pod, "spec/securityContext/runAsUser", 1000);
	assert_true(cJSON_IsTrue(at(pod, "spec/securityContext/runAsNonRoot")));
	expect_text(pod, "spec/securityContext/seccompProfile/type", "RuntimeDefault");
	assert_true(cJSON_IsFalse(at(pod, "spec/automountServiceAccountToken")));
	assert_true(cJSON_IsFalse(at(pod, "spec/containers/0/securityContext/allowPrivilegeEscalation")));
	assert_true(cJSON_IsTrue(at(pod, "spec/containers/0/securityContext/readOnlyRootFilesystem")));
	expect_text(pod, "spec/containers/0/securityContext/capabilities/drop/0", "ALL");
	assert_null(at(pod, "spec/containers/0/securityContext/capabilities/add"));
	expect_number(pod, "spec/terminationGracePeriodSeconds", 0);
	expect_number(pod, "spec/activeDeadlineSeconds", POD_LIFETIME_S);
	expect_text(pod, "spec/restartPolicy", "Never");
	cJSON_Delete(list);
}

static void test_a_pod_may_wait_for_another_server(void **state)
{
	struct pod_spec spec = example();
	cJSON *list = make(&spec);
	(void)state;
	assert_null(at(kind(list, "Pod"), "metadata/labels/dev.terrarium.adoptable"));
	cJSON_Delete(list);
	spec.adoptable = "default/lab";
	list = make(&spec);
	expect_text(kind(list, "Pod"), "metadata/labels/dev.terrarium.adoptable", "1");
	expect_text(kind(list, "Pod"), "metadata/annotations/dev.terrarium.adoptable", "default/lab");
	expect_text(kind(list, "ConfigMap"), "metadata/labels/dev.terrarium.adoptable", "1");
	cJSON_Delete(list);
}

static void test_limits_are_set_and_requests_are_small(void **state)
{
	struct pod_spec spec = example();
	cJSON *list = make(&spec);
	const cJSON *main = at(kind(list, "Pod"), "spec/containers/0");
	(void)state;
	expect_text(main, "resources/limits/memory", "536870912");
	expect_text(main, "resources/limits/cpu", "500m");
	expect_text(main, "resources/limits/ephemeral-storage", "268435456");
	expect_text(main, "resources/requests/memory", "33554432");
	expect_text(main, "resources/requests/cpu", "10m");
	cJSON_Delete(list);
	spec.limits.mem_bytes = 16 << 20;
	spec.max_lifetime_ms = 10000;
	list = make(&spec);
	expect_text(kind(list, "Pod"), "spec/containers/0/resources/requests/memory", "16777216");
	expect_number(kind(list, "Pod"), "spec/activeDeadlineSeconds", 10 + POD_LIFETIME_SLACK_S);
	cJSON_Delete(list);
}

static void test_the_network_is_cut_one_way_or_the_other(void **state)
{
	struct pod_spec spec = example();
	cJSON *list = make(&spec);
	const cJSON *cut = at(kind(list, "Pod"), "spec/initContainers/0");
	(void)state;
	expect_text(cut, "command/1", "cut");
	expect_text(cut, "securityContext/capabilities/drop/0", "ALL");
	expect_text(cut, "securityContext/capabilities/add/0", "NET_ADMIN");
	assert_null(at(cut, "securityContext/capabilities/add/1"));
	assert_null(kind(list, "NetworkPolicy"));
	cJSON_Delete(list);

	spec.cut = POD_CUT_BY_POLICY;
	list = make(&spec);
	assert_null(at(kind(list, "Pod"), "spec/initContainers"));
	expect_text(kind(list, "NetworkPolicy"), "spec/podSelector/matchLabels/dev.terrarium.sandbox",
			"terrarium-lab-0123abcd");
	expect_text(kind(list, "NetworkPolicy"), "spec/policyTypes/1", "Egress");
	assert_null(at(kind(list, "NetworkPolicy"), "spec/egress"));
	cJSON_Delete(list);

	spec.cut = POD_CUT_BESIDE;
	list = make(&spec);
	const cJSON *containers = at(kind(list, "Pod"), "spec/containers");
	assert_null(at(kind(list, "Pod"), "spec/initContainers"));
	expect_text(containers, "0/name", POD_CUT); /* the kubelet starts it first */
	expect_text(containers, "0/securityContext/capabilities/add/0", "NET_ADMIN");
	expect_text(containers, "0/resources/limits/memory", "67108864");
	expect_text(containers, "1/name", POD_CONTAINER);
	expect_text(containers, "1/command/12", "--await-cut");
	cJSON_Delete(list);

	spec.cut = POD_KEEPS_NET;
	list = make(&spec);
	assert_null(at(kind(list, "Pod"), "spec/initContainers"));
	assert_null(kind(list, "NetworkPolicy"));
	cJSON_Delete(list);
}

static void test_the_agent_comes_by_a_config_map(void **state)
{
	struct pod_spec spec = example();
	cJSON *list = make(&spec);
	size_t n = 0;
	const char *letters = cJSON_GetStringValue(at(kind(list, "ConfigMap"), "binaryData/agent"));
	(void)state;
	assert_non_null(letters);
	char *bytes = base64_decode(letters, strlen(letters), &n);
	assert_int_equal(n, 4);
	assert_memory_equal(bytes, "\177ELF", 4);
	free(bytes);
	expect_text(kind(list, "Pod"), "spec/volumes/0/configMap/name", spec.name);
	expect_number(kind(list, "Pod"), "spec/volumes/0/configMap/defaultMode", 0555);
	cJSON_Delete(list);
	spec.agent_n = POD_AGENT_MAX + 1;
	struct buf out;
	struct trm_error why;
	buf_init(&out, 1 << 20);
	assert_int_equal(pod_put(&out, &spec, &why), TRM_ETOOBIG);
	buf_finish(&out);
}

static void test_variables_are_what_they_are(void **state)
{
	struct pod_spec spec = example();
	cJSON *list = make(&spec);
	const cJSON *env = at(kind(list, "Pod"), "spec/containers/0/env");
	(void)state;
	expect_text(env, "0/value", "1");
	expect_text(env, "1/name", "B");
	expect_text(env, "1/value", "$$(A) and $$HOME"); /* Kubernetes makes $ of $$ */
	expect_text(env, "2/value", "");
	cJSON_Delete(list);
}

static void test_root_has_what_the_cluster_gives(void **state)
{
	struct pod_spec spec = example();
	spec.user = "root";
	cJSON *list = make(&spec);
	(void)state;
	expect_number(kind(list, "Pod"), "spec/securityContext/runAsUser", 0);
	assert_null(at(kind(list, "Pod"), "spec/containers/0/securityContext/capabilities"));
	assert_true(cJSON_IsFalse(
			at(kind(list, "Pod"), "spec/containers/0/securityContext/readOnlyRootFilesystem")));
	cJSON_Delete(list);
}

static void test_users_are_numbers(void **state)
{
	static const char *const bad[] = {"", "daemon", "1000:", "1000:x", "-1", "99999999999", "1 "};
	uint32_t uid = 7, gid = 7;
	struct trm_error why;
	(void)state;
	assert_int_equal(pod_user("1000:50", &uid, &gid, &why), 0);
	assert_int_equal(uid, 1000);
	assert_int_equal(gid, 50);
	assert_int_equal(pod_user(NULL, &uid, &gid, &why), 0);
	assert_int_equal(uid, POD_USER);
	assert_int_equal(pod_user("33", &uid, &gid, &why), 0);
	assert_int_equal(gid, 33);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (pod_user(bad[i], &uid, &gid, &why) != TRM_EINVAL)
			fail_msg("'%s' should be refused", bad[i]);
}

static void test_names_are_host_names(void **state)
{
	char name[120] = "terrarium-My_Lab.2-0123abcd";
	(void)state;
	pod_name(name);
	assert_string_equal(name, "terrarium-my-lab-2-0123abcd");
	snprintf(name, sizeof name, "terrarium-%064d-0123abcd", 1);
	pod_name(name);
	assert_int_equal(strlen(name), POD_NAME_BYTES - 1);
	assert_string_equal(name + strlen(name) - 9, "-0123abcd");
}

static void test_a_template_makes_pods_of_the_same_kind(void **state)
{
	struct pod_spec spec = example();
	(void)state;
	spec.name = "tools";
	spec.map = "terrarium-agent-0123";
	spec.cut = POD_CUT_BY_POLICY;
	cJSON *list = make_by(pod_template_put, &spec);
	expect_text(kind(list, "ConfigMap"), "metadata/name", "terrarium-agent-0123");
	const cJSON *template = kind(list, "SandboxTemplate"), *pod = at(template, "spec/podTemplate/spec");
	expect_text(template, "metadata/name", "tools");
	assert_null(at(template, "metadata/labels")); /* a sweep finds it by none of them */
	expect_text(pod, "volumes/0/configMap/name", "terrarium-agent-0123");
	expect_text(pod, "containers/0/securityContext/capabilities/drop/0", "ALL");
	expect_text(pod, "containers/0/command/0", "/.terrarium/agent");
	assert_true(cJSON_IsFalse(at(pod, "automountServiceAccountToken")));
	assert_null(at(pod, "activeDeadlineSeconds")); /* it may wait for long */
	assert_null(at(pod, "initContainers"));
	assert_true(cJSON_IsObject(at(template, "spec/networkPolicy")));
	expect_text(kind(list, "SandboxWarmPool"), "spec/sandboxTemplateRef/name", "tools");
	cJSON_Delete(list);
	spec.cut = POD_KEEPS_NET;
	list = make_by(pod_template_put, &spec);
	assert_null(at(kind(list, "SandboxTemplate"), "spec/networkPolicy"));
	cJSON_Delete(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_a_pod_has_few_rights),
			cmocka_unit_test(test_a_pod_may_wait_for_another_server),
			cmocka_unit_test(test_limits_are_set_and_requests_are_small),
			cmocka_unit_test(test_the_network_is_cut_one_way_or_the_other),
			cmocka_unit_test(test_the_agent_comes_by_a_config_map),
			cmocka_unit_test(test_variables_are_what_they_are),
			cmocka_unit_test(test_root_has_what_the_cluster_gives),
			cmocka_unit_test(test_users_are_numbers),
			cmocka_unit_test(test_names_are_host_names),
			cmocka_unit_test(test_a_template_makes_pods_of_the_same_kind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
