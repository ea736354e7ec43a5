/* SPDX-License-Identifier: MIT */
#include "backend/microsandbox/traceback_parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool begins_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The length of the name in "pkg.mod.SomeError" or "SomeError: message"; 0: there is none. */
static size_t name_len(const char *text)
{
	size_t n = 0;
	if (!isalpha((unsigned char)text[0]) && text[0] != '_')
		return 0;
	while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '.')
		n++;
	return !text[n] || text[n] == ':' ? n : 0;
}

static void take_name(const char *text, struct blame *ret)
{
	size_t n = name_len(text), dot = n;
	while (dot && text[dot - 1] != '.')
		dot--;
	ret->is_found = true;
	snprintf(ret->name, sizeof ret->name, "%.*s", (int)(n - dot), text + dot);
	ret->message = text[n] == ':' ? text + n + 1 + (text[n + 1] == ' ') : "";
}

/* ---- Python ----------------------------------------------------------------------------------------- */

static const char TRACEBACK[] = "Traceback (most recent call last):";
static const char FRAME[] = "  File \"";

/* The next (or previous) stderr line from `at`; n: none. */
static size_t neighbor(const struct traceback_line *lines, size_t n, size_t at, int step)
{
	for (at += (size_t)step; at < n; at += (size_t)step)
		if (lines[at].is_stderr)
			return at;
	return n;
}

/* The beginning of an exception whose first frame is at `at`: its "Traceback", or `at` itself
 * (SyntaxError). */
static size_t head_of(const struct traceback_line *lines, size_t n, size_t at)
{
	for (size_t i = at; i < n; i = neighbor(lines, n, i, -1)) {
		if (strcmp(lines[i].text, TRACEBACK) == 0)
			return i;
		if (lines[i].text[0] != ' ')
			break;
		at = i;
	}
	return at;
}

/* The line with the name of the exception that begins at `head`; n: none. */
static size_t tail_of(const struct traceback_line *lines, size_t n, size_t head)
{
	for (size_t i = neighbor(lines, n, head, 1); i < n; i = neighbor(lines, n, i, 1)) {
		if (lines[i].text[0] == ' ' || !lines[i].text[0])
			continue;
		return name_len(lines[i].text) ? i : n;
	}
	return n;
}

/* "During handling of the above exception, …" and the exception before it belong to this one. */
static size_t chain_of(const struct traceback_line *lines, size_t n, size_t head)
{
	for (;;) {
		size_t i = neighbor(lines, n, head, -1);
		while (i < n && !lines[i].text[0])
			i = neighbor(lines, n, i, -1);
		if (i >= n
				|| (!begins_with(lines[i].text, "During handling of the above exception")
						&& !begins_with(lines[i].text,
								"The above exception was the direct")))
			return head;
		size_t up = i;
		while (up < n && strcmp(lines[up].text, TRACEBACK) != 0)
			up = neighbor(lines, n, up, -1);
		if (up >= n)
			return head;
		head = up;
	}
}

void traceback_python(struct traceback_line *lines, size_t n, struct blame *ret)
{
	size_t frame = n, tail;
	*ret = (struct blame){.message = ""};
	for (size_t i = n; i-- > 0 && frame == n;)
		if (lines[i].is_stderr
				&& (begins_with(lines[i].text, FRAME)
						|| strcmp(lines[i].text, TRACEBACK) == 0))
			frame = i;
	if (frame == n || (tail = tail_of(lines, n, frame)) == n)
		return;
	ret->first = chain_of(lines, n, head_of(lines, n, frame));
	ret->last = tail;
	take_name(lines[tail].text, ret);
	for (size_t i = ret->first; i <= tail; i++)
		lines[i].is_blame = lines[i].is_stderr;
}

/* ---- Node --------------------------------------------------------------------------------------------- */

void traceback_node(struct traceback_line *lines, size_t n, struct blame *ret)
{
	static const char uncaught[] = "Uncaught";
	size_t at = n, last;
	*ret = (struct blame){.message = ""};
	for (size_t i = n; i-- > 0 && at == n;)
		if (!lines[i].is_stderr && begins_with(lines[i].text, uncaught)
				&& strchr(" :", lines[i].text[sizeof uncaught - 1]))
			at = i;
	if (at == n)
		return;
	const char *text = lines[at].text + sizeof uncaught - 1;
	text += strspn(text, " :");
	for (last = at; last + 1 < n && !lines[last + 1].is_stderr && lines[last + 1].text[0]
			&& strchr(" }]", lines[last + 1].text[0]);)
		last++;
	ret->first = at;
	ret->last = last;
	if (name_len(text)) {
		take_name(text, ret);
	} else {
		ret->is_found = true;
		snprintf(ret->name, sizeof ret->name, "Uncaught");
		ret->message = text;
	}
	for (size_t i = at; i <= last; i++)
		lines[i].is_blame = true;
}

/* ---- the server
 * ------------------------------------------------------------------------------------------ */

size_t traceback_timeout(const struct traceback_line *lines, size_t n)
{
	unsigned long long seconds;
	int end = 0;
	for (size_t i = n; i-- > 0;) {
		if (!lines[i].is_stderr || !lines[i].text[0])
			continue;
		sscanf(lines[i].text, "Error: Execution timed out after %llu second%*[s]%n", &seconds, &end);
		return end && !lines[i].text[end] ? i : n;
	}
	return n;
}
