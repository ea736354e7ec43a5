/* SPDX-License-Identifier: MIT */
/* Programs: runs that are the whole of a file. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/drivers/harness.h"
#include "langs.h"

static void write_here(const struct driver *d, const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", d->cwd, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static bool is_here(const struct driver *d, const char *name)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", d->cwd, name);
	return access(path, F_OK) == 0;
}

static bool has_here(const struct driver *d, const char *name, const char *text)
{
	char path[128], found[128] = "";
	snprintf(path, sizeof path, "%s/%s", d->cwd, name);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	size_t n = fread(found, 1, sizeof found - 1, f);
	fclose(f);
	return n == strlen(text) && !strcmp(found, text);
}

static void send_program(struct driver *d, const char *file, const char *code)
{
	char members[400];
	snprintf(members, sizeof members, "\"op\":\"run\",\"code\":\"%s\",\"file\":\"%s\",\"program\":true",
			code, file);
	driver_send_request(d, members);
}

static const struct program {
	unsigned lang;
	const char *file, *set, *code; /* tells how many lines it has, and its name */
	bool is_done;                  /* tells its end: else its process ends */
} PROGRAMS[] = {
		{LANG_BASH, "p.sh", "x=1", "grep -c . $0; echo ${0##*/}; exit 3", true},
		{LANG_JAVASCRIPT, "p.js", "x = 1",
				"console.log(require('fs').readFileSync(__filename, 'utf8').split('\\\\n').length);"
				"console.log(require('path').basename(__filename)); process.exitCode = 3",
				false},
		{LANG_PYTHON, "p.py", "x = 1",
				"import os, sys; print(len(open(__file__).readlines())); "
				"print(os.path.basename(__file__)); sys.exit(3)",
				true},
};
enum { N_PROGRAMS = sizeof PROGRAMS / sizeof *PROGRAMS };

static void end(struct driver *d, const struct program *p)
{
	if (!p->is_done) {
		int status = driver_wait_exit(d);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
		return;
	}
	assert_int_equal(cJSON_GetObjectItem(driver_wait(d), "exit_code")->valueint, 3);
	driver_send_request(d, "\"op\":\"leave\"");
	driver_wait_exit(d);
}

static void try_program(const struct program *p, const char *before, const char *other)
{
	struct driver *d = driver_start(p->lang);
	char want[64];
	if (other)
		write_here(d, p->file, other);
	if (before)
		driver_run(d, before);
	send_program(d, p->file, p->code);
	snprintf(want, sizeof want, "1\n%s", p->file);
	driver_wait_text(d, 2 * d->set, want); /* the run before may have left its pipes to late output */
	end(d, p);
	assert_int_equal(is_here(d, p->file), other != NULL);
	if (other)
		assert_true(has_here(d, p->file, other));
	driver_stop(d);
}

static void programs_read_themselves(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_PROGRAMS; i++)
		try_program(&PROGRAMS[i], NULL, NULL);
}

static void a_session_may_end_with_a_program(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_PROGRAMS; i++)
		try_program(&PROGRAMS[i], PROGRAMS[i].set, NULL);
}

static void no_file_is_written_over(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_PROGRAMS; i++)
		try_program(&PROGRAMS[i], NULL, "somebody's\n");
}

static const struct {
	unsigned lang;
	const char *code; /* tells its first argument, and how many there are */
	const char *none;
} ARGS[] = {
		{LANG_BASH, "echo \\\"$1\\\" $#", " 0\n"},
		{LANG_JAVASCRIPT, "console.log(process.argv[2] ?? '', process.argv.slice(2).length)", " 0\n"},
		{LANG_PYTHON, "import sys; print((sys.argv[1:] or [''])[0], len(sys.argv) - 1)", " 0\n"},
};

/* In requests of either length, which Bash reads in two ways. */
static void arguments_are_those_of_one_run(void **state)
{
	(void)state;
	char members[6000];
	for (size_t i = 0; i < sizeof ARGS / sizeof *ARGS; i++) {
		struct driver *d = driver_start(ARGS[i].lang);
		for (int width = 1; width < 5000; width += 4500) {
			snprintf(members, sizeof members,
					"\"op\":\"run\",\"code\":\"%s\",\"file\":\"<run>\","
					"\"args\":[\"a \\\"b\\\" \\\\ ] \u00fc\",\"\",\"%0*d\"]",
					ARGS[i].code, width, 0);
			driver_send_request(d, members);
			driver_wait(d);
			assert_string_equal(d->out, "a \"b\" \\ ] \u00fc 3\n");
			snprintf(members, sizeof members, "\"op\":\"run\",\"code\":\"%s\",\"file\":\"<run>\"",
					ARGS[i].code);
			driver_send_request(d, members);
			driver_wait(d);
			assert_string_equal(d->out, ARGS[i].none);
		}
		driver_stop(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(arguments_are_those_of_one_run),
			cmocka_unit_test(programs_read_themselves),
			cmocka_unit_test(a_session_may_end_with_a_program),
			cmocka_unit_test(no_file_is_written_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
