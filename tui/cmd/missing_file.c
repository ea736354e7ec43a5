/* SPDX-License-Identifier: MIT */
#include "cmd/missing_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The messages of the languages for a missing module. The name follows, up to `end`. */
static const struct {
	const char *sign;
	char end;
	bool has_dots; /* the parts of the name are folders: "package.module" */
} SIGNS[] = {
		{"No module named '", '\'', true},         /* Python */
		{"Cannot find module '", '\'', false},     /* Node, TypeScript */
		{"cannot load such file -- ", ' ', false}, /* Ruby */
};

static const char *const ENDINGS[] = {"", ".py", ".js", ".mjs", ".cjs", ".json", ".ts", ".rb"};

/* Copy a name up to its end. False: it is empty or too long. */
static bool copy_module_name(const char *from, char end, char *out, size_t cap)
{
	size_t n = strcspn(from, end == ' ' ? " \n(" : "'\n");
	if (!n || n >= cap || (end == '\'' && from[n] != '\''))
		return false;
	memcpy(out, from, n);
	out[n] = '\0';
	return true;
}

/* The file to look for: the folder "package" for "package.module", "x" for "./x" and "/workspace/x". A file
 * in a parent folder does not count. */
static const char *neighbor_of(char *name, bool has_dots)
{
	const char *slash = strrchr(name, '/');
	if (has_dots)
		name[strcspn(name, ".")] = '\0';
	else if (!slash || strstr(name, ".."))
		return NULL; /* a package, which must be installed */
	else if (name[0] == '/')
		return slash + 1;
	else if (name[0] == '.')
		return name + strspn(name, "./");
	return name;
}

/* The path of the file on this machine. */
static bool find_neighbor(const char *file, const char *name, char out[PATH_MAX], const char **ret_ending)
{
	const char *slash = strrchr(file, '/');
	int dir = slash ? (int)(slash + 1 - file) : 0;
	for (size_t i = 0; *name && i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
		int n = snprintf(out, PATH_MAX, "%.*s%s%s", dir, file, name, ENDINGS[i]);
		*ret_ending = ENDINGS[i];
		if (n < PATH_MAX && access(out, F_OK) == 0)
			return true;
	}
	return false;
}

static void write_hint(const char *file, const char *name, const char *ending, char out[MISSING_FILE_HINT])
{
	const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
	int n = slash == file ? 1 : (int)(base - file) - (slash != NULL);
	snprintf(out, MISSING_FILE_HINT,
			"%.100s%s lies beside %.100s on this machine, but only the file that is run goes into the "
			"sandbox: add --dir '%.*s' to copy its folder in",
			name, ending, base, n ? n : 1, n ? file : ".");
}

bool missing_file_hint(const char *file, const char *output, char out[MISSING_FILE_HINT])
{
	char name[256], path[PATH_MAX];
	const char *neighbor, *ending;
	for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
		const char *at = strstr(output, SIGNS[i].sign);
		if (!at || !copy_module_name(at + strlen(SIGNS[i].sign), SIGNS[i].end, name, sizeof name)
				|| !(neighbor = neighbor_of(name, SIGNS[i].has_dots))
				|| !find_neighbor(file, neighbor, path, &ending))
			continue;
		write_hint(file, neighbor, ending, out);
		return true;
	}
	return false;
}
