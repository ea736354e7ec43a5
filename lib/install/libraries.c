/* SPDX-License-Identifier: MIT */
/* Lists of libraries, as people write them: "numpy, rich>=13,<14", or the block of PEP 723 in a script.
 * The latter is TOML, of which only as much is understood as it takes to find the array. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/text.h>

#include "base/err.h"
#include "install/install.h"

#define BLANKS " \t\r"

void trm_libraries_free(char **list)
{
	for (char **at = list; at && *at; at++)
		free(*at);
	free(list);
}

static size_t count_libraries(char *const *list)
{
	size_t n = 0;
	while (list && list[n])
		n++;
	return n;
}

/* Blanks may be at the ends and beside what is between a name and its version, nowhere else: "a b" is no
 * name, and "ab" is another one. */
static bool is_idle_blank(const char *text, size_t n, size_t i)
{
	static const char beside[] = "<>=!~,[]";
	size_t before = i, behind = i;
	while (before > 0 && strchr(BLANKS "\n", text[before - 1]) && text[before - 1])
		before--;
	while (behind < n && strchr(BLANKS "\n", text[behind]) && text[behind])
		behind++;
	return behind > i
	       && (!before || behind == n || strchr(beside, text[before - 1])
			       || strchr(beside, text[behind]));
}

/* What is there already is not added. */
static int add_library(char ***list, const struct trm_lang *lang, const char *text, size_t n,
		struct trm_error *reterr)
{
	char name[256];
	size_t len = 0, count = count_libraries(*list);
	for (size_t i = 0; i < n && len + 1 < sizeof name; i++)
		if (!is_idle_blank(text, n, i))
			name[len++] = text[i] ? text[i] : '?';
	name[len] = '\0';
	int r = len + 1 < sizeof name ? trm_package_check(lang, name, reterr)
				      : trm_error_set(reterr, TRM_EINVAL,
						      "'%.40s…' is too long for the name of a package", name);
	for (size_t i = 0; i < count && r == 0; i++)
		if (!strcmp((*list)[i], name))
			return 0;
	if (r == 0 && count >= ARGUMENTS_MAX)
		r = trm_error_set(reterr, TRM_ETOOBIG, "at most %d packages at once", ARGUMENTS_MAX);
	if (r < 0)
		return r;
	char **grown = realloc(*list, (count + 2) * sizeof *grown);
	if (grown)
		*list = grown;
	char *copy = grown ? strdup(name) : NULL;
	if (!copy)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	grown[count] = copy;
	grown[count + 1] = NULL;
	return 0;
}

/* Where the next name of "a[x,y]>=1,<2,b" begins: behind a comma that a name follows. */
static size_t library_length(const char *text)
{
	bool is_in_extras = false;
	size_t n = 0;
	for (; text[n]; n++) {
		is_in_extras = text[n] == '[' || (is_in_extras && text[n] != ']');
		const char *next = text + n + 1;
		next += text[n] == ',' ? strspn(next, BLANKS) : 0;
		bool is_version = *next && strchr("<>=!~", *next);
		if (text[n] == ',' && !is_in_extras && !is_version)
			return n;
	}
	return n;
}

int trm_libraries_add(char ***list, const struct trm_lang *lang, const char *text, struct trm_error *reterr)
{
	int r = 0;
	for (;;) {
		size_t n = library_length(text);
		if (r == 0)
			r = add_library(list, lang, text, n, reterr);
		if (r < 0 || !text[n])
			return r;
		text += n + 1;
	}
}

/* ---- PEP 723 ------------------------------------------------------------------------------- */

struct block {
	const char *at, *end; /* what is left of it: lines that begin with "#" */
	unsigned line;        /* of the script, from 1 */
};

static bool is_line(const char *line, size_t n, const char *words)
{
	while (n && strchr(BLANKS, line[n - 1]) && line[n - 1])
		n--;
	return n == strlen(words) && !memcmp(line, words, n);
}

static size_t line_length(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	return newline ? (size_t)(newline - at) : (size_t)(end - at);
}

/* The lines behind `at` as far as the last "# ///" of this comment. False: there is none. */
static bool find_block_end(const char *at, const char *end, struct block *ret)
{
	bool is_found = false;
	ret->at = at;
	while (at < end && *at == '#') {
		size_t n = line_length(at, end);
		if (n > 1 && at[1] != ' ' && at[1] != '\r')
			break;
		if (is_line(at, n, "# ///")) {
			ret->end = at;
			is_found = true;
		}
		at += n + (at + n < end);
	}
	return is_found;
}

/* 1: found; 0: there is none; or a code. */
static int find_block(const char *code, size_t n, struct block *ret, struct trm_error *reterr)
{
	const char *end = code + n;
	unsigned line = 1, n_blocks = 0;
	for (const char *at = code; at < end; line++) {
		size_t len = line_length(at, end);
		struct block found = {.line = line + 1};
		const char *next = at + len + (at + len < end);
		if (is_line(at, len, "# /// script") && find_block_end(next, end, &found)) {
			*ret = found;
			if (n_blocks++)
				return trm_error_set(reterr, TRM_EINVAL,
						"line %u: a script has one '# /// script' block, and this is the second",
						line);
		}
		at = next;
	}
	return (int)n_blocks;
}

/* The next character; the marks at the beginnings of lines are passed over. 0: the end. */
static char look(struct block *b)
{
	return b->at < b->end ? *b->at : '\0';
}

