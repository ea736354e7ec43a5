/* SPDX-License-Identifier: MIT */
#include "backend/microsandbox/is_complete.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- quotes and brackets --------------------------------------------------------------------------- */

enum { DEEPEST = 64 };

/* The result of one scan from beginning to end. */
struct look {
	enum dialect lang;
	const char *begin, *at;
	const char *line;    /* the newest line that begins outside of brackets */
	int depth;           /* of open brackets */
	bool is_cut;         /* the end is within quotes, a comment or a here-document */
	bool is_continued;   /* a backslash is the last byte */
	char last, previous; /* the newest bytes of code that are no white space */
	char word[16];       /* the newest word */
	/* JavaScript: brackets of `${` within templates, by their depth */
	int templates[DEEPEST];
	int n_templates;
	/* Bash */
	int clauses;          /* open if, case, do, { … */
	int loops;            /* for, while … without their do so far */
	bool is_command_next; /* a word here would be a command or a keyword */
	char here[32];        /* the word that ends the here-document that begins on the next line */
};

static void scan_char(struct look *l, char c)
{
	l->previous = l->last;
	l->last = c;
}

/* Go past the next `end`; a backslash escapes the next character. False: there is none. */
static bool skip_to(struct look *l, const char *end, bool has_escapes)
{
	size_t n = strlen(end);
	while (*l->at && strncmp(l->at, end, n) != 0)
		l->at += has_escapes && *l->at == '\\' && l->at[1] ? 2 : 1;
	if (!*l->at)
		l->is_cut = true;
	else
		l->at += n;
	scan_char(l, '"');
	return !l->is_cut;
}

static void skip_line(struct look *l)
{
	l->at += strcspn(l->at, "\n");
}

/* Skip a quote that cannot span lines. If the line ends first, that is a syntax error, not a reason to
 * wait. */
static void skip_short(struct look *l, char quote)
{
	while (*l->at && *l->at != quote && *l->at != '\n')
		l->at += *l->at == '\\' && l->at[1] ? 2 : 1;
	l->at += *l->at == quote;
	scan_char(l, '"');
}

static void skip_python_quote(struct look *l)
{
	char quote = *l->at, three[4] = {quote, quote, quote, 0};
	if (strncmp(l->at, three, 3) == 0) {
		l->at += 3;
		skip_to(l, three, true);
	} else {
		l->at++;
		skip_short(l, quote);
	}
}

/* Text of a template, up to its end or to the next `${`. */
static void skip_template(struct look *l)
{
	while (*l->at && *l->at != '`' && strncmp(l->at, "${", 2) != 0)
		l->at += *l->at == '\\' && l->at[1] ? 2 : 1;
	if (!*l->at) {
		l->is_cut = true;
	} else if (*l->at++ == '$') {
		l->at++;
		if (l->n_templates < DEEPEST)
			l->templates[l->n_templates++] = l->depth;
		l->depth++;
	}
	scan_char(l, '"');
}

static bool is_regex_next(const struct look *l)
{
	return !l->last || strchr("(,=:[!&|?{};+-*%<>~^", l->last) != NULL;
}

/* ---- each language ------------------------------------------------------------------------------------- */

static void look_at_bracket(struct look *l)
{
	char c = *l->at++;
	l->depth += strchr("([{", c) ? 1 : -1;
	scan_char(l, c);
	if (c == '}' && l->n_templates && l->templates[l->n_templates - 1] == l->depth) {
		l->n_templates--;
		skip_template(l);
	}
}

static bool look_at_python(struct look *l)
{
	if (*l->at == '#')
		skip_line(l);
	else if (*l->at == '\'' || *l->at == '"')
		skip_python_quote(l);
	else
		return false;
	return true;
}

static bool look_at_node(struct look *l)
{
	char c = *l->at;
	if (strncmp(l->at, "//", 2) == 0) {
		skip_line(l);
	} else if (strncmp(l->at, "/*", 2) == 0) {
		char last = l->last, previous = l->previous;
		l->at += 2;
		skip_to(l, "*/", false);
		l->last = last;
		l->previous = previous;
	} else if (c == '\'' || c == '"' || (c == '/' && is_regex_next(l))) {
		l->at++;
		skip_short(l, c);
	} else if (c == '`') {
		l->at++;
		skip_template(l);
	} else {
		return false;
	}
	return true;
}

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

static void look_at_bash_word(struct look *l)
{
	static const char *const openers[] = {"if", "case", "{", NULL},
				 *const closers[] = {"fi", "esac", "done", "}", NULL},
				 *const loops[] = {"for", "while", "until", "select", NULL},
				 *const go_on[] = {"then", "do", "else", "elif", "if", "while", "until", "!",
						 "{", "time", NULL};
	if (strcmp(l->word, "do") == 0 && l->loops) { /* also after "for x in a b" on a line of its own */
		l->loops--;
		l->clauses++;
	} else if (l->is_command_next) {
		l->clauses += is_one_of(l->word, openers);
		l->clauses -= is_one_of(l->word, closers);
		l->loops += is_one_of(l->word, loops);
	}
	l->is_command_next = l->is_command_next && is_one_of(l->word, go_on);
}

/* After "<<" or "<<-": remember the word that ends the here-document. */
static void note_here(struct look *l)
{
	l->at += 2;
	l->at += *l->at == '-';
	l->at += strspn(l->at, " \t");
	char quote = *l->at == '\'' || *l->at == '"' || *l->at == '\\' ? *l->at++ : 0;
	size_t n = strcspn(l->at, quote == '\'' ? "'\n" : quote == '"' ? "\"\n" : " \t\n;|&)");
	snprintf(l->here, sizeof l->here, "%.*s", (int)n, l->at);
	l->at += n;
	l->at += quote && *l->at == quote;
	scan_char(l, '"');
}

