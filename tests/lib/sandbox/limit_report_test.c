/* SPDX-License-Identifier: MIT */
/* Whether a run failed for want of a network. */
#include "cmocka_all.h"

#include <stdlib.h>

#include <terrarium/result.h>

#include "sandbox/sandbox.h"

struct carrier_of_test {
	struct carrier base;
	struct trm_guard guard;
	size_t n_guards;
};

static size_t guards_of(const struct carrier *carrier, const struct trm_guard **ret_guards)
{
	const struct carrier_of_test *c = (const struct carrier_of_test *)carrier;
	*ret_guards = &c->guard;
	return c->n_guards;
}

static const struct backend_ops OPS = {.guards = guards_of};

/* What holds decides, not what was asked for. Where nothing is known, nothing is said. */
static void test_what_holds(void **state)
{
	static const struct {
		size_t n_guards;
		enum trm_strength strength;
		enum trm_status status;
		bool is_said;
	} rows[] = {{1, TRM_ENFORCED, TRM_STATUS_ERROR, true}, {1, TRM_WEAK, TRM_STATUS_ERROR, true},
			{1, TRM_NOT_ENFORCED, TRM_STATUS_ERROR, false},
			{0, TRM_ENFORCED, TRM_STATUS_ERROR, false}, {1, TRM_ENFORCED, TRM_STATUS_OK, false}};
	static const char *const words[] = {"curl: (6) Could not resolve host: nowhere",
			"Error: getaddrinfo ENOTFOUND nowhere.invalid"};
	char out[300];
	(void)state;
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		struct carrier_of_test carrier = {
				.guard = {.what = "network", .strength = rows[i / 2].strength},
				.n_guards = rows[i / 2].n_guards};
		struct trm_sandbox *s = calloc(1, sizeof *s);
		const struct trm_result result = {.status = rows[i / 2].status, .exit_code = 1};
		const struct limit_report m = {.sandbox = s, .result = &result, .last_words = words[i % 2]};
		s->ops = &OPS;
		s->carrier = &carrier.base;
		s->state = SANDBOX_READY;
		bool is_said = limit_report_find(&m, out, sizeof out) == LIMIT_HIT_NETWORK;
		free(s);
		if (is_said != rows[i / 2].is_said)
			fail_msg("row %zu: %s", i / 2, out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_holds)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
