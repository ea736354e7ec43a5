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

/* A run of another client that is over, and began at this time. */
static void join_past(uint64_t number, const struct trm_lang *lang, const char *code, uint64_t began_ms,
		const char *output)
{
	struct trm_result r = {.lang = lang, .number = number, .is_wall_unknown = true};
	uint32_t serial = m.out.runs.last + 1;

	send((struct msg){.type = MSG_RUN_JOINED,
			.run.serial = serial,
			.run.joined = {.number = number,
					.lang = lang,
					.code = code,
					.len = strlen(code),
					.by = "terrarium repl, pid 12",
					.began_ms = began_ms}});
	send((struct msg){.type = MSG_RUN_OUTPUT,
			.run.serial = serial,
			.run.output = {TRM_STDOUT, output, strlen(output)}});
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = serial, .run.result = &r});
}

/* Each kernel reports its own past, one after the other. */
static void earlier_runs_are_shown_in_the_order_of_time(void **state)
{
	const struct trm_lang *python, *bash;

	(void)state;
	assert_int_equal(trm_lang_find("python", &python, NULL), 0);
	assert_int_equal(trm_lang_find("bash", &bash, NULL), 0);
	join_past(1, python, "a()", 5000, "first\n");
	join_past(3, python, "c()", 7000, "third\nof three lines\nwithout an end");
	join_past(2, bash, "b", 6000, "\033[31msecond\033[0m\n");
	join_past(4, bash, "d", 8000, "fourth\n");
	send((struct msg){.type = MSG_CAUGHT_UP});
	char *text = screen();
	const char *last = text, *const order[] = {"[1] python", "first", "[2] bash", "second", "[3] python",
						 "third", "of three lines", "without an end", "[4] bash",
						 "fourth"};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		const char *at = strstr(last, order[i]);
		if (!at)
			fail_msg("\"%s\" is not in its place:\n%s", order[i], text);
		last = at;
	}
	free(text);
	assert_int_equal(m.out.blocks.n, 4);
	/* A run that comes now is the last. */
	join_past(5, python, "e()", 9000, "fifth\n");
	assert_screen("[5] python", true);
	send((struct msg){.type = MSG_CAUGHT_UP});
	assert_int_equal(m.out.blocks.n, 5);
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
	/* Its header has room for its code, although it has told what it took. */
	struct trm_result r = {.lang = trm_lang_default(),
			.number = 3,
			.wall_us = 12000,
			.has_cpu = true,
			.cpu_us = 2500,
			.has_mem_peak = true,
			.mem_peak_bytes = 12 << 20};
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = m.out.runs.last, .run.result = &r});
	assert_screen("[3] python  12 ms  ✓  terrarium repl, pid 12  loop()", true);
}

static void who_is_attached_stays_in_sight(void **state)
{
	(void)state;
	resize(24, 80);
	m.sandbox.is_open = true;
	send((struct msg){.type = MSG_CLIENTS, .n_clients = 2});
	send((struct msg){.type = MSG_CLIENT, .client.id = 4, .client.what = "terrarium repl, pid 12"});
	now_ns += 60000000000;
	send((struct msg){.type = MSG_TICK});
	assert_screen("2 clients are attached: this one; terrarium repl, pid 12", true);
	assert_screen("calm-fern ── OPEN ── ● idle ── 2 cl ", true);
	/* Many are cut in their line, and cover nothing. */
	for (uint32_t i = 5; i < 9; i++)
		send((struct msg){.type = MSG_CLIENT,
				.client.id = i,
				.client.what = "terrarium workbench, pid 120000"});
	assert_screen("terrarium repl, pid 12; terrarium workbe…", true);
	resize(36, 120);
	assert_screen("fake/calm-fern ── NO ISOLATION ── ● idle ── 2 clients ", true);
	send((struct msg){.type = MSG_CLIENTS, .n_clients = 1});
	assert_screen("clients", false);
}

/* Others are in a sandbox that ends with this workbench. */
static void who_else_is_attached_is_in_the_question(void **state)
{
	(void)state;
	send((struct msg){.type = MSG_CLIENTS, .n_clients = 3});
	send((struct msg){.type = MSG_CLIENT, .client.id = 4, .client.what = "terrarium repl, pid 12"});
	press(K_F10, 0);
	assert_null(last_effect(EFFECT_QUIT));
	assert_screen("Quit? You will lose:", true);
	assert_screen("Attached  2 other clients lose it, too: terrarium repl, pid 12; 1 other", true);
	send((struct msg){.type = MSG_CLIENTS, .n_clients = 2});
	assert_screen("Attached  1 other client loses it, too: terrarium repl, pid 12", true);
}

static void what_an_owner_has_not_kept_ends_with_it(void **state)
{
	(void)state;
	send((struct msg){.type = MSG_SANDBOX_READY,
			.sandbox.name = "lab",
			.sandbox.backend = "local",
			.sandbox.is_attached = true});
	send((struct msg){.type = MSG_CLIENTS, .n_clients = 2});
	press(K_F10, 0);
	assert_screen("Detach? The sandbox ends with its owner", true);
	assert_screen("keeps running", false);
	assert_screen("loses it", false);
	/* Meanwhile its owner has kept it. */
	send((struct msg){.type = MSG_FILES, .files.lines = "", .files.is_kept = true});
	assert_screen("Detach? The sandbox keeps running", true);
}

static void what_is_kept_is_not_among_the_losses(void **state)
{
	(void)state;
	type("text");
	m.variables[0].is_stale = true;
	press(K_F10, 0);
	assert_screen("Quit? You will lose:", true);
	assert_screen("Kept", false);
	assert_screen("You keep:", true);
	assert_screen("Text      the python buffer, never saved (1 line)", true);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(a_run_left_behind_is_stopped_like_an_own_one),
			TEST(a_run_of_another_client_is_asked_about),
			TEST(earlier_runs_are_shown_in_the_order_of_time),
			TEST(the_name_stays_while_another_client_runs),
			TEST(who_is_attached_stays_in_sight),
			TEST(who_else_is_attached_is_in_the_question),
			TEST(what_an_owner_has_not_kept_ends_with_it),
			TEST(what_is_kept_is_not_among_the_losses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
