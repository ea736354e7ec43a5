/* SPDX-License-Identifier: MIT */
/* The metrics pane, alerts, the question before the memory limit, and the page of sandboxes: by keys. */
#include <signal.h>

#include "tui/model/desk.h"

#include <terrarium/doctor.h>

#include "langs.h"
#include "metrics/metrics_layout.h"
#include "metrics/run_marks.h"

#define SECOND UINT64_C(1000000000)
#define MIB (UINT64_C(1) << 20)

static uint32_t also_known; /* enum trm_metric */

static void sample(double cpu, uint64_t mem_mib)
{
	static const struct trm_process processes[] = {
			{.pid = 2,
					.ppid = 1,
					.state = 'S',
					.start = 20,
					.mem_bytes = 9 << 20,
					.command = "python kernel"},
			{.pid = 7,
					.ppid = 2,
					.state = 'R',
					.start = 70,
					.mem_bytes = 1 << 20,
					.command = "sleep 100"},
	};
	struct trm_metrics metrics = {.processes = processes, .n_processes = 2, .has_processes = true};

	now_ns += SECOND;
	metrics.sample = (struct trm_sample){.time_ns = now_ns,
			.known = TRM_METRIC_CPU_PERCENT | TRM_METRIC_CPU_LIMIT | TRM_METRIC_MEM
				 | TRM_METRIC_MEM_LIMIT | also_known,
			.cpu_percent = cpu,
			.cpu_limit = 1.0,
			.mem_bytes = mem_mib * MIB,
			.mem_limit_bytes = 512 * MIB};
	send((struct msg){.type = MSG_METRICS, .metrics = &metrics});
}

/* A run of so many seconds; returns its serial. */
static uint32_t run(unsigned seconds, double cpu)
{
	m.confirm = false;
	press('x', 0);
	press(K_F5, 0);
	uint32_t serial = m.run.serial;
	send((struct msg){.type = MSG_RUN_ACCEPTED, .run.serial = serial, .run.number = serial});
	send((struct msg){.type = MSG_RUN_STARTED, .run.serial = serial});
	for (unsigned i = 0; i < seconds; i++)
		sample(cpu, 100);
	struct trm_result result = {.number = serial,
			.lang = trm_lang_at(0),
			.wall_us = seconds * 1000000u,
			.has_cpu = true,
			.cpu_us = 500000,
			.has_mem_peak = true,
			.mem_peak_bytes = 205 * MIB};
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = serial, .run.result = &result});
	return serial;
}

static bool shows(const char *part)
{
	char *text = screen();
	bool is_there = strstr(text, part) != NULL;
	free(text);
	return is_there;
}

static void focus_metrics(void)
{
	while (m.focus != PANE_METRICS)
		press(K_F6, 0);
}

static void runs_are_marked_and_lead_to_their_blocks(void **state)
{
	struct mark marks[RUN_MARKS_MAX];
	(void)state;
	for (int i = 0; i < 5; i++)
		sample(1, 10);
	uint32_t first = run(4, 90);
	sample(1, 10);
	uint32_t second = run(2, 50);
	struct metric_span span = metrics_span(&m.metrics);
	size_t n = run_marks_in(&m.out.runs, &span, 30, now_ns, marks);
	assert_int_equal(n, 2);
	assert_true(marks[0].serial == first && marks[0].from < marks[0].to);
	assert_true(marks[1].serial == second && marks[1].from > marks[0].from);
	focus_metrics();
	press(K_LEFT, 0);
	assert_int_equal(m.metrics.marked_run, second);
	press(K_LEFT, 0);
	assert_int_equal(m.metrics.marked_run, first);
	assert_screen("[1] 4.0 s  cpu 500 ms  peak 205 MiB", true);
	assert_int_equal(outpane_block(&m.out)->serial, first);
	press(K_LEFT, 0); /* there is none before it */
	assert_int_equal(m.metrics.marked_run, first);
	press(K_ENTER, 0);
	assert_int_equal(m.focus, PANE_OUTPUT);
	/* And from a block to its mark. */
	press(K_DOWN, MOD_ALT);
	press('g', 0);
	assert_int_equal(m.metrics.marked_run, second);
	focus_metrics();
	press(K_ESCAPE, 0);
	assert_int_equal(m.metrics.marked_run, 0);
}

