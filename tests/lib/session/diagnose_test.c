/* SPDX-License-Identifier: MIT */
/* What the result says of limits, with real code in a real sandbox. Where control groups are not to be had
 * nothing is counted: then only what the code itself complains of is told. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "support/bed.h"

#define MIB (1024ull * 1024)

static struct bed bed;
static bool has_groups, has_space; /* a file system of its own */

static struct trm_sandbox_opts small(void)
{
	struct trm_sandbox_opts opts;
	trm_sandbox_opts_default(&opts);
	opts.limits.mem_bytes = 128 * MIB;
	opts.limits.disk_bytes = 8 * MIB;
	opts.limits.file_bytes = 2 * MIB;
	opts.limits.procs = 20;
	opts.limits.open_files = 256;
	return opts;
}

static bool open_with(const struct trm_session_opts *session)
{
	struct trm_sandbox_opts opts = small();
	const struct trm_guard *guards;
	if (!bed_open(&bed, "local", &opts, session))
		return false;
	/* The guards are known once the sandbox is up. */
	bed_run(&bed, "python", "0");
	size_t n = trm_sandbox_guards(bed.sandbox, &guards);
	has_groups = has_space = false;
	for (size_t i = 0; i < n; i++) {
		bool holds = guards[i].strength == TRM_ENFORCED;
		has_groups |= strcmp(guards[i].what, "memory") == 0 && holds;
		has_space |= strcmp(guards[i].what, "disk") == 0 && holds;
	}
	return true;
}

static int open_one(void **state)
{
	(void)state;
	return open_with(NULL) ? 0 : -1;
}

static int close_it(void **state)
{
	(void)state;
	bed_close(&bed);
	return 0;
}

static void expect(const char *lang, const char *code, const char *reason, const char *hint)
{
	const struct trm_result *r = bed_run(&bed, lang, code);
	if (reason && (!r->reason || !strstr(r->reason, reason)))
		fail_msg("%s: the reason is '%s'", code, r->reason ? r->reason : "");
	if (hint && (!r->hint || !strstr(r->hint, hint)))
		fail_msg("%s: the hint is '%s' (status %d, exit code %d, stderr %s)", code,
				r->hint ? r->hint : "", (int)r->status, r->exit_code, bed_stderr(&bed));
	if (!hint && r->hint)
		fail_msg("%s: an unwanted hint: '%s'", code, r->hint);
}

static void nothing_met_nothing_reported(void **state)
{
	(void)state;
	expect("python", "import time; time.sleep(0.02)", NULL, NULL);
	expect("python", "raise ValueError('No such luck')", NULL, NULL);
}

static void memory_of_the_interpreter(void **state)
{
	(void)state;
	if (has_groups)
		expect("python", "b = bytearray(300 << 20)", "out of memory at 128 of 128 MiB", NULL);
	expect("python", "b = bytearray(1 << 46)", NULL, "memory limit 128 MiB");
}

/* Who is kept from running hears of the run's beginning and of its end at once. */
static void a_limit_met_before_we_look(void **state)
{
	const struct timespec away = {.tv_nsec = 300000000};
	struct trm_sandbox_opts opts = small();
	struct trm_run_opts run;
	(void)state;
	trm_run_opts_default(&run);
	run.lang = bed_lang("python");
	run.code = "b = bytearray(300 << 20)";
	run.code_len = strlen(run.code);
	for (int i = 0; i < 2 && has_groups; i++) {
		assert_true(bed_open(&bed, "local", &opts, NULL));
		bed_begin(&bed, &run);
		while (!bed.result) {
			nanosleep(&away, NULL);
			assert_true(trm_loop_step(bed.loop, 1000) >= 0);
		}
		assert_non_null(strstr(bed.result->reason, "out of memory at 128 of 128 MiB"));
		bed_close(&bed);
	}
}

static void memory_of_a_child(void **state)
{
	(void)state;
	if (has_groups)
		expect("bash", "/usr/bin/python3 -c 'b = bytearray(300 << 20)'; true", NULL,
				"a process of this run was killed: out of memory at 128 of 128 MiB");
}

static void a_kill_is_reported_once(void **state)
{
	(void)state;
	memory_of_a_child(state);
	expect("bash", "sleep 0.02; false", NULL, NULL);
}

static void signals_have_names(void **state)
{
	(void)state;
	expect("python", "import os; os.kill(os.getpid(), 9)", "killed by signal 9", NULL);
	expect("python", "import os; os.kill(os.getpid(), 11)", "segmentation fault", NULL);
}