static void skip_here(struct look *l)
{
	bool is_end = false;
	while (!is_end && *l->at) {
		l->at++;
		const char *line = l->at + strspn(l->at, "\t");
		skip_line(l);
		is_end = (size_t)(l->at - line) == strlen(l->here)
			 && strncmp(line, l->here, strlen(l->here)) == 0;
	}
	l->is_cut = !is_end;
	l->here[0] = '\0';
}

static bool look_at_bash(struct look *l)
{
	char c = *l->at;
	if (c == '\n' && l->here[0]) {
		skip_here(l);
	} else if (c == '#' && (l->at == l->begin || strchr(" \t\n;&|(", l->at[-1]))) {
		skip_line(l);
	} else if (c == '\'') {
		l->at++;
		skip_to(l, "'", false);
	} else if (c == '"' || c == '`') {
		l->at++;
		skip_to(l, c == '"' ? "\"" : "`", true);
	} else if (strncmp(l->at, "<<<", 3) == 0) {
		l->at += 3;
		return true;
	} else if (strncmp(l->at, "<<", 2) == 0 && !l->depth) {
		note_here(l);
		return true;
	} else if (strchr("{}", c)) { /* words, if they stand alone */
		scan_char(l, c);
		l->at++;
		snprintf(l->word, sizeof l->word, "%c", c);
		if (!*l->at || isspace((unsigned char)*l->at) || *l->at == ';')
			look_at_bash_word(l);
		return true;
	} else {
		if (strchr("\n;&|(", c))
			l->is_command_next = true;
		return false;
	}
	l->is_command_next = c == '\n';
	return true;
}

/* ---- all together
 * ---------------------------------------------------------------------------------------- */

static void look_at_word(struct look *l)
{
	size_t n = 0;
	while (isalnum((unsigned char)l->at[n]) || l->at[n] == '_')
		n++;
	snprintf(l->word, sizeof l->word, "%.*s", (int)n, l->at);
	scan_char(l, l->at[n - 1]);
	l->at += n;
	if (l->lang == DIALECT_BASH && (!*l->at || !strchr("=.-/+", *l->at)))
		look_at_bash_word(l);
}

static void look_on(struct look *l)
{
	static bool (*const own[])(struct look *) = {[DIALECT_PYTHON] = look_at_python,
			[DIALECT_JAVASCRIPT] = look_at_node,
			[DIALECT_BASH] = look_at_bash};
	if (*l->at == '\\') {
		l->is_continued = !l->at[1] || (l->at[1] == '\n' && !l->at[2]);
		l->at += l->at[1] ? 2 : 1;
	} else if (own[l->lang](l)) {
		return;
	} else if (strchr("()[]{}", *l->at)) {
		look_at_bracket(l);
	} else if (isalnum((unsigned char)*l->at) || *l->at == '_') {
		look_at_word(l);
	} else {
		if (!isspace((unsigned char)*l->at)) {
			scan_char(l, *l->at);
			l->word[0] = '\0';
		}
		l->at++;
		if (l->at[-1] == '\n' && l->depth == 0)
			l->line = l->at;
	}
}

/* Python: a block goes on until a blank line, and after its head there must be one. */
static bool is_block_open(const struct look *l)
{
	bool is_blank = !l->line[strspn(l->line, " \t")];
	return l->last == ':' || (!is_blank && strchr(" \t@", *l->line));
}

static bool wants_operand(const struct look *l)
{
	static const char *const words[] = {
			"else", "do", "try", "finally", "new", "typeof", "in", "of", "extends", NULL};
	if (l->word[0] && isalnum((unsigned char)l->last))
		return is_one_of(l->word, words);
	if ((l->last == '+' || l->last == '-') && l->previous == l->last)
		return false;
	return l->last && (strchr("+-*/%=&|^,?:.<~!", l->last) || (l->last == '>' && l->previous == '='));
}

static bool is_open(const struct look *l)
{
	if (l->is_cut || l->is_continued || l->depth > 0)
		return true;
	if (l->lang == DIALECT_PYTHON)
		return is_block_open(l);
	if (l->lang == DIALECT_JAVASCRIPT)
		return wants_operand(l);
	return l->clauses > 0 || l->loops > 0 || l->here[0] || l->last == '|'
	       || (l->last == '&' && l->previous == '&');
}

/* The indentation of the last line, and more after an opening bracket or colon. */
static void put_indent(const struct look *l, const char *code, char *indent, size_t cap)
{
	const char *end = code + strlen(code), *line;
	while (end > code && isspace((unsigned char)end[-1]))
		end--;
	for (line = end; line > code && line[-1] != '\n';)
		line--;
	bool opens = l->last && strchr(l->lang == DIALECT_PYTHON ? ":([{" : "([{", l->last);
	int margin = (int)strspn(line, " \t");
	bool has_tabs = margin && line[margin - 1] == '\t';
	const char *step = has_tabs ? "\t" : l->lang == DIALECT_PYTHON ? "    " : "  ";
	snprintf(indent, cap, "%.*s%s", margin, line, opens ? step : "");
}

bool is_complete_is(enum dialect lang, const char *code, char *indent, size_t cap)
{
	struct look l = {.lang = lang, .begin = code, .at = code, .line = code, .is_command_next = true};
	*indent = '\0';
	while (*l.at && !l.is_cut)
		look_on(&l);
	if (!is_open(&l))
		return true;
	if (!l.is_cut)
		put_indent(&l, code, indent, cap);
	return false;
}
