/* SPDX-License-Identifier: MIT */
#include "agent/batch/go_direct.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/batch/command.h"
#include "agent/batch/prepared.h"

#define CONFIG_MAX (4u << 20)

enum { IMPORTS_MAX = 200 };

/* The list that the preparation wrote has its files below this path, where they were made. */
static const char prepared_prefix[] = "=/tmp/prepared/";
static const char head[] = "package main\n";
/* The row of Go has the same format in `prepare` (languages.json). */
static const char list_format[] =
		"{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}"
		"{{if eq .ImportPath \"runtime\"}}\n# {{context.GOROOT}}/pkg/tool/{{context.GOOS}}_{{context.GOARCH}}{{end}}";

static void name_direct(const struct go_direct *d, const char *name, char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "%.*s/%s", PATH_MAX - 40, d->folder, name);
}

static bool write_direct(const char *path, const char *first, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "we");
	bool is_written = f && fputs(first, f) >= 0 && (!n || fwrite(bytes, n, 1, f) == 1);
	return f && fclose(f) == 0 && is_written;
}

/* Code that begins with "package main", or with a comment before that, as code of another package. */
static bool write_package(const char *path, const char *first, const char *code, size_t n)
{
	const char *at = n ? memmem(code, n, head, strlen(head)) : NULL;
	at = at ? at + strlen(head) : code + n;
	return write_direct(path, first, at, (size_t)(code + n - at));
}

/* ---- what is known about packages ---- */

/* Add the lines of a list that tell what was not known. In those of the preparation, `moved` is the folder
 * that the files are in now. */
static void take_list(struct go_direct *d, const struct buf *list, const char *moved)
{
	const char *at = list->len ? buf_at(list) : "", *end = at + list->len;
	for (const char *next; at < end; at = next) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *equals = memchr(at, '=', (size_t)(end - at));
		next = newline ? newline + 1 : end;
		int n = (int)((newline ? newline : end) - at);
		if (n > 3 && !memcmp(at, "# /", 3))
			snprintf(d->tools, sizeof d->tools, "%.*s", n - 2 < PATH_MAX ? n - 2 : 0, at + 2);
		if (n < 13 || memcmp(at, "packagefile ", 12) != 0 || !equals || equals > at + n
				|| memmem(buf_at(&d->config), d->config.len, at, (size_t)(equals + 1 - at)))
			continue;
		size_t prefix = strlen(prepared_prefix);
		if (moved && (size_t)(at + n - equals) > prefix && !memcmp(equals, prepared_prefix, prefix)) {
			buf_append(&d->config, at, (size_t)(equals + 1 - at));
			buf_append(&d->config, moved, strlen(moved));
			at = equals + prefix - 1;
		}
		buf_append(&d->config, at, (size_t)(next - at));
	}
	char path[PATH_MAX];
	name_direct(d, "importcfg", path);
	if (!write_direct(path, "", buf_at(&d->config), d->config.len))
		buf_clear(&d->config);
}

static void take_prepared(struct go_direct *d, const char *language)
{
	struct prepared prepared;
	struct buf list;
	prepared_find(&prepared, language, "carry.go", d->compiler, d->carry, d->carry_len);
	if (*prepared.folder) {
		if (prepared_read(prepared.folder, "importcfg", CONFIG_MAX, &list))
			take_list(d, &list, prepared.folder);
		buf_finish(&list);
		snprintf(d->object, sizeof d->object, "%.4000s/carry.a", prepared.folder);
		d->has_object = d->config.len && access(d->object, R_OK) == 0;
	}
	prepared_finish(&prepared);
}

/* ---- the background process that compiles carry.go and lists packages ---- */

static void start_maker(struct go_direct *d, const char *argv[])
{
	char path[PATH_MAX];
	name_direct(d, "made", path);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || step_start((char **)argv, fd, &d->maker))
		d->maker = 0;
	if (fd >= 0)
		close(fd);
}

/* carry.go becomes a package, so that it is compiled only once. */
static void start_carry(struct go_direct *d)
{
	char source[PATH_MAX], config[PATH_MAX], program[PATH_MAX + 10];
	name_direct(d, "carried.go", source);
	name_direct(d, "importcfg", config);
	name_direct(d, "carry.a", d->object);
	snprintf(program, sizeof program, "%s/compile", d->tools);
	const char *argv[] = {program, "-o", d->object, "-p", "trmcarry", "-complete", "-importcfg", config,
			"-pack", source, NULL};
	if (write_package(source, "package trmcarry\n", d->carry, d->carry_len))
		start_maker(d, argv);
}

/* See whether it has ended, and start what comes next. */
static void advance_maker(struct go_direct *d)
{
	struct buf list;
	int status = 0;
	if (!d->maker || waitpid(d->maker, &status, WNOHANG) == 0)
		return;
	d->maker = 0;
	if (status) {
		d->is_off |= !d->is_listing;
		return;
	}
	if (!d->is_listing) {
		d->has_object = true;
		return;
	}
	if (prepared_read(d->folder, "made", CONFIG_MAX, &list))
		take_list(d, &list, NULL);
	buf_finish(&list);
	d->is_listing = false;
	if (!d->has_object && d->config.len && *d->tools)
		start_carry(d);
}

