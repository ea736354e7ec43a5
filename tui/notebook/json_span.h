/* SPDX-License-Identifier: MIT */
#ifndef TUI_NOTEBOOK_JSON_SPAN_H
#define TUI_NOTEBOOK_JSON_SPAN_H

/* JSON as the bytes that it is written in. A value is a span of the text, so that a program can replace one
 * value and leave all other bytes as they are. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct trm_error;

#define SPAN_DEPTH_MAX 100 /* nesting of objects and lists */

/* One value, without the blanks around it. at NULL: there is none. Borrowed from the text. */
struct json_span {
	const char *at;
	size_t n;
};

/* Check that a text is one JSON value in UTF-8, and return its span. Errors: TRM_EPROTO with a sentence
 * that names the line. All other functions take only spans from a checked text. */
int span_check(const char *json, size_t n, struct json_span *ret, struct trm_error *reterr);

/* The items of a list, or the members of an object, in order. A span that is neither has none. */
struct span_items {
	const char *at, *end;
	bool is_object;
};
struct span_items span_items(struct json_span value);
bool span_next(struct span_items *items, struct json_span *ret_key, struct json_span *ret_value);

/* The last member with this name. */
struct json_span span_member(struct json_span object, const char *name);

bool span_is_object(struct json_span value);
bool span_is_list(struct json_span value);
bool span_is_string(struct json_span value);
bool span_is(struct json_span string, const char *text); /* it is this string */

/* The text of a string. A NUL, or half of a surrogate pair, becomes U+FFFD. malloc'd, with a NUL behind;
 * NULL: no string, or out of memory. */
char *span_text(struct json_span string, size_t *ret_n);

/* Write a string as Jupyter does: only quotes, backslashes and control characters are escaped. Broken UTF-8
 * becomes U+FFFD. */
void span_put_string(FILE *out, const char *text, size_t n);

/* Write a value with other white space. `indent` is one level of it; NULL: all in one line. `depth`: levels
 * of the line in which the value begins. */
void span_put_indented(FILE *out, struct json_span value, const char *indent, int depth);
/* A line break and `depth` levels; a blank if `indent` is NULL. */
void span_put_break(FILE *out, const char *indent, int depth);

#endif
