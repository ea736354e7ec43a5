/* SPDX-License-Identifier: MIT */
/* Large files are saved behind, on a disk that is slow or fails. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program, *backend;
static struct screen s = {.fd = -1};
static char dir[64], state_home[96], disk_state[96];

static const char *path_of(const char *name)
{
	static char path[160];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static void start(const char *keymap, const char *arg)
{
	const char *argv[] = {program, "--backend", backend, "--keymap", keymap, arg, NULL};
	const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent",
			"LD_PRELOAD=" DISK, "ASAN_OPTIONS=verify_asan_link_order=0", disk_state, state_home,
			NULL};

	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "idle");
}

/* "slow", "fails", or "": as it should be. */
static void set_disk(const char *how)
{
	char new[160];
	FILE *f;

	snprintf(new, sizeof new, "%s", path_of("disk.new"));
	f = fopen(new, "w");
	assert_non_null(f);
	fputs(how, f);
	fclose(f);
	assert_int_equal(rename(new, path_of("disk")), 0);
}

static const char *given(const char *name, const char *text)
{
	const char *path = path_of(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return path;
}

static void first_line_is(const char *name, const char *wanted)
{
	char line[64];
	FILE *f = fopen(path_of(name), "r");

	assert_non_null(f);
	assert_non_null(fgets(line, sizeof line, f));
	fclose(f);
	assert_string_equal(line, wanted);
}

static const char *given_big(void)
{
	const char *path = path_of("big.py");
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (int i = 0; i < 200000; i++)
		fprintf(f, "value_%06d = %d # padding, padding\n", i, i);
	fclose(f);
	return path;
}

/* Typing goes on while a big file is saved, and what is typed then counts as unsaved. */
static void big_files_are_saved_behind(void **state)
{
	const char *path = given_big();
	struct stat st;

	(void)state;
	start("default", path);
	screen_wait(&s, "200000 lines");
	screen_send(&s, "first");
	screen_wait(&s, "firstvalue_000000");
	screen_send(&s, "\x13"
			"x");
	screen_wait(&s, "saved");
	screen_wait(&s, "firstxvalue");
	screen_wait(&s, "python: big.py*");
	screen_send(&s, "\x1a");
	screen_wait_gone(&s, "big.py*");
	first_line_is("big.py", "firstvalue_000000 = 0 # padding, padding\n");
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size > 6000000);
	screen_send(&s, "\x1b[1;5F"); /* Ctrl-End */
	screen_wait(&s, " 200001:1 ");
	unlink(path);
	assert_int_equal(screen_leave(&s), 0);
}

/* So is a copy, which leaves the buffer as unsaved as it was. */
static void big_copies_are_written_behind(void **state)
{
	char source[160], copy[160], command[200];
	struct stat st;

	(void)state;
	snprintf(source, sizeof source, "%s", given_big());
	snprintf(copy, sizeof copy, "%s", path_of("copy.py"));
	snprintf(command, sizeof command, ":w %s\r", copy);
	start("vi", source);
	screen_wait(&s, "200000 lines");
	screen_send(&s, "ifirst\x1b");
	screen_wait(&s, "firstvalue_000000");
	screen_wait_gone(&s, "INSERT");
	screen_send(&s, command);
	screen_wait(&s, "wrote a copy to");
	screen_wait(&s, "python: big.py*");
	assert_int_equal(stat(copy, &st), 0);
	assert_true(st.st_size > 6000000);
	screen_send(&s, KEY_F(4));
	screen_wait(&s, "writing a copy to");
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, "writing a copy to");
	screen_send(&s, "u");
	screen_wait_gone(&s, "big.py*");
	assert_int_equal(screen_leave(&s), 0);
	unlink(source);
	unlink(copy);
}

/* ---- closing ---- */

