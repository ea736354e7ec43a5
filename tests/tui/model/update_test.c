/* SPDX-License-Identifier: MIT */
/* The workbench without a terminal and without a sandbox: messages in, state and effects out. */
#include "model/update.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "langs.h"
#include "text/history.h"
#include "text/text.h"
#include "tui/model/desk.h"

static void done(struct trm_result result)
{
	result.lang = m.run.lang;
	send((struct msg){.type = MSG_RUN_DONE, .run.result = &result});
}

static void output(const char *text)
{
	send((struct msg){.type = MSG_RUN_OUTPUT,
			.run.output.bytes = text,
			.run.output.len = strlen(text),
			.run.output.stream = TRM_STDOUT});
}

/* Type code and start it without the question. */
static void run(const char *code)
{
	m.confirm = false;
	type(code);
	press(K_F5, 0);
	send((struct msg){.type = MSG_RUN_ACCEPTED, .run.number = 1});
	send((struct msg){.type = MSG_RUN_STARTED});
}

/* All that the output pane holds. */
static char *shown(void)
{
	size_t len;

	outpane_select_all(&m.out);
	char *text = outpane_copy(&m.out, &len);
	m.out.has_selection = false;
	return text ? text : strdup("");
}

static void assert_shown(const char *part)
{
	char *text = shown();

	if (!strstr(text, part))
		fail_msg("not shown: '%s' in '%s'", part, text);
	free(text);
}

/* ---- a machine without isolation ---- */

static void no_isolation_names_reasons_and_cures(void **state)
{
	(void)state;
	send((struct msg){.type = MSG_NO_ISOLATION,
			.text = "namespaces: refused\n  cure: start the container so\nlandlock: too old\n"});
	assert_string_equal(m.dialog.title, "No isolation: run without it?");
	assert_int_equal(m.dialog.n_lines, 6);
	assert_string_equal(m.dialog.lines[3].text, "namespaces: refused");
	assert_string_equal(m.dialog.lines[4].text, "  cure: start the container so");
	assert_string_equal(m.dialog.lines[5].text, "landlock: too old");
	/* The whole names of the choices fit on a terminal of 80 columns. */
	struct dialog_layout l = dialog_layout(&m.dialog, 24, 80);
	assert_string_equal(dialog_button_place(&m.dialog, &l, 1).label, "Always on this machine");
	press(K_ENTER, 0);
	assert_non_null(last_effect(EFFECT_QUIT));
}

static void no_isolation_is_said_on_every_screen(void **state)
{
	static const struct {
		int cols;
		const char *text;
	} cases[] = {{100, "NO ISOLATION"}, {60, "NO ISOLATION"}, {40, " OPEN "}};
	(void)state;
	send((struct msg){.type = MSG_SANDBOX_READY,
			.sandbox.name = "calm-fern",
			.sandbox.backend = "local",
			.sandbox.isolation = TRM_ISOLATION_NONE});
	run("x");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		resize(24, cases[i].cols);
		char *text = screen();
		if (!strstr(text, cases[i].text))
			fail_msg("%d columns: %s", cases[i].cols, text);
		free(text);
	}
}

/* ---- running ---- */

static void kernel_query_before_a_run(void **state)
{
	(void)state;
	type("print(1)");
	press(K_F5, 0);
	assert_string_equal(m.dialog.title, "Run this code?");
	assert_null(last_effect(EFFECT_RUN));
	press(K_ENTER, 0);
	const struct effect *run = last_effect(EFFECT_RUN);
	assert_non_null(run);
	assert_string_equal(run->run.code, "print(1)");
	assert_ptr_equal(run->run.lang, trm_lang_default());
	assert_int_equal(m.run.state, RUN_QUEUED);
	assert_true(m.confirm);
}

static void the_policy_scans_before_the_question(void **state)
{
	struct trm_findings high = {.worst = TRM_HIGH}, none = {0};

	(void)state;
	snprintf(m.policy, sizeof m.policy, "strict");
	m.trusts_session = true;
	type("x");
	press(K_F5, 0);
	assert_string_equal(last_effect(EFFECT_SCAN)->scan.code, "x");
	assert_false(dialog_is_open(&m.dialog));
	send((struct msg){.type = MSG_SCANNED, .findings = &high});
	assert_string_equal(m.dialog.title, "Run this code?");
	press(K_ESCAPE, 0);
	assert_null(last_effect(EFFECT_RUN));
	press(K_F5, 0);
	send((struct msg){.type = MSG_SCANNED, .findings = &none});
	assert_false(dialog_is_open(&m.dialog));
	assert_non_null(last_effect(EFFECT_RUN));
}

