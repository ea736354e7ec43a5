/* SPDX-License-Identifier: MIT */
#include "stream/missing_file.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/sandbox.h>

/* A path below the current folder that can be shown as it is. */
static bool is_plain_path(const char *name)
{
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f || strchr("\\'\"`$", *c))
			return false;
	return *name && !strchr("/-~", *name) && !strstr(name, "..") && strcmp(name, ".") != 0;
}

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
	if (has_dots && slash)
		return NULL; /* no module has such a name */
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

/* The words of all languages and programs for a missing file, but for the case of the first letter. Its name
 * is in the same line. */
static const char NOT_FOUND[] = "o such file or directory";

static bool lies_here(const char *from, size_t n, const char *file, char *out, size_t cap)
{
	if (!n || n >= cap)
		return false;
	memcpy(out, from, n);
	out[n] = '\0';
	return is_plain_path(out) && (!file || strcmp(out, file) != 0) && access(out, F_OK) == 0;
}

/* The texts in quotes, if there are any. A quote behind a letter is an apostrophe. */
static bool find_quoted(
		const char *line, size_t n, const char *file, char *out, size_t cap, bool *ret_has_quotes)
{
	static const struct {
		const char *open, *close;
	} QUOTES[] = {{"'", "'"}, {"\"", "\""}, {"‘", "’"}};
	*ret_has_quotes = false;
	for (const char *at = line, *end = line + n; at < end; at++)
		for (size_t i = 0; i < sizeof QUOTES / sizeof *QUOTES; i++) {
			size_t len = strlen(QUOTES[i].open);
			if ((size_t)(end - at) <= len || memcmp(at, QUOTES[i].open, len) != 0
					|| (at > line && isalnum((unsigned char)at[-1])))
				continue;
			const char *text = at + len;
			const char *close = memmem(
					text, (size_t)(end - text), QUOTES[i].close, strlen(QUOTES[i].close));
			*ret_has_quotes |= close != NULL;
			if (close && lies_here(text, (size_t)(close - text), file, out, cap))
				return true;
		}
	return false;
}

/* The word in front of the sentence ("cat: x: No such file", "x (No such file"), or the one behind it ("No
 * such file: x", "No such file @ rb_sysopen - x"). */
static bool find_beside(const char *line, size_t n, const char *sign, const char *file, char *out, size_t cap)
{
	const char *end = sign > line ? sign - 1 : sign, *behind = sign + strlen(NOT_FOUND), *stop = line + n;
	while (end > line && strchr(" :(", end[-1]))
		end--;
	const char *word = end;
	while (word > line && !strchr(" \t:", word[-1]))
		word--;
	if (lies_here(word, (size_t)(end - word), file, out, cap))
		return true;
	const char *dash = memmem(behind, (size_t)(stop - behind), " - ", 3);
	if (stop - behind > 3 && !memcmp(behind, " @ ", 3) && dash)
		word = dash + 3;
	else if (stop - behind > 2 && !memcmp(behind, ": ", 2))
		word = behind + 2;
	else
		return false;
	for (end = word; end < stop && *end != ' ';)
		end++;
	return lies_here(word, (size_t)(end - word), file, out, cap);
}

/* Does the line name a file here? The program itself does not count. */
static bool find_in_line(const char *line, size_t n, const char *file, char *out, size_t cap)
{
	bool has_quotes;
	const char *sign = memmem(line, n, NOT_FOUND, strlen(NOT_FOUND));
	return sign
	       && (find_quoted(line, n, file, out, cap, &has_quotes)
			       || (!has_quotes && find_beside(line, n, sign, file, out, cap)));
}

static bool find_opened(const char *output, const char *file, char *out, size_t cap)
{
	for (const char *line = output, *next; *line; line = next) {
		size_t n = strcspn(line, "\n");
		next = line + n + (line[n] == '\n');
		if (find_in_line(line, n, file, out, cap))
			return true;
	}
	return false;
}

/* ---- what to do -------------------------------------------------------------------------------- */

/* Can this stand in a command as it is? To `cp`, what is before a ':' is a sandbox. */
static bool is_plain_word(const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)word[i]) && !strchr("_./@%+=,-", word[i]))
			return false;
	return true;
}

/* A name that a shell or `cp` would read in another way is left out of the advice. */
static void put_cure(const struct trm_sandbox *sandbox, enum install_hint_kind kind, const char *file,
		const char *name, char *out, size_t cap)
{
	int dir = folder_length(file);
	bool is_plain = is_plain_word(name, strlen(name)) && is_plain_word(file ? file : "", (size_t)dir)
			&& (!dir || *file != '-');
	/* Without namespaces nothing can be mounted in a folder that is new each time. */
	bool has_mounts = kind == INSTALL_HINT_EXEC
			  && trm_sandbox_isolation(sandbox) != TRM_ISOLATION_LANDLOCK
			  && trm_sandbox_isolation(sandbox) != TRM_ISOLATION_NONE;
	switch (kind) {
	case INSTALL_HINT_RUN:
		if (dir && memchr(file, '\'', (size_t)dir))
			snprintf(out, cap, "add --dir and its folder to copy the folder in");
		else
			snprintf(out, cap, "add --dir '%.*s' to copy its folder in", dir > 1 ? dir - 1 : 1,
					dir ? file : ".");
		break;
	case INSTALL_HINT_EXEC:
		if (has_mounts && is_plain)
			snprintf(out, cap, "add --mount '%s:%s/%s' to show it there", name,
					trm_sandbox_workdir(sandbox), name);
		else if (has_mounts)
			snprintf(out, cap, "--mount shows it there");
		else
			snprintf(out, cap, "'terrarium run --dir . -l bash -c …' copies its folder in");
		break;
	case INSTALL_HINT_NAME:
		if (is_plain)
			snprintf(out, cap, "'terrarium cp %.*s%s %s:' copies it in", dir, file ? file : "",
					name, trm_sandbox_name(sandbox));
		else
			snprintf(out, cap, "'terrarium cp' copies it in");
		break;
	case INSTALL_HINT_REPL:
		snprintf(out, cap, is_plain ? "':cp %s :' copies it in" : "':cp' copies it in", name);
		break;
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
				|| !is_plain_path(neighbor) || !find_neighbor(file, neighbor, &ending))
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
