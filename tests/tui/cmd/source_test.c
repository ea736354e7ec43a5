/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "cmd/source.h"
#include "langs.h"

/* A file of these bytes, read as a source; the caller finishes it. Returns what source_read() said. */
static int read_bytes(struct source *s, const void *bytes, size_t n, struct trm_error *why)
{
	static char path[] = "/tmp/source-test-XXXXXX";
	strcpy(path, "/tmp/source-test-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
	*s = (struct source){.kind = SOURCE_FILE, .name = path};
	int r = source_read(s, why);
	unlink(path);
	return r;
}

static void text_is_read(void **state)
{
	(void)state;
	struct source s;
	struct trm_error why = {0};
	assert_int_equal(read_bytes(&s, "\xef\xbb\xbfprint('é')\n", 15, &why), 0);
	assert_string_equal(s.text, "print('é')\n");
	assert_int_equal(s.n, strlen(s.text));
	source_finish(&s);
	assert_int_equal(read_bytes(&s, "", 0, &why), 0);
	assert_int_equal(s.n, 0);
	source_finish(&s);
}

static void what_is_no_text_is_refused(void **state)
{
	(void)state;
	struct source s;
	struct trm_error why = {0};
	assert_int_equal(read_bytes(&s, "a\nb\0c", 5, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "it is a binary file (a NUL byte in line 2), not text"));
	source_finish(&s);
	assert_int_equal(read_bytes(&s, "a\n\nb\xff", 5, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "line 3 is not UTF-8 text"));
	source_finish(&s);
	s = (struct source){.kind = SOURCE_FILE, .name = "/nonexistent/x.py"};
	assert_int_equal(source_read(&s, &why), TRM_ENOENT);
	assert_string_equal(why.msg, "cannot read /nonexistent/x.py: No such file or directory");
	source_finish(&s);
	s = (struct source){.kind = SOURCE_FILE, .name = "/tmp"};
	assert_int_equal(source_read(&s, &why), TRM_EINVAL);
	assert_string_equal(why.msg, "cannot run /tmp: it is a directory");
	source_finish(&s);
	s = (struct source){.kind = SOURCE_FILE, .name = ""};
	assert_int_equal(source_read(&s, &why), TRM_EINVAL);
	assert_string_equal(why.msg, "the name of the file to run is empty");
	source_finish(&s);
}

static void expect_language(const char *name, const char *text, int wanted)
{
	const struct trm_lang *python = trm_lang_default();
	struct trm_error why = {0};
	struct source s = {.kind = SOURCE_FILE, .name = name, .text = strdup(text), .n = strlen(text)};
	int r = source_guess(&s, NULL, python, &why);
	assert_int_equal(r < 0 ? r : (int)s.lang->index, wanted);
	source_finish(&s);
}

static void the_language_is_guessed(void **state)
{
	(void)state;
	expect_language("a.js", "#!/usr/bin/python3\n", LANG_JAVASCRIPT);
	expect_language("dir.d/tool", "#!/usr/bin/env node\n", LANG_JAVASCRIPT);
	expect_language("tool", "#!/usr/bin/env -S FOO=1 python3.11 -u\nx", LANG_PYTHON);
	expect_language("tool", "#! /bin/sh -e", LANG_BASH);
	expect_language("tool", "#!/usr/bin/perl\n", TRM_EINVAL);
	expect_language("tool", "#!\n", TRM_EINVAL);
	expect_language("tool", "print(1)\n", TRM_EINVAL);
	expect_language("a.xyz", "#!/usr/bin/env cobol\n", TRM_EINVAL);
}

static void what_was_asked_for_wins(void **state)
{
	(void)state;
	const struct trm_lang *bash = trm_lang_shell(), *python = trm_lang_default();
	struct source s = {.kind = SOURCE_FILE, .name = "a.js"};
	assert_int_equal(source_guess(&s, bash, python, NULL), 0);
	assert_ptr_equal(s.lang, bash);
	s = (struct source){.kind = SOURCE_ARGUMENT, .name = "a.js"};
	assert_int_equal(source_guess(&s, NULL, python, NULL), 0);
	assert_ptr_equal(s.lang, python);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(text_is_read),
			cmocka_unit_test(what_is_no_text_is_refused),
			cmocka_unit_test(the_language_is_guessed),
			cmocka_unit_test(what_was_asked_for_wins),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