static void kernel_query_never_again_if_reported_so(void **state)
{
	(void)state;
	type("1");
	press(K_F5, 0);
	press('a', 0);
	assert_non_null(last_effect(EFFECT_RUN));
	assert_true(m.trusts_session);
	done((struct trm_result){.number = 1});
	effects_clear(&fx);
	press(K_ENTER, MOD_ALT);
	assert_false(dialog_is_open(&m.dialog));
	assert_non_null(last_effect(EFFECT_RUN));
}

static void every_way_out_of_the_question_runs_nothing(void **state)
{
	static const struct {
		uint32_t key;
		uint8_t mods;
	} ways[] = {{K_ESCAPE, 0}, {'c', 0}, {'e', 0}, {'c', MOD_CTRL}};

	(void)state;
	type("1");
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		press(K_F5, 0);
		assert_string_equal(m.dialog.title, "Run this code?");
		press(ways[i].key, ways[i].mods);
		assert_false(dialog_is_open(&m.dialog));
		assert_null(last_effect(EFFECT_RUN));
	}
	press(K_F5, 0);
	press(K_TAB, 0);
	press(K_RIGHT, 0);
	press(K_RIGHT, 0);
	press(K_ENTER, 0); /* the fourth button is Cancel */
	assert_false(dialog_is_open(&m.dialog));
	assert_null(last_effect(EFFECT_RUN));
}

static void an_empty_buffer_is_not_run(void **state)
{
	(void)state;
	type("  \n");
	press(K_F5, 0);
	assert_false(dialog_is_open(&m.dialog));
	assert_true(m.notices.is_shown);
}

static void runs_the_selection_with_its_line_numbers(void **state)
{
	(void)state;
	m.confirm = false;
	type("a\nif 1:\nb");
	press(K_HOME, MOD_SHIFT);
	press(K_HOME, MOD_SHIFT);
	press(K_F5, 0);
	assert_string_equal(last_effect(EFFECT_RUN)->run.code,
			"\n\nb"); /* indentation that all lines share is gone */
}

static void a_second_run_waits_for_the_first(void **state)
{
	(void)state;
	run("first");
	output("one");
	press('a', MOD_CTRL);
	type("second");
	press(K_F5, 0);
	assert_string_equal(last_effect(EFFECT_RUN)->run.code, "second");
	uint32_t second = last_effect(EFFECT_RUN)->run.serial;
	assert_int_equal(m.n_waiting, 1);
	output(" more");
	done((struct trm_result){.number = 1});
	assert_int_equal(m.run.serial, second);
	send((struct msg){.type = MSG_RUN_STARTED});
	output("two");
	done((struct trm_result){.number = 2});
	assert_shown("first\none more\n▾ [2] python");
	assert_shown("two");
	assert_int_equal(m.run.state, RUN_NONE);
}

static void stopping_stops_what_waits(void **state)
{
	struct trm_result dropped = {.number = 2, .status = TRM_STATUS_INTERRUPTED};

	(void)state;
	run("loop");
	press(K_F5, 0);
	uint32_t second = last_effect(EFFECT_RUN)->run.serial;
	effects_clear(&fx);
	press('c', MOD_CTRL);
	assert_int_equal(fx.n, 2);
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = second, .run.result = &dropped});
	assert_int_equal(m.n_waiting, 0);
	assert_int_equal(m.run.state, RUN_INTERRUPTING);
	done((struct trm_result){.number = 1, .status = TRM_STATUS_INTERRUPTED});
	assert_int_equal(m.run.state, RUN_NONE);
}

static void shows_output_and_result(void **state)
{
	(void)state;
	run("x");
	output("hello\n");
	output("no newline");
	done((struct trm_result){.number = 1, .value = (char *)"42", .wall_us = 400});
	assert_shown("[1] python  0.4 ms  ✓  x\nhello\nno newline\n42\n");
	assert_int_equal(m.run.state, RUN_NONE);
}

