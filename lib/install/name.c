/* SPDX-License-Identifier: MIT */
/* What may be asked for by name. pip and npm take much more: options, paths, addresses, which somebody would
 * be surprised to find in the name of a package. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <terrarium/lang.h>
#include <terrarium/text.h>

#include "base/err.h"
#include "install/install.h"

#define ALNUM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
enum { NAME_MAX_BYTES = 200 };

/* Past the word of these characters, which begins with a letter or digit; NULL: there is none. */
static const char *skip_word(const char *s, const char *inner)
{
	if (!*s || !strchr(ALNUM, *s))
		return NULL;
	return s + strspn(s, inner);
}

/* PEP 508: a name, perhaps [extras], perhaps versions. */
static bool is_python_name(const char *s)
{
	s = skip_word(s, ALNUM "._-");
	if (s && *s == '[') {
		s += 1 + strspn(s + 1, ALNUM "._-,");
		s = *s == ']' ? s + 1 : NULL;
	}
	if (!s || !*s)
		return s;
	return strchr("<>=!~", *s) && strspn(s, "<>=!~,*+._-" ALNUM) == strlen(s);
}

/* [@scope/]name[@version or tag] */
static bool is_npm_name(const char *s)
{
	if (*s == '@') {
		s = skip_word(s + 1, ALNUM "._~-");
		if (!s || *s++ != '/')
			return false;
	}
	s = skip_word(s, ALNUM "._~-");
	if (!s || !*s)
		return s;
	return *s == '@' && s[1] && s[1] != '-' && strspn(s + 1, "<>=^~|*+._-" ALNUM) == strlen(s + 1);
}

/* Names of any other package manager: "rake:13.0.6", "org.example:thing:1.0", "example.org/thing/v2@v2.1". */
static bool is_row_name(const char *s)
{
	s = skip_word(s, ALNUM "._-+/:@~");
	return s && !*s;
}

static bool is_address(const char *s)
{
	return strstr(s, "//") || strstr(s, "..");
}

/* pip and npm take such words as files. */
static bool is_archive(const char *s)
{
	static const char *const ends[] = {
			".whl", ".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".tbz", ".egg"};
	size_t n = strlen(s);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (n >= strlen(ends[i]) && !strcasecmp(s + n - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

static const struct kind {
	const char *tool;
	bool (*is_name)(const char *s);
	const char *example;
} kinds[] = {
		{"pip", is_python_name, "six, 'rich>=13,<14', uvicorn[standard]"},
		{"npm", is_npm_name, "left-pad, @scope/name, 'ms@^2.1'"},
		{NULL, is_row_name, "rake:13.0.6, org.example:thing:1.0, example.org/thing@v2.1"},
};

static const struct kind *kind_of(const struct recipe *recipe)
{
	size_t i = 0;
	while (kinds[i].tool && (!recipe->tool || strcmp(kinds[i].tool, recipe->tool) != 0))
		i++;
	return &kinds[i];
}

int trm_package_check(const struct trm_lang *lang, const char *package, struct trm_error *reterr)
{
	int r = trm_install_supports(lang, reterr);
	if (r < 0)
		return r;
	const struct kind *kind = kind_of(recipe_for(lang));
	size_t n = strlen(package);
	if (n && n <= NAME_MAX_BYTES && kind->is_name(package) && !is_archive(package)
			&& !is_address(package))
		return 0;
	char shown[64];
	trm_text_clean_line(shown, sizeof shown, package, n);
	return trm_error_set(reterr, TRM_EINVAL,
			"'%s' is not the name of a package: use names such as %s; no options, URLs or files",
			shown, kind->example);
}

/* A line of a requirements file without its comment, blanks and marker; false: it is too long. */
static bool plain_line(const char *line, size_t n, char out[NAME_MAX_BYTES + 1])
{
	size_t len = 0;
	for (size_t i = 0; i < n && line[i] != '#' && line[i] != ';'; i++) {
		if (!line[i] || len == NAME_MAX_BYTES)
			return false;
		if (strchr(" \t\r", line[i]))
			continue;
		out[len++] = line[i];
	}
	out[len] = '\0';
	return true;
}

bool requirements_are_plain(const char *text, size_t n)
{
	char name[NAME_MAX_BYTES + 1];
	while (n) {
		const char *end = memchr(text, '\n', n);
		size_t len = end ? (size_t)(end - text) : n;
		if (!plain_line(text, len, name) || (*name && (!is_python_name(name) || is_archive(name))))
			return false;
		len += !!end;
		text += len;
		n -= len;
	}
	return true;
}