static void a_mark_is_clicked(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		sample(1, 10);
	uint32_t first = run(4, 90);
	struct rect area = m.layout.panes[PANE_METRICS];
	for (int i = 0; i < 20; i++)
		sample(1, 10);
	mouse(MOUSE_PRESS, area.row + 2, area.col + area.cols - 10);
	assert_int_equal(m.metrics.marked_run, first);
}

static void history_is_scrolled_and_zoomed(void **state)
{
	(void)state;
	for (int i = 0; i < 900; i++)
		sample(i == 100 ? 99 : 1, 10);
	focus_metrics();
	assert_screen("now", true);
	for (int i = 0; i < 100 && !shows("peak 99%"); i++)
		press(K_LEFT, MOD_SHIFT);
	assert_screen("peak 99%", true);
	assert_screen(" now", false);
	press(K_END, 0);
	press('0', 0);
	assert_screen("now", true);
	assert_screen("peak 99%", false);
	for (int i = 0; i < 6; i++)
		press('-', 0);
	assert_screen("peak 99%", true); /* fifteen minutes fit now */
	for (int i = 0; i < 9; i++)
		press('+', 0);
	assert_int_equal(metrics_cell_ns(&m.metrics), SECOND);
}

static void a_signal_is_sent_after_two_questions(void **state)
{
	(void)state;
	sample(1, 10);
	focus_metrics();
	press('k', 0); /* nothing is selected: the first one */
	assert_screen("Signal to", true);
	press(K_ESCAPE, 0);
	press('p', 0);
	press(K_HOME, 0);
	press(K_DOWN, 0);
	press('k', 0);
	assert_screen("Signal to 7 sleep 100", true);
	press(K_DOWN, 0);
	press(K_ENTER, 0);
	assert_screen("SIGKILL (9) to process 7, sleep 100", true);
	assert_null(last_effect(EFFECT_SIGNAL));
	press('s', 0);
	const struct effect *e = last_effect(EFFECT_SIGNAL);
	assert_non_null(e);
	assert_int_equal(e->signal.pid, 7);
	assert_int_equal(e->signal.start, 70);
	assert_int_equal(e->signal.signo, SIGKILL);
	press(K_UP, 0);
	press('k', 0);
	press(K_DOWN, 0);
	press(K_ENTER, 0);
	assert_screen("its variables will be lost", true);
	press(K_ESCAPE, 0);
	assert_false(dialog_is_open(&m.dialog));
}

/* ---- alerts ---- */

static size_t count(enum effect_type type)
{
	size_t n = 0;
	for (size_t i = 0; i < fx.n; i++)
		n += fx.items[i].type == type;
	return n;
}

static void an_alert_comes_once_after_its_time(void **state)
{
	(void)state;
	m.alerts.opts = (struct alert_opts){
			.ways = ALERT_STATUS | ALERT_BELL | ALERT_OSC9, .percent = 90, .after_ms = 5000};
	for (int i = 0; i < 5; i++)
		sample(1, 480);
	assert_int_equal(count(EFFECT_BELL), 0);
	for (int i = 0; i < 30; i++)
		sample(1, 480);
	assert_int_equal(count(EFFECT_BELL), 1);
	assert_non_null(strstr(last_effect(EFFECT_NOTIFY)->text.bytes, "memory at 94 % of the limit"));
	sample(1, 455); /* it dances about the threshold */
	for (int i = 0; i < 30; i++)
		sample(1, 480);
	assert_int_equal(count(EFFECT_BELL), 1);
	sample(1, 100);
	for (int i = 0; i < 10; i++)
		sample(1, 480);
	assert_int_equal(count(EFFECT_BELL), 2);
}

static void a_long_run_tells_its_end(void **state)
{
	(void)state;
	m.alerts.opts = (struct alert_opts){
			.ways = ALERT_STATUS | ALERT_BELL, .percent = 100, .run_ms = 3000};
	run(2, 1);
	assert_int_equal(count(EFFECT_BELL), 0);
	run(4, 1);
	assert_int_equal(count(EFFECT_BELL), 1);
	assert_int_equal(count(EFFECT_NOTIFY), 0);
	assert_screen("run 2 has ended after 4.0 s: ok", true);
	m.alerts.opts.ways = 0;
	run(4, 1);
	assert_int_equal(count(EFFECT_BELL), 1);
}

/* ---- before the memory limit ---- */