static void step(struct block *b)
{
	if (b->at >= b->end || *b->at++ != '\n')
		return;
	b->line++;
	if (b->at < b->end && *b->at == '#')
		b->at++;
}

static int refuse_block(const struct block *b, const char *what, struct trm_error *reterr)
{
	return trm_error_set(reterr, TRM_EINVAL,
			"line %u: the '# /// script' block is not TOML as it is expected: %s", b->line, what);
}

static void skip_blanks(struct block *b, bool and_lines)
{
	for (;;) {
		char c = look(b);
		if (c == '#')
			while (look(b) && look(b) != '\n')
				step(b);
		else if (c && (strchr(BLANKS, c) || (and_lines && c == '\n')))
			step(b);
		else
			return;
	}
}

/* A string; of one in three quotes nothing is kept. */
static int read_string(struct block *b, char *out, size_t cap, struct trm_error *reterr)
{
	const char quote = look(b);
	size_t n = 0;
	step(b);
	if (look(b) == quote && b->end - b->at > 1 && b->at[1] == quote)
		return refuse_block(b, "a string in three quotes", reterr);
	while (look(b) && look(b) != quote && look(b) != '\n') {
		if (quote == '"' && look(b) == '\\') {
			step(b);
			if (look(b) != '"' && look(b) != '\\')
				return refuse_block(b, "an escape sequence", reterr);
		}
		if (n + 1 >= cap)
			return refuse_block(b, "a string that is too long", reterr);
		out[n++] = look(b);
		step(b);
	}
	out[n] = '\0';
	if (look(b) != quote)
		return refuse_block(b, "a string without an end", reterr);
	step(b);
	return 0;
}

static int read_dependencies(
		struct block *b, char ***list, const struct trm_lang *lang, struct trm_error *reterr)
{
	char text[512];
	if (look(b) != '[')
		return refuse_block(b, "dependencies are an array of strings", reterr);
	step(b);
	for (;;) {
		skip_blanks(b, true);
		if (look(b) == ']')
			break;
		if (look(b) != '"' && look(b) != '\'')
			return refuse_block(b, "dependencies are an array of strings", reterr);
		int r = read_string(b, text, sizeof text, reterr);
		if (r == 0 && strchr(text, ';'))
			r = trm_error_set(reterr, TRM_EINVAL,
					"line %u: conditions behind ';' are not understood here: leave them out",
					b->line);
		if (r == 0)
			r = add_library(list, lang, text, strlen(text), reterr);
		if (r < 0)
			return r;
		skip_blanks(b, true);
		if (look(b) != ',' && look(b) != ']')
			return refuse_block(b, "a comma is missing between two dependencies", reterr);
		if (look(b) == ',')
			step(b);
	}
	step(b);
	return 0;
}

/* Any other value: as far as the end of its line, or of its brackets. */
static int skip_value(struct block *b, struct trm_error *reterr)
{
	char text[4096];
	unsigned depth = 0;
	while (look(b) && (depth || look(b) != '\n')) {
		char c = look(b);
		int r = 0;
		if (c == '"' || c == '\'')
			r = read_string(b, text, sizeof text, reterr);
		else if (c == '#')
			skip_blanks(b, false);
		else
			step(b);
		if (r < 0)
			return r;
		depth += c == '[' || c == '{';
		depth -= depth && (c == ']' || c == '}');
	}
	return depth ? refuse_block(b, "a bracket is not closed", reterr) : 0;
}

static int read_key(struct block *b, char *out, size_t cap, struct trm_error *reterr)
{
	size_t n = 0;
	if (look(b) == '"' || look(b) == '\'') {
		int r = read_string(b, out, cap, reterr);
		n = r == 0 ? strlen(out) : 0;
		if (r < 0)
			return r;
	}
	while (look(b) && look(b) != '=' && look(b) != '\n' && n + 1 < cap) {
		if (!strchr(BLANKS, look(b)))
			out[n++] = look(b);
		step(b);
	}
	out[n] = '\0';
	if (look(b) != '=' || !n)
		return refuse_block(b, "a line without key and value", reterr);
	step(b);
	skip_blanks(b, false);
	return 0;
}

static int read_block(struct block *b, char ***list, const struct trm_lang *lang, struct trm_error *reterr)
{
	bool has_dependencies = false;
	if (look(b) == '#')
		b->at++;
	for (;;) {
		char key[128];
		skip_blanks(b, true);
		if (!look(b) || look(b) == '[') /* tables follow, which are for other tools */
			return 0;
		int r = read_key(b, key, sizeof key, reterr);
		bool is_ours = r == 0 && !strcmp(key, "dependencies");
		if (is_ours && has_dependencies)
			r = refuse_block(b, "dependencies are there twice", reterr);
		if (r == 0)
			r = is_ours ? read_dependencies(b, list, lang, reterr) : skip_value(b, reterr);
		if (r < 0)
			return r;
		has_dependencies |= is_ours;
		skip_blanks(b, false);
		if (look(b) && look(b) != '\n')
			return refuse_block(b, "something is behind a value", reterr);
	}
}

int trm_libraries_of_script(char ***list, const struct trm_lang *lang, const char *code, size_t n,
		struct trm_error *reterr)
{
	struct block block = {0};
	if (strcmp(lang->package_manager, "pip") != 0)
		return 0;
	int r = find_block(code, n, &block, reterr);
	return r <= 0 ? r : read_block(&block, list, lang, reterr);
}
