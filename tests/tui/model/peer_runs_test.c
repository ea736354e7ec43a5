/* SPDX-License-Identifier: MIT */
/* Runs of other clients of the sandbox, and those that nobody waits for any more. */
#include "tui/model/desk.h"

/* A run that its workbench has left behind is nobody else's: no question, and its own age. */
static void a_run_left_behind_is_stopped_like_an_own_one(void **state)
{
	(void)state;
	send((struct msg){.type = MSG_CLIENTS, .n_clients = 1});
	now_ns += 100000000000;
	send((struct msg){.type = MSG_RUN_JOINED,
			.run.serial = m.out.runs.last + 1,
			.run.joined = {.number = 3,
					.lang = trm_lang_default(),
					.code = "loop()",
					.len = 6,
					.by = "terrarium workbench, pid 12",
					.age_ms = 6000}});
	assert_screen("running 6.0 s", true);
	assert_screen("detached run: loop()", true);
	press('c', MOD_CTRL);
	assert_false(dialog_is_open(&m.dialog));
	assert_non_null(last_effect(EFFECT_INTERRUPT));
}

static void a_run_of_another_client_is_asked_about(void **state)
{
	(void)state;
	send((struct msg){.type = MSG_CLIENTS, .n_clients = 2});
	send((struct msg){.type = MSG_CLIENT, .client.id = 4, .client.what = "terrarium repl, pid 12"});
	send((struct msg){.type = MSG_RUN_JOINED,
			.run.serial = m.out.runs.last + 1,
			.run.joined = {.number = 3,
					.lang = trm_lang_default(),
					.code = "loop()",
					.len = 6,
					.by = "terrarium repl, pid 12"}});
	press('c', MOD_CTRL);
	assert_screen("Interrupt another program's run?", true);
	assert_null(last_effect(EFFECT_INTERRUPT));
}

/* At the width of most terminals. */
static void the_name_stays_while_another_client_runs(void **state)
{
	(void)state;
	resize(24, 80);
	send((struct msg){.type = MSG_SANDBOX_READY, .sandbox.name = "lab", .sandbox.backend = "local"});
	send((struct msg){.type = MSG_CLIENTS, .n_clients = 2});
	send((struct msg){.type = MSG_RUN_JOINED,
			.run.serial = m.out.runs.last + 1,
			.run.joined = {.number = 3,
					.lang = trm_lang_default(),
					.code = "loop()",
					.len = 6,
					.by = "terrarium repl, pid 12"}});
	assert_screen("lab ── ● running (other client) ── 2 clients", true);
}

static void who_is_attached_is_shown_for_a_while(void **state)
{
	(void)state;
	send((struct msg){.type = MSG_CLIENTS, .n_clients = 2});
	send((struct msg){.type = MSG_CLIENT, .client.id = 4, .client.what = "terrarium repl, pid 12"});
	assert_screen("2 clients are attached: this one; terrarium repl, pid 12", true);
	now_ns += 11000000000;
	send((struct msg){.type = MSG_TICK});
	assert_screen("clients are attached", false);
	assert_screen("2 clients", true);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(a_run_left_behind_is_stopped_like_an_own_one),
			TEST(a_run_of_another_client_is_asked_about),
			TEST(the_name_stays_while_another_client_runs),
			TEST(who_is_attached_is_shown_for_a_while),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
