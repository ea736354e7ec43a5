/* SPDX-License-Identifier: MIT */
/* Positions in JSON that a parser has already found valid. */
#include "base/place.h"

#include <string.h>

static size_t skip_blanks(const char *json, size_t n, size_t i)
{
	while (i < n && strchr(" \t\r\n", json[i]) && json[i])
		i++;
	return i;
}

static size_t skip_string(const char *json, size_t n, size_t i)
{
	for (i++; i < n && json[i] != '"'; i++)
		i += json[i] == '\\';
	return i < n ? i + 1 : n;
}

/* The offset after the value that begins at `i`. */
static size_t skip_value(const char *json, size_t n, size_t i)
{
	size_t depth = 0;
	while (i < n) {
		char c = json[i];
		if (c == '"') {
			i = skip_string(json, n, i);
		} else {
			if (!depth && (c == ',' || c == '}' || c == ']'))
				return i;
			depth += c == '{' || c == '[';
			depth -= c == '}' || c == ']';
			i++;
		}
	}
	return n;
}

size_t place_value(const char *json, size_t n, size_t key)
{
	size_t i = skip_blanks(json, n, skip_string(json, n, key));
	return skip_blanks(json, n, i + (i < n && json[i] == ':'));
}

size_t place_child(const char *json, size_t n, size_t at, size_t nth)
{
	size_t i = skip_blanks(json, n, at + 1);
	while (nth-- && i < n) {
		i = skip_value(json, n, i);
		i = skip_blanks(json, n, i + (i < n && json[i] == ','));
	}
	return i < n ? i : n;
}

void place_line_column(const char *json, size_t offset, size_t *ret_line, size_t *ret_column)
{
	*ret_line = *ret_column = 1;
	for (size_t i = 0; i < offset; i++) {
		if (json[i] == '\n') {
			++*ret_line;
			*ret_column = 1;
		} else if (((unsigned char)json[i] & 0xc0) != 0x80) {
			++*ret_column;
		}
	}
}
