/* SPDX-License-Identifier: MIT */
/* With real interpreters: what the microsandbox SDK's examples do. */
#include "cmocka_all.h"
#include "langs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

static struct trm_sync *s;
static struct trm_error why;
static struct trm_execution done;

static int begin(void **state)
{
	struct trm_sync_opts opts;
	(void)state;
	trm_sync_opts_default(&opts);
	if (trm_sync_create(&opts, &s, &why) < 0)
		return -1;
	return 0;
}

static void start(void)
{
	if (trm_sync_start(s, &why) < 0) {
		print_message("%s\n", why.msg);
		skip();
	}
}

static int finish(void **state)
{
	(void)state;
	trm_execution_finish(&done);
	trm_sync_destroy(s);
	return 0;
}

static void gives(unsigned language, const char *code, const char *output)
{
	trm_execution_finish(&done);
	if (trm_sync_run_as(s, trm_lang_at(language), code, -1, &done, &why) < 0)
		fail_msg("%s", why.msg);
	assert_string_equal(done.output, output);
}

static void code_keeps_its_state(void **state)
{
	(void)state;
	start();
	gives(LANG_PYTHON, "x = 20\ny = 22\nprint('sum')\nx + y", "sum\n42");
	gives(LANG_PYTHON, "1 + 1\n'a' + 'b'\nNone", "2\n'ab'");
	gives(LANG_PYTHON, "print('x', end='')", "x");
	gives(LANG_JAVASCRIPT, "let n = 6\nfunction f(a) {\n  return a * 7\n}\n\nf(n)", "42");
	gives(LANG_JAVASCRIPT, "undefined", "");
	gives(LANG_BASH, "cd /tmp; v=1", "");
	gives(LANG_BASH, "echo $v $PWD", "1 /tmp");
}

static void one_call_runs_code_once(void **state)
{
	(void)state;
	start();
	assert_int_equal(trm_run_once("py", "x = 40\nx + 2", &done, &why), 0);
	assert_string_equal(done.output, "42");
	trm_execution_finish(&done);
	assert_int_equal(trm_run_once(NULL, "x", &done, &why), 0);
	assert_string_equal(done.status, "error");
	assert_non_null(strstr(done.error, "NameError"));
	trm_execution_finish(&done);
	assert_int_equal(trm_run_once("cobol", "x", &done, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "cobol"));
	assert_string_equal(done.status, "unknown");
}

static void errors_are_executions(void **state)
{
	(void)state;
	start();
	gives(LANG_PYTHON, "1 / 0", "");
	assert_true(done.has_error);
	assert_string_equal(done.status, "error");
	assert_memory_equal(done.error, "Traceback (most recent call last):\n", 35);
	gives(LANG_PYTHON, "import sys; print('warn', file=sys.stderr)", "");
	assert_true(done.has_error);
	assert_string_equal(done.status, "success");
	assert_string_equal(done.error, "warn");
	gives(LANG_JAVASCRIPT, "throw new Error('boom')", "");
	assert_non_null(strstr(done.error, "Error: boom"));
	gives(LANG_PYTHON, "input()", "");
	assert_non_null(strstr(done.error, "EOFError"));
}

static void commands_run_without_a_shell(void **state)
{
	static const char *const args[] = {"-c", "echo out; echo err >&2; exit 3", NULL};
	static const char *const raw[] = {"$HOME;", "ls", NULL};
	static const char *const slow[] = {"-c", "echo begun; sleep 1000 & sleep 1000", NULL};
	static const char *const dying[] = {"-c", "kill -9 $$", NULL};
	struct trm_command_execution e;
	(void)state;
	start();
	assert_int_equal(trm_sync_command(s, "bash", args, -1, &e, &why), 0);
	assert_string_equal(e.output, "out");
	assert_string_equal(e.error, "err");
	assert_int_equal(e.exit_code, 3);
	assert_false(e.success);
	trm_command_execution_finish(&e);
	assert_int_equal(trm_sync_command(s, "echo", raw, -1, &e, &why), 0);
	assert_string_equal(e.output, "$HOME; ls");
	trm_command_execution_finish(&e);
	assert_int_equal(trm_sync_command(s, "cat", NULL, -1, &e, &why), 0); /* stdin is at its end */
	assert_true(e.success);
	trm_command_execution_finish(&e);
	assert_int_equal(trm_sync_command(s, "bash", dying, -1, &e, &why), 0);
	assert_int_equal(e.exit_code, 137);
	trm_command_execution_finish(&e);
	assert_int_equal(trm_sync_command(s, "no-such-program", NULL, -1, &e, &why), TRM_ENOENT);
	trm_command_execution_finish(&e);
	assert_int_equal(trm_sync_command(s, "bash", slow, 300, &e, &why), TRM_ETIMEDOUT);
	assert_string_equal(e.output, "begun");
	trm_command_execution_finish(&e);
	gives(LANG_BASH, "! pgrep -x sleep && echo none", "none");
}