static void shows_why_a_run_failed(void **state)
{
	char *trace[] = {(char *)"Traceback:", (char *)"ZeroDivisionError: division by zero", NULL};

	(void)state;
	run("1/0");
	done((struct trm_result){.number = 1,
			.status = TRM_STATUS_ERROR,
			.exit_code = 1,
			.error_name = (char *)"ZeroDivisionError",
			.error_message = (char *)"division by zero",
			.traceback = trace});
	assert_shown("✗  1/0\nTraceback:\nZeroDivisionError: division by zero\n");
	run("x");
	done((struct trm_result){.number = 1, .status = TRM_STATUS_ERROR, .exit_code = 1});
	assert_shown("exit 1 ✗");
	run("2");
	done((struct trm_result){.number = 2,
			.status = TRM_STATUS_KILLED,
			.exit_code = 137,
			.state_lost = true,
			.reason = (char *)"out of memory at 512 MiB"});
	assert_shown("killed");
	assert_shown("out of memory at 512 MiB\npython was restarted");
}

/* The notice about a run of this language after an interrupt, or about its interpreter after a restart. */
static void assert_said_of(const char *language, bool is_lost, const char *what)
{
	static const char *const *const commands[] = {NULL};
	static struct trm_lang batch;
	const struct trm_lang *lang = &batch;

	batch = *trm_lang_default();
	batch.name = "batch";
	batch.commands = commands;
	if (strcmp(language, "batch"))
		assert_int_equal(trm_lang_find(language, &lang, NULL), 0);
	run("x");
	struct trm_result r = {.status = TRM_STATUS_INTERRUPTED, .lang = lang, .state_lost = is_lost};
	send((struct msg){.type = MSG_RUN_DONE, .run.result = &r});
	assert_shown(what);
}

static void know_variables(size_t n, bool is_known)
{
	struct variables *v = &m.variables[trm_lang_default()->index];

	variables_finish(v);
	v->rows = calloc(n + 1, sizeof *v->rows);
	v->n = n;
	v->is_known = is_known;
}

/* It has not run, so it took no time. */
static void a_refused_run_has_no_time(void **state)
{
	(void)state;
	run("x");
	send((struct msg){.type = MSG_RUN_REFUSED, .run.why = "the code is not valid UTF-8 text"});
	assert_shown("python  ✗ lost  x\nthe code is not valid UTF-8 text");
}

static void what_stays_depends_on_the_language(void **state)
{
	(void)state;
	assert_said_of("python", false, "interrupted; variables are kept");
	assert_said_of("c++", false, "interrupted; files and variables of earlier pieces are kept");
	assert_said_of("java", false, "interrupted; variables are kept");
	assert_said_of("batch", false, "interrupted; files are kept");
	assert_said_of("batch", true,
			"batch was restarted: what this run has computed is lost, files are kept");
	assert_said_of("python", true, "python was restarted: what this run has computed is lost, files are");
	know_variables(0, false);
	assert_said_of("python", true, "python was restarted: python's variables are lost, files are kept");
	know_variables(1, true);
	assert_said_of("python", true, "python was restarted: at least 1 variable of python is lost, files");
	know_variables(2, true);
	assert_said_of("python", true,
			"python was restarted: at least 2 variables of python are lost, files");
}

/* "\33\33OQ" is Alt-F2 to whoever reads it, but was typed as Escape and F2. */
static void a_missing_module_leads_to_packages(void **state)
{
	(void)state;
	run("import six");
	done((struct trm_result){.status = TRM_STATUS_ERROR,
			.error_name = (char *)"ModuleNotFoundError",
			.lang = trm_lang_default(),
			.error_message = (char *)"No module named 'six'"});
	assert_shown("To install six: run %pip install six");
}

static void escape_is_not_lost_before_a_quick_key(void **state)
{
	(void)state;
	press(K_F1, 0);
	assert_string_equal(m.dialog.title, "Help (type to search, arrow keys scroll, Esc closes)");
	press(K_F2, MOD_ALT);
	assert_string_equal(m.dialog.title, "Language");
	press('z', MOD_ALT);
	assert_false(dialog_is_open(&m.dialog));
	assert_int_equal(text_len(m.buffers.items[0]->editor.text), 1);
	press('z', MOD_ALT);
	assert_int_equal(text_len(m.buffers.items[0]->editor.text), 1);
}

static void late_output_names_its_run(void **state)
{
	(void)state;
	send((struct msg){.type = MSG_LATE, .late.number = 3, .late.bytes = "boo\n", .late.len = 4});
	assert_shown("boo");
	assert_int_equal(scrollback_end(&m.out.store), 1);
}

