/* SPDX-License-Identifier: MIT */
/* The supervisor's parts. It has an allocator of its own, musl's, so they are built into this test. Where
 * memory is lacking for a filter of the network or a command of a recipe, that must not pass for success. */
#include "cmocka_all.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "fault/walk.h"
#include "supervisor/container/exec_bridge.h"
#include "supervisor/container/step.h"
#include "supervisor/limits/systemd_scope.h"
#include "supervisor/net/nft.h"
#include "wire/plan.h"

/* ---- the filter of a network --------------------------------------------------------------------- */

static size_t batch_bytes; /* of a whole one */

/* In the kernel's place. */
int __wrap_netlink_commit(struct netlink *n, int protocol);
int __wrap_netlink_commit(struct netlink *n, int protocol)
{
	int error = n->error;
	(void)protocol;
	if (!batch_bytes)
		batch_bytes = n->batch.len;
	if (!error && n->batch.len != batch_bytes)
		walk_fail("the kernel would be handed %zu bytes of %zu", n->batch.len, batch_bytes);
	buf_finish(&n->batch);
	return error;
}

static int path_filter(void)
{
	const struct cidr all = {.family = 4}, one = {.family = 6, .bits = 128};
	struct nft nft;
	nft_begin(&nft);
	nft_accept_device(&nft, 4, 1);
	nft_accept_neighbors(&nft);
	for (uint16_t port = 1; port < 200; port++)
		nft_rule(&nft, &one, 6, port, true);
	nft_rule(&nft, &all, 0, 0, false);
	return nft_commit(&nft) ? TRM_ENOMEM : 0;
}

static void test_filter(void **state)
{
	(void)state;
	assert_true(walk_all(path_filter, "filter") > 1);
}

/* ---- a plan, and its commands --------------------------------------------------------------------- */

static int put_step(struct buf *out, const char *const *argv)
{
	int r = 0;
	for (size_t i = 0; r == 0 && argv[i]; i++)
		r = plan_arg_put(out, argv[i], i == 0);
	return r;
}

/* Packs a plan and reads it; `use` gets what was read. */
static int with_plan(int (*use)(const struct plan_msg *plan))
{
	static const char *const create[] = {"/bin/echo", "it is", "x" PLAN_LATE_ID, NULL};
	static const char *const connect[] = {"/bin/cat", NULL};
	struct buf steps[2], whole;
	struct plan_msg plan = {.backend = "mine",
					.image = "",
					.name = "terrarium-1",
					.container = "",
					.cwd = "/",
					.user = ""},
			read;
	buf_init(&steps[0], 4096);
	buf_init(&steps[1], 4096);
	buf_init(&whole, PLAN_MAX_BYTES);
	int r = put_step(&steps[0], create);
	if (r == 0)
		r = put_step(&steps[1], connect);
	if (r == 0) {
		plan.steps[PLAN_CREATE_EXEC] = (struct slice){buf_at(&steps[0]), steps[0].len};
		plan.steps[PLAN_CONNECT] = (struct slice){buf_at(&steps[1]), steps[1].len};
		plan.steps[PLAN_DESTROY] = plan.steps[PLAN_CONNECT];
		r = plan_msg_put(&whole, &plan);
	}
	if (r == 0)
		r = plan_msg_get(buf_at(&whole), whole.len, &read);
	if (r == 0) {
		read.timeout_ms[PLAN_CREATE_EXEC] = 30000;
		r = use(&read);
		plan_msg_finish(&read);
	}
	buf_finish(&whole);
	buf_finish(&steps[0]);
	buf_finish(&steps[1]);
	return r;
}

static int run_step(const struct plan_msg *plan)
{
	static struct step step;
	const struct step_facts facts = {.plan = plan, .id = "ID", .supervisor = "SUPERVISOR"};
	char line[64], words[STEP_WORDS];
	if (step_run(&step, &facts, PLAN_CREATE_EXEC, -1)) {
		if (strcmp(step_last_line(&step, line, sizeof line), "it is xID") != 0)
			walk_fail("the command has printed \"%s\"", line);
		return 0;
	}
	if (!strstr(step_describe_failure(&step, words, sizeof words), "memory"))
		walk_fail("a command failed, and \"%s\" does not say why", words);
	return TRM_ENOMEM;
}

static int path_step(void)
{
	return with_plan(run_step);
}

/* The line to an agent, which only says back what it hears. */
static int build_bridge(const struct plan_msg *plan)
{
	static struct bridges bridges;
	const struct step_facts facts = {.plan = plan, .id = "ID", .supervisor = "SUPERVISOR"};
	bridges_init(&bridges, &facts);
	int error = bridges_begin(&bridges, 1000);
	pid_t pid = bridges.line_pid;
	struct pollfd line = {.fd = bridges.line_fd, .events = POLLIN};
	if (!error && poll(&line, 1, 60000) != 1) /* it answers, or has ended */
		walk_fail("the command neither runs nor ends");
	bridges_finish(&bridges);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (error && error != -ENOMEM)
		walk_fail("the bridge fails with %d (%s)", error, strerror(-error));
	return error ? TRM_ENOMEM : 0;
}

static int path_bridge(void)
{
	return with_plan(build_bridge);
}

static void test_plan(void **state)
{
	(void)state;
	assert_true(walk_all(path_step, "step") > 10);
	assert_true(walk_all(path_bridge, "bridge") > 10);
}

/* ---- a scope of systemd ----------------------------------------------------------------------------- */

static int path_scope(void)
{
	struct buf call;
	buf_init(&call, 1 << 16);
	int r = scope_put_call(&call, getpid());
	buf_finish(&call);
	return want_nomem(r);
}

static void test_scope(void **state)
{
	(void)state;
	assert_true(walk_all(path_scope, "scope") >= 1);
}

static int begin(void **state)
{
	(void)state;
	walk_begin();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_filter),
			cmocka_unit_test(test_plan),
			cmocka_unit_test(test_scope),
	};
	return cmocka_run_group_tests(tests, begin, NULL);
}
