/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmocka_all.h"
#include "langs.h"
#include "notebook/notebook.h"

/* As Jupyter writes it, with what terrarium does not know. */
static const char jupyter[] = "{\n"
			      " \"cells\": [\n"
			      "  {\n"
			      "   \"attachments\": {\n"
			      "    \"a.png\": {\n"
			      "     \"image/png\": \"iVBORw0KGgo=\"\n"
			      "    }\n"
			      "   },\n"
			      "   \"cell_type\": \"markdown\",\n"
			      "   \"id\": \"m1\",\n"
			      "   \"metadata\": {},\n"
			      "   \"source\": [\n"
			      "    \"# Title\\n\",\n"
			      "    \"\\n\",\n"
			      "    \"%% not a mark\"\n"
			      "   ]\n"
			      "  },\n"
			      "  {\n"
			      "   \"cell_type\": \"code\",\n"
			      "   \"execution_count\": 7,\n"
			      "   \"id\": \"c1\",\n"
			      "   \"metadata\": {\n"
			      "    \"unknown\": [1.50, 2e3, NaN],\n"
			      "    \"title\": \"First\"\n"
			      "   },\n"
			      "   \"outputs\": [\n"
			      "    {\n"
			      "     \"name\": \"stdout\",\n"
			      "     \"output_type\": \"stream\",\n"
			      "     \"text\": [\n"
			      "      \"old\\n\"\n"
			      "     ]\n"
			      "    }\n"
			      "   ],\n"
			      "   \"source\": [\n"
			      "    \"x = '\\u00e9\xc3\xa9'\\n\",\n"
			      "    \"# %% inside\\n\",\n"
			      "    \"# # %% too\\n\"\n"
			      "   ]\n"
			      "  },\n"
			      "  {\n"
			      "   \"cell_type\": \"code\",\n"
			      "   \"execution_count\": null,\n"
			      "   \"id\": \"c2\",\n"
			      "   \"metadata\": {},\n"
			      "   \"outputs\": [],\n"
			      "   \"source\": [\n"
			      "    \"%%bash\\n\",\n"
			      "    \"ls\"\n"
			      "   ]\n"
			      "  },\n"
			      "  {\n"
			      "   \"cell_type\": \"code\",\n"
			      "   \"execution_count\": null,\n"
			      "   \"id\": \"c3\",\n"
			      "   \"metadata\": {},\n"
			      "   \"outputs\": [],\n"
			      "   \"source\": []\n"
			      "  }\n"
			      " ],\n"
			      " \"metadata\": {\n"
			      "  \"kernelspec\": {\n"
			      "   \"name\": \"python3\"\n"
			      "  },\n"
			      "  \"zebra\": {}\n"
			      " },\n"
			      " \"nbformat\": 4,\n"
			      " \"nbformat_minor\": 5\n"
			      "}\n";

static const char script[] = "# %% [markdown]\n# # Title\n#\n# # %% not a mark\n\n"
			     "# %% First\nx = '\xc3\xa9\xc3\xa9'\n# # %% inside\n# # # %% too\n\n"
			     "# %% [bash]\n# ls\n\n# %%\n";

static char *script_of(const struct notebook *nb)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	notebook_put_script(nb, out);
	fclose(out);
	return text;
}

static struct notebook *parse(const char *json)
{
	struct trm_error why = {0};
	struct notebook *nb = NULL;

	if (notebook_parse(json, strlen(json), &nb, &why) < 0)
		fail_msg("%s", why.msg);
	return nb;
}

static char *print_with(const char *json, const char *text, const struct notebook_result *results, size_t n)
{
	struct notebook *nb = parse(json);
	char *printed = NULL;
	size_t len;
	FILE *out = open_memstream(&printed, &len);

	assert_int_equal(notebook_print(nb, text, strlen(text), results, n, out), 0);
	fclose(out);
	notebook_destroy(nb);
	notebook_destroy(parse(printed));
	return printed;
}

static void becomes(const char *json, const char *text, const char *expected)
{
	char *printed = print_with(json, text, NULL, 0);

	assert_string_equal(printed, expected);
	free(printed);
}