/* Text that is typed while the disk works is not in the file. */
static void text_that_is_typed_meanwhile_is_not_closed(void **state)
{
	(void)state;
	start("default", given_big());
	screen_wait(&s, "200000 lines");
	screen_send(&s, "first");
	screen_wait(&s, "firstvalue_000000");
	set_disk("slow");
	screen_send(&s, "\x13"); /* ^S */
	screen_wait(&s, "saving ");
	screen_send(&s, "second");
	screen_wait(&s, "firstsecondvalue");
	screen_send(&s, "\x17"); /* ^W */
	screen_wait(&s, "Save before closing?");
	screen_send(&s, "\r");
	screen_wait(&s, "big.py is still being written: try again when that is done");
	set_disk("");
	screen_wait(&s, "saved ");
	assert_true(screen_shows(&s, "firstsecondvalue"));
	set_disk("slow");
	screen_send(&s, "\x17\r");
	screen_wait(&s, "saving ");
	screen_send(&s, "third");
	screen_wait(&s, "firstsecondthirdvalue");
	set_disk("");
	screen_wait(&s, "the buffer was changed meanwhile, and stays open");
	assert_true(screen_shows(&s, "firstsecondthirdvalue"));
	first_line_is("big.py", "firstsecondvalue_000000 = 0 # padding, padding\n");
	screen_send(&s, "\x17\r");
	screen_wait_gone(&s, "firstsecondthirdvalue");
	first_line_is("big.py", "firstsecondthirdvalue_000000 = 0 # padding, padding\n");
	assert_int_equal(screen_leave(&s), 0);
}

/* ---- dialogs ---- */

/* The end of a save is no answer to a question about another one. */
static void a_dialog_is_not_closed_by_an_earlier_save(void **state)
{
	(void)state;
	start("default", given_big());
	screen_wait(&s, "200000 lines");
	screen_send(&s, "first");
	screen_wait(&s, "firstvalue_000000");
	set_disk("slow");
	screen_send(&s, "\x13"); /* ^S */
	screen_wait(&s, "saving ");
	screen_send(&s, KEY_F(12));
	screen_wait(&s, "Save the python buffer as");
	screen_send(&s, path_of("other.py"));
	screen_send(&s, "\r"); /* refused: the path may be tried again */
	screen_wait(&s, "big.py is still being written");
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, "Save the python buffer as");
	screen_send(&s, "\x0e"); /* ^N */
	screen_wait(&s, "python: big.py*");
	screen_send(&s, "code = 1");
	screen_wait(&s, "1 code = 1");
	screen_send(&s, KEY_F(12));
	screen_wait(&s, "Save the python buffer as");
	screen_send(&s, path_of("cop"));
	set_disk("");
	screen_wait(&s, "python: big.py ");
	assert_true(screen_shows(&s, "Save the python buffer as"));
	screen_send(&s, "y.py\r");
	screen_wait_gone(&s, "Save the python buffer as");
	screen_wait(&s, "copy.py");
	first_line_is("copy.py", "code = 1");
	assert_int_equal(screen_leave(&s), 0);
}

/* Nor does it stay open until the disk is done, or take an error that comes later. */
static void a_path_that_is_accepted_is_not_asked_for_any_more(void **state)
{
	(void)state;
	start("default", given_big());
	screen_wait(&s, "200000 lines");
	set_disk("slow");
	screen_send(&s, KEY_F(12));
	screen_wait(&s, "Save the python buffer as");
	screen_send(&s, path_of("large.py"));
	screen_send(&s, "\r");
	screen_wait_gone(&s, "Save the python buffer as");
	screen_send(&s, "typed");
	screen_wait(&s, "typedvalue_000000");
	screen_send(&s, KEY_F(12));
	screen_wait(&s, "Save the python buffer as");
	set_disk("fails");
	screen_wait(&s, "cannot save ");
	screen_wait(&s, "Input/output error");
	screen_send(&s, "\x1b");
	screen_wait_gone(&s, "Save the python buffer as");
	assert_true(screen_shows(&s, "cannot save "));
	assert_true(screen_shows(&s, "typedvalue_000000"));
	set_disk("");
	assert_int_equal(screen_leave(&s), 0);
}

