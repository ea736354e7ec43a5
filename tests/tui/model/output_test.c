/* SPDX-License-Identifier: MIT */
/* The output pane by keys and mouse: blocks, current line, search, jumps, input. */
#include "tui/model/desk.h"

#include <stdio.h>

#include "model/output.h"

static void run_code(const char *code)
{
	press('a', MOD_CTRL);
	type(code);
	press(K_F5, 0);
	send((struct msg){.type = MSG_RUN_ACCEPTED, .run.serial = m.run.serial, .run.number = m.run.serial});
	send((struct msg){.type = MSG_RUN_STARTED, .run.serial = m.run.serial});
}

static void print(const char *text)
{
	send((struct msg){.type = MSG_RUN_OUTPUT,
			.run.serial = m.run.serial,
			.run.output.stream = TRM_STDERR,
			.run.output.bytes = text,
			.run.output.len = strlen(text)});
}

static void done(struct trm_result r)
{
	r.lang = m.lang;
	r.number = m.run.serial;
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = m.run.serial, .run.result = &r});
}

static void print_lines(const char *format, int n)
{
	char text[64];

	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof text, format, i);
		print(text);
	}
}

/* Two runs with long output; the output pane has the focus. */
static void two_runs(void)
{
	run_code("first");
	print_lines("one %d\n", 100);
	done((struct trm_result){0});
	run_code("second");
	print_lines("two %d\n", 100);
	done((struct trm_result){0});
	press(K_F6, 0);
}

static void blocks_fold_and_unfold(void **state)
{
	(void)state;
	two_runs();
	assert_screen("▾ [2] python", true); /* its start has scrolled away, its header stays */
	assert_screen("two 99", true);
	press('-', 0);
	assert_screen("▸ [2] python", true);
	assert_screen("100 lines folded", true);
	assert_screen("two 99", false);
	assert_screen("one 99", true);
	press(K_UP, MOD_ALT);
	assert_screen("▾ [1] python", true);
	press(K_ENTER, 0);
	assert_screen("▸ [1] python", true);
	assert_screen("one 99", false);
	press('=', 0); /* all are folded: unfold all */
	assert_screen("▾ [1] python", true);
	press('=', 0);
	assert_screen("▸ [2] python", true);
	press(K_DOWN, 0);
	press(K_ENTER, 0);
	assert_screen("two 3", true);
}

static void a_click_on_a_header_folds(void **state)
{
	(void)state;
	two_runs();
	struct rect area = model_output_area(&m);
	mouse(MOUSE_PRESS, area.row, area.col + 3);
	mouse(MOUSE_RELEASE, area.row, area.col + 3);
	assert_screen("▸ [2] python", true);
	assert_screen("two 99", false);
}

static void finds_in_the_output(void **state)
{
	(void)state;
	two_runs();
	press('/', 0);
	type("one 7");
	assert_screen("11 of 11 lines", true);
	assert_screen("one 79", true);
	press(K_UP, 0);
	assert_screen("10 of 11 lines", true);
	press(K_ENTER, 0);
	assert_false(m.out.bar.is_open);
	press('/', 0);
	type("two 7");
	assert_screen("Find two 7 ", true);
	press(K_ENTER, 0);
	press('/', 0);
	type("one 7");
	press(K_UP, 0);
	press(K_ENTER, 0);
	press('n', 0);
	assert_screen("11 of 11 lines", true);
	press('n', 0);
	assert_screen("1 of 11 lines", true);
	assert_screen("one 7", true);
	press('N', 0);
	assert_screen("11 of 11 lines", true);
	press('f', MOD_CTRL);
	press('u', MOD_CTRL);
	press('x', MOD_ALT);
	type("t[wx]o 9[0-3]$");
	assert_screen("Find regex", true);
	assert_screen("4 of 4 lines", true);
	press('u', MOD_CTRL);
	type("(");
	assert_true(m.out.bar.is_wrong);
	press(K_ESCAPE, 0);
	assert_false(m.out.bar.is_open);
	assert_null(m.out.search.find);
}

/* A bar that was left open counts what matches, and leaves the view to what is printed. */
static void a_search_does_not_take_the_view_from_a_run(void **state)
{
	(void)state;
	two_runs();
	press('/', 0);
	type("one 7");
	press(K_F6, MOD_SHIFT);
	assert_int_equal(m.focus, PANE_EDITOR);
	press(K_END, MOD_CTRL);
	run_code("x");
	print("the newest, and one 7\n");
	done((struct trm_result){0});
	send((struct msg){.type = MSG_TICK});
	assert_screen("the newest", true);
	assert_false(m.out.is_scrolled);
	assert_screen("12 lines", true);
}

