/* SPDX-License-Identifier: MIT */
#include "metrics/process_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

static struct process_table t;

static struct trm_process process(uint32_t pid, uint32_t ppid, double cpu, uint64_t mem, const char *command)
{
	struct trm_process p = {.pid = pid,
			.ppid = ppid,
			.state = 'S',
			.has_cpu = true,
			.cpu_percent = cpu,
			.mem_bytes = mem,
			.start = pid * 100};
	strcpy(p.command, command);
	return p;
}

static void take(const struct trm_process *processes, size_t n)
{
	struct trm_metrics m = {.processes = processes, .n_processes = n, .has_processes = true};
	process_table_take(&t, &m);
}

static int begin(void **state)
{
	(void)state;
	const struct trm_process processes[] = {
			process(2, 1, 10, 300, "python kernel"),
			process(5, 2, 50, 100, "worker b"),
			process(7, 2, 20, 200, "worker a"),
			process(9, 5, 0, 50, "sleep"),
	};
	take(processes, 4);
	return 0;
}

static int end(void **state)
{
	(void)state;
	process_table_finish(&t);
	return 0;
}

static void expect(const char *pids)
{
	char have[64] = "";
	for (size_t i = 0; i < t.n; i++)
		sprintf(have + strlen(have), "%s%u", i ? " " : "", process_table_at(&t, i)->pid);
	assert_string_equal(have, pids);
}

static void sorting(void **state)
{
	(void)state;
	expect("5 7 2 9"); /* by CPU from the start */
	process_table_sort(&t, PROCESS_BY_CPU);
	expect("9 2 7 5"); /* again: the other way round */
	process_table_sort(&t, PROCESS_BY_MEM);
	expect("2 7 5 9");
	process_table_sort(&t, PROCESS_BY_PID);
	expect("2 5 7 9");
	process_table_sort(&t, PROCESS_BY_COMMAND);
	expect("2 9 7 5");
}

static void a_tree(void **state)
{
	(void)state;
	process_table_sort(&t, PROCESS_BY_PID);
	process_table_set_tree(&t, true);
	expect("2 5 9 7");
	assert_int_equal(t.rows[0].depth, 0);
	assert_int_equal(t.rows[1].depth, 1);
	assert_int_equal(t.rows[2].depth, 2);
	assert_false(t.rows[1].is_last);
	assert_true(t.rows[3].is_last);
	process_table_sort(&t, PROCESS_BY_MEM); /* among brothers */
	expect("2 7 5 9");
}

static void parents_in_circles_are_all_shown(void **state)
{
	const struct trm_process processes[] = {
			process(3, 4, 0, 1, "a"), process(4, 3, 0, 1, "b"), process(5, 5, 0, 1, "c")};
	(void)state;
	process_table_set_tree(&t, true);
	take(processes, 3);
	assert_int_equal(t.n, 3);
	bool seen[6] = {false};
	for (size_t i = 0; i < t.n; i++)
		seen[process_table_at(&t, i)->pid] = true;
	assert_true(seen[3] && seen[4] && seen[5]);
}

static void the_selection_stays_on_its_process(void **state)
{
	(void)state;
	assert_int_equal(process_table_selected(&t), -1);
	process_table_select(&t, 1, 10);
	assert_int_equal(t.selected_pid, 7);
	process_table_sort(&t, PROCESS_BY_PID);
	assert_int_equal(process_table_selected(&t), 2);
	/* Another one with its number is not it. */
	struct trm_process other = process(7, 1, 99, 1, "impostor");
	other.start = 1;
	take(&other, 1);
	assert_int_equal(process_table_selected(&t), -1);
}

static void scrolling_keeps_it_in_view(void **state)
{
	(void)state;
	process_table_sort(&t, PROCESS_BY_PID);
	process_table_select(&t, 0, 2);
	process_table_move(&t, 3, 2);
	assert_int_equal(process_table_selected(&t), 3);
	assert_int_equal(t.top, 2);
	process_table_move(&t, 9, 2);
	assert_int_equal(process_table_selected(&t), 3);
	process_table_move(&t, -9, 2);
	assert_int_equal(t.top, 0);
	process_table_scroll(&t, 99, 2);
	assert_int_equal(t.top, 2);
	process_table_scroll(&t, -99, 2);
	assert_int_equal(t.top, 0);
}

static void nothing_to_select(void **state)
{
	(void)state;
	take(NULL, 0);
	process_table_move(&t, 1, 2);
	process_table_select(&t, 3, 2);
	process_table_set_tree(&t, true);
	assert_int_equal(process_table_selected(&t), -1);
	assert_null(process_table_at(&t, 0));
}

static void a_process_has_a_past_while_it_lives(void **state)
{
	struct trm_process one[] = {{.pid = 7, .start = 70, .has_cpu = true, .command = "a"},
			{.pid = 3, .start = 30, .command = "b"}};

	(void)state;
	for (int i = 0; i < PROCESS_VALUES + 5; i++) {
		one[0].cpu_percent = i;
		take(one, 2);
	}
	const struct process_past *past = process_table_past(&t, &one[0]);
	assert_int_equal(past->n, PROCESS_VALUES);
	assert_true(past->cpu[PROCESS_VALUES - 1] == PROCESS_VALUES + 4 && past->cpu[0] == 5);
	assert_true(process_table_past(&t, &one[1])->cpu[0] < 0); /* unknown */
	one[0].start = 71;                                        /* another one with its number */
	take(one, 2);
	assert_int_equal(process_table_past(&t, &one[0])->n, 1);
	take(one + 1, 1);
	assert_null(process_table_past(&t, &one[0]));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(sorting),
			TEST(a_tree),
			TEST(parents_in_circles_are_all_shown),
			TEST(the_selection_stays_on_its_process),
			TEST(scrolling_keeps_it_in_view),
			TEST(nothing_to_select),
			TEST(a_process_has_a_past_while_it_lives),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
