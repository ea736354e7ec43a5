/* SPDX-License-Identifier: MIT */
#include "state/unsaved.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "text/text.h"

static char home[64];
static struct unsaved_dir dir;
static struct text *t;

static int setup(void **state)
{
	(void)state;
	snprintf(home, sizeof home, "/tmp/terrarium-unsaved-XXXXXX");
	if (!mkdtemp(home))
		return -1;
	setenv("XDG_STATE_HOME", home, 1);
	t = text_create();
	return unsaved_create(&dir);
}

static int teardown(void **state)
{
	char command[96];

	(void)state;
	unsaved_close(&dir);
	text_destroy(t);
	snprintf(command, sizeof command, "rm -rf %s", home);
	return system(command) == 0 ? 0 : -1;
}

static void keep(unsigned number, const char *text, const char *path)
{
	struct buffer_state place = {.lang = "python", .cursor = 2, .anchor = 1, .is_current = true};
	struct unsaved_writer w;
	int r;

	snprintf(place.path, sizeof place.path, "%s", path);
	text_delete(t, 0, text_len(t));
	text_insert(t, 0, text, strlen(text));
	assert_int_equal(unsaved_begin(&w, &dir, number, &place, t), 0);
	while ((r = unsaved_step(&w, 3)) > 0)
		;
	assert_int_equal(r, 0);
}

static void what_is_written_is_read(void **state)
{
	struct unsaved_items items = {0};

	(void)state;
	keep(2, "one\n\ntwo", "/tmp/a\nb\\c.py");
	keep(1, "", "");
	keep(2, "three", "/tmp/a\nb\\c.py");
	unsaved_list(&dir, &items);
	assert_int_equal(items.n, 2);
	assert_null(items.all[0].text); /* it may be large */
	assert_true(unsaved_load(&items.all[0]) && unsaved_load(&items.all[1]));
	assert_ptr_equal(items.all[0].dir, &dir);
	assert_int_equal(items.all[0].number, 1);
	assert_string_equal(items.all[0].text, "");
	assert_string_equal(items.all[0].place.path, "");
	assert_string_equal(items.all[1].text, "three");
	assert_string_equal(items.all[1].place.path, "/tmp/a\nb\\c.py");
	assert_string_equal(items.all[1].place.lang, "python");
	assert_int_equal(items.all[1].place.cursor, 2);
	assert_true(items.all[1].place.is_current);
	unsaved_items_finish(&items);
	unsaved_forget(&dir, 1);
	unsaved_list(&dir, &items);
	assert_int_equal(items.n, 1);
	unsaved_items_finish(&items);
}

/* However many texts and folders there are. */
static void all_texts_of_all_folders_are_read(void **state)
{
	enum { MANY = 150 };
	struct unsaved_items items = {0};
	struct unsaved_dir first = dir;
	char(*names)[64];

	(void)state;
	for (unsigned i = 1; i <= MANY; i++)
		keep(i, "x", "");
	assert_int_equal(unsaved_create(&dir), 0);
	keep(7, "y", "");
	unsaved_list(&first, &items);
	unsaved_list(&dir, &items);
	assert_int_equal(items.n, MANY + 1);
	for (unsigned i = 0; i < MANY; i++)
		assert_int_equal(items.all[i].number, i + 1);
	assert_true(unsaved_load(&items.all[MANY]));
	assert_string_equal(items.all[MANY].text, "y");
	assert_ptr_equal(items.all[MANY].dir, &dir);
	unsaved_items_finish(&items);
	unsaved_close(&first);
	for (unsigned i = 0; i < MANY; i++) {
		struct unsaved_dir more;
		assert_int_equal(unsaved_create(&more), 0);
		close(more.lock); /* as of a process that was killed */
	}
	assert_int_equal(unsaved_names(&names), MANY + 2);
	free(names);
}

static void only_the_owner_may_look(void **state)
{
	struct stat st;
	char path[STATE_PATH + 8];

	(void)state;
	keep(1, "secret", "");
	snprintf(path, sizeof path, "%s/1", dir.path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(dir.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

/* Take the first that nobody holds. */
static bool take_any(struct unsaved_dir *d)
{
	char(*names)[64];
	size_t n = unsaved_names(&names);
	bool is_taken = false;

	for (size_t i = 0; i < n && !is_taken; i++)
		is_taken = unsaved_take(d, names[i]);
	free(names);
	return is_taken;
}

/* What a process takes that is killed later. */
static pid_t holder(int *ret_ready)
{
	int ends[2];
	char c = 'x';

	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct unsaved_dir taken;
		c = take_any(&taken) ? 'y' : 'n';
		if (write(ends[1], &c, 1) == 1)
			pause();
		_exit(0);
	}
	close(ends[1]);
	*ret_ready = read(ends[0], &c, 1) == 1 ? c : 0;
	close(ends[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void nobody_steals_what_is_held(void **state)
{
	struct unsaved_dir taken;
	int got;

	(void)state;
	keep(1, "mine", "");
	assert_false(take_any(&taken)); /* it is our own */
	pid_t pid = holder(&got);
	assert_int_equal(got, 'n');
	end(pid);
	unsaved_close(&dir);
	pid = holder(&got);
	assert_int_equal(got, 'y');
	assert_false(take_any(&taken)); /* the other one has it */
	end(pid);
	assert_true(take_any(&taken)); /* who was killed has it no more */
	assert_false(take_any(&dir));
	unsaved_remove(&taken);
	assert_false(take_any(&taken));
}

static void nothing_is_left_of_one_without_texts(void **state)
{
	char path[STATE_PATH];

	(void)state;
	strcpy(path, dir.path);
	keep(1, "x", "");
	unsaved_forget(&dir, 1);
	unsaved_close(&dir);
	assert_int_equal(access(path, F_OK), -1);
}

static void what_is_cut_off_is_not_taken(void **state)
{
	struct buffer_state place;
	char bytes[BUFFER_STATE_BYTES];
	size_t n = buffer_state_write(&(struct buffer_state){.lang = "bash", .path = "/x"}, bytes);

	(void)state;
	assert_int_equal(buffer_state_read(bytes, n, &place), n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(buffer_state_read(bytes, i, &place), 0);
	assert_int_equal(buffer_state_read("\n", 1, &place), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
			TEST(what_is_written_is_read),
			TEST(all_texts_of_all_folders_are_read),
			TEST(only_the_owner_may_look),
			TEST(nobody_steals_what_is_held),
			TEST(nothing_is_left_of_one_without_texts),
			TEST(what_is_cut_off_is_not_taken),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