static void processes(void **state)
{
	(void)state;
	expect("python",
			"import subprocess\n"
			"ps = []\n"
			"try:\n"
			"    while True: ps.append(subprocess.Popen(['sleep', '60']))\n"
			"finally:\n"
			"    for p in ps: p.kill(); p.wait()\n",
			NULL, "process limit 20 reached");
}

static void disk(void **state)
{
	(void)state;
	if (!has_space) { /* files are looked at from time to time, and cannot grow once there are too many */
		expect("bash",
				"for i in $(seq 100); do head -c 500000 /dev/zero >f$i || break; sleep 0.03; done; "
				"ls nope",
				NULL, "disk limit 8 MiB");
		expect("bash", "rm -f f*; until echo 1 >f 2>/dev/null; do sleep 0.05; done; false", NULL,
				NULL);
		return;
	}
	expect("bash", "for i in 1 2 3 4 5 6; do dd if=/dev/zero of=f$i bs=1M count=2 || break; done; ls nope",
			NULL, "disk full: 8 of 8 MiB");
	expect("bash", "sleep 0.02", NULL, NULL); /* as the last run left it, and no matter */
	expect("bash", "echo much >more; sleep 0.02", NULL, "disk full: 8 of 8 MiB");
	expect("bash", "rm -f f*; sleep 0.02; false", NULL, NULL);
	expect("python",
			"import os\n"
			"try:\n"
			"    for i in range(6): open(f'g{i}', 'wb').write(bytes(2 << 20))\n"
			"finally:\n"
			"    for i in range(6):\n"
			"        if os.path.exists(f'g{i}'): os.remove(f'g{i}')\n",
			NULL, "disk full during this run: limit 8 MiB");
}

static void many_small_files(void **state)
{
	(void)state;
	if (!has_space) /* too many end the sandbox: tests/isolation */
		skip();
	expect("python",
			"import os\n"
			"i = 0\n"
			"while True: os.close(os.open(f'n{i}', os.O_CREAT | os.O_WRONLY)); i += 1\n",
			NULL, "files and folders");
}

/* Nothing is killed where a program gives up by itself. */
static void an_allocation_that_was_refused(void **state)
{
	(void)state;
	expect("bash", "echo 'tail: memory exhausted' >&2; false", NULL, "memory limit");
	expect("bash", "echo 'tail: memory exhausted' >&2; sleep 0.02", NULL, NULL);
}

static void sizes_and_descriptors(void **state)
{
	(void)state;
	expect("python", "open('big', 'wb').write(bytes(3 << 20))", NULL, "file size limit 2 MiB");
	expect("bash", "yes > big", NULL, "file size limit 2 MiB");
	expect("python", "fs = [open('/dev/null') for i in range(300)]", NULL, "limit of 256 open files");
}

static void time_limit(void **state)
{
	struct trm_run_opts opts;
	(void)state;
	trm_run_opts_default(&opts);
	opts.lang = bed_lang("python");
	opts.code = "while True: pass";
	opts.code_len = strlen(opts.code);
	opts.timeout_ms = 300;
	bed_begin(&bed, &opts);
	const struct trm_result *r = bed_end(&bed);
	assert_int_equal(r->status, TRM_STATUS_TIMEOUT);
	assert_non_null(strstr(r->reason, "time limit 0.3 s"));
}

/* ---- what runs leave behind ------------------------------------------------------------ */

/* A program with a number that no other process of this machine has among its arguments: this machine sees it
 * at every level of isolation, code in a sandbox without namespaces does not. */
static const char *numbered(const char *program)
{
	static char words[64];
	snprintf(words, sizeof words, "%s 6%07d", program, (int)getpid());
	return words;
}

static bool runs(const char *pid, const char *words)
{
	char path[300], command[64];
	snprintf(path, sizeof path, "/proc/%s/cmdline", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, command, sizeof command - 1);
	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i < n - 1; i++)
		if (!command[i])
			command[i] = ' ';
	command[n > 0 ? n : 0] = '\0';
	return strncmp(command, words, strlen(words)) == 0;
}

static unsigned count(const char *program)
{
	const char *words = numbered(program);
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	unsigned n = 0;
	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && runs(entry->d_name, words);
	closedir(dir);
	return n;
}

static bool there_are(const char *program, unsigned n)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	double until = bed_now_ms() + 5000;
	while (count(program) != n && bed_now_ms() < until)
		nanosleep(&pause, NULL);
	return count(program) == n;
}

static void start_job(void)
{
	char code[128];
	snprintf(code, sizeof code, "%s &", numbered("sleep"));
	bed_run(&bed, "bash", code);
	assert_true(there_are("sleep", 1));
}

