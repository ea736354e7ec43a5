/* SPDX-License-Identifier: MIT */
/* The outputs that the file of a notebook holds, in short. */
#include "notebook/notebook.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "NameError: name 'x' is not defined". NULL: out of memory. */
static char *read_error(struct json_span output)
{
	size_t n;
	char *name = span_text(span_member(output, "ename"), &n);
	char *value = span_text(span_member(output, "evalue"), &n), *text = NULL;

	if (asprintf(&text, "%s%s%s", name && *name ? name : "error", value && *value ? ": " : "",
			    value ? value : "")
			< 0)
		text = NULL;
	free(name);
	free(value);
	return text;
}

/* The value as text. NULL: there is none, or it is a picture. */
static char *read_value(struct json_span output)
{
	struct json_span data = span_member(output, "data"), key, value;
	struct span_items items = span_items(data);
	char *text = NULL;
	size_t n;

	while (span_next(&items, &key, &value))
		if (key.n > 7 && memcmp(key.at, "\"image/", 7) == 0)
			return NULL;
	if (!notebook_read_text(span_member(data, "text/plain"), &text, &n)) {
		free(text);
		text = NULL;
	}
	return text;
}

bool notebook_saved_result(const struct notebook_cell *cell, struct notebook_saved *ret)
{
	struct span_items items = span_items(span_member(cell->raw, "outputs"));
	long count = notebook_number(span_member(cell->raw, "execution_count"));
	struct json_span key, output;
	size_t n = 0;

	*ret = (struct notebook_saved){.count = count > 0 ? (uint64_t)count : 0};
	if (cell->kind != NOTEBOOK_CODE)
		return false;
	for (; span_next(&items, &key, &output); n++) {
		struct json_span type = span_member(output, "output_type");
		bool is_error = span_is(type, "error");
		if (!is_error && !span_is(type, "execute_result"))
			continue;
		free(ret->text);
		ret->text = is_error ? read_error(output) : read_value(output);
		ret->has_failed = is_error;
	}
	return ret->count || n > 0;
}