static void interrupts_then_kills(void **state)
{
	(void)state;
	run("loop");
	effects_clear(&fx);
	press('c', MOD_CTRL);
	assert_int_equal(m.run.state, RUN_INTERRUPTING);
	assert_int_equal(fx.n, 1);
	assert_int_equal(fx.items[0].type, EFFECT_INTERRUPT);
	press('c', MOD_CTRL);
	assert_int_equal(m.run.state, RUN_KILLING);
	assert_int_equal(fx.n, 2);
	done((struct trm_result){.status = TRM_STATUS_INTERRUPTED, .number = 1});
	assert_shown("interrupted");
	assert_int_equal(m.run.state, RUN_NONE);
}

/* ---- input ---- */

static void a_question_of_the_program_opens_a_line(void **state)
{
	(void)state;
	run("input()");
	assert_int_equal(m.focus, PANE_EDITOR);
	output("name? ");
	send((struct msg){.type = MSG_RUN_INPUT, .run.input.prompt = "name? "});
	assert_true(m.has_input);
	assert_int_equal(m.focus, PANE_OUTPUT);
	type("Bob\n");
	assert_string_equal(last_effect(EFFECT_STDIN)->input.bytes, "Bob\n");
	assert_false(m.has_input);
	done((struct trm_result){.number = 1});
	assert_int_equal(m.focus, PANE_EDITOR);
	assert_shown("name? Bob\n");
}

static void a_secret_is_not_shown(void **state)
{
	(void)state;
	run("getpass()");
	send((struct msg){.type = MSG_RUN_INPUT,
			.run.input.prompt = "Password: ",
			.run.input.is_secret = true});
	type("hunter2\n");
	assert_string_equal(last_effect(EFFECT_STDIN)->input.bytes, "hunter2\n");
	char *text = shown();
	assert_null(strstr(text, "hunter2"));
	free(text);
}

static void typing_in_the_output_goes_to_stdin(void **state)
{
	(void)state;
	run("read");
	press(K_F6, 0);
	type("abc");
	assert_true(m.has_input);
	press(K_ENTER, 0);
	assert_string_equal(last_effect(EFFECT_STDIN)->input.bytes, "abc\n");
	press('d', MOD_CTRL);
	assert_non_null(last_effect(EFFECT_STDIN_EOF));
}

/* ---- the rest ---- */

static void each_language_has_its_buffer(void **state)
{
	(void)state;
	type("py");
	press(K_F2, 0);
	press(K_DOWN, 0);
	press(K_ENTER, 0);
	assert_ptr_equal(m.lang, trm_lang_at(LANG_JAVASCRIPT));
	assert_ptr_equal(last_effect(EFFECT_WARM)->lang, trm_lang_at(LANG_JAVASCRIPT));
	type("js");
	assert_int_equal(text_len(m.buffers.items[LANG_PYTHON]->editor.text), 2);
	press(K_F2, 0);
	press('b', 0);
	press(K_ENTER, 0);
	assert_ptr_equal(m.lang, trm_lang_shell());
	press(K_F2, 0);
	press(K_F2, 0);
	assert_false(dialog_is_open(&m.dialog));
}

/* The notice ends when it is true no longer. */
static void a_queued_run_has_begun(void **state)
{
	(void)state;
	run("first");
	press('a', MOD_CTRL);
	type("second");
	press(K_F5, 0);
	assert_screen("queued behind the current run: second", true);
	done((struct trm_result){.number = 1});
	assert_screen("queued behind", false);
}

static void leaves_at_once_if_nothing_is_lost(void **state)
{
	(void)state;
	press(K_F10, 0);
	assert_non_null(last_effect(EFFECT_QUIT));
}

static void kernel_query_before_something_is_lost(void **state)
{
	(void)state;
	type("kept");
	send((struct msg){.type = MSG_TEXT_UNSAFE, .text_unsafe.why = "no space"});
	press('q', MOD_CTRL);
	assert_string_equal(m.dialog.title, "Quit? You will lose:");
	assert_null(last_effect(EFFECT_QUIT));
	press(K_ESCAPE, 0);
	assert_null(last_effect(EFFECT_QUIT));
	press(K_F10, 0);
	press(K_ENTER, 0);
	assert_null(last_effect(EFFECT_QUIT)); /* what has failed is no default */
	press(K_F10, 0);
	press('q', 0);
	assert_non_null(last_effect(EFFECT_QUIT)); /* tries again to keep it */
	send((struct msg){.type = MSG_TEXT_UNSAFE,
			.text_unsafe.why = "no space",
			.text_unsafe.is_quitting = true});
	assert_string_equal(m.dialog.title, "Quit? You will lose:");
	press('d', 0);
	assert_non_null(last_effect(EFFECT_QUIT_DISCARDING));
}