/* The text with the first `from` as `to`. malloc'd. */
static char *with(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *out = NULL;

	if (!at)
		fail_msg("no \"%s\" in %s", from, text);
	assert_true(asprintf(&out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) >= 0);
	return out;
}

static void a_notebook_becomes_a_script(void **state)
{
	struct notebook *nb = parse(jupyter);
	char *text = script_of(nb);

	(void)state;
	assert_string_equal(text, script);
	assert_int_equal(nb->n_code, 3);
	assert_int_equal(nb->n_text, 1);
	assert_int_equal(nb->n_outputs, 1);
	assert_int_equal(nb->n_foreign, 1);
	assert_string_equal(nb->indent, " ");
	assert_false(nb->is_old || nb->is_lang_guessed || nb->is_one_line);
	free(text);
	notebook_destroy(nb);
}

/* Whatever a file looks like: what nobody has changed stays byte for byte. */
static void an_unchanged_notebook_keeps_its_bytes(void **state)
{
	static const char *const files[] = {jupyter, "{\"cells\":[]}",
			"\xef\xbb\xbf { \"nbformat\" : 4 , \"cells\" : [ ] } \r\n\n",
			"{\"cells\":[{\"source\":\"a\\n\\n\\n\",\"cell_type\":\"code\"} ,{\"cell_type\":\"raw\","
			"\"source\":[\"a\\u0000\",\"\\ud800 \\ud83d\\ude00\"],\"source\":\"last one counts\"}]}",
			"{\"metadata\":{\"kernelspec\":{\"language\":\"javascript\"}},\"cells\":[{\"cell_type\":"
			"\"code\",\"source\":\"// %% x\\n1\"},{\"cell_type\":\"heading\",\"source\":\"\\n\\nx\"}]}"};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct notebook *nb = parse(files[i]);
		char *text = script_of(nb);
		becomes(files[i], text, files[i]);
		free(text);
		notebook_destroy(nb);
	}
}

static void an_edit_changes_only_its_cell(void **state)
{
	char *text = with(script, "x = '\xc3\xa9\xc3\xa9'\n", "y = \"\x01\xc3\xa9\"\n");
	char *expected = with(jupyter,
			"    \"x = '\\u00e9\xc3\xa9'\\n\",\n    \"# %% inside\\n\",\n    \"# # %% too\\n\"\n",
			"    \"y = \\\"\\u0001\xc3\xa9\\\"\\n\",\n    \"# %% inside\\n\",\n    \"# # %% too\"\n");

	(void)state;
	becomes(jupyter, text, expected);
	free(text);
	free(expected);
	text = with(script, "# ls\n", "# ls -l\n");
	expected = with(jupyter, "    \"ls\"\n", "    \"ls -l\"\n");
	becomes(jupyter, text, expected);
	free(text);
	free(expected);
	becomes("{\"cells\":[{\"cell_type\":\"code\",\"source\":\"a\"}]}", "# %%\nb\n",
			"{\"cells\":[{\"cell_type\":\"code\",\"source\":\"b\"}]}");
}

static void a_title_is_kept_as_metadata(void **state)
{
	char *text = with(script, "# %% First", "# %% Second"),
	     *expected = with(jupyter, "\"First\"", "\"Second\"");

	(void)state;
	becomes(jupyter, text, expected);
	free(text);
	free(expected);
	text = with(script, "# %% First", "# %%");
	expected = with(jupyter, "{\n    \"unknown\": [1.50, 2e3, NaN],\n    \"title\": \"First\"\n   }",
			"{\n    \"unknown\": [1.50, 2e3, NaN]\n   }");
	becomes(jupyter, text, expected);
	free(text);
	free(expected);
	becomes("{\n  \"cells\": [\n    {\n      \"cell_type\": \"code\",\n      \"source\": []\n    }\n  ]\n}",
			"# %% T\n",
			"{\n  \"cells\": [\n    {\n      \"cell_type\": \"code\",\n      \"metadata\": {\n"
			"        \"title\": \"T\"\n      },\n      \"source\": []\n    }\n  ]\n}");
}

