/* SPDX-License-Identifier: MIT */
#include <terrarium/metrics.h>

#include "lib/agent/rig.h"

/* A command of this test alone: where all processes of a container are listed, others may sleep there, too.
 */
#define SLEEP "sleep", "1000.25"

static struct trm_process table[METRICS_MAX_PROCESSES];

static struct trm_metrics next_metrics(struct link *link)
{
	struct trm_metrics metrics;
	const struct frame *frame;
	while ((frame = link_next(link, DEADLINE_MS, NULL)))
		if (frame->type == FRAME_METRICS) {
			assert_int_equal(metrics_msg_get(frame, &metrics, table), 0);
			return metrics;
		}
	fail_msg("no METRICS");
	return (struct trm_metrics){0};
}

static const struct trm_process *find(const struct trm_metrics *metrics, const char *command)
{
	for (size_t i = 0; i < metrics->n_processes; i++)
		if (strcmp(metrics->processes[i].command, command) == 0)
			return &metrics->processes[i];
	return NULL;
}

/* Without control groups the agent lists what it has started; but all that there is in a PID namespace which
 * is not the machine's (include/linux/proc_ns.h: PROC_PID_INIT_INO), such as a container that the tests run
 * in. */
static bool lists_its_own(const struct trm_metrics *metrics)
{
	char here[64] = "";
	return metrics->sample.source[0] == '/' && readlink("/proc/self/ns/pid", here, sizeof here - 1) > 0
	       && strcmp(here, "pid:[4026531836]") == 0;
}

static void test_first_sample_comes_at_once_and_claims_no_rate(void **state)
{
	struct link link = link_open(*state);
	link_pack(&link, 0, FRAME_WATCH, "ub", (uint32_t)(10 * DEADLINE_MS),
			1); /* the next is not waited for */
	struct trm_metrics metrics = next_metrics(&link);
	assert_false(metrics.sample.known & TRM_METRIC_CPU_PERCENT);
	assert_false(metrics.sample.known & TRM_METRIC_OOM_KILLS && metrics.sample.source[0] == '/');
	assert_true(metrics.sample.known & TRM_METRIC_PROCS);
	assert_true(metrics.sample.known & TRM_METRIC_UPTIME);
	assert_true(metrics.has_processes);
	if (lists_its_own(&metrics))
		assert_int_equal(metrics.sample.procs, 0);
	link_close(&link);
}

static void test_processes_with_cpu_and_memory(void **state)
{
	struct link link = link_open_limited(*state, 500);
	link_spawn(&link, 1,
			(struct spawn_msg){.window = BIG_WINDOW,
					.argv = STRV("sh", "-c", "while :; do :; done")});
	link_spawn(&link, 2, (struct spawn_msg){.window = BIG_WINDOW, .argv = STRV(SLEEP)});
	link_pack(&link, 0, FRAME_WATCH, "ub", (uint32_t)50, 1);
	const struct trm_process *busy = NULL, *idle = NULL;
	struct trm_metrics metrics;
	uint64_t until = rig_now_ns() + DEADLINE_MS * 1000000ull;
	do {
		metrics = next_metrics(&link);
		busy = find(&metrics, "sh -c while :; do :; done");
		idle = find(&metrics, "sleep 1000.25");
	} while (rig_now_ns() < until
			&& !(busy && idle && busy->cpu_percent > 1 && idle->has_cpu && idle->cpu_percent < 1
					&& idle->state == 'S'));
	assert_non_null(busy);
	assert_non_null(idle);
	assert_true(busy->has_cpu && busy->cpu_percent > 1 && busy->cpu_percent < 150);
	assert_true(idle->has_cpu && idle->cpu_percent < 1);
	assert_true(idle->mem_bytes > 100000);
	assert_int_equal(idle->state, 'S');
	assert_true(busy < idle); /* the heaviest first */
	assert_true(metrics.sample.known & TRM_METRIC_CPU_PERCENT);
	assert_true(metrics.sample.cpu_percent > 1);
	assert_true(metrics.sample.known & TRM_METRIC_PROCS_LIMIT);
	if (metrics.sample.source[0] == '/')
		assert_int_equal(metrics.sample.procs_limit, 500);
	if (lists_its_own(&metrics)) {
		assert_int_equal(metrics.sample.procs, 2);
		assert_true(metrics.sample.mem_bytes >= idle->mem_bytes + busy->mem_bytes);
	}
	link_close(&link);
}