/* The packages that are imported by lines `import NAME "PATH"`, or by lines of a group. */
static size_t find_imports(const char *code, size_t n, char *paths[], size_t count)
{
	const char *end = code + n;
	for (const char *at = code; at < end && count < IMPORTS_MAX;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line = newline ? newline : end;
		const char *quote = memchr(at, '"', (size_t)(line - at));
		const char *close = quote ? memchr(quote + 1, '"', (size_t)(line - quote - 1)) : NULL;
		if (line - at > 5
				&& (!memcmp(at, "func ", 5) || !memcmp(at, "type ", 5)
						|| !memcmp(at, "var _", 5)))
			break;
		if (close && quote[1] != '-' && (at[0] == '\t' || !strncmp(at, "import ", 7)))
			paths[count++] = strndup(quote + 1, (size_t)(close - quote - 1));
		at = line + 1;
	}
	return count;
}

void go_direct_learn(struct go_direct *d, const struct buf *text)
{
	char *paths[IMPORTS_MAX];
	const char *argv[IMPORTS_MAX + 8] = {
			d->compiler[0], "list", "-export", "-deps", "-f", list_format, "--"};
	size_t n = 7, found;
	advance_maker(d);
	if (d->is_off || d->maker)
		return;
	found = find_imports(d->carry, d->carry_len, paths, 0);
	found = find_imports(buf_at(text), text->len, paths, found);
	for (size_t i = 0; i < found; i++)
		if (paths[i])
			argv[n++] = paths[i];
	argv[n] = NULL;
	d->is_listing = true;
	start_maker(d, argv);
	for (size_t i = 0; i < found; i++)
		free(paths[i]);
}

/* ---- life ---- */

/* Only with these words do the two programs make the same of a piece. */
static bool is_usual_build(const char *const *compiler)
{
	static const char *const usual[] = {"build", "-ldflags=-s -w"};
	const char *flags = getenv("GOFLAGS");
	for (size_t i = 0; i < 2; i++)
		if (!compiler[i + 1] || strcmp(compiler[i + 1], usual[i]) != 0)
			return false;
	return !compiler[3] && (!flags || !*flags);
}

void go_direct_open(struct go_direct *d, const char *language, const char *const *compiler,
		const char *folder, const char *carry, size_t carry_len)
{
	*d = (struct go_direct){.compiler = compiler, .carry = carry, .carry_len = carry_len};
	snprintf(d->folder, sizeof d->folder, "%s", folder);
	buf_init(&d->config, CONFIG_MAX);
	d->is_off = !is_usual_build(compiler);
	if (!d->is_off)
		take_prepared(d, language);
}

void go_direct_close(struct go_direct *d)
{
	if (d->maker > 0 && kill(d->maker, SIGKILL) == 0)
		waitpid(d->maker, NULL, 0);
	d->maker = 0;
	buf_finish(&d->config);
}

/* ---- a piece ---- */

/* A module chooses versions of packages and of the language. */
static bool is_in_module(void)
{
	static const char *const files[] = {"go.mod", "go.work"};
	char folder[PATH_MAX - 10], path[PATH_MAX];
	if (!getcwd(folder, sizeof folder))
		return true;
	for (char *slash = folder + strlen(folder); slash; slash = strrchr(folder, '/')) {
		*slash = '\0';
		for (size_t i = 0; i < 2; i++) {
			snprintf(path, sizeof path, "%s/%s", folder, files[i]);
			if (access(path, F_OK) == 0)
				return true;
		}
	}
	return false;
}

/* Is something wrong that `go build` would see to? */
static bool needs_go_build(const struct buf *said)
{
	static const char *const signs[] = {"could not import", "go:embed", "trmcarry"};
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (said->len && memmem(buf_at(said), said->len, signs[i], strlen(signs[i])))
			return true;
	return false;
}

static bool compile_direct(struct go_direct *d, const char *object, struct buf *said, int *ret_status)
{
	char source[PATH_MAX], config[PATH_MAX], program[PATH_MAX + 10];
	name_direct(d, "direct.go", source);
	name_direct(d, "importcfg", config);
	snprintf(program, sizeof program, "%s/compile", d->tools);
	const char *argv[] = {program, "-o", object, "-p", "main", "-complete", "-importcfg", config, "-pack",
			source, NULL};
	if (step_listen((char **)argv, said, ret_status))
		return false;
	return !*ret_status || !needs_go_build(said);
}

static bool link_direct(struct go_direct *d, const char *object, const char *output, struct buf *said)
{
	char config[PATH_MAX], program[PATH_MAX + 10];
	int status = 0;
	name_direct(d, "importcfg", config);
	snprintf(program, sizeof program, "%s/link", d->tools);
	const char *argv[] = {program, "-o", output, "-importcfg", config, "-s", "-w", "-buildmode=exe",
			object, NULL};
	return !step_listen((char **)argv, said, &status) && !status;
}

/* Where is carry.go's package? It may have been learned after the list. */
static bool write_config(const struct go_direct *d)
{
	char path[PATH_MAX], line[PATH_MAX + 40];
	name_direct(d, "importcfg", path);
	snprintf(line, sizeof line, "packagefile trmcarry=%s\n", d->object);
	return write_direct(path, line, buf_at(&d->config), d->config.len);
}

bool go_direct_build(struct go_direct *d, const struct buf *text, const char *program, struct buf *said,
		int *ret_status)
{
	char object[PATH_MAX], source[PATH_MAX];
	advance_maker(d);
	if (d->is_off || !d->has_object || !d->config.len || !*d->tools || is_in_module() || !write_config(d))
		return false;
	name_direct(d, "direct.a", object);
	name_direct(d, "direct.go", source);
	bool is_done = write_package(source, "package main\nimport . \"trmcarry\"\n", buf_at(text), text->len)
		       && compile_direct(d, object, said, ret_status)
		       && (*ret_status || link_direct(d, object, program, said));
	if (!is_done) {
		buf_clear(said);
		*ret_status = 0;
	}
	return is_done;
}
