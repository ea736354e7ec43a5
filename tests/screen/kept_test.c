/* SPDX-License-Identifier: MIT */
/* Leaving a sandbox running, and coming back to it. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

extern char **environ;

static const char *program;
static struct screen s = {.fd = -1}, other = {.fd = -1};
static char name[40];

static const char *const env[] = {
		"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent", NULL};

/* terrarium WORDS…; its exit code. */
static int terrarium(const char *a, const char *b, const char *c)
{
	char *const argv[] = {(char *)program, (char *)a, (char *)b, (char *)c, NULL};
	posix_spawn_file_actions_t quietly;
	pid_t pid;
	int status;

	posix_spawn_file_actions_init(&quietly);
	for (int fd = 1; fd <= 2; fd++)
		posix_spawn_file_actions_addopen(&quietly, fd, "/dev/null", 1, 0);
	assert_int_equal(posix_spawn(&pid, program, &quietly, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&quietly);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void start(const char *keep)
{
	static unsigned count;
	const char *argv[] = {program, "--confirm", "off", "--restore", "off", "--name", name, "--keep", keep,
			NULL};

	snprintf(name, sizeof name, "kept-%ld-%u", (long)getpid(), ++count);
	screen_start(&s, 24, 100, argv, env);
	screen_wait(&s, "idle");
	screen_send(&s, "x = 41");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "✓");
}

static void attach(void)
{
	const char *argv[] = {program, "attach", name, "--confirm", "off", NULL};

	screen_start(&s, 24, 100, argv, env);
	screen_wait(&s, "idle");
}

static int finish(void **state)
{
	(void)state;
	screen_abandon(&s);
	screen_abandon(&other);
	if (name[0])
		terrarium("stop", "--force", name);
	return 0;
}

static void one_leaves_and_comes_back(void **state)
{
	(void)state;
	start("on");
	screen_wait(&s, "kept"); /* says the title */
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "Detach? The sandbox keeps running");
	screen_wait(&s, "1 of python: x");
	assert_true(screen_shows(&s, "terrarium attach"));
	assert_true(screen_shows(&s, "Stop it"));
	screen_send(&s, "d");
	assert_int_equal(screen_end(&s), 0);

	attach();
	screen_send(&s, "print('still', x + 1)");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "still 42");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "Detach? The sandbox keeps running");
	screen_send(&s, "t");
	assert_int_equal(screen_end(&s), 0);
	assert_int_equal(terrarium("stop", name, NULL), 1); /* there is none any more */
}

static void a_file_is_opened_in_it(void **state)
{
	char path[] = "/tmp/terrarium-kept-XXXXXX.sh";
	const char *argv[] = {program, "attach", name, path, "--confirm", "off", NULL};
	int fd = mkstemps(path, 3);

	(void)state;
	assert_true(fd >= 0 && write(fd, "echo six times $((6 * 7))\n", 26) == 26);
	close(fd);
	start("on");
	screen_send(&s, "\033q");
	assert_int_equal(screen_end(&s), 0);
	screen_start(&s, 24, 100, argv, env);
	screen_wait(&s, "idle");
	screen_wait(&s, "bash: terrarium-kept-");
	screen_wait(&s, "1 echo six times");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "six times 42");
	screen_send(&s, "\033q");
	assert_int_equal(screen_end(&s), 0);
	unlink(path);
}

static void one_that_was_not_kept_is_left_running(void **state)
{
	(void)state;
	start("off");
	assert_false(screen_shows(&s, "kept "));
	screen_send(&s, "\033q"); /* nothing is lost, so it does not ask */
	screen_wait(&s, "unsaved text is kept");
	assert_int_equal(screen_end(&s), 0);
	assert_int_equal(terrarium("stop", name, NULL), 0);
}

static void keeping_is_turned_on_and_off(void **state)
{
	(void)state;
	start("off");
	screen_send(&s, "\x10keep the sandbox\r");
	screen_wait(&s, "keeps running when you leave");
	screen_wait(&s, " kept ");
	screen_send(&s, "\x10keep the sandbox\r");
	screen_wait(&s, "ends when you leave");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "You will lose");
	screen_send(&s, "q");
	assert_int_equal(screen_end(&s), 0);
	assert_int_equal(terrarium("stop", name, NULL), 1);
}

static void detaching_keeps_what_was_to_end(void **state)
{
	(void)state;
	start("on");
	screen_send(&s, "\033q");
	assert_int_equal(screen_end(&s), 0);
	attach();
	screen_send(&s, "\x10keep the sandbox\r");
	screen_wait(&s, "ends when you leave");
	screen_send(&s, "\033q");
	assert_int_equal(screen_end(&s), 0);
	assert_int_equal(terrarium("stop", name, NULL), 0);
}

static void the_reason_of_its_end_is_reported(void **state)
{
	(void)state;
	start("on");
	assert_int_equal(terrarium("stop", name, NULL), 0);
	screen_wait(&s, "was stopped by");
	assert_int_equal(screen_leave(&s), 0);
}

/* Replace the code by this, and run it. */
static void run(const char *code)
{
	screen_send(&s, "\x01");
	screen_send(&s, code);
	screen_send(&s, KEY_F(5));
}

