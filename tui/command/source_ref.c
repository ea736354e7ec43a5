/* SPDX-License-Identifier: MIT */
#include "command/source_ref.h"

#include <stdlib.h>
#include <string.h>

/* A number at p; false if none stands there. */
static bool read_ref_number(const char **p, size_t *ret)
{
	size_t value = 0, digits = 0;

	for (; **p >= '0' && **p <= '9' && digits < 9; digits++)
		value = value * 10 + (size_t)(*(*p)++ - '0');
	*ret = value;
	return digits > 0 && !(**p >= '0' && **p <= '9');
}

static bool python_place(const char *text, struct source_ref *ret)
{
	const char *file = strstr(text, "File \""), *name = file ? file + 6 : NULL;
	const char *end = name ? strstr(name, "\", line ") : NULL;

	if (!end)
		return false;
	const char *p = end + 8;
	*ret = (struct source_ref){
			.name = name, .name_len = (size_t)(end - name), .from = (size_t)(file - text)};
	if (!read_ref_number(&p, &ret->line))
		return false;
	ret->to = (size_t)(p - text);
	return true;
}

static bool bash_place(const char *text, struct source_ref *ret)
{
	const char *line = strstr(text, ": line ");

	if (!line || line == text)
		return false;
	const char *p = line + 7, *name_end = line;
	if (line - text > 6 && memcmp(line - 6, ": eval", 6) == 0)
		name_end = line - 6; /* "NAME: eval: line 2: syntax error" */
	*ret = (struct source_ref){.name = text, .name_len = (size_t)(name_end - text)};
	if (!read_ref_number(&p, &ret->line) || *p != ':')
		return false;
	ret->to = (size_t)(p - text);
	return true;
}

static bool is_name_byte(char c)
{
	return c && !strchr(" \t()[]{}\"'`,;", c);
}

/* A file's name with an ending, or "<run 3>", and not the address of a machine. */
static bool is_file_name(const char *name, const char *end)
{
	const char *dot = memrchr(name, '.', (size_t)(end - name));

	return *name == '<' || (dot && dot + 1 < end && !(dot[1] >= '0' && dot[1] <= '9'));
}

/* NAME:LINE or NAME:LINE:COLUMN, with nothing but a bracket or a blank behind, or the colon of a message.
 * "<run 3>" is one name. */
static bool node_place(const char *text, struct source_ref *ret)
{
	for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
		const char *p = colon + 1, *name = colon;
		size_t line, column = 0;
		if (!read_ref_number(&p, &line))
			continue;
		const char *end = p;
		if (*p == ':' && (p++, read_ref_number(&p, &column)))
			end = p;
		while (name > text && is_name_byte(name[-1]))
			name--;
		if (name - text >= 5 && colon[-1] == '>' && memcmp(name - 5, "<run ", 5) == 0)
			name -= 5;
		bool is_last = *end == '\0' || strchr(") \t\r", *end);
		is_last |= *end == ':' && is_file_name(name, colon);
		bool is_name = colon - name > 1 && memchr("./<", *name, 3);
		is_name |= memchr(name, '.', (size_t)(colon - name)) != NULL;
		if (!is_last || !is_name || line == 0)
			continue;
		*ret = (struct source_ref){.name = name,
				.name_len = (size_t)(colon - name),
				.line = line,
				.column = column,
				.from = (size_t)(name - text),
				.to = (size_t)(end - text),
				.is_first_inner = true,
				.is_head = name == text && *end == '\0' && !column};
		return true;
	}
	return false;
}

bool source_ref_find(const char *text, struct source_ref *ret)
{
	return python_place(text, ret) || bash_place(text, ret) || node_place(text, ret);
}
