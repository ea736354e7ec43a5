/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmocka_all.h"
#include "record/event.h"
#include "record/file.h"
#include "record/writer.h"

/* There and back. */
static struct rec_event pass(const struct rec_event *e)
{
	struct rec_event back;
	struct trm_error why = {0};
	struct writer w;

	writer_init(&w, WRITER_MAX);
	rec_event_encode(e, &w);
	assert_int_equal(w.error, 0);
	assert_int_equal(w.bytes[w.n - 1], '\n');
	assert_null(memchr(w.bytes, '\n', w.n - 1));
	assert_int_equal(rec_event_decode(w.bytes, w.n - 1, &back, &why), 0);
	writer_finish(&w);
	assert_int_equal(back.kind, e->kind);
	assert_int_equal(back.t_us, e->t_us);
	assert_int_equal(back.run, e->run);
	return back;
}

static void check_output(const char *bytes, size_t n)
{
	struct rec_event e = {.kind = REC_OUTPUT,
			.run = 1,
			.t_us = 1234567,
			.stream = TRM_STDERR,
			.text = bytes,
			.len = n};
	struct rec_event back = pass(&e);

	assert_int_equal(back.stream, TRM_STDERR);
	assert_int_equal(back.len, n);
	assert_memory_equal(back.text, bytes, n);
	rec_event_finish(&back);
}

static void output_keeps_every_byte(void **state)
{
	(void)state;
	check_output("plain\n", 6);
	check_output("\033[31mred\033[0m \"quoted\" \\ \r\n", 26);
	check_output("\xc3\xa9 \xf0\x9f\x98\x80 \xe2\x80\xae", 11);
	check_output("cut \xc3", 5);
	check_output("nul \0 in", 8);
	check_output("\xff\xfe", 2);
	check_output("", 0);
}

static void a_result_comes_back(void **state)
{
	char *lines[] = {(char *)"one", (char *)"two \xc3\xa9", NULL};
	struct trm_result r = {.status = TRM_STATUS_ERROR,
			.exit_code = 1,
			.error_name = (char *)"E",
			.error_message = (char *)"",
			.traceback = lines,
			.value = (char *)"v",
			.wall_us = 1u << 31,
			.has_cpu = true,
			.cpu_us = 7,
			.has_compile = true,
			.compile_us = 8,
			.lang = trm_lang_shell()};
	struct rec_event e = {.kind = REC_DONE, .run = 3, .result = &r};
	struct rec_event back = pass(&e);

	(void)state;
	assert_int_equal(back.result->status, TRM_STATUS_ERROR);
	assert_string_equal(back.result->traceback[1], lines[1]);
	assert_null(back.result->traceback[2]);
	assert_string_equal(back.result->value, "v");
	assert_null(back.result->reason);
	assert_int_equal(back.result->wall_us, r.wall_us);
	assert_true(back.result->has_cpu && back.result->cpu_us == 7);
	assert_true(back.result->has_compile && back.result->compile_us == 8);
	assert_false(back.result->has_install);
	assert_false(back.result->has_mem_peak);
	assert_false(back.result->is_wall_unknown);
	rec_event_finish(&back);
	r.is_wall_unknown = true;
	back = pass(&e);
	assert_true(back.result->is_wall_unknown);
	rec_event_finish(&back);
}

static void a_sample_knows_what_was_known(void **state)
{
	struct trm_process rows[] = {
			{.pid = 2, .ppid = 1, .state = 'S', .mem_bytes = 4096, .command = "a \"b\""},
			{.pid = 3,
					.ppid = 2,
					.state = 'R',
					.has_cpu = true,
					.cpu_percent = 12.5,
					.command = "c"}};
	struct trm_metrics m = {.sample = {.known = TRM_METRIC_CPU_PERCENT | TRM_METRIC_MEM,
						.cpu_percent = 37.25,
						.mem_bytes = 123456789,
						.disk_bytes = 99,
						.source = "cgroup v2"},
			.processes = rows,
			.n_processes = 2,
			.has_processes = true};
	struct rec_event e = {.kind = REC_SAMPLE, .metrics = &m};
	struct rec_event back = pass(&e);
	const struct trm_metrics *got = back.metrics;

	(void)state;
	assert_int_equal(got->sample.known, m.sample.known);
	assert_true(got->sample.cpu_percent == 37.25);
	assert_int_equal(got->sample.mem_bytes, 123456789);
	assert_int_equal(got->sample.disk_bytes, 0);
	assert_int_equal(got->n_processes, 2);
	assert_string_equal(got->processes[0].command, "a \"b\"");
	assert_false(got->processes[0].has_cpu);
	assert_true(got->processes[1].cpu_percent == 12.5);
	rec_event_finish(&back);
}