/* A match in a folded block is shown. */
static void finding_unfolds(void **state)
{
	(void)state;
	two_runs();
	press('=', 0);
	assert_screen("one 50", false);
	press('/', 0);
	type("one 50\n");
	assert_screen("one 50", true);
	assert_screen("▾ [1] python", true);
}

static void a_search_sees_what_is_colored_and_rewritten(void **state)
{
	(void)state;
	run_code("x");
	print("\x1b[31mre\x1b[1md\x1b[0m apple\n10%\r100% done\nplain red\n");
	print("\x1b[2A\rRED two\x1b[K\n");
	done((struct trm_result){0});
	press(K_F6, 0);
	press('/', 0);
	type("red");
	assert_screen("3 of 3 lines", true);
	press('u', MOD_CTRL);
	type("RED");
	assert_screen("1 of 1 line", true);
	press('u', MOD_CTRL);
	type("10%");
	assert_screen("no match", true);
}

static void traceback_of(size_t line)
{
	char text[80];
	char *lines[] = {text, (char *)"ZeroDivisionError: division by zero", NULL};

	snprintf(text, sizeof text,
			"Traceback (most recent call last):\n  File \"<run %u>\", line %zu, in <module>",
			m.run.serial, line);
	done((struct trm_result){.status = TRM_STATUS_ERROR,
			.exit_code = 1,
			.error_name = (char *)"ZeroDivisionError",
			.error_message = (char *)"division by zero",
			.traceback = lines});
}

static void jumps_to_the_line_of_an_error(void **state)
{
	(void)state;
	run_code("a = 1\nb = 2\n1/0");
	traceback_of(3);
	press(K_F6, 0);
	press(K_ENTER, 0); /* without a current line: the newest error's */
	assert_int_equal(m.focus, PANE_EDITOR);
	assert_int_equal(editor_line(model_editor(&m)), 2);
	/* From the line itself, after the buffer has changed and another one is shown. */
	press(K_HOME, MOD_CTRL);
	type("# new\n# lines\n");
	press(K_F6, 0);
	press(K_END, 0);
	press(K_UP, 0);
	press(K_UP, 0);
	press(K_ENTER, 0);
	assert_int_equal(m.focus, PANE_EDITOR);
	assert_int_equal(editor_line(model_editor(&m)), 4);
	/* From the message below it, and from everywhere. */
	press(K_HOME, MOD_CTRL);
	press(K_F6, 0);
	press(K_END, 0);
	press(K_UP, 0);
	press(K_ENTER, 0);
	assert_int_equal(m.focus, PANE_EDITOR);
	assert_int_equal(editor_line(model_editor(&m)), 4);
	press(K_HOME, MOD_CTRL);
	press('t', MOD_ALT);
	assert_int_equal(editor_line(model_editor(&m)), 4);
}

static void says_when_nothing_is_named(void **state)
{
	(void)state;
	two_runs();
	press(K_UP, 0);
	press(K_ENTER, 0);
	assert_string_equal(notices_at(&m.notices, 0)->text, "this line names no file and line");
	press(K_ESCAPE, 0);
	press(K_ENTER, 0);
	assert_string_equal(notices_at(&m.notices, 0)->text, "no error names a line of an open buffer");
}

static void the_current_line_moves_and_the_view_follows(void **state)
{
	struct rect area;

	(void)state;
	two_runs();
	area = model_output_area(&m);
	uint64_t end = outpane_end(&m.out);
	press(K_UP, 0);
	assert_int_equal(m.out.mark, end - 1);
	for (int i = 0; i < 50; i++)
		press(K_UP, 0);
	assert_int_equal(m.out.mark, end - 51);
	assert_screen("two 49", true);
	assert_true(outpane_has_more(&m.out, area.rows, area.cols));
	for (int i = 0; i < 60; i++)
		press(K_DOWN, 0);
	assert_false(m.out.has_mark);
	assert_false(m.out.is_scrolled);
	press(K_HOME, 0);
	press(K_DOWN, 0);
	assert_int_equal(m.out.mark, 0);
}

