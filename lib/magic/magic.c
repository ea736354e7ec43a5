/* SPDX-License-Identifier: MIT */
#include "magic/rewrite.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/install.h>
#include <terrarium/lang.h>

#include "base/err.h"

static bool is_notebook_lang(const struct trm_lang *lang)
{
	return lang == trm_lang_default();
}

static bool is_shell_lang(const struct trm_lang *lang)
{
	return lang->style == TRM_STYLE_SHELL;
}

void trm_magic_finish(struct trm_magic *magic)
{
	free(magic->code);
	free(magic->plain);
	free(magic->shell);
	trm_libraries_free(magic->libraries);
	*magic = (struct trm_magic){0};
}

/* ---- %%cells ------------------------------------------------------------------------------- */

/* The first line, without blank ones before it, and what follows. */
static struct magic_text first_line(const char *code, size_t n, struct magic_text *ret_body)
{
	size_t at = 0;
	while (at < n && strchr(" \t\r\n", code[at]) && code[at])
		at++;
	const char *newline = memchr(code + at, '\n', n - at);
	size_t end = newline ? (size_t)(newline - code) : n;
	*ret_body = (struct magic_text){code + end + (end < n), n - end - (end < n)};
	return magic_trim((struct magic_text){code + at, end - at});
}

static bool begins_cell(const struct trm_lang *lang, struct magic_text first, struct magic_text body)
{
	if (is_shell_lang(lang) || first.n < 3 || memcmp(first.at, "%%", 2) != 0
			|| !isalpha((unsigned char)first.at[2]))
		return false;
	/* Ruby has strings that begin with %% and end at the next %. */
	return lang->style != TRM_STYLE_END
	       || (!memchr(body.at, '%', body.n) && !memchr(first.at + 2, '%', first.n - 2));
}

static int read_text(struct rewrite *w, const char *code, size_t n);

static int read_writefile(struct rewrite *w, struct magic_text name, struct magic_text body)
{
	bool appends = magic_takes(name, "-a", &name);
	const struct trm_lang *shell = trm_lang_shell();
	char end[40] = "END_OF_FILE";
	if (!name.n || memchr(name.at, '\'', name.n) || memchr(name.at, ' ', name.n))
		return trm_error_set(w->reterr, TRM_EINVAL,
				"%%%%writefile takes one name, without blanks and quotes: %%%%writefile -a FILE");
	int r = 0;
	if (is_notebook_lang(w->lang)) {
		r = rewrite_put(&w->code, appends ? "__magic__.write(True, " : "__magic__.write(False, ");
		if (r == 0)
			r = magic_quote(&w->code, name);
		if (r == 0)
			r = rewrite_put(&w->code, ", ");
		if (r == 0)
			r = magic_quote(&w->code, body);
		return r == 0 ? rewrite_put(&w->code, ")\n") : r;
	}
	for (unsigned i = 0; memmem(body.at, body.n, end, strlen(end)); i++)
		snprintf(end, sizeof end, "END_OF_FILE_%u", i);
	w->lang = shell;
	const char *const parts[] = {"cat ", appends ? ">>" : ">", " '"};
	for (size_t i = 0; i < 3 && r == 0; i++)
		r = rewrite_put(&w->code, parts[i]);
	if (r == 0)
		r = buf_append(&w->code, name.at, name.n);
	const char *const middle[] = {"' <<'", end, "'\n"};
	for (size_t i = 0; i < 3 && r == 0; i++)
		r = rewrite_put(&w->code, middle[i]);
	if (r == 0)
		r = buf_append(&w->code, body.at, body.n);
	if (r == 0 && body.n && body.at[body.n - 1] != '\n')
		r = rewrite_put(&w->code, "\n");
	return r == 0 ? rewrite_put(&w->code, end) : r;
}

/* %%timeit: a statement of our driver's. */
static int read_timeit(struct rewrite *w, struct magic_text body)
{
	int r = rewrite_put_call(w, "timeit", body);
	return r == 0 ? buf_append(&w->plain, body.at, body.n) : r;
}

static bool find_cell_lang(struct magic_text name, const struct trm_lang **ret)
{
	char word[32];
	if (name.n >= sizeof word)
		return false;
	snprintf(word, sizeof word, "%.*s", (int)name.n, name.at);
	return trm_lang_find(word, ret, NULL) == 0;
}