static void start_run(void)
{
	m.confirm = false;
	press('x', 0);
	press(K_F5, 0);
	send((struct msg){.type = MSG_RUN_STARTED, .run.serial = m.run.serial});
}

static void warn(void)
{
	send((struct msg){.type = MSG_RUN_MEMORY, .run.serial = m.run.serial, .run.memory_bytes = 461 * MIB});
}

static void a_run_is_paused_and_interrupted(void **state)
{
	(void)state;
	start_run();
	warn();
	assert_int_equal(last_effect(EFFECT_PAUSE)->serial, m.run.serial);
	assert_screen("paused: 461 of 512 MiB in use. Alt-I: interrupt (tries to keep variables).", true);
	assert_screen("Alt-G: continue, and perhaps be killed", true);
	assert_screen("in 8 s)", true);
	assert_screen("Alt-I Interrupt  Alt-G Continue", true);
	assert_screen("● paused", true);
	assert_screen("] python  paused", true);
	/* The focus stays where it was: typing goes on. */
	assert_false(dialog_is_open(&m.dialog));
	press('y', 0);
	assert_screen("xy", true);
	press('i', MOD_ALT);
	assert_int_equal(last_effect(EFFECT_INTERRUPT)->serial, m.run.serial);
	assert_screen("paused", false);
}

static void what_was_said_of_a_run_goes_with_it(void **state)
{
	struct trm_result result = {.number = 1, .lang = trm_lang_default(), .status = TRM_STATUS_KILLED};

	(void)state;
	start_run();
	warn();
	now_ns += 9 * SECOND;
	send((struct msg){.type = MSG_TICK});
	assert_screen("no answer: the run continues", true);
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = m.run.serial, .run.result = &result});
	assert_screen("no answer", false);
}

static void it_goes_on_when_reported_or_when_nobody_answers(void **state)
{
	(void)state;
	start_run();
	warn();
	press('g', MOD_ALT);
	assert_int_equal(count(EFFECT_RESUME), 1);
	warn();
	now_ns += 7 * SECOND;
	send((struct msg){.type = MSG_TICK});
	assert_int_equal(count(EFFECT_RESUME), 1);
	now_ns += 2 * SECOND;
	send((struct msg){.type = MSG_TICK});
	assert_int_equal(count(EFFECT_RESUME), 2);
	assert_screen("no answer", true);
}

/* ---- sandboxes ---- */

static void list(size_t n)
{
	struct trm_entry entries[3] = {
			{.name = "zebra",
					.backend = "local",
					.supervisor_pid = 10,
					.supervisor_start = 1,
					.client_pid = 9,
					.has_client = true,
					.client = "terrarium run job.py",
					.has_state = true,
					.clients = 2,
					.has_kernels = true,
					.kernels = 1u << LANG_PYTHON | 1u << LANG_BASH,
					.sample = {.known = TRM_METRIC_CPU_PERCENT | TRM_METRIC_MEM
							    | TRM_METRIC_PROCS | TRM_METRIC_DISK
							    | TRM_METRIC_UPTIME,
							.cpu_percent = 5,
							.mem_bytes = 20 * MIB,
							.mem_limit_bytes = 512 * MIB,
							.procs = 4,
							.disk_bytes = 3 * MIB,
							.uptime_ms = 3661000}},
			{.name = "calm-fern", .backend = "fake", .supervisor_pid = 20, .supervisor_start = 2},
			{.name = "old", .backend = "local", .is_stale = true, .supervisor_pid = 30},
	};
	send((struct msg){.type = MSG_SANDBOXES, .sandboxes.entries = entries, .sandboxes.n = n});
}