static void cells_come_and_go_and_move(void **state)
{
	char *text = with(script, "# %% [bash]\n# ls\n\n", ""), *printed = print_with(jupyter, text, NULL, 0);

	(void)state;
	assert_null(strstr(printed, "\"c2\""));
	assert_non_null(strstr(printed, "\"c3\""));
	assert_non_null(strstr(printed, "\"attachments\""));
	free(text);
	free(printed);
	/* The bash cell goes to the front, and a new one comes in. */
	printed = print_with(jupyter,
			"# %% [bash]\n# ls\n\n# %%\nnew()\n\n# %% First\nx = '\xc3\xa9\xc3\xa9'\n"
			"# # %% inside\n# # # %% too changed\n\n# %% [markdown]\n# new text\n",
			NULL, 0);
	assert_true(strstr(printed, "\"c2\"") < strstr(printed, "new()"));
	assert_non_null(strstr(printed, "\"c1\""));
	assert_true(strstr(printed, "new()") < strstr(printed, "\"c1\""));
	assert_non_null(strstr(printed, "\"c3\""));     /* the empty cell was filled */
	assert_non_null(strstr(printed, "\"old\\n\"")); /* the outputs of what was edited stay */
	assert_non_null(strstr(printed, "   \"source\": [\n    \"new()\"\n   ]\n  },\n"));
	free(printed);
}

static void outputs_of_runs_are_put_in(void **state)
{
	const char outputs[] = "[{\"name\":\"stdout\",\"output_type\":\"stream\",\"text\":[\"1\\n\"]}]";
	const char source[] = "# %%\n1\n\n# %%\n2\n";
	struct notebook_result ran[] = {
			{.pos = 5, .end = 8, .count = 3, .outputs = outputs, .n = sizeof outputs - 1},
			{.pos = 13, .end = 15, .count = 0, .outputs = "[]", .n = 2}};

	(void)state;
	char *printed = print_with(
			"{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"metadata\": {},\n"
			"   \"source\": \"1\"\n  }\n ]\n}\n",
			source, ran, 2);
	assert_string_equal(printed,
			"{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 3,\n"
			"   \"metadata\": {},\n   \"outputs\": [\n    {\n     \"name\": \"stdout\",\n"
			"     \"output_type\": \"stream\",\n     \"text\": [\n      \"1\\n\"\n     ]\n    }\n   ],\n"
			"   \"source\": \"1\"\n  },\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n"
			"   \"metadata\": {},\n   \"outputs\": [],\n   \"source\": [\n    \"2\"\n   ]\n  }\n ]\n}\n");
	free(printed);
	ran[0].end = 9; /* more than the cell was run as one: it is not known whose the output is */
	printed = print_with("{\"cells\":[{\"cell_type\":\"code\",\"source\":\"1\"}]}", "# %%\n1\n", ran, 1);
	assert_string_equal(printed, "{\"cells\":[{\"cell_type\":\"code\",\"source\":\"1\"}]}");
	free(printed);
}

static void a_new_notebook_is_as_jupyter_writes_it(void **state)
{
	struct notebook *nb = notebook_create(trm_lang_at(LANG_BASH));
	char *printed = print_with(nb->json, "echo 1\n\n# %% [markdown]\n# text\n", NULL, 0);

	(void)state;
	assert_true(nb->has_ids && nb->lang == trm_lang_at(LANG_BASH) && !nb->n_cells);
	assert_non_null(strstr(printed, "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n"
					"   \"execution_count\": null,\n   \"id\": \""));
	assert_non_null(strstr(printed, "\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n"));
	free(printed);
	notebook_destroy(nb);
	nb = parse(" \n"); /* an empty file */
	assert_int_equal(nb->n_cells, 0);
	notebook_destroy(nb);
}

static void refuse(const char *json, int code, const char *words)
{
	struct trm_error why = {0};
	struct notebook *nb = NULL;

	assert_int_equal(notebook_parse(json, strlen(json), &nb, &why), code);
	if (!strstr(why.msg, words))
		fail_msg("\"%s\" does not say \"%s\"", why.msg, words);
}

