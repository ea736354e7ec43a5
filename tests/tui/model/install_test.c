/* SPDX-License-Identifier: MIT */
/* Installing packages: the question, and what stands for a run meanwhile. */
#include "tui/model/desk.h"

static void ask_to_install(bool has_net)
{
	struct trm_limits limits;

	trm_limits_default(&limits);
	limits.net = has_net;
	send((struct msg){.type = MSG_SANDBOX_READY,
			.sandbox.name = "calm-fern",
			.sandbox.backend = "local",
			.sandbox.limits = &limits});
	command_run(&m, command_find("install-packages"), &fx);
}

/* pip's packages are fetched outside of the sandbox, as with %pip; npm wants a network. */
static void it_wants_a_network(void **state)
{
	const struct trm_lang *javascript;

	(void)state;
	ask_to_install(false);
	assert_screen("outside of the sandbox", true);
	type("six rich>=13\n");
	assert_null(last_effect(EFFECT_INSTALL));
	const struct effect *run = last_effect(EFFECT_RUN);
	assert_non_null(run);
	assert_string_equal(run->run.code, "%pip install six rich>=13\n");
	uint32_t serial = run->run.serial;
	assert_screen("● waiting", true);
	send((struct msg){.type = MSG_RUN_OUTPUT,
			.run.serial = serial,
			.run.output.bytes = "Collecting six\n",
			.run.output.len = 15});
	assert_screen("installing", true);
	assert_screen("Collecting six", true);
	struct trm_result result = {.lang = trm_lang_default()};
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = serial, .run.result = &result});
	assert_int_equal(trm_lang_find("javascript", &javascript, NULL), 0);
	m.lang = javascript;
	ask_to_install(false);
	assert_screen("--net on", true);
	assert_screen("Install packages for", false);
}

static void a_missing_module_names_the_way_that_works(void **state)
{
	char name[] = "ModuleNotFoundError", words[] = "No module named 'cowsay'", text[200];
	struct trm_result result = {.status = TRM_STATUS_ERROR,
			.lang = trm_lang_default(),
			.error_name = name,
			.error_message = words};

	(void)state;
	install_advise(&m, &result, text, sizeof text);
	assert_string_equal(text, "If the package cowsay is what you mean: run %pip install cowsay");
}

static void options_are_put_right_before_it_begins(void **state)
{
	(void)state;
	ask_to_install(true);
	assert_screen("Install packages for python", true);
	type("six -e\n");
	assert_screen("'-e' is not the name of a package", true);
	assert_screen("six -e", true);
	assert_null(last_effect(EFFECT_INSTALL));
	press(K_BACKSPACE, 0);
	press(K_BACKSPACE, 0);
	type("rich>=13\n");
	const struct effect *effect = last_effect(EFFECT_INSTALL);
	assert_non_null(effect);
	assert_string_equal(effect->install.packages, "six rich>=13");
	assert_screen("install six rich>=13", true);
	assert_screen("Install packages for", false);
}

static void nothing_else_runs_meanwhile(void **state)
{
	struct trm_result result = {.status = TRM_STATUS_ERROR,
			.lang = trm_lang_default(),
			.exit_code = 1,
			.reason = (char[]){"pip failed: see its output above (exit code 1)"}};

	(void)state;
	ask_to_install(true);
	type("six\n");
	uint32_t serial = last_effect(EFFECT_INSTALL)->install.serial;
	send((struct msg){.type = MSG_RUN_STARTED, .run.serial = serial});
	send((struct msg){.type = MSG_RUN_OUTPUT,
			.run.serial = serial,
			.run.output.bytes = "Collecting six\r\n",
			.run.output.len = 16});
	assert_screen("Collecting six", true);
	type("1");
	command_run(&m, command_find("run"), &fx);
	assert_screen("packages are being installed", true);
	assert_null(last_effect(EFFECT_RUN));
	command_run(&m, command_find("stop"), &fx);
	assert_int_equal(last_effect(EFFECT_INTERRUPT)->serial, serial);
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = serial, .run.result = &result});
	assert_screen("pip failed", true);
	assert_int_equal(m.run.state, RUN_NONE);
}

/* --with: a question as soon as the sandbox is ready, or none if nothing is asked about. */
static void packages_of_the_command_line_are_asked_about_once(void **state)
{
	static const char *const packages[] = {"six", "rich>=13", NULL};

	(void)state;
	m.with = packages;
	m.confirm = true;
	m.sandbox.state = SANDBOX_STARTING;
	send((struct msg){.type = MSG_TICK});
	assert_screen("Install packages for", false);
	send((struct msg){
			.type = MSG_SANDBOX_READY, .sandbox.name = "calm-fern", .sandbox.backend = "local"});
	assert_screen("Install packages for python?", true);
	assert_screen("rich>=13", true);
	assert_null(last_effect(EFFECT_INSTALL));
	press(K_ESCAPE, 0);
	assert_null(last_effect(EFFECT_INSTALL));
	send((struct msg){.type = MSG_TICK});
	assert_screen("Install packages for", false);

	m.with = packages;
	send((struct msg){.type = MSG_TICK});
	press(K_ENTER, 0);
	const struct effect *effect = last_effect(EFFECT_INSTALL);
	assert_non_null(effect);
	assert_string_equal(effect->install.packages, "six rich>=13");
	assert_true(effect->install.is_shared);
	assert_screen("install six rich>=13", true);
	assert_null(m.with);
}

static void packages_of_the_command_line_come_at_once_without_questions(void **state)
{
	static const char *const packages[] = {"six", NULL};

	(void)state;
	m.with = packages;
	m.confirm = false;
	send((struct msg){
			.type = MSG_SANDBOX_READY, .sandbox.name = "calm-fern", .sandbox.backend = "local"});
	assert_screen("Install packages for", false);
	assert_non_null(last_effect(EFFECT_INSTALL));
}

static void bash_has_nothing_to_install(void **state)
{
	(void)state;
	m.lang = trm_lang_shell();
	ask_to_install(true);
	assert_screen("nothing can be installed for bash", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(it_wants_a_network, desk_setup, desk_teardown),
			cmocka_unit_test_setup_teardown(
					a_missing_module_names_the_way_that_works, desk_setup, desk_teardown),
			cmocka_unit_test_setup_teardown(
					options_are_put_right_before_it_begins, desk_setup, desk_teardown),
			cmocka_unit_test_setup_teardown(
					nothing_else_runs_meanwhile, desk_setup, desk_teardown),
			cmocka_unit_test_setup_teardown(
					bash_has_nothing_to_install, desk_setup, desk_teardown),
			cmocka_unit_test_setup_teardown(packages_of_the_command_line_are_asked_about_once,
					desk_setup, desk_teardown),
			cmocka_unit_test_setup_teardown(
					packages_of_the_command_line_come_at_once_without_questions,
					desk_setup, desk_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
