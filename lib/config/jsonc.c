/* SPDX-License-Identifier: MIT */
#include "config/config.h"

#include <stdbool.h>
#include <string.h>

struct place jsonc_place(const char *text, size_t n, size_t offset)
{
	struct place place = {1, 1};
	for (size_t i = 0; i < offset && i < n; i++) {
		if (text[i] == '\n') {
			place.line++;
			place.column = 1;
		} else if (((unsigned char)text[i] & 0xc0) != 0x80) {
			place.column++;
		}
	}
	return place;
}

/* Offset after the string that begins at `start`, or n. */
static size_t skip_string(const char *text, size_t n, size_t start)
{
	size_t i = start + 1;
	while (i < n && text[i] != '"')
		i += text[i] == '\\' ? 2 : 1;
	return i < n ? i + 1 : n;
}

/* Offset after the comment that begins at `start`, or n + 1 if it is never closed. */
static size_t skip_comment(const char *text, size_t n, size_t start)
{
	bool is_line = text[start + 1] == '/';
	for (size_t i = start + 2; i < n; i++) {
		if (is_line && text[i] == '\n')
			return i;
		if (!is_line && text[i] == '*' && i + 1 < n && text[i + 1] == '/')
			return i + 2;
	}
	return is_line ? n : n + 1;
}

/* Commas before a closing bracket are left over when the last members are commented out. */
static void blank_last_commas(char *text, size_t n)
{
	size_t comma = n;
	char before = '{'; /* the last character that is not blank */
	for (size_t i = 0; i < n; i++) {
		if (text[i] && strchr(" \t\r\n", text[i]))
			continue;
		if ((text[i] == '}' || text[i] == ']') && comma < n)
			text[comma] = ' ';
		comma = text[i] == ',' && before != '{' && before != '[' && before != ',' ? i : n;
		before = text[i];
		if (text[i] == '"')
			i = skip_string(text, n, i) - 1;
	}
}

size_t jsonc_blank_comments(char *text, size_t n)
{
	size_t i = 0;
	while (i < n) {
		if (text[i] == '"') {
			i = skip_string(text, n, i);
		} else if (text[i] == '/' && i + 1 < n && (text[i + 1] == '/' || text[i + 1] == '*')) {
			size_t end = skip_comment(text, n, i);
			if (end > n)
				return i;
			for (; i < end; i++)
				if (text[i] != '\n')
					text[i] = ' ';
		} else {
			i++;
		}
	}
	blank_last_commas(text, n);
	return n;
}

size_t jsonc_key_offset(const char *text, size_t n, size_t nth)
{
	int depth = 0;
	bool wants_key = false;
	for (size_t i = 0; i < n;) {
		char c = text[i];
		if (c == '"') {
			if (depth == 1 && wants_key && nth-- == 0)
				return i;
			wants_key = false;
			i = skip_string(text, n, i);
			continue;
		}
		depth += (c == '{' || c == '[') - (c == '}' || c == ']');
		if (depth == 1 && (c == '{' || c == ','))
			wants_key = true;
		i++;
	}
	return n;
}

size_t jsonc_value_offset(const char *text, size_t n, size_t key)
{
	size_t i = skip_string(text, n, key);
	while (i < n && strchr(" \t\r\n:", text[i]))
		i++;
	return i;
}