static void a_save_as_that_fails_leaves_the_buffer_its_name(void **state)
{
	(void)state;
	start("default", given_big());
	screen_wait(&s, "200000 lines");
	set_disk("fails");
	screen_send(&s, KEY_F(12));
	screen_wait(&s, "Save the python buffer as");
	screen_send(&s, path_of("large.py"));
	screen_send(&s, "\r");
	screen_wait(&s, "cannot save ");
	assert_true(screen_shows(&s, "python: big.py "));
	/* Text that is typed while the disk works is kept as that of the new file. */
	set_disk("slow");
	screen_send(&s, KEY_F(12));
	screen_wait(&s, "Save the python buffer as");
	screen_send(&s, path_of("large.py"));
	screen_send(&s, "\r");
	screen_wait_gone(&s, "Save the python buffer as");
	screen_send(&s, "typed");
	screen_wait(&s, "typedvalue_000000");
	set_disk("");
	screen_wait(&s, "python: large.py*");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "Quit?");
	screen_send(&s, KEY_F(10)); /* keeps the text */
	assert_int_equal(screen_end(&s), 0);
	start("default", path_of("large.py"));
	screen_wait(&s, "typedvalue_000000");
	assert_int_equal(screen_leave(&s), 0);
}

/* ---- the same file twice ---- */

/* The disk may be done with them in any order. */
static void an_older_copy_does_not_replace_a_newer_one(void **state)
{
	char command[200];

	(void)state;
	start("vi", given_big());
	screen_wait(&s, "200000 lines");
	set_disk("slow");
	snprintf(command, sizeof command, ":w! %s\r", path_of("copy.py"));
	screen_send(&s, command);
	screen_wait(&s, "writing a copy to");
	screen_send(&s, "dG");
	screen_wait_gone(&s, "value_000000");
	screen_send(&s, "ismall\x1b");
	screen_wait(&s, "1 small");
	screen_wait_gone(&s, "INSERT");
	screen_send(&s, command);
	screen_wait(&s, "copy.py is still being written");
	set_disk("");
	screen_wait(&s, "wrote a copy to");
	first_line_is("copy.py", "value_000000 = 0 # padding, padding\n");
	screen_send(&s, command);
	screen_send(&s, ":q!\r");
	assert_int_equal(screen_end(&s), 0);
	first_line_is("copy.py", "small");
}

/* ---- quitting ---- */

/* The keys come at once, so that the save cannot fail before the workbench is to quit. */
static void who_quits_hears_of_a_save_that_fails(void **state)
{
	char command[200];

	(void)state;
	start("vi", given_big());
	screen_wait(&s, "200000 lines");
	set_disk("fails");
	snprintf(command, sizeof command, ":w %s\r:q\r", path_of("copy.py"));
	screen_send(&s, command);
	screen_wait(&s, "/copy.py: Input/output error");
	screen_send(&s, "ifirst\x1b");
	screen_wait(&s, "firstvalue_000000");
	screen_wait_gone(&s, "INSERT");
	screen_send(&s, ":w\r:q!\r");
	screen_wait(&s, "/big.py: Input/output error");
	assert_true(screen_shows(&s, "python: big.py*"));
	screen_send(&s, ":wq\r");
	screen_wait_quiet(&s, 50);
	assert_true(screen_shows(&s, "python: big.py*"));
	set_disk("");
	screen_send(&s, ":wq\r");
	assert_int_equal(screen_end(&s), 0);
	first_line_is("big.py", "firstvalue_000000 = 0 # padding, padding\n");
}

/* The screen is alive meanwhile, and the person may stay. */
static void who_quits_while_the_disk_works_may_stay(void **state)
{
	(void)state;
	start("default", given_big());
	screen_wait(&s, "200000 lines");
	set_disk("slow");
	screen_send(&s, "first");
	screen_wait(&s, "firstvalue_000000");
	screen_send(&s, "\x13"); /* ^S */
	screen_wait(&s, "saving ");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "Quit?");
	screen_send(&s, KEY_F(10)); /* keeps the text */
	screen_wait(&s, "saving big.py: quits when it is on the disk");
	screen_send(&s, "unheard");
	screen_send(&s, "\x03");
	screen_wait_gone(&s, "quits when it is on the disk");
	screen_send(&s, "second");
	screen_wait(&s, "firstsecondvalue");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "Quit?");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "saving big.py: quits when it is on the disk");
	set_disk("fails");
	screen_wait(&s, "Input/output error");
	assert_false(screen_shows(&s, "quits when it is on the disk"));
	set_disk("slow");
	screen_send(&s, "\x13");
	screen_wait(&s, "saving ");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "uit?");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "saving big.py: quits when it is on the disk");
	set_disk("");
	assert_int_equal(screen_end(&s), 0);
	first_line_is("big.py", "firstsecondvalue_000000 = 0 # padding, padding\n");
}