static void several_commands_run_in_order(void **state)
{
	static const char *const write[] = {"sh", "-c", "echo one >file; echo said", NULL},
				 *const fail[] = {"false", NULL}, *const missing[] = {"/nowhere/x", NULL},
				 *const read[] = {"cat", "file", NULL};
	const char *const *const all[] = {write, fail, missing, read, NULL};
	struct trm_command_execution ret[4];
	size_t n;
	(void)state;
	start();
	assert_int_equal(trm_sync_commands(s, all, true, -1, ret, &n, &why), 0);
	assert_int_equal(n, 2);
	assert_string_equal(ret[0].output, "said");
	assert_int_equal(ret[1].exit_code, 1);
	for (size_t i = 0; i < n; i++)
		trm_command_execution_finish(&ret[i]);
	assert_int_equal(trm_sync_commands(s, all, false, -1, ret, &n, &why), TRM_ENOENT);
	assert_int_equal(n, 4);
	assert_string_equal(ret[3].output, "one");
	for (size_t i = 0; i < n; i++)
		trm_command_execution_finish(&ret[i]);
}

static void runs_have_their_own_surroundings(void **state)
{
	struct trm_run_opts run;
	(void)state;
	start();
	trm_run_opts_default(&run);
	run.code = "import os; print(os.environ['OWN'], os.getcwd())";
	run.env = (const char *const[]){"OWN=x", NULL};
	run.cwd = "/tmp";
	trm_execution_finish(&done);
	assert_int_equal(trm_sync_run_with(s, &run, &done, &why), 0);
	assert_non_null(strstr(done.output, "x /"));
	gives(LANG_PYTHON, "'OWN' in os.environ", "False");
	run.code = NULL;
	trm_execution_finish(&done);
	assert_int_equal(trm_sync_run_with(s, &run, &done, &why), TRM_EINVAL);
	trm_execution_finish(&done);
	run.code = "1";
	run.libraries = (const char *const[]){"--index-url=x", NULL};
	assert_int_equal(trm_sync_run_with(s, &run, &done, &why), TRM_EINVAL);
	assert_int_equal(trm_sync_install(s, (const char *const[]){"a @ http://x", NULL}, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "Failed to install packages: "));
}