/* Its kernel has been asked for its variables, and has not answered yet. */
static void kernel_query_while_variables_are_awaited(void **state)
{
	(void)state;
	run("x = 1");
	done((struct trm_result){.number = 1});
	press('a', MOD_CTRL);
	press(K_DELETE, 0);
	now_ns += 300000000;
	send((struct msg){.type = MSG_TICK});
	assert_int_equal(last_effect(EFFECT_ASK)->ask.question, TRM_ASK_VARIABLES);
	press(K_F10, 0);
	assert_null(last_effect(EFFECT_QUIT));
	assert_string_equal(m.dialog.title, "Quit? You will lose:");
	assert_string_equal(m.dialog.lines[0].text, "Variables python: asking ...");
}

/* A server need not answer: then nobody says that there are none. */
static void kernel_query_before_untold_variables_are_lost(void **state)
{
	(void)state;
	run("x = 1");
	done((struct trm_result){.number = 1});
	press('a', MOD_CTRL);
	press(K_DELETE, 0);
	now_ns += 300000000;
	send((struct msg){.type = MSG_TICK});
	send((struct msg){.type = MSG_ANSWER,
			.answer.serial = m.kernel_queries.last_serial,
			.answer.why = "no such questions"});
	press(K_F10, 0);
	assert_null(last_effect(EFFECT_QUIT));
	assert_string_equal(m.dialog.title, "Quit? You will lose:");
	assert_string_equal(m.dialog.lines[0].text, "Variables of python");
}

static void a_dead_sandbox_can_be_replaced(void **state)
{
	(void)state;
	run("os.kill()");
	done((struct trm_result){
			.status = TRM_STATUS_LOST, .reason = (char *)"the sandbox is gone", .number = 1});
	send((struct msg){.type = MSG_SANDBOX_CLOSED, .text = "its supervisor died"});
	assert_int_equal(m.sandbox.state, SANDBOX_DEAD);
	assert_non_null(strstr(m.sandbox.reason, "the sandbox has ended: its supervisor died"));
	effects_clear(&fx);
	press(K_F5, 0);
	assert_string_equal(m.dialog.title, "There is no sandbox");
	press(K_ENTER, 0);
	assert_non_null(last_effect(EFFECT_START_SANDBOX));
	assert_null(last_effect(EFFECT_RUN));
}

static void a_sandbox_that_never_was_has_not_ended(void **state)
{
	(void)state;
	struct canvas c;
	send((struct msg){.type = MSG_SANDBOX_CLOSED, .text = "x"});
	send((struct msg){.type = MSG_SANDBOX_STARTING, .sandbox.name = "second", .sandbox.backend = "fake"});
	send((struct msg){.type = MSG_SANDBOX_CLOSED, .text = "bwrap is not there"});
	assert_string_equal(m.sandbox.reason, "the sandbox did not start: bwrap is not there");
	assert_int_equal(canvas_init(&c, m.rows, m.cols), 0);
	view(&m, &c);
	char *text = canvas_dump(&c);
	assert_non_null(strstr(text, "● not started"));
	free(text);
	canvas_finish(&c);
}

static void saving_needs_a_name_and_asks_before_it_replaces(void **state)
{
	(void)state;
	type("x");
	press('s', MOD_CTRL);
	assert_string_equal(m.dialog.title, "Save the python buffer as");
	type("/tmp/x.py\n");
	assert_string_equal(last_effect(EFFECT_SAVE_CHECKED)->save.path, "/tmp/x.py");
	send((struct msg){.type = MSG_SAVE_EXISTS, .save_exists.path = "/tmp/x.py", .save_exists.buffer = 1});
	assert_string_equal(m.dialog.title, "The file exists");
	press('r', 0);
	assert_string_equal(last_effect(EFFECT_SAVE)->save.path, "/tmp/x.py");
}