static void the_page_of_sandboxes_comes_back(void **state)
{
	struct trm_entry entries[] = {{.name = "lab",
						      .backend = "local",
						      .client = "terrarium repl",
						      .has_client = true,
						      .has_state = true,
						      .is_kept = true,
						      .clients = 2,
						      .sample = {.known = TRM_METRIC_MEM, .mem_bytes = 7}},
			{.name = "old", .is_stale = true}};
	struct rec_event e = {.kind = REC_SANDBOXES, .is_shown = true, .entries = entries, .n_entries = 2};
	struct rec_event back = pass(&e);

	(void)state;
	assert_true(back.is_shown);
	assert_int_equal(back.n_entries, 2);
	assert_string_equal(back.entries[0].name, "lab");
	assert_string_equal(back.entries[0].client, "terrarium repl");
	assert_true(back.entries[0].has_state && back.entries[0].is_kept);
	assert_int_equal(back.entries[0].clients, 2);
	assert_int_equal(back.entries[0].sample.known, TRM_METRIC_MEM);
	assert_int_equal(back.entries[0].sample.mem_bytes, 7);
	assert_true(back.entries[1].is_stale && !back.entries[1].has_state);
	assert_int_not_equal(back.entries[0].supervisor_pid, back.entries[1].supervisor_pid);
	rec_event_finish(&back);
	e = (struct rec_event){.kind = REC_SANDBOXES};
	back = pass(&e);
	assert_false(back.is_shown);
	rec_event_finish(&back);
}

static void a_secret_is_not_written(void **state)
{
	struct rec_event e = {.kind = REC_INPUT, .run = 1, .is_secret = true, .text = "hunter2\n", .len = 8};
	struct writer w;

	(void)state;
	writer_init(&w, WRITER_MAX);
	rec_event_encode(&e, &w);
	assert_null(strstr(w.bytes, "hunter2"));
	writer_finish(&w);
	struct rec_event back = pass(&e);
	assert_true(back.is_secret);
	rec_event_finish(&back);
}

/* ---- files ---- */

#define HEAD "{\"terrarium\":\"recording\",\"version\":1,\"rows\":24,\"cols\":80}\n"
#define RUN(id) "{\"t\":0.5,\"e\":\"run\",\"run\":" id ",\"language\":\"python\",\"text\":\"x\"}\n"
#define OUT "{\"t\":1,\"e\":\"output\",\"run\":1,\"stream\":\"stdout\",\"text\":\"x\"}\n"

static int parse(const char *text, struct recording *r, struct trm_error *why)
{
	*why = (struct trm_error){0};
	return recording_parse(r, strdup(text), strlen(text), "x.trec", why);
}

static void accept(const char *text, size_t n, size_t cut)
{
	struct recording r;
	struct trm_error why;

	assert_int_equal(parse(text, &r, &why), 0);
	assert_int_equal(r.n, n);
	assert_int_equal(r.cut_bytes, cut);
	recording_finish(&r);
}

static void refuse(const char *text, const char *words)
{
	struct recording r;
	struct trm_error why;

	assert_true(parse(text, &r, &why) < 0);
	if (!strstr(why.msg, words))
		fail_msg("\"%s\" does not say \"%s\"", why.msg, words);
}

static void a_file_is_checked(void **state)
{
	(void)state;
	accept(HEAD, 0, 0);
	accept(HEAD RUN("1") OUT, 2, 0);
	accept(HEAD RUN("1") OUT "{\"t\":2,\"e\":\"from the future\",\"x\":[]}\n" OUT, 3, 0);
	refuse("", "empty");
	refuse("hello\n", "not a terrarium recording");
	refuse("{\"terrarium\":\"recording\",\"version\":9}\n", "version 9");
	refuse(HEAD OUT RUN("1"), "line 2: there is no run 1 yet");
	refuse(HEAD RUN("2") OUT, "run 2 follows run 0");
	refuse(HEAD RUN("1") OUT RUN("2") OUT, "line 4: the time goes back");
	refuse(HEAD "{\"t\":-1,\"e\":\"end\"}\n" OUT, "\"t\"");
	refuse(HEAD "[]\n" OUT, "line 2: it is not a JSON object");
}

static void a_cut_line_is_left_out(void **state)
{
	(void)state;
	accept(HEAD RUN("1") "{\"t\":1,\"e\":\"out", 1, 15);
	accept(HEAD RUN("1") "{\"t\":1,\"e\":\"out\n", 1, 16);
}

static void base64_is_exact(void **state)
{
	char bytes[256];
	struct writer w;
	size_t n;

	(void)state;
	for (int i = 0; i < 256; i++)
		bytes[i] = (char)i;
	for (size_t len = 0; len <= 256; len++) {
		writer_init(&w, WRITER_MAX);
		writer_base64(&w, bytes, len);
		char *back = base64_read(w.bytes ? w.bytes : "", w.n, &n);
		assert_non_null(back);
		assert_int_equal(n, len);
		assert_memory_equal(back, bytes, len);
		free(back);
		writer_finish(&w);
	}
	assert_null(base64_read("abc", 3, &n));
	assert_null(base64_read("ab=c", 4, &n));
	assert_null(base64_read("====", 4, &n));
	assert_null(base64_read("ab\"c", 4, &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(output_keeps_every_byte),
			cmocka_unit_test(a_result_comes_back),
			cmocka_unit_test(a_sample_knows_what_was_known),
			cmocka_unit_test(the_page_of_sandboxes_comes_back),
			cmocka_unit_test(a_secret_is_not_written),
			cmocka_unit_test(a_file_is_checked),
			cmocka_unit_test(a_cut_line_is_left_out),
			cmocka_unit_test(base64_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
