/* SPDX-License-Identifier: MIT */
#include "backend/microsandbox/feed.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

#include "base/buf.h"

/* ---- which code ------------------------------------------------------------------------------------ */

/* First words of a line that begins or continues a statement of several lines, or that needs wrapping. */
static const char *const python_heads[] = {"for", "while", "if", "with", "def", "class", "try", "async",
		"match", "elif", "else", "except", "finally", "from", NULL};
static const char *const node_heads[] = {"else", "catch", "finally", "while", NULL};

/* Words that read typed input, end the interpreter, or may leave a line open. */
static const char *const python_words[] = {"input", "exit", "quit", "abort", "end=", "end =", "stdout",
		"stdin", "readline", "\"\"\"", "'''", "system", "subprocess", NULL};
static const char *const node_words[] = {"stdout", "stdin", "exit", NULL};

static bool has_any(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

static bool begins_with_any(const char *line, const char *const *words)
{
	for (; *words; words++) {
		size_t n = strlen(*words);
		if (strncmp(line, *words, n) == 0
				&& (line[n] == '\0' || strchr(" \t\n\r:({[@;*!~-", line[n])))
			return true;
	}
	return false;
}

/* Are all brackets closed at the end? (For Node, at the end of each line: its prompt for the next line
 * spoils the output.) This only counts. A lone bracket in a string does no harm. */
static bool is_balanced(const char *code, bool each_line)
{
	int open = 0, backticks = 0;
	for (; *code && (!each_line || *code != '\n' || (open == 0 && backticks % 2 == 0)); code++) {
		open += (strchr("([{", *code) != NULL) - (strchr(")]}", *code) != NULL);
		backticks += *code == '`';
	}
	return open == 0 && !*code;
}

static bool is_odd_python(const char *line)
{
	size_t n = strcspn(line, "\n");
	return *line == ' ' || *line == '\t' || *line == '@' || (n && line[n - 1] == '\\')
	       || begins_with_any(line, python_heads);
}

static bool is_odd_node(const char *line)
{
	line += strspn(line, " \t");
	if (*line == '}')
		line += 1 + strspn(line + 1, " \t");
	return (*line && strchr(".?:&|+-*/%<>=", *line) && strncmp(line, "//", 2) && strncmp(line, "/*", 2))
	       || begins_with_any(line, node_heads);
}

enum dialect dialect_of(const struct trm_lang *lang)
{
	static const char *const names[] = {"python", "javascript", "bash"};
	unsigned i = 0;
	while (i < DIALECT_NONE && strcmp(names[i], lang->name) != 0)
		i++;
	return (enum dialect)i;
}

static bool is_odd(enum dialect lang, const char *code)
{
	bool is_python = lang == DIALECT_PYTHON;
	if (!is_python && strstr(code, "await"))
		return false; /* only the prompt accepts it outside of functions */
	if (has_any(code, is_python ? python_words : node_words) || !is_balanced(code, !is_python))
		return true;
	for (const char *line = code; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (is_python ? is_odd_python(line) : is_odd_node(line))
			return true;
	}
	return false;
}

/* ---- wrapping ----------------------------------------------------------------------------------------- */

/* Code that reads gets the end of a file, not the next line that is typed. Tracebacks leave out the
 * frames of this helper. */
static const char python_helper[] =
		"import ast, os, sys, traceback\n"
		"def main():\n"
		"    status = ''\n"
		"    typed, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)\n"
		"    os.dup2(nothing, 0)\n"
		"    try:\n"
		"        for node in compile(code, '<stdin>', 'exec', ast.PyCF_ONLY_AST).body:\n"
		"            exec(compile(ast.Interactive([node]), '<stdin>', 'single'), home)\n"
		"    except SystemExit as e:\n"
		"        status = 0 if e.code is None else e.code\n"
		"        if not isinstance(status, int):\n"
		"            print(status, file=sys.stderr)\n"
		"            status = 1\n"
		"    except BaseException as e:\n"
		"        tb = e.__traceback__\n"
		"        while tb and tb.tb_frame.f_code.co_filename == '<terrarium>':\n"
		"            tb = tb.tb_next\n"
		"        traceback.print_exception(type(e), e, tb)\n"
		"    finally:\n"
		"        os.dup2(typed, 0)\n"
		"        os.close(typed)\n"
		"        os.close(nothing)\n"
		"        sys.stderr.flush()\n"
		"        sys.stdout.write('\\n%s%s\\n' % (tag, status))\n"
		"        sys.stdout.flush()\n"
		"main()\n";

static const char node_helper[] =
		"const exit = process.exit;\n"
		"let status = '';\n"
		"process.exit = (code) => { status = code ?? process.exitCode ?? 0; throw exit; };\n"
		"try {\n"
		"	const value = require('vm').runInThisContext(code, {filename: 'REPL', displayErrors: false});\n"
		"	if (value !== undefined)\n"
		"		console.log(require('util').inspect(value, {showProxy: true}));\n"
		"} catch (e) {\n"
		"	if (e !== exit) {\n"
		"		let text = e instanceof Error && e.stack || require('util').inspect(e);\n"
		"		text = text.slice(Math.max(0, text.indexOf(e?.name + ':')));\n"
		"		text = text.split('\\n').filter((row) => !/node:|<terrarium>|REPL\\d+:/.test(row)).join('\\n');\n"
		"		console.log('Uncaught ' + text);\n"
		"	}\n"
		"} finally {\n"
		"	process.exit = exit;\n"
		"	process.stdout.write('\\n' + tag + status + '\\n');\n"
		"}\n";

/* Append a string literal of both languages, in ASCII, so that the interpreter's encoding does not
 * matter. */
static int put_literal(struct buf *out, enum dialect lang, const char *text)
{
	size_t left = strlen(text);
	int r = buf_append(out, "'", 1);
	while (r == 0 && left) {
		char escaped[16];
		uint32_t cp;
		size_t n = trm_utf8_decode(text, left, &cp, NULL);
		if (cp == '\n')
			snprintf(escaped, sizeof escaped, "\\n");
		else if (cp == '\\' || cp == '\'')
			snprintf(escaped, sizeof escaped, "\\%c", (char)cp);
		else if (cp >= ' ' && cp < 0x7f)
			snprintf(escaped, sizeof escaped, "%c", (char)cp);
		else if (cp <= 0xffff)
			snprintf(escaped, sizeof escaped, "\\u%04x", cp);
		else
			snprintf(escaped, sizeof escaped, lang == DIALECT_PYTHON ? "\\U%08x" : "\\u{%x}", cp);
		r = buf_append(out, escaped, strlen(escaped));
		text += n;
		left -= n;
	}
	return r < 0 ? r : buf_append(out, "'", 1);
}

static int append_text(struct buf *out, const char *text)
{
	return buf_append(out, text, strlen(text));
}

static int wrap_code(struct buf *out, enum dialect lang, const char *code, const char *tag)
{
	bool is_python = lang == DIALECT_PYTHON;
	const char *const pieces[][2] = {
			{"exec(compile(", "new Function('require', 'code', 'tag', "},
			{", '<terrarium>', 'exec'), {'home': globals(), 'code': ",
					" + '\\n//# sourceURL=<terrarium>')(require, "},
			{", 'tag': ", ", "},
			{"})", "); undefined"},
	};
	const char *const literals[] = {is_python ? python_helper : node_helper, code, tag};
	int r = 0;
	for (int i = 0; r == 0 && i < 4; i++) {
		r = append_text(out, pieces[i][!is_python]);
		if (r == 0 && i < 3)
			r = put_literal(out, lang, literals[i]);
	}
	return r < 0 ? r : buf_append(out, "", 1);
}

int feed_wrap(enum dialect lang, const char *code, const char *tag, char **ret_code)
{
	struct buf out;
	*ret_code = NULL;
	if ((lang != DIALECT_PYTHON && lang != DIALECT_JAVASCRIPT) || !is_odd(lang, code))
		return 0;
	buf_init(&out, SIZE_MAX / 4);
	int r = wrap_code(&out, lang, code, tag);
	char *copy = r == 0 ? malloc(out.len) : NULL;
	if (copy)
		memcpy(copy, buf_at(&out), out.len);
	buf_finish(&out);
	*ret_code = copy;
	return copy ? 0 : TRM_ENOMEM;
}

/* ---- unwrapping
 * ------------------------------------------------------------------------------------------ */

/* The index of the stdout line before `at`; n: none. */
static size_t line_before(const struct traceback_line *lines, size_t n, size_t at)
{
	while (at-- > 0)
		if (!lines[at].is_stderr)
			return at;
	return n;
}

static void take_out(struct traceback_line *lines, size_t *n, size_t at)
{
	memmove(lines + at, lines + at + 1, (--*n - at) * sizeof *lines);
}

int feed_unwrap(enum dialect lang, const char *tag, struct traceback_line *lines, size_t *n)
{
	size_t len = strlen(tag), at = *n;
	while (at > 0 && (lines[at - 1].is_stderr || strncmp(lines[at - 1].text, tag, len) != 0))
		at--;
	if (at-- == 0)
		return -1;
	const char *status = lines[at].text + len;
	int code = *status ? (int)strtol(status, NULL, 10) & 255 : -1;
	size_t before = line_before(lines, *n, at);
	take_out(lines, n, at);
	/* Node's lines come without the blank ones, so nothing is known there. */
	if (lang == DIALECT_PYTHON && before <= *n && before < at) {
		if (*lines[before].text)
			lines[before].is_open = true;
		else
			take_out(lines, n, before);
	}
	return code;
}
