/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmocka_all.h"
#include "langs.h"
#include "record/import.h"
#include "record/writer.h"

static struct imported found;

static int import(const char *json, size_t n, struct writer *w, struct trm_error *why)
{
	*why = (struct trm_error){0};
	found = (struct imported){0};
	writer_init(w, WRITER_MAX);
	return notebook_import(json, n, w, &found, why);
}

static void accept(const char *json, const char *text)
{
	struct trm_error why;
	struct writer w;

	if (import(json, strlen(json), &w, &why) < 0)
		fail_msg("%s", why.msg);
	assert_string_equal(w.bytes ? w.bytes : "", text);
	writer_finish(&w);
}

static void refuse(const char *json, const char *words)
{
	struct trm_error why;
	struct writer w;

	assert_true(import(json, strlen(json), &w, &why) < 0);
	if (!strstr(why.msg, words))
		fail_msg("\"%s\" does not say \"%s\"", why.msg, words);
	writer_finish(&w);
}

static void cells_become_text(void **state)
{
	(void)state;
	accept("", "");
	accept("{\"cells\":[]}", "");
	assert_true(found.is_lang_guessed);
	accept("{\"metadata\":{\"kernelspec\":{\"language\":\"javascript\"}},\"cells\":["
	       "{\"cell_type\":\"markdown\",\"source\":[\"# Title\\n\",\"\\n\",\"text\"]},"
	       "{\"cell_type\":\"code\",\"source\":\"let x = 1\",\"outputs\":[{},{}]},"
	       "{\"cell_type\":\"raw\",\"source\":\"\"}]}",
			"// %% [markdown]\n// # Title\n//\n// text\n\n// %%\nlet x = 1\n\n// %% [raw]\n");
	assert_int_equal(found.lang->index, LANG_JAVASCRIPT);
	assert_int_equal(found.n_outputs, 2);
	accept("{\"metadata\":{\"language_info\":{\"name\":\"ipython\"}},\"worksheets\":[{\"cells\":["
	       "{\"cell_type\":\"code\",\"input\":[\"1+1\"]}]}]}",
			"# %%\n1+1\n");
}

static void what_is_wrong_is_reported(void **state)
{
	(void)state;
	refuse("{", "not a valid JSON");
	refuse("[]", "not a valid JSON object");
	refuse("{}", "no list of cells");
	refuse("{\"cells\":{}}", "no list of cells");
	refuse("{\"cells\":[1]}", "cell 1 has no type");
	refuse("{\"cells\":[{\"cell_type\":\"code\",\"source\":7}]}", "cell 1 has no source");
	refuse("{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"a\",[]]}]}", "cell 1 has no source");
	refuse("{\"metadata\":{\"kernelspec\":{\"language\":\"cobol\"}},\"cells\":[]}", "language is cobol");
}

static void depth_is_bounded(void **state)
{
	size_t n = 2000000;
	char *deep = malloc(n + 1);

	(void)state;
	memset(deep, '[', n);
	deep[n] = '\0';
	refuse(deep, "nested more than");
	memcpy(deep, "{\"a\":\"", 6);
	memcpy(deep + 1000, "\",\"cells\":[]}", 14);
	accept(deep, ""); /* brackets in a text are no depth */
	free(deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(cells_become_text),
			cmocka_unit_test(what_is_wrong_is_reported),
			cmocka_unit_test(depth_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