/* Of the folder that is put in, with names that need more than a header. */
static void folders_go_in_and_come_out_as_archives(void **state)
{
	char folder[] = "/tmp/terrarium-sync-XXXXXX", command[1000], name[160];
	struct trm_archive archive;
	(void)state;
	start();
	assert_non_null(mkdtemp(folder));
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	snprintf(command, sizeof command,
			"cd %s && mkdir d && echo text >d/%s && chmod 751 d/%s && ln -s d l", folder, name,
			name);
	assert_int_equal(system(command), 0);
	assert_int_equal(trm_sync_put_tree(s, folder, "deep/er", &why), 0);
	assert_int_equal(trm_sync_put_tree(s, folder, "../x", &why), TRM_EINVAL);
	gives(LANG_PYTHON, "import os; sorted(os.listdir('deep/er'))", "['d', 'l']");
	assert_int_equal(trm_sync_archive(s, "deep/er", 1 << 20, &archive, &why), 0);
	assert_int_equal(archive.n_entries, 4);
	assert_int_equal(archive.n % 512, 0);
	for (size_t i = 0; i < archive.n_entries; i++) {
		const struct trm_archive_entry *e = &archive.entries[i];
		bool is_file = e->kind == TRM_ARCHIVE_FILE;
		assert_memory_equal(e->name, "er/", 3);
		if (is_file)
			assert_int_equal(e->mode, 0751);
		assert_int_equal(e->size, is_file ? 5 : 0);
		assert_int_equal(strlen(e->name) > 160, is_file);
	}
	trm_archive_finish(&archive);
	gives(LANG_PYTHON, "open('file', 'w').write('x' * 600)", "600");
	assert_int_equal(trm_sync_archive(s, "file", 1 << 20, &archive, &why), 0);
	assert_int_equal(archive.n_entries, 1);
	assert_string_equal(archive.entries[0].name, "file");
	assert_int_equal(archive.entries[0].size, 600);
	trm_archive_finish(&archive);
	assert_int_equal(trm_sync_archive(s, "file", 100, &archive, &why), TRM_ETOOBIG);
	trm_archive_finish(&archive);
	assert_true(trm_sync_archive(s, "nothing", 100, &archive, &why) < 0);
	trm_archive_finish(&archive);
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

/* A folder that wants to do harm: only names below its own, and who asks is told that something is missing.
 */
static void archives_hold_no_harm(void **state)
{
	static const char code[] = "import os\n"
				   "os.makedirs('evil/sub'); os.chdir('evil')\n"
				   "os.symlink('/etc/passwd', 'absolute'); os.symlink('../..', 'sub/up')\n"
				   "os.symlink('sub', 'stays'); os.mkfifo('fifo'); open('..x', 'w').close()\n"
				   "open('n' * 255, 'w').close(); os.link('..x', 'hard')\n"
				   "with open('giant', 'w') as file: file.truncate(2 << 20)\n"
				   "os.chdir('..')";
	struct trm_archive archive;
	(void)state;
	start();
	gives(LANG_PYTHON, code, "2097152");
	assert_int_equal(trm_sync_archive(s, "evil", 1 << 20, &archive, &why), TRM_ETOOBIG);
	assert_null(archive.bytes);
	trm_archive_finish(&archive);
	assert_true(trm_sync_archive(s, "evil", 4 << 20, &archive, &why) < 0);
	assert_int_equal(archive.n_entries, 0);
	trm_archive_finish(&archive);
	gives(LANG_PYTHON, "os.remove('evil/absolute'); os.remove('evil/sub/up'); os.remove('evil/fifo')",
			"");
	assert_int_equal(trm_sync_archive(s, "evil", 4 << 20, &archive, &why), 0);
	assert_int_equal(archive.n_entries, 7);
	for (size_t i = 0; i < archive.n_entries; i++) {
		assert_memory_equal(archive.entries[i].name, "evil/", 5);
		assert_null(strstr(archive.entries[i].name, "../"));
	}
	trm_archive_finish(&archive);
}

static void it_is_measured(void **state)
{
	struct trm_sync_metrics all;
	(void)state;
	start();
	gives(LANG_PYTHON, "open('big', 'wb').write(b'x' * (8 << 20))", "8388608");
	assert_int_equal(trm_sync_metrics_all(s, &all, &why), 0);
	assert_true(all.is_running && all.has_cpu && all.has_memory && all.has_disk);
	assert_true(all.memory_mib > 0 && all.memory_mib < 512);
	assert_true(all.disk_bytes >= 8 << 20);
	assert_true(all.cpu_percent >= 0 && all.cpu_percent < 400);
}

static void a_kept_one_is_joined(void **state)
{
	struct trm_sync_opts opts;
	struct trm_sync *second;
	struct trm_execution e;
	(void)state;
	start();
	trm_sync_opts_default(&opts);
	opts.sandbox.name = trm_sync_name(s);
	assert_int_equal(trm_sync_create(&opts, &second, &why), 0);
	assert_int_equal(trm_sync_start(second, &why), TRM_EEXIST);
	trm_sync_destroy(second);
	opts.may_join = true;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(trm_sync_create(&opts, &second, &why), 0);
		assert_int_equal(trm_sync_start(second, &why), 0);
		assert_int_equal(trm_sync_run(second, i ? "x" : "x = 7", &e, &why), 0);
		assert_string_equal(e.output, i ? "7" : "");
		trm_execution_finish(&e);
		trm_sync_destroy(second);
	}
	assert_true(trm_sync_is_started(s));
	opts.sandbox.name = NULL; /* there is nothing to be joined */
	why = (struct trm_error){0};
	assert_int_equal(trm_sync_create(&opts, &second, &why), 0);
	assert_int_equal(trm_sync_start(second, &why), 0);
	assert_int_equal(why.code, TRM_OK);
	trm_sync_destroy(second);
}

/* Both may be the first. */
static void who_joins_finds_the_state_of_who_started(void **state)
{
	struct trm_sync_opts opts;
	struct trm_sync *second;
	struct trm_execution e;
	(void)state;
	trm_sync_opts_default(&opts);
	opts.may_join = true;
	opts.sandbox.name = trm_sync_name(s);
	assert_int_equal(trm_sync_create(&opts, &second, &why), 0);
	trm_sync_destroy(s);
	s = second;
	opts.sandbox.name = trm_sync_name(s);
	start();
	gives(LANG_PYTHON, "x = 7", "");
	assert_int_equal(trm_sync_create(&opts, &second, &why), 0);
	assert_int_equal(trm_sync_start(second, &why), 0);
	assert_int_equal(trm_sync_run(second, "x", &e, &why), 0);
	assert_string_equal(e.output, "7");
	trm_execution_finish(&e);
	trm_sync_destroy(second);
	gives(LANG_PYTHON, "x + 1", "8");
}