static void copy_out(const char *from, const char *to)
{
	screen_send(&s, "\x10"
			"copy files out\r");
	screen_wait(&s, "Copy out of the sandbox");
	screen_send(&s, from);
	screen_send(&s, "\r");
	screen_wait(&s, "where to?");
	screen_send(&s, "\x15"); /* ^U */
	screen_send(&s, to);
	screen_send(&s, "\r");
}

static void holds(const char *path, const char *text)
{
	char bytes[80];
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	size_t n = fread(bytes, 1, sizeof bytes - 1, f);
	fclose(f);
	bytes[n] = '\0';
	assert_string_equal(bytes, text);
}

static void nothing_here_is_replaced_without_a_question(void **state)
{
	char dir[] = "/tmp/terrarium-copied-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/a.txt", dir);
	start("off");
	run("print(open('a.txt', 'w').write('first'), 'written')");
	screen_wait(&s, "5 written");
	copy_out("a.txt", path);
	screen_wait(&s, "1 file, 5 B");
	holds(path, "first");
	run("print(open('a.txt', 'w').write('second'), 'written')");
	screen_wait(&s, "6 written");
	copy_out("a.txt", dir); /* a folder: into it */
	screen_wait(&s, "a.txt already exists. Replace it?");
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, "Replace it?");
	holds(path, "first");
	copy_out("a.txt", path);
	screen_wait(&s, "Replace it?");
	screen_send(&s, "r");
	screen_wait(&s, "1 file, 6 B");
	holds(path, "second");
	assert_int_equal(screen_leave(&s), 0);
	unlink(path);
	rmdir(dir);
}

/* Both questions, on leaving, follow what the owner wants at that time. */
static void an_attached_client_reads_what_becomes_of_it(void **state)
{
	const char *argv[] = {program, "attach", name, "--confirm", "off", NULL};

	(void)state;
	start("off");
	screen_start(&other, 24, 100, argv, env);
	screen_wait(&other, "idle");
	screen_send(&other, KEY_F(10));
	screen_wait(&other, "Detach? The sandbox ends with its owner");
	screen_send(&other, "\033");
	screen_wait_gone(&other, "Detach?");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "1 other client loses it, too: terrarium workbench");
	screen_send(&s, "\033");
	screen_wait_gone(&s, "Quit?");
	screen_send(&s, "\x10keep the sandbox\r");
	screen_wait(&s, "keeps running when you leave");
	screen_send(&other, KEY_F(10));
	screen_wait(&other, "Detach? The sandbox keeps running");
	screen_send(&other, "d");
	assert_int_equal(screen_end(&other), 0);
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "Detach? The sandbox keeps running");
	screen_send(&s, "t");
	assert_int_equal(screen_end(&s), 0);
}

/* The note about missing colors comes behind what is said about the session. */
static void no_note_hides_another(void **state)
{
	char dir[] = "/tmp/terrarium-state-XXXXXX", state_home[64], command[64];
	const char *const uncolored[] = {"TERM=xterm-256color", "LANG=C.UTF-8",
			"XDG_CONFIG_HOME=/nonexistent", "TERRARIUM_GRAMMARS=/nonexistent", state_home, NULL};
	const char *argv[] = {program, "--confirm", "off", NULL};

	(void)state;
	name[0] = '\0';
	assert_non_null(mkdtemp(dir));
	snprintf(state_home, sizeof state_home, "XDG_STATE_HOME=%s", dir);
	snprintf(command, sizeof command, "rm -r %s", dir);
	screen_start(&s, 24, 100, argv, uncolored);
	screen_wait(&s, "no colors for python");
	screen_send(&s, "# text");
	screen_wait(&s, "# text");
	screen_send(&s, KEY_F(10));
	assert_int_equal(screen_end(&s), 0);
	screen_start(&s, 24, 100, argv, uncolored);
	screen_wait(&s, "restored your last session");
	screen_wait(&s, "no colors for python");
	assert_int_equal(screen_leave(&s), 0);
	assert_int_equal(system(command), 0);
}

static void a_dead_terminal_harms_nothing(void **state)
{
	(void)state;
	start("on");
	screen_abandon(&s);
	attach();
	screen_send(&s, "print('still', x)");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "still 41");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "Detach? The sandbox keeps running");
	screen_send(&s, "t");
	assert_int_equal(screen_end(&s), 0);
}

#define TEST(name) cmocka_unit_test_teardown(name, finish)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			TEST(one_leaves_and_comes_back),
			TEST(a_file_is_opened_in_it),
			TEST(one_that_was_not_kept_is_left_running),
			TEST(keeping_is_turned_on_and_off),
			TEST(detaching_keeps_what_was_to_end),
			TEST(the_reason_of_its_end_is_reported),
			TEST(nothing_here_is_replaced_without_a_question),
			TEST(an_attached_client_reads_what_becomes_of_it),
			TEST(no_note_hides_another),
			TEST(a_dead_terminal_harms_nothing),
	};
	if (argc < 2)
		return 2;
	program = argv[1];
	if (!screen_has_sandboxes(program))
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