static void a_block_is_copied_and_written(void **state)
{
	(void)state;
	run_code("x");
	print("some\nwords  \n");
	done((struct trm_result){0});
	press(K_F6, 0);
	press('c', 0);
	assert_string_equal(last_effect(EFFECT_COPY)->text.bytes, "some\nwords\n");
	press('-', 0);
	press('f', 0);
	assert_string_equal(last_effect(EFFECT_KEEP_OUTPUT)->keep_output.bytes, "some\nwords\n");
	assert_int_equal(last_effect(EFFECT_KEEP_OUTPUT)->keep_output.run, 1);
	assert_screen("▸ [1]", true);
}

static void long_lines_are_wrapped_or_cut(void **state)
{
	char text[400];

	(void)state;
	run_code("x");
	memset(text, '.', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	memcpy(text, "START", 5);
	memcpy(text + sizeof text - 6, "FINIS", 5);
	print(text);
	done((struct trm_result){0});
	press(K_F6, 0);
	assert_screen("START", true);
	assert_screen("FINIS", true);
	press('w', 0);
	assert_screen("START", true);
	assert_screen("FINIS", false);
	for (int i = 0; i < 45; i++)
		press(K_RIGHT, 0);
	assert_screen("FINIS", true);
	assert_screen("START", false);
	press('w', 0);
	assert_screen("START", true);
}

/* The header of a run goes first when older output is dropped. The line that says so stands for it. */
static void a_run_without_its_header_can_be_folded(void **state)
{
	static char line[512];

	(void)state;
	memset(line, 'x', sizeof line - 2);
	line[sizeof line - 2] = '\n';
	run_code("first");
	print("old\n");
	done((struct trm_result){0});
	run_code("flooding");
	for (int i = 0; i < 50; i++)
		print("before\n");
	/* Runs that print in turns are no flood of one of them. */
	for (uint32_t i = 0; i < 45000; i++)
		outpane_print(&m.out, OUT_LATE, 1000 + i % 2, line, sizeof line - 1);
	done((struct trm_result){0});
	assert_true(m.out.store.front_lines > 0);
	press(K_F6, 0);
	press(K_HOME, 0);
	assert_screen("older lines dropped (", true);
	assert_screen("▾ [", true);
	assert_screen("xxx", true);
	press('-', 0);
	assert_screen("▸ [", true);
	assert_screen("folded", true);
	assert_screen("xxx", false);
	press('-', 0);
	assert_screen("xxx", true);
}

static void a_flood_of_short_lines_keeps_its_header(void **state)
{
	static char flood[1 << 16];

	(void)state;
	for (size_t i = 0; i < sizeof flood; i++)
		flood[i] = i % 2 ? '\n' : 'y';
	run_code("yes");
	for (int i = 0; i < 600; i++)
		outpane_print(&m.out, OUT_STDOUT, m.run.serial, flood, sizeof flood);
	done((struct trm_result){.status = TRM_STATUS_INTERRUPTED});
	press(K_F6, 0);
	press(K_HOME, 0);
	assert_screen("▾ [", true);
	assert_screen(" older lines dropped (", false);
	press('-', 0);
	assert_screen("folded", true);
}

static void a_flood_is_reported(void **state)
{
	static char flood[1 << 16];

	(void)state;
	memset(flood, 'x', sizeof flood - 1);
	for (size_t i = 99; i < sizeof flood - 1; i += 100)
		flood[i] = '\n';
	run_code("x");
	for (int i = 0; i < 600; i++) {
		print(flood);
		now_ns += 10000000;
		if (i % 10 == 0)
			send((struct msg){.type = MSG_TICK});
	}
	assert_screen("running 6.", true);
	assert_screen("printed 37.5 MiB, ", true);
	assert_screen("MiB/s", true);
	assert_screen(" lines dropped ", true);
	press(K_F6, 0);
	press(K_HOME, 0);
	/* It has pushed out its own output, not its header and what was before. */
	assert_screen("▾ [", true);
	assert_screen(" older lines dropped (", false);
	assert_int_equal(m.out.store.front_lines, 0);
	press('d', MOD_ALT);
	assert_int_equal(last_effect(EFFECT_SPILL)->serial, m.run.serial);
	send((struct msg){.type = MSG_SPILL,
			.run.serial = m.run.serial,
			.run.spill.text = "goes to x.txt",
			.run.spill.goes_on = true});
	press(K_END, 0);
	assert_screen("to a file", true);
	press('d', MOD_ALT);
	assert_non_null(last_effect(EFFECT_SPILL_END));
	done((struct trm_result){0});
	assert_screen("printed 37.5 MiB", true);
}

/* Ctrl-C is for the run, whatever else is open. */
static void a_search_does_not_hold_an_interrupt_back(void **state)
{
	(void)state;
	run_code("x");
	press(K_F6, 0);
	press('f', MOD_CTRL);
	type("abc");
	press('c', MOD_CTRL);
	assert_non_null(last_effect(EFFECT_INTERRUPT));
	assert_true(m.out.bar.is_open);
	done((struct trm_result){.status = TRM_STATUS_INTERRUPTED});
	press('c', MOD_CTRL);
	assert_false(m.out.bar.is_open);
}

static void lines_for_stdin_are_remembered(void **state)
{
	(void)state;
	run_code("x");
	for (int i = 0; i < 2; i++) {
		send((struct msg){.type = MSG_RUN_INPUT,
				.run.serial = m.run.serial,
				.run.input.prompt = "name? "});
		type(i ? "Bob\n" : "Ada\n");
	}
	send((struct msg){.type = MSG_RUN_INPUT,
			.run.serial = m.run.serial,
			.run.input.prompt = "password: ",
			.run.input.is_secret = true});
	type("secret\n");
	send((struct msg){.type = MSG_RUN_INPUT, .run.serial = m.run.serial, .run.input.prompt = "again? "});
	press(K_UP, 0);
	assert_string_equal(field_text(&m.input), "Bob");
	press(K_UP, 0);
	press(K_UP, 0);
	assert_string_equal(field_text(&m.input), "Ada");
	press(K_DOWN, 0);
	press(K_ENTER, 0);
	assert_string_equal(last_effect(EFFECT_STDIN)->input.bytes, "Bob\n");
	assert_screen("secret", false);
}

/* What the output ends with is not said again beside the line. */
static void a_prompt_is_shown_once(void **state)
{
	(void)state;
	run_code("x");
	print("Your name: ");
	send((struct msg){.type = MSG_RUN_INPUT,
			.run.serial = m.run.serial,
			.run.input.prompt = "Your name: "});
	assert_screen("input› ", true);
	char *text = screen();
	const char *first = strstr(text, "Your name: ");
	assert_non_null(first);
	assert_null(strstr(first + 1, "Your name: "));
	free(text);
}

static void the_search_tells_its_keys(void **state)
{
	(void)state;
	run_code("x");
	press(K_F6, 0);
	press('f', MOD_CTRL);
	assert_screen("Enter next  Alt-X regex  Esc close", true);
	type("a");
	assert_screen("Alt-X regex", false);
}

static int open_the_desk(void **state)
{
	(void)state;
	if (desk_setup_sized(30, 80) < 0)
		return -1;
	m.confirm = false;
	return 0;
}

/* A DataFrame is a table there, not the source of one. */
static void html_is_text_in_the_gallery(void **state)
{
	static const char html[] = "<style>th {color: red}</style><table><tr><th>city</th><th>n</th></tr>"
				   "<tr><td>Rome</td><td>7</td></tr></table>";
	struct artifact one = {.run = 1, .mime = "text/html", .n = sizeof html - 1};

	(void)state;
	one.bytes = (uint8_t *)strdup(html);
	assert_true(artifacts_add(&m.artifacts, &one));
	press('y', MOD_ALT);
	assert_screen("out-1-1.html", true);
	press(K_ENTER, 0);
	assert_screen("Rome", true);
	assert_screen("city", true);
	assert_screen("<t", false);
	assert_screen("color", false);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_the_desk, desk_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(blocks_fold_and_unfold),
			TEST(a_click_on_a_header_folds),
			TEST(finds_in_the_output),
			TEST(a_search_does_not_take_the_view_from_a_run),
			TEST(finding_unfolds),
			TEST(a_search_sees_what_is_colored_and_rewritten),
			TEST(jumps_to_the_line_of_an_error),
			TEST(says_when_nothing_is_named),
			TEST(the_current_line_moves_and_the_view_follows),
			TEST(a_block_is_copied_and_written),
			TEST(long_lines_are_wrapped_or_cut),
			TEST(a_run_without_its_header_can_be_folded),
			TEST(a_flood_of_short_lines_keeps_its_header),
			TEST(a_flood_is_reported),
			TEST(a_search_does_not_hold_an_interrupt_back),
			TEST(lines_for_stdin_are_remembered),
			TEST(a_prompt_is_shown_once),
			TEST(the_search_tells_its_keys),
			TEST(html_is_text_in_the_gallery),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
