/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "isolation/cases.h"
#include "isolation/exceptions.h"
#include "isolation/inside.h"

/* Helpers end by then, should the test not have ended them. */
enum { LONGEST_S = 60 };

static struct inside in;
static struct outcome o;

/* Daemons take RLIMIT_LOCKS from themselves, by which processes of a sandbox without namespaces are known. */
static bool hides_mark;

/* Daemons with all the tricks: sessions of their own, orphaned, deaf to signals. They end in time, should one
 * escape. Their command line carries a word that is found on the host, and theirs only: who starts them has
 * it in two parts, or else they would all seem to run before they do. */
static void start_daemons(struct inside *where, const char *word)
{
	char code[800];
	snprintf(code, sizeof code,
			"import os, resource, signal, time\n"
			"if %d: resource.setrlimit(10, (1, 1))\n"
			"for s in range(1, 32):\n"
			"  if s not in (9, 17, 19): signal.signal(s, signal.SIG_IGN)\n"
			"for i in range(5):\n"
			"  if not os.fork():\n"
			"    os.setsid()\n"
			"    if os.fork(): os._exit(0)\n"
			"    os.execl('/usr/bin/python3', '%.3s' '%s', '-c', 'import time\\ntime.sleep(%d)')\n"
			"for i in range(5): os.wait()\n",
			hides_mark, word, word + 3, LONGEST_S);
	const char *argv[] = {"/usr/bin/python3", "-c", code, NULL};
	inside_start(where, argv, &o);
}

struct traces {
	char word[64], name[64], folder[256];
	pid_t supervisor, copy;
};

static void trace_sandbox(struct traces *t, const struct trm_sandbox *sandbox)
{
	snprintf(t->name, sizeof t->name, "%s", trm_sandbox_name(sandbox));
	t->supervisor = host_child_of(getpid());
	host_folder(t->name, t->folder, sizeof t->folder);
}

static void trace(struct traces *t, const struct inside *where)
{
	trace_sandbox(t, where->sandbox);
	assert_int_equal(t->supervisor, host_supervisor());
}

static void make_word(struct traces *t, const char *what)
{
	snprintf(t->word, sizeof t->word, "daemon-%s-%d", what, (int)getpid());
}

static bool all_run(void *user)
{
	const struct traces *t = user;
	trm_loop_step(in.loop, 0);
	if (in.is_closed || (o.is_over && o.exit.exit_code))
		fail_msg("%s %s %s", in.why.msg, o.why.msg, o.text);
	return host_count_processes(t->word) >= 5;
}

static bool nothing_is_left(void *user)
{
	const struct traces *t = user;
	return !host_count_processes(t->word) && !host_count_groups(t->supervisor) && !host_has_entry(t->name)
	       && !host_is_alive(t->supervisor) && (!*t->folder || access(t->folder, F_OK) < 0);
}

static void after_close(void **state)
{
	struct traces t;
	(void)state;
	make_word(&t, "close");
	inside_open(&in, NULL);
	trace(&t, &in);
	start_daemons(&in, t.word);
	host_wait(all_run, &t);
	double start = host_now_ms();
	inside_close(&in);
	double took = host_now_ms() - start;
	assert_int_equal(in.why.code, TRM_OK);
	assert_true(nothing_is_left(&t)); /* at once: closed() says so */
	printf("gone %.1f ms after close\n", took);
}

/* A client of its own, which says on a pipe that all runs, and then only waits. */
static void be_a_client(int to, struct traces *t)
{
	alarm(LONGEST_S);
	inside_open(&in, NULL);
	trace(t, &in);
	start_daemons(&in, t->word);
	host_wait(all_run, t);
	/* A copy of itself, with a copy of all its descriptors, that lives longer. */
	t->copy = fork();
	if (!t->copy) {
		alarm(LONGEST_S);
		for (;;)
			pause();
	}
	if (write(to, t, sizeof *t) != sizeof *t)
		_exit(1);
	for (;;)
		trm_loop_step(in.loop, -1);
}

static void after_the_client_is_killed(void **state)
{
	struct traces t;
	int line[2];
	(void)state;
	make_word(&t, "killed");
	assert_int_equal(pipe(line), 0);
	fflush(stdout);
	pid_t pid = fork();
	if (!pid)
		be_a_client(line[1], &t);
	close(line[1]);
	t.copy = 0;
	assert_int_equal(read(line[0], &t, sizeof t), sizeof t);
	unsigned n = host_count_processes(t.word);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	double took = host_wait(nothing_is_left, &t);
	kill(t.copy, SIGKILL);
	close(line[0]);
	assert_true(n >= 5);
	printf("gone %.1f ms after SIGKILL of the client\n", took);
}

