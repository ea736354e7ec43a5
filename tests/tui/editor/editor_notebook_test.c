/* SPDX-License-Identifier: MIT */
/* A notebook's saved outputs: shown beside their cells, and kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#include "cells/event.h"
#include "cmocka_all.h"
#include "editor/editor.h"
#include "editor/editor_internal.h"
#include "syntax/syntax.h"
#include "text/text.h"
#include "tui/editor/save_text.h"

static const char saved[] =
		"{\"cells\": ["
		"{\"cell_type\": \"markdown\", \"metadata\": {}, \"source\": \"# About\"},"
		"{\"cell_type\": \"code\", \"execution_count\": 9, \"metadata\": {}, \"source\": \"6 * 7\", \"outputs\": ["
		"{\"output_type\": \"stream\", \"name\": \"stdout\", \"text\": \"out\\n\"},"
		"{\"output_type\": \"execute_result\", \"execution_count\": 9, \"metadata\": {},"
		" \"data\": {\"text/plain\": [\"42\\n\", \"and more\"]}}]},"
		"{\"cell_type\": \"code\", \"execution_count\": 10, \"metadata\": {}, \"source\": \"1 / 0\", \"outputs\": ["
		"{\"output_type\": \"error\", \"ename\": \"ZeroDivisionError\", \"evalue\": \"division by zero\","
		" \"traceback\": []}]},"
		"{\"cell_type\": \"code\", \"execution_count\": 11, \"metadata\": {}, \"source\": \"plot()\", \"outputs\": ["
		"{\"output_type\": \"execute_result\", \"execution_count\": 11, \"metadata\": {},"
		" \"data\": {\"image/png\": \"\", \"text/plain\": \"<Figure>\"}}]},"
		"{\"cell_type\": \"code\", \"execution_count\": null, \"metadata\": {}, \"source\": \"new\", \"outputs\": []}"
		"], \"metadata\": {}, \"nbformat\": 4, \"nbformat_minor\": 4}";

static char path[64];
static struct clipboard clipboard;
static struct editor e;

static int set_up(void **state)
{
	(void)state;
	strcpy(path, "/tmp/terrarium-notebook-XXXXXX.ipynb");
	int fd = mkstemps(path, 6);

	if (fd < 0 || write(fd, saved, sizeof saved - 1) < 0 || close(fd) < 0)
		return -1;
	if (editor_init(&e, trm_lang_default(), &clipboard) < 0)
		return -1;
	return editor_open(&e, path, &(struct trm_error){0});
}

static int tear_down(void **state)
{
	(void)state;
	editor_finish(&e);
	return unlink(path);
}

static void expect_file(const char *wanted)
{
	char json[2048];
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	json[fread(json, 1, sizeof json - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(json, wanted);
}

static void expect_saved(void)
{
	expect_file(saved);
}

static void write_file(const char *json)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(json, f);
	fclose(f);
}

static void saved_results_are_marks(void **state)
{
	const struct cell_mark *m = e.marks.items;

	(void)state;
	assert_int_equal(e.marks.n, 3); /* neither the text nor the cell that never ran */
	assert_int_equal(m[0].state, CELL_OK);
	assert_int_equal(m[0].number, 9);
	assert_string_equal(m[0].value, "42");
	assert_true(m[0].is_cut);
	assert_int_equal(m[1].state, CELL_FAILED);
	assert_string_equal(m[1].error, "ZeroDivisionError: division by zero");
	assert_int_equal(m[2].state, CELL_OK);
	assert_string_equal(m[2].value, ""); /* a picture has no value in short */
	assert_int_equal(editor_mark_line(&e, &m[0]), 3);
	assert_false(editor_has_results(&e)); /* there is nothing to save */
	assert_int_equal(save_text(&e, &(struct trm_error){0}), 0);
	expect_saved();
	assert_int_equal(e.marks.n, 3);
}