static void sandboxes_are_listed_sorted_and_stopped(void **state)
{
	(void)state;
	press(K_F8, 0);
	assert_non_null(last_effect(EFFECT_SANDBOXES));
	assert_screen("looking ...", true);
	list(3);
	assert_screen("this workbench", true);
	assert_screen("terrarium run job.py", true);
	assert_screen("left behind", true);
	assert_int_equal(m.sandboxes.selected_supervisor, 20); /* the first by name */
	press('c', 0);
	press(K_HOME, 0);
	assert_int_equal(m.sandboxes.selected_supervisor, 10);
	list(3); /* the selection stays on it */
	assert_int_equal(m.sandboxes.selected_supervisor, 10);
	press('s', 0);
	assert_screen("Stop the sandbox? You will lose:", true);
	assert_screen("zebra, up 01:01:01", true);
	assert_screen("Variables all of python, bash", true);
	assert_screen("Processes 4", true);
	assert_screen("Files     all, 3 MiB", true);
	assert_screen("Attached  2 programs", true);
	assert_screen("Started by process 9: terrarium run job.py", true);
	press(K_ENTER, 0); /* Cancel is what the focus is on */
	assert_null(last_effect(EFFECT_STOP_SANDBOX));
	press('s', 0);
	press('s', 0);
	const struct effect *e = last_effect(EFFECT_STOP_SANDBOX);
	assert_non_null(e);
	assert_string_equal(e->stop_sandbox.name, "zebra");
	assert_true(e->stop_sandbox.supervisor_pid == 10 && e->stop_sandbox.supervisor_start == 1);
	press(K_ESCAPE, 0);
	assert_false(m.sandboxes.is_shown);
	assert_non_null(last_effect(EFFECT_SANDBOXES_END));
}

static void one_is_looked_into(void **state)
{
	struct trm_metrics metrics = {.sample = {.time_ns = 5 * SECOND,
						      .known = TRM_METRIC_CPU_PERCENT,
						      .cpu_percent = 37.5}};
	(void)state;
	press(K_F8, 0);
	list(1);
	press(K_DOWN, 0);
	press(K_ENTER, 0);
	assert_string_equal(last_effect(EFFECT_PEEK)->name, "zebra");
	send((struct msg){.type = MSG_INSIDE_METRICS, .metrics = &metrics});
	assert_screen("inside zebra", true);
	assert_screen("37.5 %", true);
	send((struct msg){.type = MSG_INSIDE_CLOSED, .text = "the sandbox has ended"});
	assert_screen("inside zebra: the sandbox has ended", true);
	press(K_ESCAPE, 0);
	assert_non_null(last_effect(EFFECT_LOOK_END));
	assert_screen("sandboxes: 1", true);
	/* What is for the panes closes the page; what is typed does not reach them. */
	press('x', 0);
	assert_true(m.sandboxes.is_shown);
	press(K_F6, 0);
	assert_false(m.sandboxes.is_shown);
	assert_screen("1 x", false);
}

/* ---- containers of others ---- */

static void found(const char *name, const char *problem)
{
	const struct trm_container_info info = {.backend = "toy",
			.id = *problem ? "" : "0a1b",
			.name = name,
			.image = "some:image",
			.state = "running",
			.problem = problem};

	send((struct msg){.type = MSG_CONTAINER, .container = &info});
}

static void containers_are_asked_for(void **state)
{
	(void)state;
	press(K_F8, 0);
	list(1);
	found("early", ""); /* nobody has asked */
	assert_screen("toy:early", false);
	press('o', 0);
	assert_non_null(last_effect(EFFECT_CONTAINERS));
	assert_screen("asking the container engines", true);
	press('o', 0);
	assert_int_equal(count(EFFECT_CONTAINERS), 1);
	press(K_DOWN, 0); /* there is nothing yet to go to */
	assert_int_equal(sandboxes_selected(&m.sandboxes), 0);
	found("web", "");
	found("", "no daemon here");
	send((struct msg){.type = MSG_CONTAINERS_END});
	assert_screen("toy:web", true);
	assert_screen("some:image", true);
	assert_screen("toy cannot list its containers: no daemon here", true);
	press('o', 0);
	send((struct msg){.type = MSG_CONTAINERS_END, .text = "the config file cannot be read"});
	assert_screen("toy:web", false);
	assert_screen("the config file cannot be read", true);
	press('o', 0);
	send((struct msg){.type = MSG_CONTAINERS_END});
	assert_screen("no other container is running", true);
	press(K_ESCAPE, 0);
	press(K_F8, 0);
	list(1);
	assert_screen("no other container", false);
}

