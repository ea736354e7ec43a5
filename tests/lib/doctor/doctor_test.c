/* SPDX-License-Identifier: MIT */
/* What the doctor makes of texts from outside: findings, versions of programs, and the lines of a recipe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "doctor/doctor.h"

struct heard {
	struct trm_check checks[8];
	size_t n;
};

static void on_check(void *user, const struct trm_check *check)
{
	struct heard *h = user;
	assert_true(h->n < sizeof h->checks / sizeof *h->checks);
	h->checks[h->n++] = *check;
}

static void check_is(const struct trm_check *c, enum trm_check_status status, const char *name,
		const char *detail, const char *advice)
{
	assert_int_equal(c->status, status);
	assert_string_equal(c->name, name);
	assert_string_equal(c->detail, detail);
	assert_string_equal(c->advice, advice);
}

static void findings_are_counted_and_cleaned(void **state)
{
	struct heard h = {.n = 0};
	struct doctor d = {.fn = on_check, .user = &h};
	char lengthy[600];
	(void)state;
	doctor_say(&d, TRM_CHECK_OK, "net", NULL, "%d of %d", 1, 2);
	doctor_say(&d, TRM_CHECK_FAILED, "a\tb", "do\033[31m it", "two\nlines");
	assert_int_equal(d.n_failed, 1);
	check_is(&h.checks[0], TRM_CHECK_OK, "net", "1 of 2", "");
	for (const char *s = h.checks[1].detail; *s; s++)
		assert_true(*s != '\n');
	assert_null(strchr(h.checks[1].advice, '\033'));
	memset(lengthy, 'x', sizeof lengthy - 1);
	lengthy[sizeof lengthy - 1] = '\0';
	doctor_say(&d, TRM_CHECK_WEAK, lengthy, lengthy, "%s", lengthy);
	assert_int_equal(d.n_failed, 1);
	assert_true(strlen(h.checks[2].name) < sizeof h.checks[2].name);
	assert_true(strlen(h.checks[2].detail) < sizeof h.checks[2].detail);
}

/* A file below a folder of our own, with this text. Returns its path. */
static const char *write_file(char *folder, const char *name, const char *text, mode_t mode)
{
	static char path[100];
	if (!mkdtemp(folder))
		fail_msg("no folder");
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static void a_version_is_one_line(void **state)
{
	char folder[] = "/tmp/terrarium-doctor-XXXXXX", version[32];
	const char *path = write_file(folder, "tool",
			"#!/bin/sh\n[ \"$1\" = --version ] && echo 'tool 1.2' && echo more\n", 0700);
	(void)state;
	doctor_ask_version(path, version, sizeof version);
	assert_string_equal(version, "tool 1.2");
	doctor_ask_version(path, version, 5);
	assert_string_equal(version, "tool");
	doctor_ask_version("/nonexistent/tool", version, sizeof version);
	assert_string_equal(version, "");
	unlink(path);
	rmdir(folder);
}

static void lines_of_a_recipe_are_findings(void **state)
{
	char folder[] = "/tmp/terrarium-doctor-XXXXXX";
	const char *path = write_file(folder, "config.json",
			"{\"backends\": {\"box\": {\"like\": \"docker\", \"steps\": {\"doctor\": [\"printf\", \"%b\", "
			"\"context\\\\tok\\\\tlab\\\\t\\\\n\\\\n\\\\tok\\\\tno name\\\\n"
			"rights\\\\tweak\\\\tno pods\\\\task for them\\\\nshort\\\\n\"]}}}}",
			0600);
	struct heard h = {.n = 0};
	struct doctor d = {.fn = on_check, .user = &h};
	struct trm_sandbox_opts opts;
	(void)state;
	trm_sandbox_opts_default(&opts);
	opts.backend = "box";
	opts.container.config = path;
	doctor_ask_recipe(&d, &opts);
	assert_int_equal(h.n, 3);
	check_is(&h.checks[0], TRM_CHECK_OK, "context", "lab", "");
	check_is(&h.checks[1], TRM_CHECK_WEAK, "rights", "no pods", "ask for them");
	check_is(&h.checks[2], TRM_CHECK_WEAK, "short", "", "");
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(findings_are_counted_and_cleaned),
			cmocka_unit_test(a_version_is_one_line),
			cmocka_unit_test(lines_of_a_recipe_are_findings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
