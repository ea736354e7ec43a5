/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include <terrarium/error.h>

#include "kube/command.h"

static enum kube_verb read_words(struct kube_command *c, ...)
{
	static char *argv[32];
	va_list args;
	size_t n = 0;
	va_start(args, c);
	while ((argv[n] = va_arg(args, char *)))
		n++;
	va_end(args);
	kube_command_read(argv, c);
	return c->verb;
}

#define READ(...) read_words(&c, "kubectl", __VA_ARGS__, NULL)

static void the_recipes_commands_are_known(void **state)
{
	struct kube_command c;
	(void)state;
	assert_int_equal(READ("--context", "x", "--namespace", "y", "create", "--validate=false",
					 "--filename", "-"),
			KUBE_CREATE);
	assert_string_equal(c.context, "x");
	assert_string_equal(c.space, "y");
	assert_int_equal(READ("get", "pod", "p", "--watch", "--output", "go-template={{.}}"), KUBE_WATCH);
	assert_string_equal(c.pod, "p");
	assert_int_equal(READ("exec", "--stdin", "--quiet", "p", "--container", "c", "--", "sh", "-c", "x"),
			KUBE_EXEC);
	assert_true(c.has_stdin);
	assert_string_equal(c.container, "c");
	assert_string_equal(c.args[1], "-c");
	assert_int_equal(READ("exec", "p", "--", "true"), KUBE_EXEC);
	assert_false(c.has_stdin);
	assert_int_equal(READ("delete", "--ignore-not-found", "--wait=false", "pod/a", "configmap/a"),
			KUBE_DELETE);
	assert_int_equal(c.n_targets, 2);
	assert_int_equal(READ("get", "pods,configmaps", "--selector", "dev.terrarium=1", "--output",
					 "go-template={{.}}"),
			KUBE_LIST);
}

#define SCRIPT(...) read_words(&c, "sh", "-c", "script", __VA_ARGS__, NULL)
#define CREATED "claim", "terrarium-a-1", "s", "0", "2030-01-01T00:00:00Z", "pool", "p"

static void scripts_are_known_by_their_name(void **state)
{
	struct kube_command c;
	(void)state;
	assert_int_equal(SCRIPT(CREATED, "kubectl", "--context", "x"), KUBE_CLAIM);
	assert_string_equal(c.program, "kubectl");
	assert_string_equal(c.context, "x");
	assert_string_equal(c.operands[CLAIM_FROM], "p");
	assert_int_equal(SCRIPT("await-claim", "a", "pool", "t", "t", "terrarium-1", "kubectl", "--namespace",
					 "y"),
			KUBE_AWAIT_CLAIM);
	assert_string_equal(c.space, "y");
	assert_string_equal(c.operands[AWAITED_CONFIGMAP], "terrarium-1");
	assert_int_equal(SCRIPT("sh", "a"), KUBE_NONE);
	assert_int_equal(SCRIPT(CREATED), KUBE_NONE); /* no kubectl */
	assert_int_equal(SCRIPT(CREATED, "ssh", "me@box", "kubectl"), KUBE_NONE);
	assert_int_equal(SCRIPT(CREATED, "kubectl", "--context"), KUBE_NONE);
	assert_int_equal(read_words(&c, "sh", NULL), KUBE_NONE);
}

static void claims_are_listed_and_released(void **state)
{
	struct kube_command c;
	(void)state;
	assert_int_equal(READ("delete", KUBE_CLAIMS, "--field-selector", "metadata.name=a", "--selector",
					 KUBE_CLAIMS_SELECTOR, "--wait=false"),
			KUBE_RELEASE);
	assert_string_equal(c.name, "a");
	assert_int_equal(READ("get", KUBE_CLAIMS, "--selector", KUBE_CLAIMS_SELECTOR, "--output", "x"),
			KUBE_LIST_CLAIMS);
	assert_int_equal(READ("delete", KUBE_CLAIMS, "--selector", KUBE_CLAIMS_SELECTOR, "--wait=false"),
			KUBE_NONE);
	assert_int_equal(READ("delete", KUBE_CLAIMS, "--field-selector", "metadata.name=a", "--wait=false"),
			KUBE_NONE);
}

