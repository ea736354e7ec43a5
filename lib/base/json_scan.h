/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_JSON_SCAN_H
#define TRM_BASE_JSON_SCAN_H

/* Finds values in JSON without building a tree and without memory of its own, for the static programs. It
 * reads what it needs and checks no more than that: what is wrong elsewhere in the text is not noticed. No
 * depth of nesting harms it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value as it stands in the text; borrowed. */
struct json_value {
	const char *at;
	size_t n;
};

/* The value at the beginning of the text. False: there is none, or it has no end. */
bool json_scan(const char *text, size_t n, struct json_value *ret);
/* A member of an object. False: it has none of that name, or this is no object. The names in JSON must be
 * written without escapes. If a name comes twice, the first counts. */
bool json_member(struct json_value object, const char *name, struct json_value *ret);
/* The items of an array, one after the other: begin with `*rest` as the array. False: there are no more. */
bool json_item(struct json_value *rest, struct json_value *ret);
/* Copy a string's text with its escapes resolved, cut to `cap`; "" if this is no string. \u0000 and halves of
 * surrogate pairs become U+FFFD. Returns out. */
char *json_value_text(struct json_value string, char *out, size_t cap);
/* Whether the value is this string, which has no escapes. */
bool json_is(struct json_value value, const char *text);
/* The value of four hexadecimal digits. UINT32_MAX: they are none, or the text ends before. */
uint32_t json_hex4(const char *at, const char *end);
/* A number, or `otherwise`. */
double json_number(struct json_value value, double otherwise);

#endif