static void after_the_agent_is_killed(void **state)
{
	struct traces t;
	(void)state;
	make_word(&t, "agent");
	inside_open(&in, NULL);
	trace(&t, &in);
	start_daemons(&in, t.word);
	host_wait(all_run, &t);
	pid_t agent = host_agent(t.supervisor);
	assert_true(agent > 1);
	/* What stands still is no less gone. */
	assert_int_equal(kill(agent, SIGSTOP), 0);
	assert_int_equal(kill(agent, SIGKILL), 0);
	inside_wait_closed(&in);
	assert_int_equal(in.why.code, TRM_ECLOSED);
	assert_non_null(strstr(in.why.msg, "signal 9"));
	assert_true(nothing_is_left(&t));
}

/* Deep, locked, with names that the cleanup uses itself, and links that lead out. */
static void after_a_hostile_tree(void **state)
{
	char dir[] = "/tmp/isolation-kept-XXXXXX", file[64], code[1200];
	struct traces t;
	(void)state;
	make_word(&t, "tree");
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof file, "%s/file", dir);
	close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
	inside_open(&in, NULL);
	trace(&t, &in);
	snprintf(code, sizeof code,
			"import os\n"
			"top = os.getcwd()\n"
			"for i in range(20): os.makedirs('.deep-%%d/x' %% i)\n"
			"os.symlink('%s', '.deep-20')\n"
			"for i in range(200):\n"
			"  name = '\\x1b[2J' + 'd' * 100; os.mkdir(name); os.chdir(name)\n"
			"  os.symlink('%s', 'link'); os.mkdir('locked')\n"
			"  open('locked/file', 'w').close(); os.chmod('locked', 0)\n"
			"os.chmod(os.environ['HOME'], 0); os.chmod(top, 0)\n",
			dir, file);
	inside_python(&in, code, &o);
	inside_close(&in);
	assert_true(nothing_is_left(&t));
	assert_int_equal(access(file, F_OK), 0);
	unlink(file);
	rmdir(dir);
}

static void on_early_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	bool *is_closed = user;
	(void)sandbox;
	assert_int_equal(why->code, TRM_OK);
	*is_closed = true;
}

static void after_the_supervisor_is_killed(void **state)
{
	struct traces t;
	(void)state;
	make_word(&t, "supervisor");
	inside_open(&in, NULL);
	trace(&t, &in);
	start_daemons(&in, t.word);
	host_wait(all_run, &t);
	assert_int_equal(kill(t.supervisor, SIGKILL), 0);
	double start = host_now_ms();
	inside_wait_closed(&in); /* the client takes away what the supervisor could not */
	assert_int_not_equal(in.why.code, TRM_OK);
	host_wait(nothing_is_left, &t);
	printf("gone %.1f ms after SIGKILL of the supervisor\n", host_now_ms() - start);
}