static void a_container_is_looked_into_after_a_question(void **state)
{
	(void)state;
	press(K_F8, 0);
	list(1);
	press('o', 0);
	found("web", "");
	found("", "no daemon here");
	send((struct msg){.type = MSG_CONTAINERS_END});
	press(K_DOWN, 0); /* over the heading */
	list(2);
	assert_int_equal(sandboxes_selected(&m.sandboxes), 3);
	press('s', 0);
	assert_screen("terrarium did not start this container", true);
	press(K_ENTER, 0);
	assert_screen("/.terrarium/agent, is copied into the container web", true);
	press(K_ESCAPE, 0);
	assert_false(m.sandboxes.is_inside);
	press(K_ENTER, 0);
	press(K_ENTER, 0);
	const struct effect *e = last_effect(EFFECT_LOOK_CONTAINER);
	assert_non_null(e);
	assert_string_equal(e->container.engine, "toy");
	assert_string_equal(e->container.id, "0a1b");
	send((struct msg){.type = MSG_INSIDE_PROGRESS, .text = "putting an agent into it"});
	assert_screen("inside toy:web: putting an agent into it", true);
	send((struct msg){.type = MSG_INSIDE_PROGRESS, .text = ""});
	assert_screen("inside toy:web ", true);
	press(K_ESCAPE, 0);
	assert_non_null(last_effect(EFFECT_LOOK_END));
	press(K_DOWN, 0);
	press(K_ENTER, 0); /* the engine that cannot be asked */
	assert_false(m.sandboxes.is_inside);
	assert_false(dialog_is_open(&m.dialog));
	press(K_UP, 0);
	press(K_UP, 0);
	assert_int_equal(sandboxes_selected(&m.sandboxes), 1);
}

static void the_palette_asks_for_containers(void **state)
{
	(void)state;
	command_run(&m, command_find("sandboxes-containers"), &fx);
	assert_true(m.sandboxes.is_shown);
	assert_non_null(last_effect(EFFECT_SANDBOXES));
	assert_non_null(last_effect(EFFECT_CONTAINERS));
}

static void the_strip_unfolds(void **state)
{
	(void)state;
	sample(5, 50);
	event((struct event){.type = EVENT_RESIZE, .row = 24, .col = 80});
	assert_screen("processes", false);
	press('m', MOD_ALT);
	assert_int_equal(m.focus, PANE_METRICS);
	assert_screen("python kernel", true);
	press(K_F11, 0);
	assert_int_equal(m.focus, PANE_EDITOR);
	mouse(MOUSE_PRESS, m.layout.strip.row, 10);
	assert_screen("python kernel", true);
}

static void nothing_of_the_page_breaks_on_any_size(void **state)
{
	static const int sizes[][2] = {
			{10, 40}, {16, 60}, {24, 80}, {36, 120}, {60, 200}, {12, 200}, {60, 40}};
	(void)state;
	run(2, 50);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		event((struct event){.type = EVENT_RESIZE, .row = sizes[i][0], .col = sizes[i][1]});
		press(K_F8, 0);
		list(3);
		press(K_DOWN, 0);
		press('o', 0);
		free(screen());
		found("web", "");
		found("", "no daemon here");
		send((struct msg){.type = MSG_CONTAINERS_END});
		press(K_END, 0);
		free(screen());
		for (int row = 0; row < sizes[i][0]; row += 3)
			mouse(MOUSE_PRESS, row, row * 2);
		press(K_ENTER, 0);
		free(screen());
		press(K_ENTER, 0);
		sample(5, 50);
		free(screen());
		press(K_ESCAPE, 0);
		press(K_ESCAPE, 0);
		press(K_ESCAPE, 0);
		if (m.sandboxes.is_shown)
			press(K_F8, 0);
	}
}

/* Whoever has drawn the figures alone leaves the borders as they were. */
static void a_row_more_moves_the_line_between(void **state)
{
	(void)state;
	event((struct event){.type = EVENT_RESIZE, .row = 36, .col = 120});
	sample(5, 50);
	m.needs_draw = false;
	sample(5, 50);
	assert_false(m.needs_draw);
	also_known = TRM_METRIC_NET;
	sample(5, 50);
	also_known = 0;
	assert_true(m.needs_draw);
}

/* One row of that name, not two with numbers that differ. */
static void waiting_has_one_row(void **state)
{
	(void)state;
	event((struct event){.type = EVENT_RESIZE, .row = 60, .col = 160});
	sample(5, 50);
	char *text = screen();
	const char *row = strstr(text, " WAIT ");
	assert_non_null(row);
	assert_null(strstr(row + 1, " WAIT "));
	free(text);
	also_known = TRM_METRIC_THROTTLED_PERCENT;
	sample(5, 50);
	also_known = 0;
	text = screen();
	row = strstr(text, " WAIT cpu n/a mem n/a io n/a throttled 0%");
	assert_non_null(row);
	assert_null(strstr(row + 1, " WAIT "));
	free(text);
}

