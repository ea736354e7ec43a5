/* SPDX-License-Identifier: MIT */
/* Effects are carried out, and tell the model what came of it, without a terminal, a loop or a sandbox. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "cmocka_all.h"

static char folder[] = "/tmp/terrarium-perform-XXXXXX";
static struct app app;

static int set_up(void **state)
{
	struct model_opts opts = {.rows = 30, .cols = 100, .lang = trm_lang_default(), .theme = "dark"};

	(void)state;
	app = (struct app){.opts = &app.own_opts};
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder) || chdir(folder) < 0)
		return -1;
	setenv("HOME", folder, 1);
	setenv("XDG_STATE_HOME", folder, 1);
	setenv("XDG_RUNTIME_DIR", folder, 1);
	app_open_story(&app);
	return model_init(&app.model, &opts);
}

static int tear_down(void **state)
{
	char command[80];

	(void)state;
	app_close_story(&app);
	effects_finish(&app.effects);
	model_finish(&app.model);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return chdir("/") < 0 || system(command) ? -1 : 0;
}

static void expect_notice(const char *text, bool is_error)
{
	const struct notice *n = notices_at(&app.model.notices, 0);

	assert_non_null(n);
	if (!strstr(n->text, text))
		fail_msg("\"%s\" is not in \"%s\"", text, n->text);
	assert_int_equal(n->is_error, is_error);
}

static void expect_file(const char *name, const char *wanted)
{
	char bytes[200];
	FILE *f = fopen(name, "r");

	assert_non_null(f);
	bytes[fread(bytes, 1, sizeof bytes - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(bytes, wanted);
}

static void keep_output(const char *bytes)
{
	app_perform(&app, &(struct effect){.type = EFFECT_KEEP_OUTPUT,
					  .keep_output = {3, bytes, strlen(bytes)}});
}

static void output_is_kept_in_files_of_its_own(void **state)
{
	struct stat st;

	(void)state;
	keep_output("one\n");
	expect_notice("terrarium-run-3.txt", false);
	keep_output("two\n");
	expect_notice("terrarium-run-3-2.txt", false);
	expect_file("terrarium-run-3.txt", "one\n");
	expect_file("terrarium-run-3-2.txt", "two\n");
	assert_int_equal(stat("terrarium-run-3.txt", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600); /* what a program printed may be private */
}

static void output_without_a_place_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(rmdir(folder), 0); /* this folder, and home */
	keep_output("lost\n");
	expect_notice("the output was not written to ", true);
	assert_int_equal(mkdir(folder, 0700), 0);
}

static void export_to(enum effect_type type, const char *path)
{
	app_perform(&app, &(struct effect){.type = type, .path = path});
}

static void exports_are_refused_or_asked_about(void **state)
{
	(void)state;
	export_to(EFFECT_EXPORT, "session.odd");
	expect_notice("what this shall become is not known", true);
	assert_int_equal(access("session.odd", F_OK), -1);
	export_to(EFFECT_EXPORT, "session.md");
	assert_int_equal(access("session.md", F_OK), 0);
	export_to(EFFECT_EXPORT, "session.md");
	assert_true(dialog_is_open(&app.model.dialog)); /* it exists */
	dialog_finish(&app.model.dialog);
	export_to(EFFECT_EXPORT_OVER, "session.md");
	assert_false(dialog_is_open(&app.model.dialog));
	export_to(EFFECT_EXPORT, "no/folder/session.md");
	assert_true(notices_at(&app.model.notices, 0)->is_error);
}

static void what_needs_a_session_or_a_screen_is_left_alone(void **state)
{
	static const enum effect_type idle[] = {EFFECT_WARM, EFFECT_RESTART_KERNEL, EFFECT_COPY, EFFECT_BELL,
			EFFECT_NOTIFY, EFFECT_REPAINT, EFFECT_ASK_TERMINAL, EFFECT_DRAW_FIGURE,
			EFFECT_ZOOM_FIGURE, EFFECT_INTERRUPT, EFFECT_PAUSE, EFFECT_RESUME, EFFECT_EXTEND,
			EFFECT_HOLD, EFFECT_LET_GO, EFFECT_SPILL_END};

	(void)state;
	for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
		app_perform(&app, &(struct effect){.type = idle[i]});
	assert_int_equal(notices_count(&app.model.notices), 0);
	assert_false(app.is_quitting);
}

static void quitting_without_a_sandbox_is_done_at_once(void **state)
{
	(void)state;
	app_perform(&app, &(struct effect){.type = EFFECT_QUIT_DISCARDING});
	assert_true(app.is_quitting && app.is_done && app.discards_text && app.model.is_quitting);
	assert_false(app.stops_sandbox);
	app_perform(&app, &(struct effect){.type = EFFECT_QUIT_DISCARDING}); /* twice is once */
	assert_true(app.is_done);
}