static void relative_paths_begin_in_the_working_directory(void **state)
{
	struct trm_sync_opts opts;
	char *bytes = NULL;
	size_t n = 0;
	trm_sync_destroy(s);
	trm_sync_opts_default(&opts);
	opts.sandbox.workdir = "/elsewhere";
	(void)state;
	assert_int_equal(trm_sync_create(&opts, &s, &why), 0);
	start();
	assert_int_equal(trm_sync_put(s, "a", 0600, "x", 1, &why), 0);
	assert_int_equal(trm_sync_get(s, "/elsewhere/a", 1, &bytes, &n, &why), 0);
	free(bytes);
}

static void one_that_ended_says_why(void **state)
{
	struct trm_registry *registry;
	struct trm_entry entry;
	(void)state;
	start();
	assert_int_equal(trm_registry_create(&registry, &why), 0);
	assert_int_equal(trm_registry_find(trm_sync_name(s), &entry, &why), 0);
	assert_int_equal(trm_registry_stop(registry, &entry, &why), 0);
	assert_int_equal(trm_registry_wait(registry, &entry, 20000, &why), 0);
	trm_registry_destroy(registry);
	assert_int_equal(trm_sync_metrics_is_running(s, &why), 0);
	assert_int_equal(trm_sync_run(s, "1", &done, &why), TRM_ECLOSED);
	assert_memory_equal(why.msg, "Sandbox is not started. Call start() first. It has ended: ", 58);
	assert_false(trm_sync_is_started(s));
	assert_int_equal(trm_sync_metrics_is_running(s, &why), 0);
	assert_int_equal(trm_sync_start(s, &why), 0);
	gives(LANG_PYTHON, "6 * 7", "42");
}

/* It may end before it is there, or right behind: never without a sentence, and never as a run that went well
 * and did not. */
static void a_lifetime_shorter_than_the_start(void **state)
{
	static const uint32_t lifetimes_ms[] = {1, 3, 10, 30};
	(void)state;
	for (size_t i = 0; i < 2 * sizeof lifetimes_ms / sizeof *lifetimes_ms; i++) {
		struct trm_sync_opts opts;
		struct trm_sync *brief;
		trm_sync_opts_default(&opts);
		opts.sandbox.max_lifetime_ms = lifetimes_ms[i / 2];
		opts.sandbox.limits_lifetime = i % 2;
		opts.sandbox.keep = !opts.sandbox.limits_lifetime;
		assert_int_equal(trm_sync_create(&opts, &brief, &why), 0);
		int r = trm_sync_start(brief, &why);
		if (r == 0)
			r = trm_sync_run(brief, "while True: pass", &done, &why);
		if (r == 0)
			assert_non_null(strstr(done.error, "lifetime"));
		else
			assert_non_null(strstr(why.msg, "lifetime"));
		trm_execution_finish(&done);
		trm_sync_destroy(brief);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(one_call_runs_code_once, begin, finish),
			cmocka_unit_test_setup_teardown(code_keeps_its_state, begin, finish),
			cmocka_unit_test_setup_teardown(errors_are_executions, begin, finish),
			cmocka_unit_test_setup_teardown(commands_run_without_a_shell, begin, finish),
			cmocka_unit_test_setup_teardown(several_commands_run_in_order, begin, finish),
			cmocka_unit_test_setup_teardown(runs_have_their_own_surroundings, begin, finish),
			cmocka_unit_test_setup_teardown(
					folders_go_in_and_come_out_as_archives, begin, finish),
			cmocka_unit_test_setup_teardown(archives_hold_no_harm, begin, finish),
			cmocka_unit_test_setup_teardown(it_is_measured, begin, finish),
			cmocka_unit_test_setup_teardown(a_kept_one_is_joined, begin, finish),
			cmocka_unit_test_setup_teardown(
					who_joins_finds_the_state_of_who_started, begin, finish),
			cmocka_unit_test_setup_teardown(
					relative_paths_begin_in_the_working_directory, begin, finish),
			cmocka_unit_test_setup_teardown(one_that_ended_says_why, begin, finish),
			cmocka_unit_test(a_lifetime_shorter_than_the_start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