/* Returns 1 if the text is a cell, 0 if not. */
static int read_cell(struct rewrite *w, const char *code, size_t n)
{
	struct magic_text body, first = first_line(code, n, &body), rest;
	const struct trm_lang *lang;
	if (!begins_cell(w->lang, first, body))
		return 0;
	struct magic_text word = {first.at + 2, first.n - 2}, head = {code, (size_t)(body.at - code)};
	bool is_timed = magic_takes(word, "time", &rest) && !rest.n;
	bool is_lang = !is_timed && find_cell_lang(word, &lang);
	bool writes = magic_takes(word, "writefile", &rest) || magic_takes(word, "file", &rest);
	bool is_timeit =
			!writes && is_notebook_lang(w->lang) && magic_takes(word, "timeit", &rest) && !rest.n;
	if (!is_timed && !is_lang && !writes && !is_timeit)
		return 0;
	int r = rewrite_put_newlines(&w->code, head);
	if (r == 0)
		r = rewrite_put_newlines(&w->plain, head);
	if (r == 0)
		r = rewrite_put_newlines(&w->shell, head);
	if (r < 0)
		return r;
	w->n_lines++;
	w->n_other += writes || is_timeit;
	w->is_timed |= is_timed;
	if (is_lang)
		w->lang = lang;
	r = writes      ? read_writefile(w, rest, body)
	    : is_timeit ? read_timeit(w, body)
			: read_text(w, body.at, body.n);
	return r < 0 ? r : 1;
}

/* ---- !commands of other languages ------------------------------------------------------------ */

/* Words that may stand in front of another word, or between two, in one of the languages. */
static bool is_operator(const char *at, size_t n)
{
	static const char *const operators[] = {"new", "await", "typeof", "void", "delete", "function",
			"class", "yield", "async", "sizeof", "instanceof", "in", "of", "as", "is", "and",
			"or", "not", "if", "unless", "while", "until", "rescue", "defined", "else", "then",
			"do", "satisfies", "switch", "func", "struct", "super", "import", "co_await", "throw",
			"alignof", "typeid", "const"};
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (strlen(operators[i]) == n && !memcmp(operators[i], at, n))
			return true;
	return false;
}

static size_t word_len(const char *at, const char *end)
{
	size_t n = 0;
	while (at + n < end && (isalnum((unsigned char)at[n]) || at[n] == '_'))
		n++;
	return n;
}

/* "!pip list" and "!./build": nothing that an expression could be. */
static bool is_surely_command(const struct trm_lang *lang, struct magic_text line)
{
	const char *at = line.at + 1, *end = line.at + line.n;
	if (line.n < 3 || *line.at != '!' || lang->style == TRM_STYLE_END)
		return false;
	if (*at == '.' && (at[1] == '/' || (at[1] == '.' && line.n > 3 && at[2] == '/')))
		return true;
	size_t first = word_len(at, end), blank = 0;
	if (!first || isdigit((unsigned char)*at) || is_operator(at, first))
		return false;
	at += first;
	while (at + blank < end && at[blank] == ' ')
		blank++;
	size_t second = word_len(at + blank, end);
	return blank && second && !is_operator(at + blank, second);
}