static void what_is_broken_is_refused_in_words(void **state)
{
	(void)state;
	refuse("{\n\"cells\":[\n}", TRM_EPROTO, "line 3: a value is expected");
	refuse("{\"cells\":[]} x", TRM_EPROTO, "line 1: there is something behind its end");
	refuse("{\"cells\":[01]}", TRM_EPROTO, "a value is expected");
	refuse("{\"cells\":[1.]}", TRM_EPROTO, "a number is not complete");
	refuse("{\"a\":\"\\x\"}", TRM_EPROTO, "there is no such escape sequence");
	refuse("{\"a\":\"\\u12\"}", TRM_EPROTO, "a character's number is not complete");
	refuse("{\"a\":\"\xff\"}", TRM_EPROTO, "not UTF-8 text");
	refuse("{\"a\":\"", TRM_EPROTO, "a string does not end");
	refuse("{\"a\" 1}", TRM_EPROTO, "a colon is expected");
	refuse("{\"a\":1 \"b\":2}", TRM_EPROTO, "a comma is expected");
	refuse("{a:1}", TRM_EPROTO, "a name in quotes is expected");
	refuse("{\"a\":[1", TRM_EPROTO, "it ends too early");
	refuse("[]", TRM_EPROTO, "not a valid JSON object");
	refuse("{\"nbformat\":5,\"cells\":[]}", TRM_ENOTSUP, "notebook format 5");
	refuse("{\"metadata\":{\"kernelspec\":{\"language\":\"cobol\"}},\"cells\":[]}", TRM_ENOTSUP, "cobol");
}

/* The judge is Jupyter's own reader and writer. */
static void jupyter_accepts_what_is_printed(void **state)
{
	static const char check[] = "/usr/bin/python3 -c 'import nbformat,sys; s=open(sys.argv[1]).read(); "
				    "nb=nbformat.reads(s,4); nbformat.validate(nb); "
				    "sys.exit(nbformat.writes(nb)+\"\\n\" != s)' %s";
	char path[] = "/tmp/terrarium-notebook-XXXXXX", command[400];
	const char outputs[] =
			"[{\"data\":{\"image/png\":\"iVBORw0KGgo=\",\"text/plain\":[\"<x>\"]},\"metadata\":{},"
			"\"output_type\":\"display_data\"},{\"ename\":\"E\",\"evalue\":\"v\",\"output_type\":"
			"\"error\",\"traceback\":[\"t\"]}]";
	struct notebook_result ran = {
			.pos = 5, .end = 7, .count = 1, .outputs = outputs, .n = sizeof outputs - 1};
	struct notebook *nb = notebook_create(trm_lang_at(LANG_PYTHON));

	(void)state;
	if (system("/usr/bin/python3 -c 'import nbformat' 2>/dev/null") != 0) {
		notebook_destroy(nb);
		skip();
	}
	char *printed = print_with(
			nb->json, "# %%\n1\n\n# %% T\n\n# %% [bash]\n# ls\n\n# %% [raw]\n# x\n", &ran, 1);
	int fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, printed, strlen(printed)) == (ssize_t)strlen(printed));
	close(fd);
	snprintf(command, sizeof command, check, path);
	assert_int_equal(system(command), 0);
	unlink(path);
	free(printed);
	notebook_destroy(nb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_notebook_becomes_a_script),
			cmocka_unit_test(an_unchanged_notebook_keeps_its_bytes),
			cmocka_unit_test(an_edit_changes_only_its_cell),
			cmocka_unit_test(a_title_is_kept_as_metadata),
			cmocka_unit_test(cells_come_and_go_and_move),
			cmocka_unit_test(outputs_of_runs_are_put_in),
			cmocka_unit_test(a_new_notebook_is_as_jupyter_writes_it),
			cmocka_unit_test(what_is_broken_is_refused_in_words),
			cmocka_unit_test(jupyter_accepts_what_is_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