/* As in a container that may make no control groups. */
static void without_groups(void (*test)(void **state))
{
	int status;
	const struct CMUnitTest tests[] = {{"without groups", test, NULL, NULL, NULL}};
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
			_exit(0); /* whoever may not do that has no groups anyway */
		umount2("/sys/fs/cgroup", MNT_DETACH);
		hides_mark = true;
		exit(cmocka_run_group_tests(tests, NULL, NULL));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void code_without_its_mark_is_found(void **state)
{
	(void)state;
	without_groups(after_close);
}

/* Then only a user of its own tells whose it is. */
static void code_without_its_mark_is_found_without_a_supervisor(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	without_groups(after_the_supervisor_is_killed);
}

/* Landlock lets a user of the sandbox's own make files in /dev/shm, and cannot leave out folders of the host
 * there in which everybody may. */
static void files_in_open_folders_of_shared_memory_go(void **state)
{
	enum { DEEP = 20, OUTER = 1, INNER }; /* all but these and the deepest can only be entered */
	char path[DEEP][200] = {"/dev/shm"}, code[1000];
	bool is_made = true, is_empty = true;
	(void)state;
	if (geteuid() != 0 || inside_isolation == TRM_ISOLATION_NAMESPACES)
		skip();
	snprintf(path[OUTER], sizeof *path, "/dev/shm/isolation-open-%d", (int)getpid());
	for (int i = INNER; i < DEEP; i++)
		snprintf(path[i], sizeof *path, "%.190s/in", path[i - 1]);
	for (int i = OUTER; i < DEEP; i++)
		is_made &= mkdir(path[i], 0700) == 0
			   && chmod(path[i], i <= INNER || i == DEEP - 1 ? 0777 : 0711) == 0;
	snprintf(code, sizeof code, "for d in '%s', '%s', '%s': print(open(d + '/file', 'w').write('x'))\n",
			path[OUTER], path[INNER], path[DEEP - 1]);
	inside_open(&in, NULL);
	inside_python(&in, code, &o);
	inside_close(&in);
	for (int i = DEEP - 1; i >= OUTER; i--)
		is_empty &= rmdir(path[i]) == 0;
	assert_true(is_made);
	assert_string_equal(o.text, "1\n1\n1\n");
	assert_true(is_empty);
}

static void after_a_polite_signal_to_the_supervisor(void **state)
{
	struct traces t;
	(void)state;
	make_word(&t, "term");
	inside_open(&in, NULL);
	trace(&t, &in);
	assert_int_equal(kill(t.supervisor, SIGTERM), 0);
	inside_wait_closed(&in);
	assert_int_equal(in.why.code, TRM_ECLOSED);
	assert_true(nothing_is_left(&t));
}

/* Wherever the start is just then. */
static void after_an_early_close(void **state)
{
	static const struct trm_sandbox_cb cb = {.closed = on_early_closed};
	struct trm_sandbox_opts opts;
	struct trm_loop *loop;
	(void)state;
	trm_sandbox_opts_default(&opts);
	opts.isolation = inside_isolation;
	opts.hides_packages = true;
	assert_int_equal(trm_loop_create(&loop, NULL), 0);
	for (unsigned i = 0; i < 60; i++) {
		struct trm_sandbox *sandbox;
		struct traces t = {.word = "no such word"};
		bool is_closed = false;
		double deadline = host_now_ms() + INSIDE_DEADLINE_MS, until = host_now_ms() + i * 0.1;
		struct trm_error why = {0};
		if (trm_sandbox_open(loop, &opts, &cb, &is_closed, &sandbox, &why) < 0)
			fail_msg("sandbox %u was not opened: %s", i, why.msg);
		trace_sandbox(&t, sandbox);
		while (host_now_ms() < until)
			trm_loop_step(loop, 0);
		trm_sandbox_close(sandbox);
		while (!is_closed && host_now_ms() < deadline)
			trm_loop_step(loop, 10);
		assert_true(is_closed);
		assert_true(nothing_is_left(&t));
	}
	trm_loop_destroy(loop);
}

static void a_name_is_taken_once(void **state)
{
	struct inside second;
	char name[64];
	(void)state;
	snprintf(name, sizeof name, "isolation-%d", (int)getpid());
	assert_int_equal(inside_try_open(&in, name, NULL), 0);
	assert_int_equal(inside_try_open(&second, name, NULL), TRM_EEXIST);
	assert_non_null(strstr(second.why.msg, name));
	inside_close(&in);
	assert_int_equal(inside_try_open(&in, name, NULL), 0);
	inside_close(&in);
}

static void without_bubblewrap_it_says_what_to_do(void **state)
{
	char *path = strdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	(void)state;
	if (inside_isolation != TRM_ISOLATION_NAMESPACES)
		skip();
	setenv("PATH", "/nonexistent", 1);
	int r = inside_try_open(&in, NULL, NULL);
	setenv("PATH", path, 1);
	free(path);
	assert_int_equal(r, TRM_ENOTSUP);
	assert_non_null(strstr(in.why.msg, "apt install bubblewrap"));
}

int cases_leftovers(void)
{
	const struct CMUnitTest cases[] = {
			cmocka_unit_test(after_close),
			cmocka_unit_test(after_the_client_is_killed),
			cmocka_unit_test(after_the_agent_is_killed),
			cmocka_unit_test(after_the_supervisor_is_killed),
			cmocka_unit_test(after_a_hostile_tree),
			cmocka_unit_test(code_without_its_mark_is_found),
			cmocka_unit_test(code_without_its_mark_is_found_without_a_supervisor),
			cmocka_unit_test(files_in_open_folders_of_shared_memory_go),
			cmocka_unit_test(after_a_polite_signal_to_the_supervisor),
			cmocka_unit_test(after_an_early_close),
			cmocka_unit_test(a_name_is_taken_once),
			cmocka_unit_test(without_bubblewrap_it_says_what_to_do),
	};
	return EXCEPTIONS_RUN("leftovers", cases, NULL, NULL);
}