/* They are of no interpreter that runs here, and so cannot be lost with it. */
static void an_edit_makes_them_stale_and_a_restart_does_not(void **state)
{
	(void)state;
	cell_marks_kernel_gone(&e.marks);
	assert_false(e.marks.items[0].is_stale);
	editor_goto_line(&e, 4);
	assert_true(editor_handle(&e, &(struct event){.type = EVENT_KEY, .key = '1'}) & EDITOR_CHANGED);
	assert_true(e.marks.items[0].is_stale);
	assert_false(e.marks.items[1].is_stale);
}

static void a_reload_shows_those_of_the_new_file(void **state)
{
	char *json = strdup(saved);

	(void)state;
	memcpy(strstr(json, "42"), "43", 2);
	write_file(json);
	free(json);
	assert_int_equal(editor_reload(&e, &(struct trm_error){0}), 0);
	assert_int_equal(e.marks.n, 3);
	assert_string_equal(e.marks.items[0].value, "43");
}

static void a_reload_keeps_what_ran_in_a_cell(void **state)
{
	(void)state;
	cell_marks_drop_saved(&e.marks);
	size_t line = text_line_start(e.text, 4); /* "6 * 7" */
	cell_marks_add(&e.marks, e.text, line + 4, 1)->serial = 77;
	editor_show_saved(&e);
	assert_int_equal(e.marks.n, 3);
	assert_non_null(cell_marks_find(&e.marks, 77));
}

static void a_copy_leaves_the_buffer_as_it_is(void **state)
{
	struct file_saving *saving;
	struct file_stamp stamp;
	char copy[80];

	(void)state;
	snprintf(copy, sizeof copy, "%s.py", path);
	editor_goto_line(&e, 4);
	editor_handle(&e, &(struct event){.type = EVENT_KEY, .key = '1'});
	assert_int_equal(editor_copy_begin(&e, copy, &saving, &(struct trm_error){0}), 0);
	assert_int_equal(file_save_end(saving, &stamp, &(struct trm_error){0}), 0);
	assert_string_equal(e.path, path);
	assert_true(editor_is_modified(&e));
	expect_saved();
	assert_int_equal(unlink(copy), 0);
}

/* A line in a string is as it is. A comment that looks like a mark has another sign, which is taken away
 * again. The file stays the same, whatever the grammar finds, and if it is there only later. */
static void a_mark_in_a_string_is_as_it_is(void **state)
{
#define CELL(source) \
	"{\"cell_type\": \"code\", \"metadata\": {}, \"source\": \"" source "\", \"outputs\": []}"
#define NOTEBOOK(cells) "{\"cells\": [" cells "], \"metadata\": {}, \"nbformat\": 4, \"nbformat_minor\": 4}"
#define MAGIC CELL("%magic\\ns = '''\\n# %%\\n# # %%\\n'''")
#define COMMENT CELL("# %% comment\\ndef f():\\n    '''doc'''")
	static const struct {
		const char *json, *plain, *known;
	} files[] = {
			{NOTEBOOK(MAGIC ", " COMMENT),
					"# %%\n%magic\ns = '''\n# # %%\n# # # %%\n'''\n\n"
					"# %%\n# # %% comment\ndef f():\n    '''doc'''\n",
					"# %%\n%magic\ns = '''\n# %%\n# # %%\n'''\n\n"
					"# %%\n# # %% comment\ndef f():\n    '''doc'''\n"},
			/* The first cell lacks an end, and the next one must not give it one. */
			{NOTEBOOK(CELL("a = '''") ", " COMMENT),
					"# %%\na = '''\n\n# %%\n# # %% comment\ndef f():\n    '''doc'''\n",
					NULL},
			{NOTEBOOK(CELL("a = '''") ", " MAGIC ", " CELL("b = '''\\n# %%")),
					"# %%\na = '''\n\n# %%\n%magic\ns = '''\n# # %%\n# # # %%\n'''\n\n# %%\nb = '''\n# # %%\n",
					NULL},
	};
	struct grammars *grammars = grammars_create();
	bool has_grammar = grammars_get(grammars, "python", NULL);

	(void)state;
	for (size_t i = 0; i < 2 * sizeof files / sizeof *files; i++) {
		bool is_known = i & 1 && has_grammar && files[i / 2].known;
		write_file(files[i / 2].json);
		e.grammars = i & 1 ? grammars : NULL;
		assert_int_equal(editor_open(&e, path, &(struct trm_error){0}), 0);
		char *script = text_slice(e.text, 0, SIZE_MAX);
		assert_string_equal(script, is_known ? files[i / 2].known : files[i / 2].plain);
		free(script);
		e.grammars = grammars;
		assert_int_equal(save_text(&e, &(struct trm_error){0}), 0);
		expect_file(files[i / 2].json);
	}
	e.grammars = NULL;
	grammars_destroy(grammars);
}

