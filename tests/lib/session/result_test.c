/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <terrarium/terrarium.h>

#include "base/utf8.h"

static const char *text(const cJSON *o, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItem(o, name));
}

static struct trm_result sample(void)
{
	static char out[] = "one\xC3"
			    "err"
			    "\xA4two\xFF\n";
	static struct trm_chunk chunks[] = {{TRM_STDOUT, 0, 4}, {TRM_STDERR, 4, 3}, {TRM_STDOUT, 7, 6}};
	static char *traceback[] = {(char *)"line \"1\"", (char *)"\x1b[31m", NULL};
	static struct trm_display displays[] = {{.mime = (char *)"image/png",
			.data = (char *)"aGk=",
			.n = 4,
			.bundle = 7,
			.run = 7,
			.format = "png",
			.has_size = true,
			.width = 640,
			.height = 480,
			.has_dpi = true,
			.dpi = 99.06,
			.title = (char *)"A",
			.source = TRM_DISPLAY_SAVED}};
	return (struct trm_result){
			.status = TRM_STATUS_ERROR,
			.number = 7,
			.lang = trm_lang_default(),
			.exit_code = 1,
			.value = (char *)"v",
			.error_name = (char *)"Error",
			.error_message = (char *)"mess\nage",
			.traceback = traceback,
			.output = out,
			.output_len = sizeof out - 1,
			.chunks = chunks,
			.n_chunks = 3,
			.displays = displays,
			.n_displays = 1,
			.wall_us = 1234567,
			.has_install = true,
			.install_us = 2000001,
			.has_cpu = true,
			.cpu_us = 5,
			.stdout_bytes = 10,
			.stderr_bytes = 3,
	};
}

static void assert_sample(const char *json)
{
	cJSON *o = cJSON_Parse(json);
	assert_non_null(o);
	assert_null(strchr(json, '\n'));
	assert_null(strchr(json, 0x1b));
	assert_true(utf8_is_valid(json, strlen(json)));
	assert_int_equal(cJSON_GetObjectItem(o, "run")->valuedouble, 7);
	assert_string_equal(text(o, "language"), "python");
	assert_string_equal(text(o, "status"), "error");
	assert_int_equal(cJSON_GetObjectItem(o, "exit_code")->valueint, 1);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(o, "reason")));
	assert_true(cJSON_IsFalse(cJSON_GetObjectItem(o, "state_lost")));
	/* The character that came in two chunks is whole; the broken byte is repaired. */
	assert_string_equal(text(o, "stdout"), "one\xC3\xA4two\xEF\xBF\xBD\n");
	assert_string_equal(text(o, "stderr"), "err");
	assert_string_equal(text(o, "value"), "v");
	const cJSON *error = cJSON_GetObjectItem(o, "error");
	assert_string_equal(text(error, "name"), "Error");
	assert_string_equal(text(error, "message"), "mess\nage");
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(error, "traceback")), 2);
	const cJSON *display = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "displays"), 0);
	assert_string_equal(text(display, "mime"), "image/png");
	assert_string_equal(text(display, "data"), "aGk=");
	assert_int_equal(cJSON_GetObjectItem(display, "bundle")->valueint, 7);
	assert_string_equal(text(display, "format"), "png");
	assert_int_equal(cJSON_GetObjectItem(display, "width")->valueint, 640);
	assert_int_equal(cJSON_GetObjectItem(display, "height")->valueint, 480);
	assert_true(cJSON_GetObjectItem(display, "dpi")->valuedouble == 99.06);
	assert_string_equal(text(display, "title"), "A");
	assert_string_equal(text(display, "source"), "saved");
	assert_int_equal(cJSON_GetObjectItem(display, "run")->valueint, 7);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(display, "path")));
	assert_int_equal(cJSON_GetObjectItem(o, "dropped_displays")->valueint, 0);
	assert_true(cJSON_GetObjectItem(o, "wall_ms")->valuedouble == 1234.567);
	assert_true(cJSON_GetObjectItem(o, "install_ms")->valuedouble == 2000.001);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(o, "compile_ms")));
	assert_true(cJSON_GetObjectItem(o, "cpu_ms")->valuedouble == 0.005);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(o, "mem_peak_bytes")));
	assert_int_equal(cJSON_GetObjectItem(o, "dropped_bytes")->valueint, 0);
	cJSON_Delete(o);
}

static void writes_all_fields(void **state)
{
	struct trm_result r = sample();
	(void)state;
	char *json = trm_result_to_json(&r);
	assert_sample(json);
	free(json);
}

static void a_copy_is_deep(void **state)
{
	struct trm_result r = sample();
	(void)state;
	struct trm_result *copy = trm_result_copy(&r);
	assert_non_null(copy);
	assert_ptr_not_equal(copy->output, r.output);
	assert_ptr_not_equal(copy->traceback[0], r.traceback[0]);
	char *json = trm_result_to_json(copy);
	assert_sample(json);
	free(json);
	trm_result_free(copy);
}

static void an_empty_result_is_a_result(void **state)
{
	struct trm_result r = {0};
	(void)state;
	struct trm_result *copy = trm_result_copy(&r);
	char *json = trm_result_to_json(copy);
	cJSON *o = cJSON_Parse(json);
	assert_string_equal(text(o, "status"), "ok");
	assert_string_equal(text(o, "stdout"), "");
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(o, "value")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(o, "error")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(o, "cpu_ms")));
	cJSON_Delete(o);
	free(json);
	trm_result_free(copy);
	trm_result_free(NULL);
}

static void any_bytes_become_valid_json(void **state)
{
	char bytes[4096];
	struct trm_chunk chunks[64];
	uint32_t seed = 1;
	(void)state;
	for (int round = 0; round < 200; round++) {
		size_t at = 0, n = 0;
		for (size_t i = 0; i < sizeof bytes; i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] = (char)(seed >> 24);
		}
		while (n < 64 && at < sizeof bytes) {
			seed = seed * 1664525 + 1013904223;
			size_t len = 1 + (seed >> 25);
			if (len > sizeof bytes - at)
				len = sizeof bytes - at;
			chunks[n++] = (struct trm_chunk){(int)(seed & 1), at, len};
			at += len;
		}
		struct trm_result r = {.output = bytes, .output_len = at, .chunks = chunks, .n_chunks = n};
		char *json = trm_result_to_json(&r);
		assert_true(utf8_is_valid(json, strlen(json)));
		cJSON *o = cJSON_Parse(json);
		assert_non_null(o);
		cJSON_Delete(o);
		free(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(writes_all_fields),
			cmocka_unit_test(a_copy_is_deep),
			cmocka_unit_test(an_empty_result_is_a_result),
			cmocka_unit_test(any_bytes_become_valid_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
