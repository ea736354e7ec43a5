/* SPDX-License-Identifier: MIT */
#include "cmd/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <terrarium/error.h>

#include "cmd/cmd.h"

void json_init(struct json_out *j)
{
	*j = (struct json_out){0};
	writer_init(&j->w, WRITER_MAX);
}

/* Print the text before a value. Each entry of the outermost list has its own line. */
static void begin_json_value(struct json_out *j, const char *key)
{
	if (j->needs_comma)
		writer_text(&j->w, j->is_list && j->depth == 1 ? ",\n " : ",");
	if (key) {
		writer_json_text(&j->w, key);
		writer_text(&j->w, ":");
	}
	j->needs_comma = true;
}

void json_open(struct json_out *j, const char *key, char bracket)
{
	begin_json_value(j, key);
	writer_put(&j->w, &bracket, 1);
	j->needs_comma = false;
	if (j->depth++ == 0)
		j->is_list = bracket == '[';
}

void json_close(struct json_out *j, char bracket)
{
	writer_put(&j->w, &bracket, 1);
	j->needs_comma = true;
	j->depth--;
}

void json_put_text(struct json_out *j, const char *key, const char *text)
{
	begin_json_value(j, key);
	writer_json_text(&j->w, text);
}

void json_put_bool(struct json_out *j, const char *key, bool value)
{
	begin_json_value(j, key);
	writer_text(&j->w, value ? "true" : "false");
}

void json_put_u64(struct json_out *j, const char *key, uint64_t value)
{
	begin_json_value(j, key);
	writer_print(&j->w, "%" PRIu64, value);
}

void json_put_number(struct json_out *j, const char *key, double value, int decimals)
{
	begin_json_value(j, key);
	if (isfinite(value))
		writer_decimal(&j->w, value, decimals);
	else
		writer_text(&j->w, "null");
}

void json_put_null(struct json_out *j, const char *key)
{
	json_put_text(j, key, NULL);
}

int json_flush(struct json_out *j)
{
	if (j->w.error)
		return cmd_fail("cannot print this as JSON: %s", trm_strerror(j->w.error));
	if (j->w.n) {
		fwrite(j->w.bytes, 1, j->w.n, stdout);
		putchar('\n');
	}
	writer_clear(&j->w);
	j->needs_comma = false;
	return cmd_flush();
}

int json_finish(struct json_out *j)
{
	int code = json_flush(j);
	json_drop(j);
	return code;
}

void json_drop(struct json_out *j)
{
	writer_finish(&j->w);
}