/* A job of a run that has ended well is its user's. */
static void jobs_live_on(void **state)
{
	(void)state;
	start_job();
	bed_run(&bed, "python", "0");
	assert_int_equal(count("sleep"), 1);
	bed_run(&bed, "bash", "kill %1; wait");
	assert_true(there_are("sleep", 0));
}

static void a_time_out_takes_the_whole_tree(void **state)
{
	struct trm_run_opts opts;
	char code[256];
	(void)state;
	start_job();
	bed_run(&bed, "bash", "sleep 0.1"); /* the start of a process is known to some ten milliseconds */
	const char *tail = numbered("tail -f /dev/null -s");
	snprintf(code, sizeof code, "setsid %s & (%s &); while true; do true; done", tail, tail);
	trm_run_opts_default(&opts);
	opts.lang = bed_lang("bash");
	opts.code = code;
	opts.code_len = strlen(opts.code);
	opts.timeout_ms = 500;
	bed_begin(&bed, &opts);
	assert_int_equal(bed_end(&bed)->status, TRM_STATUS_TIMEOUT);
	assert_true(there_are("tail -f /dev/null -s", 0));
	assert_int_equal(count("sleep"), 1); /* an earlier run's */
	bed_run(&bed, "bash", "kill %1; wait");
}

/* What a bomb says comes later than its run's end: it is not looked at here. */
static void after_a_fork_bomb_the_next_run_works(void **state)
{
	(void)state;
	if (!has_groups)
		skip();
	for (int i = 0; i < 3; i++) {
		bed_run(&bed, "bash", ":(){ :|:& };:");
		const struct trm_result *r = bed_run(&bed, "bash", "ls / >/dev/null && echo up");
		assert_int_equal(r->status, TRM_STATUS_OK);
		assert_string_equal(bed_stdout(&bed), "up\n");
		bed_run(&bed, "bash", "unset -f :");
	}
	/* One whose processes are each others' parents and have sessions of their own. */
	struct trm_run_opts opts;
	trm_run_opts_default(&opts);
	opts.lang = bed_lang("python");
	opts.code = "import os\n"
		    "while True:\n"
		    "    try: os.fork() or os.setsid()\n"
		    "    except OSError: pass\n";
	opts.code_len = strlen(opts.code);
	opts.timeout_ms = 500;
	bed_begin(&bed, &opts);
	assert_int_equal(bed_end(&bed)->status, TRM_STATUS_TIMEOUT);
	bed_run(&bed, "bash", "ls / >/dev/null && echo up");
	assert_string_equal(bed_stdout(&bed), "up\n");
	bed_run(&bed, "python", "import subprocess; print(subprocess.run(['true']).returncode)");
	assert_string_equal(bed_stdout(&bed), "0\n");
}

/* A bomb may go off when the next run has long begun. */
static void what_an_earlier_run_grows_makes_room(void **state)
{
	(void)state;
	if (!has_groups)
		skip();
	bed_run(&bed, "python",
			"import os, time\n"
			"if os.fork() == 0:\n"
			"    os.setsid()\n"
			"    while not os.path.exists('off'): time.sleep(0.01)\n"
			"    while True:\n"
			"        try: os.fork() or time.sleep(1000)\n"
			"        except OSError: open('full', 'w').close()\n");
	const struct trm_result *r = bed_run(&bed, "bash",
			"touch off; until [ -e full ]; do :; done; ls / >/dev/null && echo up; rm off full");
	assert_int_equal(r->status, TRM_STATUS_OK);
	assert_string_equal(bed_stdout(&bed), "up\n");
}

/* Why it does not work here, though the kernel says only that there is no such call. */
static void memory_that_nothing_counts(void **state)
{
	static const char *const CODES[] = {"import os; os.close(os.memfd_create('x'))",
			"import mmap; mmap.mmap(-1, 4096).close()"};
	(void)state;
	for (size_t i = 0; i < sizeof CODES / sizeof *CODES; i++)
		expect("python", CODES[i], NULL, has_groups ? NULL : "without control groups");
	expect("bash", "ipcrm -m $(ipcmk -M 4096 | grep -o '[0-9]*')", NULL,
			has_groups ? NULL : "mmap (see 'terrarium doctor')");
	expect("python", "raise PermissionError(1, 'Operation not permitted')", NULL, NULL);
	expect("python", "import os; raise OSError(38, os.strerror(38))", NULL, NULL);
}

static void peaks_are_the_runs_own(void **state)
{
	(void)state;
	const struct trm_result *r =
			bed_run(&bed, "python", "import time; b = bytearray(60 << 20); time.sleep(.2)");
	if (!r->has_mem_peak)
		return; /* no control groups */
	assert_true(r->mem_peak_bytes > 60 * MIB);
	bed_run(&bed, "python", "del b");
	r = bed_run(&bed, "python", "time.sleep(0.2)");
	if (r->has_mem_peak)
		assert_true(r->mem_peak_bytes < 60 * MIB);
}

