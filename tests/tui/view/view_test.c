/* SPDX-License-Identifier: MIT */
/* Whole screens against the files in screens/. After a wanted change: TERRARIUM_WRITE_SCREENS=1 makes
 * them anew; look at the difference before it is committed. */
#include <terrarium/doctor.h>

#include "view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/model/desk.h"
#include "tui/view/looks.h"

static struct canvas canvas;

static void output(int stream, const char *text)
{
	send((struct msg){.type = MSG_RUN_OUTPUT,
			.run.output.bytes = text,
			.run.output.len = strlen(text),
			.run.output.stream = stream});
}

static void add_metrics(void)
{
	static const struct trm_process processes[] = {
			{.pid = 7,
					.ppid = 1,
					.state = 'R',
					.has_cpu = true,
					.cpu_percent = 36.9,
					.mem_bytes = 41u << 20,
					.command = "/usr/bin/python3 -u kernel"},
			{.pid = 12,
					.ppid = 7,
					.state = 'S',
					.has_cpu = false,
					.mem_bytes = 2u << 20,
					.command = "sleep 100"},
	};
	struct trm_metrics metrics = {.processes = processes, .n_processes = 2, .has_processes = true};

	for (int i = 0; i < 70; i++) {
		metrics.sample = (struct trm_sample){.known = TRM_METRIC_CPU_PERCENT | TRM_METRIC_CPU_LIMIT
							      | TRM_METRIC_MEM | TRM_METRIC_MEM_LIMIT
							      | TRM_METRIC_PROCS | TRM_METRIC_PROCS_LIMIT
							      | TRM_METRIC_UPTIME,
				.cpu_percent = i % 40 * 2.5,
				.cpu_limit = 1.0,
				.mem_bytes = (uint64_t)(i + 20) << 20,
				.mem_limit_bytes = 512u << 20,
				.procs = 3 + (uint64_t)i / 20,
				.procs_limit = 64,
				.time_ns = now_ns += 1000000000,
				.uptime_ms = 192000,
				.source = "cgroup v2"};
		send((struct msg){.type = MSG_METRICS, .metrics = &metrics});
	}
}

/* A session as one might find it. */
static void set_up(bool has_utf8)
{
	static const struct trm_guard guards[] = {{"memory", "cgroup v2 memory.max", TRM_ENFORCED},
			{"network", "own network namespace", TRM_ENFORCED},
			{"disk", "sampled every 100 ms", TRM_WEAK}};
	struct model_opts opts = {
			.rows = 36,
			.cols = 120,
			.has_utf8 = has_utf8,
			.lang = trm_lang_default(),
			.theme = "dark",
			.confirm = true,
			.timeout_ms = 30000,
			.grace_ms = 2000,
	};
	struct trm_limits limits;
	char *trace[] = {(char *)"Traceback (most recent call last):", (char *)"  File \"<run 2>\", line 1",
			(char *)"NameError: name 'y' is not defined", NULL};
	struct trm_result ok = {
			.number = 1, .lang = trm_lang_at(0), .wall_us = 400, .value = (char *)"'done'"};
	struct trm_result bad = {.number = 2,
			.lang = trm_lang_at(0),
			.wall_us = 12000,
			.status = TRM_STATUS_ERROR,
			.exit_code = 1,
			.error_name = (char *)"NameError",
			.traceback = trace};

	now_ns = 1000000000;
	trm_limits_default(&limits);
	opts.limits = limits;
	assert_int_equal(model_init(&m, &opts), 0);
	assert_int_equal(canvas_init(&canvas, 36, 120), 0);
	send((struct msg){.type = MSG_SANDBOX_STARTING,
			.sandbox.name = "calm-fern",
			.sandbox.backend = "fake",
			.sandbox.limits = &limits});
	send((struct msg){.type = MSG_SANDBOX_READY,
			.sandbox.name = "calm-fern",
			.sandbox.backend = "fake",
			.sandbox.limits = &limits,
			.sandbox.guards = guards,
			.sandbox.n_guards = 3});
	type("import math\nx = 42\nprint(math.sqrt(x))");
	m.confirm = false;
	press(K_F5, 0);
	output(TRM_STDOUT, "\x1b[32m6.48074069840786\x1b[0m\n50%\r100%\n");
	output(TRM_STDERR, "a warning\n");
	send((struct msg){.type = MSG_RUN_DONE, .run.result = &ok});
	press(K_F5, 0);
	send((struct msg){.type = MSG_RUN_DONE, .run.result = &bad});
	send((struct msg){.type = MSG_LATE, .late.number = 1, .late.bytes = "too late\n", .late.len = 9});
	m.confirm = true;
	add_metrics();
}

