/* SPDX-License-Identifier: MIT */
#include "repl/doctest.h"

#include <string.h>

enum { PROMPT = 3 };

static bool has_prompt(const char *text, size_t n, const char *prompt)
{
	return n >= PROMPT && !memcmp(text, prompt, PROMPT) && (n == PROMPT || text[PROMPT] == ' ');
}

enum doctest_line doctest_line(const char *text, size_t n, size_t *ret_prompt)
{
	bool is_first = has_prompt(text, n, ">>>"), is_more = has_prompt(text, n, "...");
	*ret_prompt = is_first || is_more ? PROMPT + (n > PROMPT) : 0;
	return is_first ? DOCTEST_FIRST : is_more ? DOCTEST_MORE : DOCTEST_ANSWER;
}

bool doctest_strip(char *text)
{
	size_t prompt, n = strcspn(text, "\n");
	char *out = text;
	if (doctest_line(text, n, &prompt) != DOCTEST_FIRST)
		return false;
	for (const char *p = text; *p;) {
		n = strcspn(p, "\n");
		size_t whole = n + (p[n] == '\n');
		if (doctest_line(p, n, &prompt) != DOCTEST_ANSWER) {
			memmove(out, p + prompt, whole - prompt);
			out += whole - prompt;
		}
		p += whole;
	}
	*out = '\0';
	return true;
}
