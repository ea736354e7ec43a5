/* SPDX-License-Identifier: MIT */
/* A disk that is full, in a mount namespace of this test's own: what was there stays whole, a sentence says
 * what could not be kept, the program goes on, and what comes once there is room again is kept. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

enum { DISK_KIB = 128, PAGE = 4096, SKIPPED = 77 };

static const char *program, *backend;
static struct screen s = {.fd = -1};
static char dir[64], state_home[100];

/* ---- the disk --------------------------------------------------------------------------- */

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return is_written;
}

/* Who is not root becomes it in a user namespace of its own, where that is allowed. */
static bool enter(void)
{
	char users[64], groups[64];

	snprintf(users, sizeof users, "0 %u 1", (unsigned)geteuid());
	snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getegid());
	if (geteuid() == 0)
		return unshare(CLONE_NEWNS) == 0;
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_file("/proc/self/uid_map", users)
	       && write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/gid_map", groups);
}

static bool make_disk(const char *more)
{
	char options[64];

	snprintf(options, sizeof options, "size=%dk,mode=700%s", DISK_KIB, more);
	return mount("none", dir, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
}

static const char *path_of(const char *name)
{
	static char paths[4][160];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof paths[0], "%s/%s", dir, name);
	return path;
}

static void fill(void)
{
	char page[PAGE] = {1};
	int fd = open(path_of("fill"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	while (write(fd, page, sizeof page) == sizeof page)
		;
	close(fd);
}

static void make_room(void)
{
	assert_int_equal(unlink(path_of("fill")), 0);
}

static void give(const char *name, size_t n)
{
	FILE *f = fopen(path_of(name), "w");

	assert_non_null(f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "old %03zu\n", i % 1000);
	assert_int_equal(fclose(f), 0);
}

static char *content(const char *path)
{
	char *text = calloc(1, DISK_KIB * 1024 + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_non_null(text);
	assert_true(fd >= 0);
	assert_true(read(fd, text, DISK_KIB * 1024) >= 0);
	close(fd);
	return text;
}

/* ---- the program ------------------------------------------------------------------------ */

static void start(const char *option, const char *value)
{
	const char *argv[] = {program, "--backend", backend, "--confirm", "off", "--restore", "off", option,
			value, NULL};
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent",
			*state_home ? state_home : NULL, NULL};

	screen_start(&s, 30, 140, argv, env);
	screen_wait(&s, "idle");
}

static void leave(void)
{
	assert_int_equal(screen_leave(&s), 0);
}

/* The state is kept on the disk; else in a folder of the screen's own, where there is room. */
static void keep_state_here(void)
{
	snprintf(state_home, sizeof state_home, "XDG_STATE_HOME=%s", dir);
}

static int clean_up(void **state)
{
	(void)state;
	screen_abandon(&s);
	state_home[0] = '\0';
	umount2(dir, MNT_DETACH);
	assert_true(make_disk(""));
	return 0;
}

/* ---- saving ----------------------------------------------------------------------------- */

enum { OLD_LINES = 4096 }; /* whole pages: one byte more takes another one */

/* Save `name` in vain: it is as it was, nothing else lies there, and the change is still to be saved. */
static void save_in_vain(const char *name)
{
	char *old = content(path_of(name));
	struct stat before, after;

	assert_int_equal(stat(path_of(name), &before), 0);
	start(path_of(name), NULL);
	screen_wait(&s, "old 000");
	screen_send(&s, "changed ");
	screen_wait(&s, "changed old 000");
	fill();
	screen_send(&s, "\x13"); /* ^S */
	screen_wait(&s, "cannot save");
	screen_wait(&s, "No space left on device");
	char *now = content(path_of(name));
	assert_string_equal(now, old);
	assert_int_equal(stat(path_of(name), &after), 0);
	assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
	screen_wait(&s, "*");
	make_room();
	screen_send(&s, "\x13");
	screen_wait(&s, "saved");
	free(now);
	now = content(path_of(name));
	assert_memory_equal(now, "changed ", 8);
	assert_int_equal(strlen(now), strlen(old) + 8);
	leave();
	free(now);
	free(old);
}

static void what_cannot_be_saved_stays_as_it_was(void **state)
{
	(void)state;
	give("a.py", OLD_LINES);
	save_in_vain("a.py");
}

/* Of a file with two names no new one may take the place. */
static void nor_is_a_file_with_two_names_cut(void **state)
{
	(void)state;
	give("a.py", OLD_LINES);
	assert_int_equal(link(path_of("a.py"), path_of("b.py")), 0);
	save_in_vain("a.py");
}

/* Not even an empty file can be made beside the old one. */
static void nor_where_no_file_can_be_made(void **state)
{
	(void)state;
	umount2(dir, MNT_DETACH);
	assert_true(make_disk(",nr_inodes=3")); /* its root's, and */
	give("a.py", OLD_LINES);
	save_in_vain("a.py"); /* "fill" */
}

/* ---- what the program keeps for itself ---------------------------------------------------- */

/* Every line whole and alone, beginning like this. */
static void expect_lines(const char *path, const char *begin)
{
	char *text = content(path), *save = NULL, *line = strtok_r(text, "\n", &save);

	assert_non_null(line);
	for (; line; line = strtok_r(NULL, "\n", &save))
		if (strncmp(line, begin, strlen(begin)) != 0 || line[strlen(line) - 1] != '}'
				|| strstr(line + 1, begin))
			fail_msg("a broken line in %s: %.100s", path, line);
	free(text);
}

static void run(const char *code)
{
	screen_send(&s, "\x01"); /* select all: the next key replaces it */
	screen_send(&s, code);
	screen_send(&s, KEY_F(5));
}

static void wait_written(const char *name)
{
	double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;
	struct stat st;

	while (stat(path_of(name), &st) < 0 || st.st_size == 0) {
		screen_wait_quiet(&s, 20);
		assert_true(screen_now_ms() < deadline);
	}
}

static void no_half_a_line_of_history(void **state)
{
	char code[6000];

	(void)state;
	keep_state_here();
	memset(code, 'x', sizeof code - 1);
	code[sizeof code - 1] = '\0';
	memcpy(code, "print ", 6);
	start(NULL, NULL);
	run("print one");
	wait_written("terrarium/history.jsonl");
	fill();
	run(code); /* the beginning of its line has room in the file's last page */
	screen_wait(&s, "✓  print xxx");
	screen_wait_quiet(&s, 50);
	screen_send(&s, KEY_F(4)); /* the newest message may be another one */
	screen_wait(&s, "runs are not remembered");
	screen_wait(&s, "history.jsonl: No space left on device");
	screen_send(&s, "\x1b");
	make_room();
	run("print three");
	screen_wait(&s, "✓  print three");
	leave();
	expect_lines(path_of("terrarium/history.jsonl"), "{\"time\":");
	char *text = content(path_of("terrarium/history.jsonl"));
	assert_non_null(strstr(text, "print one"));
	assert_non_null(strstr(text, "print three"));
	free(text);
}

static void a_recording_ends_with_its_last_whole_event(void **state)
{
	const char *argv[] = {program, "replay", path_of("r"), NULL};
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/dev/null", NULL};

	(void)state;
	start("--record", path_of("r"));
	screen_wait(&s, "REC");
	run("print one");
	screen_wait(&s, "✓  print one");
	fill();
	run("print two\rflood 20000");
	screen_wait(&s, "the recording has ended: No space left on device");
	screen_wait_gone(&s, "REC");
	run("print three");
	screen_wait(&s, "✓  print three");
	leave();
	screen_start(&s, 30, 120, argv, env);
	screen_wait(&s, "print one");
	screen_send(&s, "q");
	screen_end(&s);
	char *text = content(path_of("r"));
	assert_int_equal(text[strlen(text) - 1], '\n');
	free(text);
}

static void a_recording_that_cannot_begin_leaves_no_file(void **state)
{
	(void)state;
	fill();
	start("--record", path_of("r"));
	screen_send(&s, KEY_F(4));
	screen_wait(&s, "No space left on device");
	screen_send(&s, "\x1b");
	assert_int_equal(access(path_of("r"), F_OK), -1);
	leave();
}

/* Until a file of unsaved work holds the text. */
static void wait_kept(const char *text)
{
	char command[256];
	double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;

	snprintf(command, sizeof command, "grep -rqs -- '%s' %s/terrarium/unsaved --include='[0-9]*'", text,
			dir);
	while (system(command) != 0) {
		screen_wait_quiet(&s, 20);
		assert_true(screen_now_ms() < deadline);
	}
}

static void unsaved_work_is_kept_once_there_is_room(void **state)
{
	(void)state;
	keep_state_here();
	give("a.py", 10);
	start(path_of("a.py"), NULL);
	screen_send(&s, "first ");
	wait_kept("first old");
	fill();
	screen_send(&s, "second ");
	screen_wait(&s, "unsaved text cannot be kept: No space left on device");
	wait_kept("first old"); /* better than nothing */
	make_room();
	screen_send(&s, "third ");
	wait_kept("first second third old");
	fill();
	screen_send(&s, "fourth ");
	screen_wait(&s, "fourth old");
	screen_wait_quiet(&s, 800); /* longer than it waits for a pause of typing */
	make_room();
	screen_send(&s, "\x13");
	screen_wait(&s, "saved");
	leave();
	start(NULL, NULL);
	assert_false(screen_shows(&s, "Unsaved text"));
	leave();
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, clean_up)
	const struct CMUnitTest tests[] = {
			TEST(what_cannot_be_saved_stays_as_it_was),
			TEST(nor_is_a_file_with_two_names_cut),
			TEST(nor_where_no_file_can_be_made),
			TEST(no_half_a_line_of_history),
			TEST(a_recording_ends_with_its_last_whole_event),
			TEST(a_recording_that_cannot_begin_leaves_no_file),
			TEST(unsaved_work_is_kept_once_there_is_room),
	};

	if (argc < 3)
		return 2;
	program = argv[1];
	backend = argv[2];
	snprintf(dir, sizeof dir, "/tmp/terrarium-full-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	if (!enter() || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || !make_disk("")) {
		printf("SKIP: no mount namespace: %s\n", strerror(errno));
		rmdir(dir);
		return SKIPPED;
	}
	int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
	umount2(dir, MNT_DETACH);
	rmdir(dir);
	return n_failed;
}