static void tear_down(void)
{
	effects_finish(&fx);
	model_finish(&m);
	canvas_finish(&canvas);
}

static char *read_file(const char *path)
{
	static char text[1 << 17];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	return text;
}

static void assert_text(const char *name, const char *seen)
{
	char path[512];

	snprintf(path, sizeof path, "%s/tests/tui/view/screens/%s.txt", TESTS_SOURCE_DIR, name);
	if (getenv("TERRARIUM_WRITE_SCREENS")) {
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		fputs(seen, f);
		fclose(f);
	}
	if (strcmp(seen, read_file(path)) != 0)
		print_message("%s is not as expected:\n%s", path, seen);
	assert_string_equal(seen, read_file(path));
}

static void assert_screen_file(const char *name)
{
	assert_int_equal(canvas_resize(&canvas, m.rows, m.cols), 0);
	view(&m, &canvas);
	char *seen = canvas_dump(&canvas);
	assert_non_null(seen);
	assert_text(name, seen);
	free(seen);
}

/* The whole screen with every number of colors, and the palette over it. */
static void depths(void **state)
{
	static const char *const names[] = {[DEPTH_NONE] = "mono",
			[DEPTH_8] = "8",
			[DEPTH_16] = "16",
			[DEPTH_256] = "256",
			[DEPTH_RGB] = "rgb"};
	static char seen[24 * 81 + 1];

	(void)state;
	set_up(true);
	resize(24, 80);
	for (int turn = 0; turn < 2; turn++) {
		assert_int_equal(canvas_resize(&canvas, m.rows, m.cols), 0);
		view(&m, &canvas);
		for (int depth = DEPTH_NONE; depth <= DEPTH_RGB; depth++) {
			struct theme theme;
			char name[40];
			assert_int_equal(theme_builtin(depth == DEPTH_NONE ? "mono" : "dark", &theme, NULL),
					0);
			looks_dump(&canvas, (struct rect){0, 0, 24, 80}, &theme, (enum color_depth)depth,
					seen);
			snprintf(name, sizeof name, "%s_%s", turn ? "palette_looks" : "looks", names[depth]);
			assert_text(name, seen);
		}
		press(K_F7, 0);
		type("repaint the screen"); /* one that no new command comes beside */
	}
	tear_down();
}

static void sizes(void **state)
{
	static const struct {
		int rows, cols;
		const char *name;
	} sizes[] = {{36, 120, "120x36"}, {24, 80, "80x24"}, {60, 200, "200x60"}, {10, 40, "40x10"},
			{16, 60, "60x16"}};

	(void)state;
	set_up(true);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		resize(sizes[i].rows, sizes[i].cols);
		assert_screen_file(sizes[i].name);
	}
	resize(10, 40);
	press(K_F6, 0);
	assert_screen_file("40x10_output");
	press(K_F6, 0);
	assert_screen_file("40x10_metrics");
	resize(9, 40);
	assert_screen_file("40x9");
	tear_down();
}