/* ---- before the limit ---- */

static void an_interrupt_before_the_limit_keeps_the_state(void **state)
{
	struct trm_session_opts session;
	(void)state;
	bed_close(&bed);
	trm_session_opts_default(&session);
	session.memory_alert = TRM_MEMORY_INTERRUPT;
	session.memory_alert_percent = 80;
	assert_true(open_with(&session));
	const struct trm_result *r = bed_run(&bed, "python",
			"import time\n"
			"b = []\n"
			"while len(b) < 200: b.append(b'x' * (1 << 20)); time.sleep(0.01)\n");
	assert_int_equal(r->status, TRM_STATUS_INTERRUPTED);
	assert_false(r->state_lost);
	assert_non_null(strstr(r->reason, "before the memory limit"));
	r = bed_run(&bed, "python", "print(len(b) > 50)");
	assert_string_equal(bed_stdout(&bed), "True\n");
}

static bool is_reported(struct bed *b)
{
	return b->n_memory > 0;
}

static bool has_ended(struct bed *b)
{
	return b->result != NULL;
}

/* To the byte, however much follows, and whatever becomes of the interrupt; the state is kept. */
static void output_limit(void **state)
{
	static const struct {
		const char *lang, *code;
	} FLOODS[] = {
			{"python", "x = 7\nwhile True: print('y' * 999)"},
			{"python", "try:\n    while True: print('y' * 999)\nexcept KeyboardInterrupt: pass"},
			{"python", "import sys\nsys.stderr.write('y' * (3 << 20))"},
			{"javascript", "while (true) console.log('y'.repeat(999))"},
			{"bash", "yes"},
	};
	struct trm_session_opts session;
	(void)state;
	bed_close(&bed);
	trm_session_opts_default(&session);
	session.output_max_bytes = MIB;
	assert_true(open_with(&session));
	for (size_t i = 0; i < sizeof FLOODS / sizeof *FLOODS; i++) {
		const struct trm_result *r = bed_run(&bed, FLOODS[i].lang, FLOODS[i].code);
		assert_int_equal(r->status, TRM_STATUS_INTERRUPTED);
		assert_string_equal(r->reason, "interrupted: it printed more than the output limit of 1 MiB");
		assert_int_equal(r->stdout_bytes + r->stderr_bytes, MIB);
	}
	bed_run(&bed, "python", "print(x, end='')");
	assert_string_equal(bed_stdout(&bed), "7");
	assert_int_equal(bed_run(&bed, "bash", "head -c 1048576 /dev/zero")->status, TRM_STATUS_OK);
}

static void a_paused_run_stands_still_and_goes_on(void **state)
{
	struct trm_run_opts opts;
	(void)state;
	if (!has_groups)
		return;
	trm_run_opts_default(&opts);
	opts.lang = bed_lang("python");
	opts.code = "import time\nb = bytearray(120 << 20)\ntime.sleep(0.2)\nprint('on')\ndel b";
	opts.code_len = strlen(opts.code);
	opts.timeout_ms = 2000;
	bed_begin(&bed, &opts);
	assert_true(bed_wait_for(&bed, is_reported, 10000));
	trm_run_pause(bed.run, true);
	/* Its time does not pass meanwhile. */
	assert_false(bed_wait_for(&bed, has_ended, 2500));
	trm_run_pause(bed.run, false);
	const struct trm_result *r = bed_end(&bed);
	assert_int_equal(r->status, TRM_STATUS_OK);
	assert_int_equal(bed.n_memory, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_one, close_it)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(nothing_met_nothing_reported),
			TEST(memory_of_the_interpreter),
			cmocka_unit_test(a_limit_met_before_we_look),
			TEST(memory_of_a_child),
			TEST(a_kill_is_reported_once),
			TEST(signals_have_names),
			TEST(processes),
			TEST(jobs_live_on),
			TEST(a_time_out_takes_the_whole_tree),
			TEST(after_a_fork_bomb_the_next_run_works),
			TEST(what_an_earlier_run_grows_makes_room),
			TEST(disk),
			TEST(many_small_files),
			TEST(an_allocation_that_was_refused),
			TEST(sizes_and_descriptors),
			TEST(time_limit),
			TEST(memory_that_nothing_counts),
			TEST(peaks_are_the_runs_own),
			TEST(an_interrupt_before_the_limit_keeps_the_state),
			TEST(output_limit),
			TEST(a_paused_run_stands_still_and_goes_on),
	};
	if (!bed_works("local", NULL))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