static void a_file_is_taken_to_be_in_the_language_of_its_name(void **state)
{
	(void)state;
	press('o', MOD_CTRL);
	type("a.js\n");
	assert_ptr_equal(last_effect(EFFECT_OPEN)->open.lang, trm_lang_at(LANG_JAVASCRIPT));
	send((struct msg){.type = MSG_OPENED, .file.path = "a.js", .file.buffer = 2});
	assert_false(dialog_is_open(&m.dialog));
	assert_ptr_equal(m.lang, trm_lang_at(LANG_JAVASCRIPT));
}

static void a_path_that_fails_can_be_put_right(void **state)
{
	(void)state;
	press('o', MOD_CTRL);
	type("nowhere/a.js\n");
	send((struct msg){.type = MSG_OPENED,
			.file.path = "nowhere/a.js",
			.file.error = "There is no directory nowhere."});
	assert_string_equal(m.dialog.title, "Open a file");
	assert_string_equal(field_text(&m.dialog.field), "nowhere/a.js");
	assert_string_equal(m.dialog.lines[m.dialog.n_lines - 1].text, "There is no directory nowhere.");
	press(K_ESCAPE, 0);
	assert_false(dialog_is_open(&m.dialog));
}

static void closing_asks_before_something_is_lost(void **state)
{
	(void)state;
	buffer_close(&m, &fx); /* empty: at once */
	assert_int_equal(m.buffers.n, 2);
	buffer_new(&m, &fx);
	uint32_t id = buffers_current(&m.buffers)->id;
	type("precious");
	buffer_close(&m, &fx);
	assert_string_equal(m.dialog.title, "Unsaved changes");
	press(K_ESCAPE, 0);
	assert_non_null(buffers_find(&m.buffers, id));
	buffer_close(&m, &fx);
	press('s', 0);
	type("/tmp/y.js\n");
	assert_int_equal(last_effect(EFFECT_SAVE_CHECKED)->save.buffer, id);
	assert_true(last_effect(EFFECT_SAVE_CHECKED)->save.closes);
	send((struct msg){.type = MSG_SAVED, .file = {.path = "/tmp/y.js", .buffer = id, .closes = true}});
	assert_non_null(buffers_find(&m.buffers, id)); /* it is not as it was saved */
	assert_screen("was changed meanwhile, and stays open", true);
	history_mark_saved(model_editor(&m)->history);
	send((struct msg){.type = MSG_SAVED, .file = {.path = "/tmp/y.js", .buffer = id, .closes = true}});
	assert_null(buffers_find(&m.buffers, id));
	assert_false(dialog_is_open(&m.dialog));
}

/* Giving up the question gives up the closing, too. */
static void a_save_that_is_given_up_closes_nothing_later(void **state)
{
	(void)state;
	type("precious");
	buffer_close(&m, &fx);
	press('s', 0);
	press(K_ESCAPE, 0);
	press('s', MOD_CTRL);
	type("/tmp/y.py\n");
	assert_false(last_effect(EFFECT_SAVE_CHECKED)->save.closes);
	send((struct msg){.type = MSG_SAVE_EXISTS,
			.save_exists = {.path = "/tmp/y.py",
					.buffer = buffers_current(&m.buffers)->id,
					.closes = true}});
	press('r', 0);
	assert_true(last_effect(EFFECT_SAVE)->save.closes);
}

static void the_last_buffer_is_replaced(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		buffer_close(&m, &fx);
	assert_int_equal(m.buffers.n, 1);
	type("x");
	assert_int_equal(text_len(model_editor(&m)->text), 1);
}

static void themes_are_tried_before_they_are_taken(void **state)
{
	static const char names[][64] = {"dark", "light"};

	(void)state;
	press(K_F3, 0);
	assert_non_null(last_effect(EFFECT_LIST_THEMES));
	send((struct msg){.type = MSG_THEMES, .themes.names = names, .themes.n = 2});
	press(K_DOWN, 0);
	assert_string_equal(last_effect(EFFECT_THEME)->name, "light");
	press(K_ESCAPE, 0);
	assert_string_equal(last_effect(EFFECT_THEME)->name, "dark");
	press(K_F3, 0);
	send((struct msg){.type = MSG_THEMES, .themes.names = names, .themes.n = 2});
	press(K_DOWN, 0);
	press(K_ENTER, 0);
	assert_string_equal(m.theme, "light");
}