static void an_axis_has_one_unit(void **state)
{
	(void)state;
	event((struct event){.type = EVENT_RESIZE, .row = 60, .col = 160});
	sample(5, 50);
	assert_screen("-60 s          -30 s            now", true);
	press(K_F6, 0);
	press(K_F6, 0);
	press('-', 0);
	press('-', 0);
	assert_screen("-6 min", true);
	assert_screen("-2 min", true);
}

static void a_value_is_read_under_the_pointer(void **state)
{
	(void)state;
	event((struct event){.type = EVENT_RESIZE, .row = 60, .col = 160});
	for (int i = 0; i < 40; i++)
		sample(i == 30 ? 73 : 5, 50);
	struct rect area = m.layout.panes[PANE_METRICS];
	struct metrics_layout l = metrics_layout_of(&m.metrics, area);
	struct metric_span span = metrics_span(&m.metrics);
	int peak = 0;
	for (int i = 0; i < l.time.cols && !peak; i++) {
		mouse(MOUSE_MOVE, area.row + 2, l.time.col + i);
		peak = shows("there 73%") ? i : 0;
	}
	assert_true(peak > 0 && span.column_ns > 0);
	assert_true(shows("-8 s") || shows("-10 s"));
	mouse(MOUSE_MOVE, 2, 2); /* it has left */
	assert_screen("there", false);
	assert_screen("peak 73%", true);
	press(K_F6, 0);
	press(K_F6, 0);
	for (int i = 0; i < 20 && !shows("there 73%"); i++)
		press(',', 0);
	assert_screen("there 73%", true);
	press(K_ESCAPE, 0);
	assert_screen("there", false);
}

/* Nobody looks at a terminal without focus: the figures move slowly, and all is drawn when they come back. */
static void without_focus_little_is_drawn(void **state)
{
	unsigned drawn = 0;

	(void)state;
	sample(5, 50);
	event((struct event){.type = EVENT_FOCUS, .key = 0});
	for (int i = 0; i < 10; i++) {
		m.needs_metrics_draw = false;
		sample(5, 50);
		drawn += m.needs_metrics_draw;
	}
	assert_int_equal(drawn, 2);
	m.needs_draw = m.needs_metrics_draw = false;
	event((struct event){.type = EVENT_FOCUS, .key = 1});
	assert_true(m.needs_draw);
	sample(5, 50);
	assert_true(m.needs_metrics_draw);
}

static void the_wheel_zooms(void **state)
{
	(void)state;
	for (int i = 0; i < 40; i++)
		sample(5, 50);
	struct rect area = m.layout.panes[PANE_METRICS];
	uint64_t before = metrics_cell_ns(&m.metrics);
	mouse(MOUSE_WHEEL_DOWN, area.row + 2, area.col + 5);
	assert_true(metrics_cell_ns(&m.metrics) > before);
	mouse(MOUSE_WHEEL_UP, area.row + 2, area.col + 5);
	assert_int_equal(metrics_cell_ns(&m.metrics), before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(runs_are_marked_and_lead_to_their_blocks),
			TEST(a_mark_is_clicked),
			TEST(history_is_scrolled_and_zoomed),
			TEST(a_signal_is_sent_after_two_questions),
			TEST(an_alert_comes_once_after_its_time),
			TEST(a_long_run_tells_its_end),
			TEST(a_run_is_paused_and_interrupted),
			TEST(what_was_said_of_a_run_goes_with_it),
			TEST(it_goes_on_when_reported_or_when_nobody_answers),
			TEST(sandboxes_are_listed_sorted_and_stopped),
			TEST(one_is_looked_into),
			TEST(containers_are_asked_for),
			TEST(a_container_is_looked_into_after_a_question),
			TEST(the_palette_asks_for_containers),
			TEST(the_strip_unfolds),
			TEST(a_row_more_moves_the_line_between),
			TEST(waiting_has_one_row),
			TEST(an_axis_has_one_unit),
			TEST(a_value_is_read_under_the_pointer),
			TEST(the_wheel_zooms),
			TEST(without_focus_little_is_drawn),
			TEST(nothing_of_the_page_breaks_on_any_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