static void test_a_process_is_listed_by_its_label(void **state)
{
	struct link link = link_open(*state);
	char label[] = "python kernel";
	const struct trm_process *kernel = NULL;
	link_spawn(&link, 1, (struct spawn_msg){.window = BIG_WINDOW, .label = label, .argv = STRV(SLEEP)});
	link_pack(&link, 0, FRAME_WATCH, "ub", (uint32_t)50, 1);
	uint64_t until = rig_now_ns() + DEADLINE_MS * 1000000ull;
	struct trm_metrics metrics = {0};
	while (!kernel && rig_now_ns() < until) {
		metrics = next_metrics(&link);
		kernel = find(&metrics, label);
	}
	assert_non_null(kernel);
	assert_null(find(&metrics, "sleep 1000.25"));
	link_close(&link);
}

static void test_cpu_time_includes_the_dead(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	tape_init(&tape, 1);
	link_pack(&link, 0, FRAME_WATCH, "ub", (uint32_t)60000, 0);
	uint64_t before = next_metrics(&link).sample.cpu_ns;
	link_shell(&link, 1, "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done", 0, BIG_WINDOW);
	struct exited_msg status = link_exit(&link, &tape);
	link_pack(&link, 0, FRAME_WATCH, "ub", (uint32_t)60000, 0);
	struct trm_metrics metrics = next_metrics(&link);
	if (metrics.sample.source[0] != '/' || lists_its_own(&metrics)) /* else others die meanwhile */
		assert_true(metrics.sample.cpu_ns - before >= (status.user_us + status.system_us) * 1000);
	assert_false(metrics.has_processes);
	tape_finish(&tape);
	link_close(&link);
}

static void test_watch_stops(void **state)
{
	struct link link = link_open(*state);
	link_pack(&link, 0, FRAME_WATCH, "ub", (uint32_t)50, 1);
	for (int i = 0; i < 3; i++)
		next_metrics(&link);
	link_pack(&link, 0, FRAME_WATCH, "ub", (uint32_t)0, 0);
	link_send(&link, 0, FRAME_PING, 0, "", 0);
	while (link_next(&link, DEADLINE_MS, NULL)->type != FRAME_PONG)
		;
	assert_null(link_next(&link, 200, NULL));
	link_close(&link);
}

static long switches_of(pid_t pid)
{
	char command[100];
	long n;
	snprintf(command, sizeof command, "grep -w voluntary_ctxt_switches /proc/%d/status | cut -f2",
			(int)pid);
	FILE *lines = popen(command, "r");
	assert_int_equal(fscanf(lines, "%ld", &n), 1);
	pclose(lines);
	return n;
}

static bool is_asleep(pid_t pid)
{
	long before = switches_of(pid);
	poll(NULL, 0, 300);
	return switches_of(pid) == before;
}

/* Asleep without a WATCH, once it has done what was asked for: no voluntary switch from then on. */
static void test_idle_agent_sleeps(void **state)
{
	struct rig *rig = *state;
	struct link link = link_open(rig);
	link_shell(&link, 1, "sleep 1000.25", SPAWN_CONTROL, BIG_WINDOW);
	assert_int_equal(link_next(&link, DEADLINE_MS, NULL)->type, FRAME_STARTED);
	AWAIT(is_asleep(rig->agent));
	link_close(&link);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_first_sample_comes_at_once_and_claims_no_rate),
			T(test_processes_with_cpu_and_memory),
			T(test_a_process_is_listed_by_its_label),
			T(test_cpu_time_includes_the_dead),
			T(test_watch_stops),
			T(test_idle_agent_sleeps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