static void scrolling_stays_until_the_end_is_reached(void **state)
{
	(void)state;
	run("x");
	for (int i = 0; i < 200; i++)
		output("line\n");
	press(K_F6, 0);
	press(K_PAGE_UP, 0);
	assert_true(m.out.is_scrolled);
	struct rect area = model_output_area(&m);
	uint64_t top = outpane_top(&m.out, area.rows, area.cols).line;
	output("more\n");
	assert_int_equal(outpane_top(&m.out, area.rows, area.cols).line, top);
	press(K_PAGE_DOWN, 0);
	press(K_PAGE_DOWN, 0);
	assert_false(m.out.is_scrolled);
	press(K_HOME, 0);
	assert_int_equal(outpane_top(&m.out, area.rows, area.cols).line, 0);
	press(K_END, 0);
	assert_false(m.out.is_scrolled);
}

static void output_can_be_copied_by_mouse(void **state)
{
	(void)state;
	run("x");
	output("some words\n");
	done((struct trm_result){.number = 1});
	struct rect area = model_output_area(&m);
	event((struct event){.type = EVENT_MOUSE,
			.action = MOUSE_PRESS,
			.button = 1,
			.row = area.row + 1,
			.col = area.col + 5});
	event((struct event){.type = EVENT_MOUSE,
			.action = MOUSE_DRAG,
			.button = 1,
			.row = area.row + 1,
			.col = area.col + 10});
	event((struct event){.type = EVENT_MOUSE,
			.action = MOUSE_RELEASE,
			.button = 1,
			.row = area.row + 1,
			.col = area.col + 10});
	press('c', MOD_CTRL);
	assert_string_equal(last_effect(EFFECT_COPY)->text.bytes, "words");
	assert_screen("copied 5 characters of output", true);
	model_focus(&m, PANE_EDITOR);
	press(K_ESCAPE, 0);
	press('a', MOD_CTRL);
	type("one\ntwo\nthree");
	press('a', MOD_CTRL);
	press('c', MOD_CTRL);
	assert_screen("copied 3 lines of the buffer", true);
}

static void any_size_and_back_loses_nothing(void **state)
{
	static const int sizes[][2] = {{10, 40}, {1, 1}, {24, 80}, {9, 39}, {100, 300}, {16, 60}, {36, 120}};

	(void)state;
	run("x = 1");
	output("kept\n");
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (int pane = 0; pane < PANE_COUNT; pane++) {
			model_focus(&m, (enum pane)pane);
			resize(sizes[i][0], sizes[i][1]);
			assert_int_equal(m.layout.kind == LAYOUT_TOO_SMALL,
					sizes[i][0] < 10 || sizes[i][1] < 40);
		}
	assert_shown("kept");
	assert_int_equal(text_len(model_editor(&m)->text), 5);
}

static void the_key_bar_fits(void **state)
{
	struct keybar_item items[KEYBAR_MAX];

	(void)state;
	for (int cols = 40; cols <= 300; cols++) {
		int n = keybar_make(&m, cols, items);
		assert_true(n >= 3);
		assert_true(items[n - 1].col + items[n - 1].cols <= cols);
		assert_string_equal(items[n - 1].command->name, "quit");
	}
}