/* Of a label that stands on the canvas, the letter `at`, and no other. */
static void assert_underlined(const char *label, int at)
{
	int n = (int)strlen(label);

	for (int i = 0; i + n <= canvas.rows * canvas.cols; i++) {
		int k = 0;
		while (k < n && canvas.cells[i + k].text[0] == label[k])
			k++;
		if (k < n || canvas.cells[i].style.role != canvas.cells[i + n - 1].style.role)
			continue;
		for (k = 0; k < n; k++)
			assert_int_equal(canvas.cells[i + k].style.attrs & ATTR_UNDERLINE,
					k == at ? ATTR_UNDERLINE : 0);
		return;
	}
	fail_msg("no \"%s\" on the screen", label);
}

static void dialogs(void **state)
{
	static const char themes[][64] = {"dark", "light", "mono"};

	(void)state;
	set_up(true);
	resize(24, 80);
	press(K_F5, 0);
	assert_screen_file("confirm");
	resize(10, 40);
	assert_screen_file("confirm_40x10");
	resize(24, 80);
	press(K_ESCAPE, 0);
	m.sandbox.missing_langs = 1u << 4 | 1u << 9;
	press(K_F2, 0);
	assert_screen_file("language");
	m.sandbox.missing_langs = 0;
	press(K_ESCAPE, 0);
	send((struct msg){.type = MSG_THEMES, .themes.names = themes, .themes.n = 3});
	assert_screen_file("theme");
	press(K_ESCAPE, 0);
	press(K_F1, 0);
	for (const char *c = "draw again"; *c; c++) /* all of it changes with every new command */
		press((uint32_t)*c, 0);
	assert_screen_file("help");
	press(K_ESCAPE, 0);
	press(K_F10, 0);
	assert_screen_file("quit");
	assert_underlined("[ Quit, keep text ]", 2);
	assert_underlined("Discard text", 0);
	assert_underlined("Stay", 0);
	tear_down();
}

static bool shows(const char *text)
{
	assert_int_equal(canvas_resize(&canvas, m.rows, m.cols), 0);
	view(&m, &canvas);
	char *seen = canvas_dump(&canvas);
	assert_non_null(seen);
	bool is_there = strstr(seen, text) != NULL;
	free(seen);
	return is_there;
}

/* What is agreed to is seen as the editor shows it, and what does not fit is not passed over. */
static void code_in_question(void **state)
{
	(void)state;
	set_up(true);
	resize(10, 40);
	press(K_F6, 0);
	press(K_F6, 0);
	press(K_F6, 0);
	struct event paste = {.type = EVENT_PASTE,
			.text = "if x:\n\ty = 1\n\tsystem('far too long to be seen here') + 1"};
	struct event all = {.type = EVENT_KEY, .key = 'a', .mods = MOD_CTRL};
	paste.text_len = strlen(paste.text);
	send((struct msg){.type = MSG_EVENT, .event = &all});
	send((struct msg){.type = MSG_EVENT, .event = &paste});
	press(K_F5, 0);
	press(K_END, 0);
	assert_true(shows("│      y = 1"));
	assert_true(shows("│      system('far too long to be see…"));
	tear_down();
}