/* A message may ask for effects, and these for messages: all are carried out, in order, once. */
static void effects_of_messages_follow(void **state)
{
	(void)state;
	app_notify(&app, MSG_NOTICE, "first");
	app_notify(&app, MSG_ERROR, "second");
	expect_notice("second", true);
	assert_string_equal(notices_at(&app.model.notices, 1)->text, "first");
	assert_int_equal(app.effects.n, 0);
	assert_false(app.is_performing);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static void write_as_vi(enum effect_type type, const char *path)
{
	uint32_t id = buffers_current(&app.model.buffers)->id;

	app_perform(&app, &(struct effect){.type = type, .save = {.buffer = id, .path = path}});
}

/* Each notice is what vim says, and what it does. */
static void another_file_gets_a_copy(void **state)
{
	struct editor *e = model_editor(&app.model);

	(void)state;
	editor_set_text(e, "one\n", 4);
	write_as_vi(EFFECT_WRITE, "own.py"); /* it has no name yet */
	assert_string_equal(e->path, "own.py");
	assert_false(editor_is_modified(e));
	editor_set_text(e, "two\n", 4);
	write_as_vi(EFFECT_WRITE, "copy.py");
	expect_notice("wrote a copy to copy.py", false);
	expect_file("copy.py", "two\n");
	expect_file("own.py", "one\n");
	assert_string_equal(e->path, "own.py");
	assert_true(editor_is_modified(e));
	editor_set_text(e, "three\n", 6);
	write_as_vi(EFFECT_WRITE, "copy.py");
	expect_notice("File exists (add ! to override)", true);
	expect_file("copy.py", "two\n");
	write_as_vi(EFFECT_WRITE_OVER, "copy.py");
	expect_file("copy.py", "three\n");
	assert_true(editor_is_modified(e));
	write_as_vi(EFFECT_WRITE, "./own.py"); /* its own file */
	expect_file("own.py", "three\n");
	assert_false(editor_is_modified(e));
	write_as_vi(EFFECT_WRITE, "none/copy.py");
	expect_notice("none", true);
}

/* The name of an existing file is not taken either. */
static void a_new_buffer_does_not_take_a_file(void **state)
{
	struct editor *e = model_editor(&app.model);

	(void)state;
	write_as_vi(EFFECT_WRITE, "old.py");
	assert_string_equal(e->path, "old.py");
	buffers_show(&app.model.buffers, buffers_add(&app.model.buffers, trm_lang_default())->id);
	e = model_editor(&app.model);
	editor_set_text(e, "new\n", 4);
	write_as_vi(EFFECT_WRITE, "old.py");
	expect_notice("File exists (add ! to override)", true);
	assert_null(e->path);
	write_as_vi(EFFECT_WRITE_OVER, "old.py");
	assert_string_equal(e->path, "old.py");
	expect_file("old.py", "new\n");
}

/* Its descriptor of epoll becomes another one. */
static void break_loop(void)
{
	char path[40], target[40];
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), fd = 0;

	assert_true(null >= 0);
	for (; fd < 100; fd++) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		ssize_t n = readlink(path, target, sizeof target - 1);
		target[n > 0 ? n : 0] = '\0';
		if (strcmp(target, "anon_inode:[eventpoll]") == 0)
			break;
	}
	assert_int_equal(dup2(null, fd), fd);
	close(null);
}

/* Where nobody would hear of the end of a save behind, it is waited for. */
static void a_large_file_is_saved_without_a_watch(void **state)
{
	const size_t n = 5 << 20;
	struct editor *e = model_editor(&app.model);
	char *text = malloc(n);

	(void)state;
	assert_non_null(text);
	memset(text, '\n', n);
	editor_set_text(e, text, n);
	free(text);
	assert_int_equal(trm_loop_create(&app.loop, NULL), 0);
	break_loop();
	for (int i = 0; i < 2; i++) {
		write_as_vi(EFFECT_WRITE_OVER, "large.py");
		expect_notice("saved large.py", false);
		assert_false(e->is_saving);
	}
	assert_false(editor_is_modified(e));
	trm_loop_destroy(app.loop);
}

static void a_save_that_fails_leaves_the_buffer_its_name(void **state)
{
	struct editor *e = model_editor(&app.model);

	(void)state;
	editor_set_text(e, "old\n", 4);
	write_as_vi(EFFECT_WRITE, "old.py");
	assert_false(editor_is_modified(e));
	struct file_saving *saving;
	assert_int_equal(editor_save_begin(e, "new.py", &saving, NULL), 0);
	assert_string_equal(e->path, "old.py");
	assert_ptr_equal(app_buffer_with(&app, "new.py"), buffers_current(&app.model.buffers));
	file_save_end(saving, &(struct file_stamp){0}, &(struct trm_error){0});
	editor_saved(e, NULL);
	assert_string_equal(e->path, "old.py");
	assert_null(app_buffer_with(&app, "new.py"));
	editor_set_text(e, "new\n", 4);
	assert_int_equal(editor_save_begin(e, "new.py", &saving, NULL), 0);
	struct file_stamp stamp;
	assert_int_equal(file_save_end(saving, &stamp, NULL), 0);
	editor_saved(e, &stamp);
	assert_string_equal(e->path, "new.py");
	assert_false(editor_is_modified(e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			CASE(output_is_kept_in_files_of_its_own),
			CASE(output_without_a_place_is_an_error),
			CASE(exports_are_refused_or_asked_about),
			CASE(what_needs_a_session_or_a_screen_is_left_alone),
			CASE(quitting_without_a_sandbox_is_done_at_once),
			CASE(effects_of_messages_follow),
			CASE(another_file_gets_a_copy),
			CASE(a_new_buffer_does_not_take_a_file),
			CASE(a_large_file_is_saved_without_a_watch),
			CASE(a_save_that_fails_leaves_the_buffer_its_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