/* On a narrow screen, too, it is said how a run is stopped. */
static void the_key_bar_tells_how_to_stop(void **state)
{
	struct keybar_item items[KEYBAR_MAX];

	(void)state;
	run("x");
	for (int cols = 40; cols <= 80; cols++) {
		bool is_reported = false;
		for (int i = keybar_make(&m, cols, items); i-- > 0;)
			is_reported |= !strcmp(items[i].label, "Interrupt");
		if (!is_reported)
			fail_msg("not at %d columns", cols);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)

/* The answer is for the code that was shown, not for that of another program that has written the file. */
static void code_that_changes_under_the_question_does_not_run(void **state)
{
	(void)state;
	for (int way = 0; way < 4; way++) {
		struct editor *e = model_editor(&m);
		assert_int_equal(editor_set_text(e, "print(1)\n# and much more of it\n", 32), 0);
		effects_clear(&fx);
		press(K_F5, 0);
		assert_true(dialog_is_open(&m.dialog));
		assert_int_equal(editor_set_text(e, "evil()\n", 7), 0);
		if (way == 1)
			send((struct msg){.type = MSG_RELOADED,
					.file.buffer = buffers_current(&m.buffers)->id,
					.file.path = "x.py"});
		if (way == 2)
			resize(30, 100);
		if (way == 3)
			editor_undo(e);
		assert_int_equal(dialog_is_open(&m.dialog), way == 0 || way == 3);
		press(K_ENTER, 0);
		assert_null(last_effect(EFFECT_RUN));
		assert_false(dialog_is_open(&m.dialog));
		assert_non_null(strstr(notices_at(&m.notices, 0)->text, "the code has changed"));
		resize(36, 120);
	}
}

/* Emacs: a count, a yank and what comes in its place, kills that are collected. */
static void undo_takes_back_a_command_of_emacs(void **state)
{
	static const struct {
		const char *text, *changed, *undone;
		struct chord keys[12];
	} cases[] = {
			{"a\nb\nc\nd\n", "d\n", "a\nb\nc\nd\n", {{'u', MOD_CTRL}, {'6', 0}, {'k', MOD_CTRL}}},
			{"", "xxxx", "", {{'u', MOD_CTRL}, {'x', 0}}},
			{"ab\n", "abababab\n", "\n", {{'k', MOD_CTRL}, {'u', MOD_CTRL}, {'y', MOD_CTRL}}},
			{"one two\n", " two\n", "one two\n", {{'d', MOD_ALT}}},
			{"one two three\n", "e two three\n", "one two three\n",
					{{'u', MOD_CTRL}, {'2', 0}, {'d', MOD_CTRL}}},
	};

	(void)state;
	keymap_finish(&m.keymap);
	m.keymap = (struct keymap){0};
	assert_int_equal(keymap_complete(&m.keymap, "emacs", NULL), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct editor *e = model_editor(&m);
		assert_int_equal(editor_set_text(e, cases[i].text, strlen(cases[i].text)), 0);
		editor_goto_line(e, 0);
		for (size_t k = 0; cases[i].keys[k].key; k++)
			press(cases[i].keys[k].key, cases[i].keys[k].mods);
		char *text = text_slice(e->text, 0, SIZE_MAX);
		assert_string_equal(text, cases[i].changed);
		free(text);
		press('_', MOD_CTRL);
		text = text_slice(e->text, 0, SIZE_MAX);
		assert_string_equal(text, cases[i].undone);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(undo_takes_back_a_command_of_emacs),
			TEST(code_that_changes_under_the_question_does_not_run),
			TEST(no_isolation_names_reasons_and_cures),
			TEST(no_isolation_is_said_on_every_screen),
			TEST(kernel_query_before_a_run),
			TEST(the_policy_scans_before_the_question),
			TEST(kernel_query_never_again_if_reported_so),
			TEST(every_way_out_of_the_question_runs_nothing),
			TEST(an_empty_buffer_is_not_run),
			TEST(runs_the_selection_with_its_line_numbers),
			TEST(a_second_run_waits_for_the_first),
			TEST(stopping_stops_what_waits),
			TEST(shows_output_and_result),
			TEST(shows_why_a_run_failed),
			TEST(a_refused_run_has_no_time),
			TEST(what_stays_depends_on_the_language),
			TEST(a_missing_module_leads_to_packages),
			TEST(escape_is_not_lost_before_a_quick_key),
			TEST(late_output_names_its_run),
			TEST(interrupts_then_kills),
			TEST(a_question_of_the_program_opens_a_line),
			TEST(a_secret_is_not_shown),
			TEST(typing_in_the_output_goes_to_stdin),
			TEST(each_language_has_its_buffer),
			TEST(a_queued_run_has_begun),
			TEST(leaves_at_once_if_nothing_is_lost),
			TEST(kernel_query_before_something_is_lost),
			TEST(kernel_query_while_variables_are_awaited),
			TEST(kernel_query_before_untold_variables_are_lost),
			TEST(a_dead_sandbox_can_be_replaced),
			TEST(a_sandbox_that_never_was_has_not_ended),
			TEST(saving_needs_a_name_and_asks_before_it_replaces),
			TEST(a_file_is_taken_to_be_in_the_language_of_its_name),
			TEST(a_path_that_fails_can_be_put_right),
			TEST(closing_asks_before_something_is_lost),
			TEST(a_save_that_is_given_up_closes_nothing_later),
			TEST(the_last_buffer_is_replaced),
			TEST(themes_are_tried_before_they_are_taken),
			TEST(scrolling_stays_until_the_end_is_reached),
			TEST(output_can_be_copied_by_mouse),
			TEST(any_size_and_back_loses_nothing),
			TEST(the_key_bar_fits),
			TEST(the_key_bar_tells_how_to_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