static void sandboxes(void **state)
{
	static const struct trm_entry entries[] = {
			{.name = "calm-fern",
					.has_state = true,
					.clients = 2,
					.backend = "fake",
					.supervisor_pid = 20,
					.supervisor_start = 2,
					.sample = {.known = TRM_METRIC_CPU_PERCENT | TRM_METRIC_MEM
							    | TRM_METRIC_DISK | TRM_METRIC_PROCS
							    | TRM_METRIC_UPTIME,
							.cpu_percent = 12.5,
							.mem_bytes = 31u << 20,
							.mem_limit_bytes = 512u << 20,
							.disk_bytes = 3u << 20,
							.disk_limit_bytes = 256u << 20,
							.procs = 3,
							.procs_limit = 128,
							.uptime_ms = 754000}},
			{.name = "nightly",
					.has_state = true,
					.is_kept = true,
					.group = "serve:5555/default",
					.backend = "local",
					.supervisor_pid = 10,
					.supervisor_start = 1,
					.client_pid = 9,
					.has_client = true,
					.client = "terrarium run nightly.py",
					.sample = {.known = TRM_METRIC_UPTIME, .uptime_ms = 200000000}},
			{.name = "old",
					.backend = "local",
					.is_stale = true,
					.supervisor_pid = 30,
					.client = "terrarium"},
	};
	static const struct {
		const char *name;
		int rows, cols;
	} sizes[] = {{"sandboxes_40x10", 10, 40}, {"sandboxes_80x24", 24, 80}, {"sandboxes_120x36", 36, 120},
			{"sandboxes_200x60", 60, 200}},
	  with_containers[] = {{"containers_80x24", 24, 80}, {"containers_120x36", 36, 120},
			  {"containers_40x10", 10, 40}},
	  with_pools[] = {{"pools_80x24", 24, 80}, {"pools_120x36", 36, 120}, {"pools_40x10", 10, 40}};
	static const struct trm_pool_entry pools[] = {
			{.name = "pool.node",
					.group = "serve:5555/pool",
					.size = 4,
					.stats = {.starting = 2,
							.n_started = 6,
							.n_failed = 4,
							.why = {.code = TRM_EIO,
									.msg = "the setup code fails in a "
									       "sandbox of the pool: "
									       "ReferenceError"}}},
			{.name = "pool.python",
					.group = "serve:5555/pool",
					.size = 8,
					.stats = {.idle = 8, .taken = 3, .n_started = 61}},
			{.name = "pool.r",
					.size = 2,
					.stats = {.idle = 1, .n_started = 1, .is_short_of_memory = true}},
			{.name = "pool.a-long-name-of-an-image"},
			{.name = "own"},
			{.name = "sixth"},
			{.name = "seventh"},
	};
	static const struct trm_container_info containers[] = {
			{"docker", "0a1b2c", "a-database", "postgres:16", "running", ""},
			{"docker", "4d5e6f", "", "a.registry.example/with/a/name/that/is/long:2026-11-21",
					"paused", ""},
			{"podman", "", "", "", "", "it does not answer within 3 s"},
	};
	(void)state;
	set_up(true);
	press(K_F8, 0);
	send((struct msg){.type = MSG_SANDBOXES, .sandboxes.entries = entries, .sandboxes.n = 3});
	press(K_DOWN, 0);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		resize(sizes[i].rows, sizes[i].cols);
		assert_screen_file(sizes[i].name);
	}
	send((struct msg){.type = MSG_SANDBOXES,
			.sandboxes.entries = entries,
			.sandboxes.n = 3,
			.sandboxes.pools = pools,
			.sandboxes.n_pools = 7});
	for (size_t i = 0; i < sizeof with_pools / sizeof *with_pools; i++) {
		resize(with_pools[i].rows, with_pools[i].cols);
		assert_screen_file(with_pools[i].name);
	}
	resize(60, 200);
	send((struct msg){.type = MSG_SANDBOXES, .sandboxes.entries = entries, .sandboxes.n = 3});
	press('o', 0);
	for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
		send((struct msg){.type = MSG_CONTAINER, .container = &containers[i]});
	send((struct msg){.type = MSG_CONTAINERS_END});
	press(K_END, 0);
	press(K_UP, 0);
	for (size_t i = 0; i < sizeof with_containers / sizeof *with_containers; i++) {
		resize(with_containers[i].rows, with_containers[i].cols);
		assert_screen_file(with_containers[i].name);
	}
	tear_down();
}

static void lines_meet(void **state)
{
	(void)state;
	set_up(true);
	resize(24, 100); /* the rule above the processes meets the borders of the pane */
	assert_true(shows("├─ processes"));
	resize(24, 80);
	m.confirm = false;
	press(K_F6, 0);
	press(K_F6, 0);
	struct event paste = {.type = EVENT_PASTE,
			.text = "print('a header that is too long for the pane, really') # and more"};
	struct event all = {.type = EVENT_KEY, .key = 'a', .mods = MOD_CTRL};
	paste.text_len = strlen(paste.text);
	send((struct msg){.type = MSG_EVENT, .event = &all});
	send((struct msg){.type = MSG_EVENT, .event = &paste});
	press(K_F5, 0);
	resize(10, 40);
	press(K_F6, 0);
	assert_true(shows("print('a header…\n"));
	tear_down();
}