/* Bash and JavaScript, whose quotes may stand in comments and words. */
static void other_languages_have_strings_too(void **state)
{
#define KERNEL(name, cells) \
	"{\"cells\": [" cells \
	"], \"metadata\": {\"kernelspec\": {\"display_name\": \"x\", \"name\": \"" name \
	"\", \"language\": \"" name "\"}}, \"nbformat\": 4, \"nbformat_minor\": 4}"
	static const struct {
		const char *language, *json, *script;
	} files[] = {
			{"bash",
					KERNEL("bash", CELL("# don't\\ncat <<E\\n# %%\\nE\\necho 'a\\n# %% b'") ", " CELL(
								       "echo it\\\\'s")),
					"# %%\n# don't\ncat <<E\n# %%\nE\necho 'a\n# %% b'\n\n# %%\necho it\\'s\n"},
			{"bash",
					KERNEL("bash", CELL("echo 'a") ", " CELL("echo 'b'\\n# %% c") ", " CELL(
								       "echo 'd'")),
					"# %%\necho 'a\n\n# %%\necho 'b'\n# # %% c\n\n# %%\necho 'd'\n"},
			{"javascript",
					KERNEL("javascript", CELL("// don't\\nx = `\\n// %%\\n`") ", " CELL(
									     "y = '`'\\n// %% z")),
					"// %%\n// don't\nx = `\n// %%\n`\n\n// %%\ny = '`'\n// // %% z\n"},
	};
	struct grammars *grammars = grammars_create();

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (!grammars_get(grammars, files[i].language, NULL))
			continue;
		write_file(files[i].json);
		e.grammars = grammars;
		struct trm_error why = {0};
		if (editor_open(&e, path, &why) < 0)
			fail_msg("%s", why.msg);
		char *script = text_slice(e.text, 0, SIZE_MAX);
		assert_string_equal(script, files[i].script);
		free(script);
		assert_int_equal(save_text(&e, &(struct trm_error){0}), 0);
		expect_file(files[i].json);
	}
	e.grammars = NULL;
	grammars_destroy(grammars);
}

/* What lacks its end in a later cell does not cut the first one. */
static void a_string_keeps_its_mark_while_another_is_typed(void **state)
{
	struct grammars *grammars = grammars_create();
	char json[2048];

	(void)state;
	if (!grammars_get(grammars, "python", NULL)) {
		grammars_destroy(grammars);
		skip();
	}
	write_file(NOTEBOOK(MAGIC ", " CELL("x = 1") ", " CELL("y = 2")));
	e.grammars = grammars;
	assert_int_equal(editor_open(&e, path, &(struct trm_error){0}), 0);
	editor_select(&e, text_len(e.text) - 1, text_len(e.text) - 1);
	assert_true(editor_insert(&e, "\n'''", 4) & EDITOR_CHANGED);
	assert_int_equal(save_text(&e, &(struct trm_error){0}), 0);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	json[fread(json, 1, sizeof json - 1, f)] = '\0';
	fclose(f);
	assert_ptr_equal(strstr(json, MAGIC ", " CELL("x = 1")), json + strlen("{\"cells\": ["));
	e.grammars = NULL;
	grammars_destroy(grammars);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
			TEST(saved_results_are_marks),
			TEST(an_edit_makes_them_stale_and_a_restart_does_not),
			TEST(a_reload_shows_those_of_the_new_file),
			TEST(a_reload_keeps_what_ran_in_a_cell),
			TEST(a_mark_in_a_string_is_as_it_is),
			TEST(other_languages_have_strings_too),
			TEST(a_string_keeps_its_mark_while_another_is_typed),
			TEST(a_copy_leaves_the_buffer_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