/* A word that we do not know may mean anything, so kubectl does the whole command. */
static void other_commands_are_kubectls(void **state)
{
	struct kube_command c;
	(void)state;
	assert_int_equal(READ("--kubeconfig", "f", "exec", "p", "--", "true"), KUBE_NONE);
	assert_int_equal(READ("exec", "--tty", "p", "--", "true"), KUBE_NONE);
	assert_int_equal(READ("exec", "p", "true"), KUBE_NONE);
	assert_int_equal(READ("exec", "p", "--"), KUBE_NONE);
	assert_int_equal(READ("get", "pod", "p", "--output", "json"), KUBE_NONE);
	assert_int_equal(READ("delete", "pod/a"), KUBE_NONE);
	assert_int_equal(READ("delete", "--ignore-not-found", "a/1", "a/2", "a/3", "a/4", "a/5"), KUBE_NONE);
	assert_int_equal(READ("create", "--dry-run", "--filename", "-"), KUBE_NONE);
	assert_int_equal(READ("get", "pods,configmaps", "--selector", "other=1", "--output", "json"),
			KUBE_NONE);
	assert_int_equal(READ("get", "pods,configmaps", "--output", "json"), KUBE_NONE);
	assert_int_equal(READ("version"), KUBE_NONE);
	assert_null(c.pod);
}

static void expect_path(const char *space, const char *kind, const char *name, const char *expected)
{
	struct buf out;
	buf_init(&out, 1000);
	int r = kube_path_put(&out, space, kind, name);
	assert_int_equal(r, expected ? 0 : TRM_EINVAL);
	if (expected) {
		assert_int_equal(out.len, strlen(expected));
		assert_memory_equal(buf_at(&out), expected, out.len);
	}
	buf_finish(&out);
}

static void paths_hold_nothing_but_names(void **state)
{
	(void)state;
	expect_path("lab", "Pod", "", "/api/v1/namespaces/lab/pods");
	expect_path("lab", "configmap", "a-1", "/api/v1/namespaces/lab/configmaps/a-1");
	expect_path("lab", "networkpolicy", "a",
			"/apis/networking.k8s.io/v1/namespaces/lab/networkpolicies/a");
	expect_path("lab", "secret", "a", NULL);
	expect_path("lab", "pod", "a/exec", NULL);
	expect_path("lab", "pod", "a?b", NULL);
	expect_path("lab", "pod", "..", NULL);
	expect_path("a/b", "pod", "x", NULL);
	expect_path("", "pod", "x", NULL);
}

static void a_watch_names_one_pod(void **state)
{
	static const char expected[] =
			"/api/v1/namespaces/lab/pods?watch=true&fieldSelector=metadata.name%3Dp-1";
	struct buf out;
	(void)state;
	buf_init(&out, 1000);
	assert_int_equal(kube_watch_path_put(&out, "lab", "pod", "p-1"), 0);
	assert_int_equal(out.len, sizeof expected - 1);
	assert_memory_equal(buf_at(&out), expected, sizeof expected - 1);
	assert_int_equal(kube_watch_path_put(&out, "lab", "pod", "p&allowWatchBookmarks=true"), TRM_EINVAL);
	assert_int_equal(kube_watch_path_put(&out, "lab", "pod", ""), TRM_EINVAL);
	buf_finish(&out);
}

static void arguments_are_coded(void **state)
{
	static const char expected[] = "/api/v1/namespaces/lab/pods/p/exec?stdout=true&stderr=true&stdin=true"
				       "&container=c&command=sh&command=-c&command=a%20%26%20%22b%22%0A%25";
	struct kube_command c;
	struct buf out;
	(void)state;
	buf_init(&out, 1000);
	READ("exec", "--stdin", "p", "--container", "c", "--", "sh", "-c", "a & \"b\"\n%");
	assert_int_equal(kube_exec_path_put(&out, "lab", &c), 0);
	assert_int_equal(out.len, sizeof expected - 1);
	assert_memory_equal(buf_at(&out), expected, sizeof expected - 1);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(the_recipes_commands_are_known),
			cmocka_unit_test(scripts_are_known_by_their_name),
			cmocka_unit_test(claims_are_listed_and_released),
			cmocka_unit_test(other_commands_are_kubectls),
			cmocka_unit_test(paths_hold_nothing_but_names),
			cmocka_unit_test(a_watch_names_one_pod),
			cmocka_unit_test(arguments_are_coded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