/* 1: all of them are commands, and Bash runs them. */
static int read_commands(struct rewrite *w, const char *code, size_t n)
{
	const size_t before = w->code.len;
	size_t found = 0;
	int r = 0;
	for (size_t at = 0; at < n && r == 0;) {
		size_t end = magic_line_end(code, n, at);
		struct magic_text whole = {code + at, end - at + (end < n)}, line = magic_trim(whole);
		if (line.n && !is_surely_command(w->lang, line)) {
			w->code.len = before;
			return 0;
		}
		r = line.n ? rewrite_put_part(&w->code, whole, (struct magic_text){line.at + 1, line.n - 1})
			   : rewrite_put_newlines(&w->code, whole);
		found += line.n != 0;
		at = end + 1;
	}
	if (r < 0 || !found)
		return r;
	w->lang = trm_lang_shell();
	w->n_lines++;
	return 1;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static int read_text(struct rewrite *w, const char *code, size_t n)
{
	int r = read_cell(w, code, n);
	if (r != 0)
		return r < 0 ? r : 0;
	if (is_notebook_lang(w->lang))
		return rewrite_statements(w, code, n);
	r = is_shell_lang(w->lang) ? 0 : read_commands(w, code, n);
	if (r != 0)
		return r < 0 ? r : 0;
	return buf_append(&w->code, code, n);
}

/* Code has none of it, as a rule, and that is quickly seen: no line begins with a sign, and none follows "=".
 */
static bool may_have_lines(const char *code, size_t n)
{
	static const char signs[] = {'!', '%'};
	for (size_t i = 0; i < sizeof signs; i++)
		for (const char *at = code, *end = code + n; (at = memchr(at, signs[i], (size_t)(end - at)));
				at++) {
			const char *before = at;
			while (before > code && (before[-1] == ' ' || before[-1] == '\t'))
				before--;
			if (before == code || strchr("\n\r\f=", before[-1]))
				return true;
		}
	return false;
}

static int give_buf(struct buf *from, char **ret, size_t *ret_n)
{
	*ret = malloc(from->len + 1);
	if (!*ret)
		return TRM_ENOMEM;
	*ret_n = from->len;
	if (from->len)
		memcpy(*ret, buf_at(from), from->len);
	(*ret)[from->len] = '\0';
	return 0;
}

/* What other languages are given is what a policy is to read, too. */
static int give_rewrite(struct rewrite *w, struct trm_magic *ret)
{
	struct buf *plain = is_notebook_lang(w->lang) ? &w->plain : &w->code;
	int r = give_buf(&w->code, &ret->code, &ret->code_len);
	if (r == 0)
		r = give_buf(plain, &ret->plain, &ret->plain_len);
	if (r == 0 && w->has_shell)
		r = give_buf(&w->shell, &ret->shell, &ret->shell_len);
	ret->lang = w->lang;
	ret->is_timed = w->is_timed;
	ret->libraries = w->libraries;
	w->libraries = NULL;
	return r;
}

int trm_magic_read(const struct trm_lang *lang, const char *code, size_t n, struct trm_magic *ret,
		struct trm_error *reterr)
{
	struct rewrite w = {.lang = lang, .reterr = reterr};
	*ret = (struct trm_magic){0};
	if (!n || !may_have_lines(code, n))
		return 0;
	buf_init(&w.code, MAGIC_MAX);
	buf_init(&w.plain, MAGIC_MAX);
	buf_init(&w.shell, MAGIC_MAX);
	int r = read_text(&w, code, n);
	if (r == 0 && w.n_lines)
		r = give_rewrite(&w, ret);
	if (r < 0 && r != TRM_EINVAL)
		trm_error_set(reterr, r, "out of memory");
	if (r < 0)
		trm_magic_finish(ret);
	trm_libraries_free(w.libraries);
	buf_finish(&w.code);
	buf_finish(&w.plain);
	buf_finish(&w.shell);
	return r < 0 ? r : w.n_lines > 0;
}

int trm_magic_libraries(char ***list, const struct trm_lang *lang, const char *code, size_t n,
		struct trm_error *reterr)
{
	struct trm_magic magic;
	int r = trm_magic_read(lang, code, n, &magic, reterr);
	for (char **name = magic.libraries; r > 0 && name && *name; name++)
		if (trm_libraries_add(list, magic.lang, *name, reterr) < 0)
			r = TRM_EINVAL;
	trm_magic_finish(&magic);
	return r < 0 ? r : 0;
}

/* ---- lines that are typed --------------------------------------------------------------------- */

bool trm_magic_is_command(const struct trm_lang *lang, const char *line, size_t n)
{
	if (n < 2 || *line != '!')
		return false;
	if (is_shell_lang(lang))
		return line[1] != ' ';
	return is_notebook_lang(lang) ? line[1] != '='
				      : is_surely_command(lang, (struct magic_text){line, n});
}

bool trm_magic_is_cell(const struct trm_lang *lang, const char *code, size_t n)
{
	struct magic_text body, first = first_line(code, n, &body);
	return begins_cell(lang, first, body);
}

/* Does the line begin like one of a notebook? In a shell "! command" and "%1" are its own. */
static bool begins_like_magic(const struct trm_lang *lang, struct magic_text line)
{
	if (line.n < 2 || (*line.at != '!' && *line.at != '%'))
		return false;
	return !is_shell_lang(lang) || isalpha((unsigned char)line.at[1]) || line.at[1] == '%';
}

/* The first line that begins with a sign where a statement may. */
static struct magic_text find_odd_line(const struct trm_lang *lang, const char *code, size_t n)
{
	for (size_t at = 0; at < n;) {
		size_t end = magic_line_end(code, n, at);
		struct magic_text line = magic_trim((struct magic_text){code + at, end - at});
		bool is_known = is_notebook_lang(lang) && magic_line_read(line).kind != MAGIC_NONE;
		if (begins_like_magic(lang, line) && !is_known)
			return line;
		at = is_notebook_lang(lang) && !is_known ? magic_next_statement(code, n, at) : end + 1;
	}
	return (struct magic_text){0};
}

bool trm_magic_hint(const struct trm_lang *lang, const char *code, size_t n, char *out, size_t cap)
{
	struct magic_text line =
			may_have_lines(code, n) ? find_odd_line(lang, code, n) : (struct magic_text){0};
	struct magic_text body, first = first_line(code, n, &body);
	size_t word = 1;
	if (!line.n)
		return false;
	while (word < line.n && word < 24
			&& (isalnum((unsigned char)line.at[word]) || strchr("%_", line.at[word])))
		word++;
	if (is_shell_lang(lang))
		snprintf(out, cap,
				"lines with ! and %% are for other languages: in %s a command stands as it is",
				lang->name);
	else if (is_notebook_lang(lang))
		snprintf(out, cap,
				"there is no %.*s here: of notebooks' commands there are !COMMAND, %%pip install, %%time, "
				"%%timeit, %%cd, %%pwd, %%env, %%who, and as first line %%%%time, %%%%timeit, %%%%bash (or another "
				"language) and %%%%writefile",
				(int)word, line.at);
	else if (begins_cell(lang, first, body) && magic_takes(first, "%%time", &body))
		return false;
	else
		snprintf(out, cap,
				"in %s this is read as code: a text that begins with the line %%%%bash runs in Bash; there "
				"are %%%%time and %%%%writefile, too",
				lang->name);
	return true;
}
