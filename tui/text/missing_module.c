/* SPDX-License-Identifier: MIT */
#include "text/missing_module.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *error, *before; /* the name follows, in quotes; error NULL: of any name */
} sayings[] = {
		{"ModuleNotFoundError", "No module named "},
		{NULL, "Cannot find module "},
		{NULL, "Cannot find package "},
		{NULL, "there is no package called "},
		{"LoadError", "cannot load such file -- "},
};

/* A name of a package; '@' and '/' as in "@scope/name". */
static size_t name_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || (s[n] && strchr("_-@/", s[n])))
		n++;
	return *s == '/' ? 0 : n; /* that is a file */
}

bool missing_module(const char *error_name, const char *message, char *out, size_t cap)
{
	for (size_t i = 0; message && i < sizeof sayings / sizeof *sayings; i++) {
		const char *at = strstr(message, sayings[i].before);
		bool is_other = sayings[i].error
				&& (!error_name || strcmp(error_name, sayings[i].error) != 0);
		if (!at || is_other)
			continue;
		at += strlen(sayings[i].before);
		at += strspn(at, "'\"");
		at += strncmp(at, "‘", strlen("‘")) == 0 ? strlen("‘") : 0;
		size_t n = name_length(at);
		if (n == 0 || n >= cap)
			return false;
		snprintf(out, cap, "%.*s", (int)n, at);
		return true;
	}
	return false;
}

bool is_ipython_command(const char *code)
{
	code += strspn(code, " \t\r\n");
	return (*code == '!' || *code == '%') && isalpha((unsigned char)code[1 + (code[1] == '%')]);
}