static void too_small(void **state)
{
	(void)state;
	set_up(true);
	resize(5, 10);
	assert_true(shows("too small\nneed 40x10"));
	tear_down();
}

static void states(void **state)
{
	(void)state;
	set_up(true);
	resize(24, 80);
	m.confirm = false;
	press(K_F5, 0);
	send((struct msg){.type = MSG_RUN_STARTED});
	now_ns += 2345000000u;
	send((struct msg){.type = MSG_RUN_INPUT, .run.input.prompt = "your name? "});
	type("Ada");
	assert_screen_file("input");
	/* A message of two lines does not cover what is typed. */
	send((struct msg){.type = MSG_NOTICE,
			.text = "this sentence takes more than the eighty columns that this screen has, so it "
				"goes on below"});
	assert_true(shows("your name? Ada"));
	assert_true(shows("this sentence takes more"));
	assert_true(shows("…"));
	press(K_ESCAPE, 0);
	m.notices.is_shown = false;
	struct event ctrl_c = {.type = EVENT_KEY, .key = 'c', .mods = MOD_CTRL};
	send((struct msg){.type = MSG_EVENT, .event = &ctrl_c});
	now_ns += 700000000u;
	send((struct msg){.type = MSG_TICK});
	assert_screen_file("interrupting");
	send((struct msg){.type = MSG_SANDBOX_CLOSED, .text = "its supervisor was killed"});
	assert_screen_file("ended");
	tear_down();
}

static void without_utf8(void **state)
{
	(void)state;
	set_up(false);
	resize(24, 80);
	assert_screen_file("ascii_80x24");
	view(&m, &canvas);
	char *seen = canvas_dump(&canvas);
	for (const char *p = seen; *p; p++)
		assert_true((unsigned char)*p < 128);
	free(seen);
	tear_down();
}

static void assert_same_cells(const struct canvas *a, const struct canvas *b)
{
	assert_int_equal(a->rows, b->rows);
	assert_int_equal(a->cols, b->cols);
	assert_int_equal(a->cursor_row, b->cursor_row);
	assert_int_equal(a->cursor_col, b->cursor_col);
	for (size_t i = 0; i < (size_t)a->rows * (size_t)a->cols; i++) {
		assert_string_equal(a->cells[i].text, b->cells[i].text);
		assert_memory_equal(&a->cells[i].style, &b->cells[i].style, sizeof(struct style));
	}
}

/* Drawing the editor alone gives what drawing all gives, wherever update() thinks that it is enough. */
static void the_editor_alone_is_enough(void **state)
{
	static const int sizes[][2] = {{36, 120}, {24, 80}, {10, 40}};
	struct canvas whole;

	(void)state;
	set_up(true);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		resize(sizes[i][0], sizes[i][1]);
		assert_int_equal(canvas_resize(&canvas, m.rows, m.cols), 0);
		assert_int_equal(canvas_init(&whole, m.rows, m.cols), 0);
		view(&m, &canvas);
		for (const char *keys = "ab\ncd (e\n\nf"; *keys; keys++) {
			m.needs_draw = m.needs_editor_draw = false;
			press(*keys == '\n' ? K_ENTER : (uint32_t)*keys, 0);
			assert_true(m.needs_editor_draw);
			assert_false(m.needs_draw);
			view_editor(&m, &canvas);
			view(&m, &whole);
			assert_same_cells(&canvas, &whole);
		}
		canvas_finish(&whole);
	}
	tear_down();
}

/* The line with the cursor, drawn before the rest, looks as it will then. Where a key changes more there is
 * no such drawing. */
