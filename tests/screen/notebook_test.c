/* SPDX-License-Identifier: MIT */
/* A Jupyter notebook in the workbench, with real Python: opened, run, edited, saved. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program, *backend;
static struct screen s = {.fd = -1};
static char dir[64], path[96];

static const char notebook[] =
		"{\n \"cells\": [\n"
		"  {\n   \"cell_type\": \"markdown\",\n   \"id\": \"m1\",\n   \"metadata\": {},\n   \"source\": [\n"
		"    \"# About\"\n   ]\n  },\n"
		"  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 9,\n   \"id\": \"c1\",\n   \"metadata\": {\n"
		"    \"mine\": 1\n   },\n   \"outputs\": [],\n   \"source\": [\n    \"print('out')\\n\",\n    \"6 * 7\"\n"
		"   ]\n  },\n"
		"  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 5,\n   \"id\": \"c2\",\n   \"metadata\": {},\n"
		"   \"outputs\": [\n    {\n     \"name\": \"stdout\",\n     \"output_type\": \"stream\",\n"
		"     \"text\": [\n      \"kept\\n\"\n     ]\n    }\n   ],\n   \"source\": [\n    \"1 / 0\"\n   ]\n  }\n"
		" ],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n";

static void write_notebook(const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static char *read_notebook(void)
{
	static char text[16384];
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	return text;
}

static void start(void)
{
	const char *argv[] = {program, "--backend", backend, "--confirm", "off", path, NULL};
	const char *const env[] = {
			"TERM=xterm-256color", "LANG=C.UTF-8", "XDG_CONFIG_HOME=/nonexistent", NULL};

	screen_start(&s, 36, 120, argv, env);
	screen_wait(&s, "idle");
}

static int clean_up(void **state)
{
	(void)state;
	screen_abandon(&s);
	unlink(path);
	return 0;
}

static void save(void)
{
	screen_send(&s, "\x13"); /* ^S */
	screen_wait_gone(&s, "book.ipynb*");
	screen_wait(&s, "saved ");
}

static void a_notebook_is_saved_as_it_was(void **state)
{
	(void)state;
	write_notebook(notebook);
	start();
	screen_wait(&s, "# %% [markdown]");
	screen_wait(&s, "# # About");
	screen_wait(&s, "book.ipynb: 3 cells");
	save();
	assert_string_equal(read_notebook(), notebook);
	assert_int_equal(screen_leave(&s), 0);
}

static void outputs_are_saved_with_the_cells_that_ran(void **state)
{
	(void)state;
	write_notebook(notebook);
	start();
	screen_send(&s, "\x1b[15~"); /* F5 on the text */
	screen_wait(&s, "this is a text cell");
	screen_send(&s, "\x1b[27;2;13~"); /* Shift-Enter goes past it … */
	screen_send(&s, "\x1b[27;2;13~"); /* … and runs the next one */
	screen_wait(&s, "= 42");
	screen_wait(&s, "book.ipynb*");
	save();
	const char *text = read_notebook();
	assert_non_null(strstr(text,
			"\"execution_count\": 1,\n   \"id\": \"c1\",\n   \"metadata\": {\n    \"mine\": 1\n"));
	assert_non_null(strstr(text, "     \"text\": [\n      \"out\\n\"\n     ]\n"));
	assert_non_null(strstr(text, "      \"text/plain\": [\n       \"42\"\n      ]\n"));
	assert_non_null(strstr(text, "\"kept\\n\"")); /* that cell did not run */
	screen_send(&s, "\x1b[15;5~");                /* Ctrl-F5: all cells */
	screen_wait(&s, "ZeroDivisionError: division by zero");
	screen_wait(&s, "book.ipynb*");
	save();
	text = read_notebook();
	assert_null(strstr(text, "\"kept\\n\""));
	assert_non_null(strstr(text, "\"ename\": \"ZeroDivisionError\""));
	assert_non_null(strstr(text, "\"execution_count\": 3,\n   \"id\": \"c2\""));
	assert_int_equal(screen_leave(&s), 0);
}

/* "%%bash" runs here as "terrarium run" and Jupyter run it. */
static void a_cell_of_another_language_runs(void **state)
{
	static const char with_bash[] =
			"{\n \"cells\": [\n"
			"  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"id\": \"b1\",\n   \"metadata\": {},\n"
			"   \"outputs\": [],\n   \"source\": [\n    \"%%bash\\n\",\n    \"echo $((6 * 7)) from bash\"\n   ]\n  }\n"
			" ],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n";

	(void)state;
	write_notebook(with_bash);
	start();
	screen_wait(&s, "# %% [bash]");
	save();
	assert_string_equal(read_notebook(), with_bash);
	screen_send(&s, "\x1b[15~"); /* F5 */
	screen_wait(&s, "42 from bash");
	screen_wait(&s, "book.ipynb*");
	save();
	assert_non_null(strstr(read_notebook(), "\"%%bash\\n\",\n    \"echo $((6 * 7)) from bash\"\n"));
	assert_non_null(strstr(read_notebook(), "\"42 from bash\\n\""));
	assert_int_equal(screen_leave(&s), 0);
}

static void a_broken_notebook_stays_as_it_is(void **state)
{
	static const char broken[] = "{\"cells\": [\n{\"cell_type\": \"code\", \"source\": 1}]}";

	(void)state;
	write_notebook(broken);
	start();
	screen_wait(&s, "as a notebook: cell 1 has no source that is text");
	assert_int_equal(screen_leave(&s), 0);
	assert_string_equal(read_notebook(), broken);
}

static void a_buffer_becomes_a_notebook(void **state)
{
	(void)state;
	start(); /* there is no such file yet */
	screen_send(&s, "2 + 3");
	screen_send(&s, "\x1b[15~");
	screen_wait(&s, "= 5");
	save();
	const char *text = read_notebook();
	assert_non_null(strstr(text, "\"execution_count\": 1,"));
	assert_non_null(strstr(text, "\"text/plain\": [\n       \"5\"\n      ]"));
	assert_non_null(strstr(text, "\"name\": \"python3\""));
	assert_int_equal(screen_leave(&s), 0);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_teardown(name, clean_up)
	const struct CMUnitTest tests[] = {
			TEST(a_notebook_is_saved_as_it_was),
			TEST(outputs_are_saved_with_the_cells_that_ran),
			TEST(a_cell_of_another_language_runs),
			TEST(a_broken_notebook_stays_as_it_is),
			TEST(a_buffer_becomes_a_notebook),
	};

	assert_int_equal(argc, 3);
	program = argv[1];
	backend = argv[2];
	if (!screen_has_sandboxes(program))
		return 77;
	strcpy(dir, "/tmp/terrarium-notebook-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/book.ipynb", dir);
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(dir);
	return r;
}
