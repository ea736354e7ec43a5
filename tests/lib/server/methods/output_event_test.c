/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/sandbox.h>

#include "base/base64.h"
#include "server/methods/output_event.h"

/* What a client has understood. */
static void take(struct buf *events, struct buf *heard)
{
	if (!events->len)
		return;
	cJSON *event = cJSON_ParseWithLength(buf_at(events), events->len);
	assert_non_null(event);
	assert_string_equal(cJSON_GetObjectItem(event, "stream")->valuestring, "stdout");
	const cJSON *text = cJSON_GetObjectItem(event, "text"),
		    *letters = cJSON_GetObjectItem(event, "base64");
	assert_true(!text != !letters);
	if (text) {
		buf_append(heard, text->valuestring, strlen(text->valuestring));
	} else {
		size_t n;
		char *bytes = base64_decode(letters->valuestring, strlen(letters->valuestring), &n);
		assert_non_null(bytes);
		buf_append(heard, bytes, n);
		free(bytes);
	}
	cJSON_Delete(event);
	buf_clear(events);
}

static void whatever_is_printed_arrives(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
	} cases[] = {
			{"plain\nlines\r\n\x1b[1m", 17},
			{"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", 9},
			{"a\xFF\xFE\xE2\x82", 5},
			{"\xF0\x9F\x98", 3},
			{"nul \0 here", 10},
			{"\xE2\xE2\xE2\x82\xAC\x80\x80\xF0\xC3\xA4", 10},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (size_t step = 1; step <= cases[i].n; step++) {
			struct output_tails tails = {0};
			struct buf events, heard;
			buf_init(&events, 4096);
			buf_init(&heard, 4096);
			for (size_t at = 0; at < cases[i].n; at += step) {
				size_t n = cases[i].n - at < step ? cases[i].n - at : step;
				assert_int_equal(output_event_put(&events, &tails, TRM_STDOUT,
								 cases[i].bytes + at, n),
						0);
				assert_true(events.len <= OUTPUT_EVENT_ROOM(n));
				take(&events, &heard);
			}
			assert_int_equal(output_event_end(&events, &tails, TRM_STDOUT), 0);
			take(&events, &heard);
			assert_int_equal(heard.len, cases[i].n);
			assert_memory_equal(buf_at(&heard), cases[i].bytes, heard.len);
			buf_finish(&events);
			buf_finish(&heard);
		}
	}
}

static void a_cut_character_waits(void **state)
{
	struct output_tails tails = {0};
	struct buf out;
	(void)state;
	buf_init(&out, 4096);
	assert_int_equal(output_event_put(&out, &tails, TRM_STDOUT, "x\xE2\x82", 3), 0);
	assert_int_equal(output_event_put(&out, &tails, TRM_STDERR, "y", 1), 0);
	assert_int_equal(output_event_put(&out, &tails, TRM_STDOUT, "\xAC", 1), 0);
	assert_int_equal(output_event_end(&out, &tails, TRM_STDOUT), 0);
	buf_append(&out, "", 1);
	assert_string_equal(buf_at(&out),
			"{\"stream\":\"stdout\",\"text\":\"x\"}{\"stream\":\"stderr\",\"text\":\"y\"}"
			"{\"stream\":\"stdout\",\"text\":\"\xE2\x82\xAC\"}");
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(whatever_is_printed_arrives),
			cmocka_unit_test(a_cut_character_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