static void a_signal_tells_of_a_save_that_fails(void **state)
{
	char command[200];

	(void)state;
	start("vi", given_big());
	screen_wait(&s, "200000 lines");
	set_disk("slow");
	snprintf(command, sizeof command, ":w %s\r", path_of("copy.py"));
	screen_send(&s, command);
	screen_wait(&s, "writing a copy to");
	kill(s.pid, SIGTERM);
	set_disk("fails");
	screen_wait(&s, "terrarium: cannot save ");
	assert_int_equal(screen_end(&s), 128 + SIGTERM);
}

/* ---- kept texts on a full disk ---- */

/* It stays where it is, too, until there is room. */
static void kept_text_that_has_no_room_comes_back_once(void **state)
{
	(void)state;
	start("default", NULL);
	screen_send(&s, "kept = 1");
	screen_wait(&s, "1 kept = 1");
	assert_int_equal(screen_leave(&s), 0);
	set_disk("full");
	start("default", NULL);
	screen_wait(&s, "1 kept = 1");
	screen_wait(&s, "unsaved text cannot be kept");
	assert_false(screen_shows(&s, "python 2"));
	set_disk("");
	screen_send(&s, "#");
	screen_wait(&s, "1 kept = 1#");
	screen_send(&s, KEY_F(10));
	screen_wait(&s, "Quit?");
	screen_send(&s, KEY_F(10)); /* keeps the text */
	assert_int_equal(screen_end(&s), 0);
	start("default", NULL);
	screen_wait(&s, "1 kept = 1#");
	assert_false(screen_shows(&s, "python 2"));
	screen_send(&s, "\x0esecond"); /* ^N */
	screen_wait(&s, "1 second");
	assert_int_equal(screen_leave(&s), 0);
	start("default", given("named.py", "of the file\n"));
	screen_wait(&s, "1 of the file");
	screen_wait(&s, "2 unsaved texts are back");
	assert_int_equal(screen_leave(&s), 0);
}

static int clean_up(void **state)
{
	char command[160];

	(void)state;
	screen_abandon(&s);
	snprintf(command, sizeof command, "rm -rf %s/*", dir);
	return system(command) == 0 ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

#define TEST(name) cmocka_unit_test_teardown(name, clean_up)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			TEST(big_files_are_saved_behind),
			TEST(big_copies_are_written_behind),
			TEST(text_that_is_typed_meanwhile_is_not_closed),
			TEST(a_dialog_is_not_closed_by_an_earlier_save),
			TEST(a_path_that_is_accepted_is_not_asked_for_any_more),
			TEST(a_save_as_that_fails_leaves_the_buffer_its_name),
			TEST(an_older_copy_does_not_replace_a_newer_one),
			TEST(who_quits_hears_of_a_save_that_fails),
			TEST(who_quits_while_the_disk_works_may_stay),
			TEST(a_signal_tells_of_a_save_that_fails),
			TEST(kept_text_that_has_no_room_comes_back_once),
	};

	if (argc < 3)
		return 2;
	program = argv[1];
	backend = argv[2];
	snprintf(dir, sizeof dir, "/tmp/terrarium-saving-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	snprintf(state_home, sizeof state_home, "XDG_STATE_HOME=%s/state", dir);
	snprintf(disk_state, sizeof disk_state, "DISK_STATE=%s/disk", dir);
	return cmocka_run_group_tests(tests, NULL, remove_dir);
}
