/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmocka_all.h"
#include "langs.h"
#include "record/export.h"
#include "record/import.h"
#include "record/writer.h"

static struct transcript transcript;
static uint32_t next_run;

static uint32_t add_run(unsigned lang, const char *code)
{
	struct rec_event run = {.kind = REC_RUN,
			.run = ++next_run,
			.lang = trm_lang_at(lang),
			.text = code,
			.len = strlen(code)};

	transcript_add(&transcript, &run);
	transcript_add(&transcript,
			&(struct rec_event){.kind = REC_ACCEPTED, .run = next_run, .number = next_run});
	return next_run;
}

static void add_output(uint32_t run, int stream, const char *text)
{
	struct rec_event e = {
			.kind = REC_OUTPUT, .run = run, .stream = stream, .text = text, .len = strlen(text)};

	transcript_add(&transcript, &e);
}

static void add_display(uint32_t run, const char *mime, const char *data)
{
	struct rec_event e = {
			.kind = REC_DISPLAY, .run = run, .name = mime, .text = data, .len = strlen(data)};

	transcript_add(&transcript, &e);
}

static void end(uint32_t run, struct trm_result result)
{
	transcript_add(&transcript, &(struct rec_event){.kind = REC_DONE, .run = run, .result = &result});
}

static char *export(const char *format)
{
	struct writer w;

	writer_init(&w, WRITER_MAX);
	export_find(format)->write(&transcript, &w);
	assert_int_equal(w.error, 0);
	return w.bytes;
}

static void expect(const char *format, const char *text)
{
	char *page = export(format);

	if (!strstr(page, text))
		fail_msg("no \"%s\" in:\n%s", text, page);
	free(page);
}

static void expect_not(const char *format, const char *text)
{
	char *page = export(format);

	if (strstr(page, text))
		fail_msg("\"%s\" in:\n%s", text, page);
	free(page);
}

static int begin(void **state)
{
	(void)state;
	next_run = 0;
	transcript_init(&transcript, 1 << 20);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	transcript_finish(&transcript);
	return 0;
}

/* ---- tests ---- */

static void hostile_output_stays_text(void **state)
{
	(void)state;
	uint32_t run = add_run(LANG_PYTHON, "</code><script>code()</script>");
	add_output(run, TRM_STDOUT, "<script>out()</script>\033]0;title\007");
	add_display(run, "text/html", "<script>frame()</script>\" onload=\"x");
	add_display(run, "image/png", "\"><script>png()</script>");
	add_display(run, "image/svg+xml", "<svg onload=\"svg()\"/>");
	end(run, (struct trm_result){.value = (char *)"<b>"});
	expect_not("html", "<script");
	expect_not("html", "onload=\"");
	expect_not("html", "title\007");
	expect("html", "<iframe sandbox ");
	expect("html", "default-src 'none'");
	expect("md", "<script>out()</script>"); /* inside a fence */
}

static void fences_are_longer_than_what_they_hold(void **state)
{
	(void)state;
	add_run(LANG_BASH, "echo '````'");
	expect("md", "`````bash\necho '````'\n`````\n");
}

static void colors_and_returns_are_carried_out(void **state)
{
	(void)state;
	uint32_t run = add_run(LANG_PYTHON, "x");
	add_output(run, TRM_STDOUT, "\033[1;38;2;1;2;3mbold\033[0m\n10%\r20%\n");
	expect("html", "<span class=\"b\" style=\"color:#010203;\">");
	expect_not("md", "10%");
	expect_not("md", "\033");
}

static void characters_cut_between_outputs_are_whole(void **state)
{
	(void)state;
	uint32_t run = add_run(LANG_PYTHON, "x");
	add_output(run, TRM_STDOUT, "\xc3");
	add_output(run, TRM_STDOUT, "\xa9");
	expect("ipynb", "\"text\": [\n      \"\xc3\xa9\"\n     ]");
}

static void languages_are_reported_apart(void **state)
{
	(void)state;
	end(add_run(LANG_BASH, "ls"), (struct trm_result){.status = TRM_STATUS_ERROR, .exit_code = 2});
	end(add_run(LANG_PYTHON, "1"), (struct trm_result){.value = (char *)"1"});
	add_run(LANG_JAVASCRIPT, "2");
	expect("ipynb", "\"name\": \"python3\"");
	expect("ipynb", "[\n    \"%%bash\\n\",\n    \"ls\"\n   ]");
	expect("ipynb", "\"%%script node\\n\",\n    \"2\"\n");
	expect("ipynb", "\"evalue\": \"exit 2");
	expect("script", "# %% [1] exit 2");
	expect("script", "# %% [2] python, ok");
	expect("script", "\n# 1\n");
}

static void what_is_missing_is_reported(void **state)
{
	char line[1001] = "";

	(void)state;
	transcript_finish(&transcript);
	transcript_init(&transcript, 2500);
	memset(line, 'x', 1000);
	uint32_t first = add_run(LANG_PYTHON, "first");
	add_output(first, TRM_STDOUT, line);
	uint32_t second = add_run(LANG_PYTHON, "second");
	for (int i = 0; i < 4; i++)
		add_output(second, TRM_STDERR, line);
	assert_int_equal(transcript_run(&transcript, first)->dropped_bytes, 1000);
	assert_int_equal(transcript_run(&transcript, second)->dropped_bytes, 2000);
	assert_true(transcript.bytes <= 2500);
	expect("ipynb", "3000 bytes of output are missing");
	expect("html", "1000 bytes of output are not kept");
	expect("md", "2000 bytes of output are not kept");
}

static void a_notebook_comes_back(void **state)
{
	struct imported found;
	struct trm_error why = {0};
	struct writer w;

	(void)state;
	end(add_run(LANG_PYTHON, "x = 1\nprint(x)"), (struct trm_result){.value = (char *)"1"});
	add_run(LANG_BASH, "ls");
	char *json = export("ipynb");
	writer_init(&w, WRITER_MAX);
	assert_int_equal(notebook_import(json, strlen(json), &w, &found, &why), 0);
	assert_string_equal(w.bytes, "# %%\nx = 1\nprint(x)\n\n# %% [bash]\n# ls\n");
	assert_int_equal(found.n_code, 2);
	assert_int_equal(found.n_outputs, 1);
	assert_int_equal(found.n_foreign, 1);
	writer_finish(&w);
	free(json);
}

static void formats_are_found(void **state)
{
	(void)state;
	assert_string_equal(export_guess("a.b/x.ipynb")->name, "ipynb");
	assert_string_equal(export_guess("x.py")->name, "script");
	assert_string_equal(export_guess("x.HTML")->name, "html");
	assert_null(export_guess("x"));
	assert_null(export_guess("x.docx"));
	assert_string_equal(export_find("notebook")->name, "ipynb");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(hostile_output_stays_text),
			TEST(fences_are_longer_than_what_they_hold),
			TEST(colors_and_returns_are_carried_out),
			TEST(characters_cut_between_outputs_are_whole),
			TEST(languages_are_reported_apart),
			TEST(what_is_missing_is_reported),
			TEST(a_notebook_comes_back),
			TEST(formats_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