static void the_line_comes_first(void **state)
{
	static const struct {
		uint32_t key;
		bool is_line_only;
	} keys[] = {{'a', true}, {'=', true}, {'1', true}, {K_LEFT, true}, {K_BACKSPACE, true},
			{K_ENTER, false}, {'b', true}, {K_UP, false}, {'x', true}, {K_DOWN, false},
			{'#', true}};
	struct canvas whole;

	(void)state;
	set_up(true);
	resize(36, 120);
	assert_int_equal(canvas_resize(&canvas, m.rows, m.cols), 0);
	assert_int_equal(canvas_init(&whole, m.rows, m.cols), 0);
	view(&m, &canvas);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct editor_glance glance = view_glance(&m);
		press(keys[i].key, 0);
		assert_int_equal(view_editor_line(&m, &canvas, &glance), keys[i].is_line_only);
		view(&m, &whole);
		int row = whole.cursor_row, col = model_editor_area(&m).col,
		    cols = model_editor_area(&m).cols;
		if (keys[i].is_line_only) {
			assert_int_equal(canvas.cursor_row, row);
			assert_int_equal(canvas.cursor_col, whole.cursor_col);
		}
		for (int at = col; at < col + cols && keys[i].is_line_only; at++) {
			size_t cell = (size_t)(row * m.cols + at);
			assert_string_equal(canvas.cells[cell].text, whole.cells[cell].text);
			assert_memory_equal(&canvas.cells[cell].style, &whole.cells[cell].style,
					sizeof(struct style));
		}
		view_editor(&m, &canvas);
		assert_same_cells(&canvas, &whole);
	}
	canvas_finish(&whole);
	tear_down();
}

static void a_line_that_is_covered_does_not_come_first(void **state)
{
	(void)state;
	set_up(true);
	resize(36, 120);
	struct editor_glance glance = view_glance(&m);
	assert_true(view_editor_line(&m, &canvas, &glance));
	press('a', 0);
	m.sandboxes.is_shown = true;
	assert_false(view_editor_line(&m, &canvas, &glance));
	m.sandboxes.is_shown = false;
	m.focus = PANE_OUTPUT;
	assert_false(view_editor_line(&m, &canvas, &glance));
	tear_down();
}

/* The output drawn before the rest is what view() draws there. */
static void the_output_comes_first(void **state)
{
	struct canvas whole;

	(void)state;
	set_up(true);
	resize(36, 120);
	view(&m, &canvas);
	assert_int_equal(canvas_init(&whole, m.rows, m.cols), 0);
	outpane_print(&m.out, OUT_STDOUT, 0, "something new\n", 14);
	snprintf(m.sandbox.name, sizeof m.sandbox.name, "elsewhere"); /* in the title, which is not drawn */
	assert_true(view_output(&m, &canvas));
	view(&m, &whole);
	struct rect pane = m.layout.panes[PANE_OUTPUT];
	char *seen = canvas_dump(&canvas);
	assert_non_null(strstr(seen, "something new"));
	assert_null(strstr(seen, "elsewhere"));
	free(seen);
	for (int row = pane.row; row < pane.row + pane.rows; row++)
		for (int col = pane.col; col < pane.col + pane.cols; col++)
			assert_memory_equal(&canvas.cells[row * m.cols + col],
					&whole.cells[row * m.cols + col], sizeof(struct cell));
	m.sandboxes.is_shown = true;
	assert_false(view_output(&m, &canvas));
	m.sandboxes.is_shown = false;
	resize(3, 10);
	assert_false(view_output(&m, &canvas));
	canvas_finish(&whole);
	tear_down();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(sizes),
			cmocka_unit_test(depths),
			cmocka_unit_test(dialogs),
			cmocka_unit_test(code_in_question),
			cmocka_unit_test(sandboxes),
			cmocka_unit_test(lines_meet),
			cmocka_unit_test(too_small),
			cmocka_unit_test(states),
			cmocka_unit_test(without_utf8),
			cmocka_unit_test(the_editor_alone_is_enough),
			cmocka_unit_test(the_line_comes_first),
			cmocka_unit_test(a_line_that_is_covered_does_not_come_first),
			cmocka_unit_test(the_output_comes_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
