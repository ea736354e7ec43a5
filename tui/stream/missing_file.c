/* SPDX-License-Identifier: MIT */
#include "stream/missing_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/sandbox.h>

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

/* The folder of the program, with its slash; "" is the current one. */
static int folder_length(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	return slash ? (int)(slash + 1 - file) : 0;
}

/* The path of the module on this machine. */
static bool find_neighbor(const char *file, const char *name, const char **ret_ending)
{
	char path[PATH_MAX];
	for (size_t i = 0; *name && i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
		int n = snprintf(path, sizeof path, "%.*s%s%s", folder_length(file), file ? file : "", name,
				ENDINGS[i]);
		*ret_ending = ENDINGS[i];
		if (n < PATH_MAX && access(path, F_OK) == 0)
			return true;
	}
	return false;
}

/* ---- files that code has tried to open ------------------------------------------------------- */

/* The words of all languages and programs for a missing file; its name is in the same line. */
static const char *const NOT_FOUND[] = {"No such file or directory", "no such file or directory"};

/* A path below the current folder that can be shown as it is. */
static bool is_plain_path(const char *name)
{
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f || strchr("\\'\"`$", *c))
			return false;
	return *name && !strchr("/-~", *name) && !strstr(name, "..") && strcmp(name, ".") != 0;
}

static bool lies_here(const char *from, size_t n, const char *file, char *out, size_t cap)
{
	if (!n || n >= cap)
		return false;
	memcpy(out, from, n);
	out[n] = '\0';
	return is_plain_path(out) && (!file || strcmp(out, file) != 0) && access(out, F_OK) == 0;
}

/* Is one of the line's words, or of its texts in quotes, a file here? The program itself does not count. */
static bool find_in_line(const char *line, size_t n, const char *file, char *out, size_t cap)
{
	static const char borders[] = " \t:,;()'\"";
	for (const char *at = line, *end = line + n; at < end;) {
		const char *close = *at == '\'' || *at == '"' ? memchr(at + 1, *at, (size_t)(end - at - 1))
							      : NULL;
		if (close && lies_here(at + 1, (size_t)(close - at - 1), file, out, cap))
			return true;
		size_t word = strcspn(at, borders);
		word = word < (size_t)(end - at) ? word : (size_t)(end - at);
		if (lies_here(at, word, file, out, cap))
			return true;
		at += word + 1;
	}
	return false;
}

static bool find_opened(const char *output, const char *file, char *out, size_t cap)
{
	for (const char *line = output, *next; *line; line = next) {
		size_t n = strcspn(line, "\n");
		next = line + n + (line[n] == '\n');
		for (size_t i = 0; i < sizeof NOT_FOUND / sizeof *NOT_FOUND; i++)
			if (memmem(line, n, NOT_FOUND[i], strlen(NOT_FOUND[i]))
					&& find_in_line(line, n, file, out, cap))
				return true;
	}
	return false;
}

/* ---- what to do -------------------------------------------------------------------------------- */

static void put_cure(const struct trm_sandbox *sandbox, enum install_hint_kind kind, const char *file,
		const char *name, char *out, size_t cap)
{
	int dir = folder_length(file);
	/* Without namespaces nothing can be mounted in a folder that is new each time. */
	bool has_mounts = kind == INSTALL_HINT_EXEC
			  && trm_sandbox_isolation(sandbox) != TRM_ISOLATION_LANDLOCK
			  && trm_sandbox_isolation(sandbox) != TRM_ISOLATION_NONE;
	switch (kind) {
	case INSTALL_HINT_RUN:
		snprintf(out, cap, "add --dir '%.*s' to copy its folder in", dir > 1 ? dir - 1 : 1,
				dir ? file : ".");
		break;
	case INSTALL_HINT_EXEC:
		if (has_mounts)
			snprintf(out, cap, "add --mount '%s:%s/%s' to show it there", name,
					trm_sandbox_workdir(sandbox), name);
		else
			snprintf(out, cap, "'terrarium run --dir . -l bash -c …' copies its folder in");
		break;
	case INSTALL_HINT_NAME:
		snprintf(out, cap, "'terrarium cp %.*s%s %s:' copies it in", dir, file ? file : "", name,
				trm_sandbox_name(sandbox));
		break;
	case INSTALL_HINT_REPL: snprintf(out, cap, "':cp %s :' copies it in", name); break;
	}
}

static bool module_hint(const struct trm_sandbox *sandbox, enum install_hint_kind kind, const char *file,
		const char *output, char out[MISSING_FILE_HINT])
{
	char name[256], full[300], cure[400];
	const char *neighbor, *ending, *base = file ? file + folder_length(file) : NULL;
	for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
		const char *at = strstr(output, SIGNS[i].sign);
		if (!at || !copy_module_name(at + strlen(SIGNS[i].sign), SIGNS[i].end, name, sizeof name)
				|| !(neighbor = neighbor_of(name, SIGNS[i].has_dots))
				|| !find_neighbor(file, neighbor, &ending))
			continue;
		snprintf(full, sizeof full, "%s%s", neighbor, ending);
		put_cure(sandbox, kind, file, full, cure, sizeof cure);
		if (file)
			snprintf(out, MISSING_FILE_HINT,
					"%.100s lies beside %.100s on this machine, but only the file that is run "
					"goes into the sandbox: %s",
					full, base, cure);
		else
			snprintf(out, MISSING_FILE_HINT,
					"%.100s lies in this folder on your machine, not in the sandbox: %s",
					full, cure);
		return true;
	}
	return false;
}

bool missing_file_hint(const struct trm_sandbox *sandbox, enum install_hint_kind kind, const char *file,
		const char *output, char out[MISSING_FILE_HINT])
{
	char name[200], cure[400];
	if (module_hint(sandbox, kind, file, output, out))
		return true;
	if (!find_opened(output, file, name, sizeof name))
		return false;
	put_cure(sandbox, kind, NULL, name, cure, sizeof cure);
	snprintf(out, MISSING_FILE_HINT,
			"%s lies in this folder on your machine, but a sandbox sees only what it was given: %s",
			name, cure);
	return true;
}
