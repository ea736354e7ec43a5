/* SPDX-License-Identifier: MIT */
/* Lines become inputs: classify a line, and find out whether the kernel wants more lines. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <terrarium/install.h>
#include <terrarium/magic.h>

#include "repl/answer.h"
#include "repl/command.h"
#include "repl/doctest.h"
#include "repl/repl_internal.h"

enum { WAIT_MS = 400 };

/* ---- complete or incomplete? ------------------------------------------------------------ */

enum whole { WHOLE_COMPLETE, WHOLE_INCOMPLETE, WHOLE_INVALID };
typedef void whole_fn(struct repl *r, enum whole whole, const char *indent);

struct question {
	struct repl *r;
	uint64_t serial;
	whole_fn *then;
};

static void on_whole(void *user, const char *json, const struct trm_error *why)
{
	struct question q = *(struct question *)user;
	(void)why; /* if the kernel cannot answer, run the code as it is */
	free(user);
	if (q.serial != q.r->question)
		return;
	trm_timer_stop(q.r->wait_timer);
	cJSON *answer = json ? cJSON_Parse(json) : NULL;
	const char *status = answer_text(answer, "status");
	enum whole whole = !strcmp(status, "incomplete") ? WHOLE_INCOMPLETE
			   : !strcmp(status, "invalid")  ? WHOLE_INVALID
							 : WHOLE_COMPLETE;
	q.then(q.r, whole, answer_text(answer, "indent"));
	cJSON_Delete(answer);
}

static void on_repl_input_interrupt(struct repl *r)
{
	r->question++;
	trm_timer_stop(r->wait_timer);
	repl_drop_input(r);
	repl_done(r);
}

static const struct activity asking = {
		.what = "asking whether the input is complete", .interrupt = on_repl_input_interrupt};

/* Ask the kernel about `text` followed by `tail`. */
static void ask_completeness(struct repl *r, const char *text, size_t n, const char *tail, whole_fn *then)
{
	struct code code = {0};
	struct question *q = malloc(sizeof *q);
	struct trm_error why = {0};
	bool is_asked = q && code_add(&code, text, n) && code_add(&code, tail, strlen(tail));

	repl_begin(r, &asking);
	trm_timer_start(r->wait_timer, WAIT_MS, 0);
	if (is_asked) {
		*q = (struct question){r, ++r->question, then};
		is_asked = trm_session_ask(r->session, r->lang, TRM_ASK_IS_COMPLETE, code.text, 0, on_whole,
					   q, &why)
			   == 0;
	}
	code_finish(&code);
	if (is_asked)
		return;
	free(q);
	then(r, WHOLE_COMPLETE, ""); /* the run will report the error */
}

/* ---- gathering --------------------------------------------------------------------------- */

void repl_drop_input(struct repl *r)
{
	code_clear(&r->code);
	r->has_gathered = false;
	r->indent[0] = '\0';
}

static void repl_submit(struct repl *r)
{
	while (r->code.n && r->code.text[r->code.n - 1] == '\n' && r->code.n > 1
			&& r->code.text[r->code.n - 2] == '\n')
		r->code.text[--r->code.n] = '\0';
	r->has_gathered = false;
	r->indent[0] = '\0';
	if (repl_has_person(r)) {
		size_t n = r->code.n;
		while (n && r->code.text[n - 1] == '\n')
			n--;
		history_add(&r->history, r->code.text, n);
	}
	confirm_ask(r);
}

void repl_run_text(struct repl *r, const char *text, size_t n, char *filename)
{
	repl_drop_input(r);
	free(r->filename);
	r->filename = filename;
	if (code_add(&r->code, text, n))
		confirm_ask(r);
}

static void on_gathered(struct repl *r, enum whole whole, const char *indent)
{
	if (whole != WHOLE_INCOMPLETE) {
		repl_submit(r);
		return;
	}
	r->has_gathered = true;
	strncpy(r->indent, indent, sizeof r->indent - 1);
	r->indent[strspn(r->indent, " \t")] = '\0';
	repl_done(r);
}

static bool is_blank(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isspace((unsigned char)text[i]))
			return false;
	return true;
}

static void gather(struct repl *r, const char *text, size_t n)
{
	bool has_newline = memchr(text, '\n', n) != NULL;
	if (repl_has_person(r) && r->has_gathered && !strcmp(text, r->indent))
		n = 0; /* the user typed nothing after the offered indentation */
	if (!(r->has_gathered ? code_add(&r->code, "\n", 1) : true) || !code_add(&r->code, text, n)) {
		repl_error(r, "out of memory");
		repl_drop_input(r);
		return;
	}
	bool ends = n == 0 || r->code.text[r->code.n - 1] == '\n';
	if (trm_magic_is_cell(r->lang, r->code.text, r->code.n) && !has_newline) {
		repl_begin(r, &asking); /* a blank line ends it */
		on_gathered(r, ends ? WHOLE_COMPLETE : WHOLE_INCOMPLETE, "");
		return;
	}
	/* For pasted lines, ask as if a blank line followed: the user will not type one. */
	ask_completeness(r, r->code.text, r->code.n, has_newline ? "\n" : "", on_gathered);
}

/* ---- kinds of lines ---------------------------------------------------------------------------- */

/* Usual words for leaving, in any of the languages. A number with the word is the exit code. */
static bool is_exit(const char *text, int *ret_code)
{
	static const char *const words[] = {
			"exit", "quit", ".exit", "exit()", "quit()", "exit;", "exit();", "quit();", "logout"};
	int code, end = 0;
	*ret_code = 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(text, words[i]))
			return true;
	if ((sscanf(text, "exit %d%n", &code, &end) == 1 || sscanf(text, "exit(%d)%n", &code, &end) == 1
			    || sscanf(text, "quit(%d)%n", &code, &end) == 1)
			&& end && !text[end]) {
		*ret_code = code & 255;
		return true;
	}
	return false;
}

/* "name?"; the name may contain dots. */
static bool is_question(const char *text, size_t n)
{
	if (n < 2 || text[n - 1] != '?' || isdigit((unsigned char)*text))
		return false;
	for (size_t i = 0; i + 1 < n; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("_.$", text[i]) && !(text[i] & 0x80))
			return false;
	return true;
}

/* Bash itself uses "! " and ": ". */
static bool is_own_sign(const struct repl *r, const char *text)
{
	return r->lang->style == TRM_STYLE_SHELL && (text[1] == ' ' || !text[1]);
}

/* "%pip install six", alone: what :install does. */
static bool is_install_line(const struct repl *r, const char *text)
{
	char packages[256];
	return *text == '%' && r->lang->style != TRM_STYLE_SHELL
	       && trm_package_command_line(text, packages, sizeof packages) == r->lang && *packages;
}

/* Lines that are not code: ":command", "!command", "?name", "name?" and words for leaving. */
static bool is_other(const struct repl *r, const char *text, size_t n)
{
	int code;
	if (memchr(text, '\n', n) || memchr(text, 0, n))
		return false;
	return (*text == ':' && !is_own_sign(r, text)) || trm_magic_is_command(r->lang, text, n)
	       || *text == '?' || is_install_line(r, text) || is_question(text, n) || is_exit(text, &code);
}

/* ---- in a transcript a block ends before a line without indentation ---------------------------- */

static void gather_held(struct repl *r)
{
	char *line = r->held_line;
	r->held_line = NULL;
	gather(r, line, strlen(line));
	free(line);
}

static void on_follower(struct repl *r, enum whole whole, const char *indent)
{
	(void)indent;
	if (whole == WHOLE_INVALID) /* the line continues the block, like "else:" */
		gather_held(r);
	else
		repl_submit(r); /* the held line follows after this input */
}

static void on_repl_input_ended(struct repl *r, enum whole whole, const char *indent)
{
	(void)indent;
	if (whole == WHOLE_COMPLETE && is_other(r, r->held_line, strlen(r->held_line)))
		repl_submit(r);
	else if (whole == WHOLE_COMPLETE)
		ask_completeness(r, r->held_line, strlen(r->held_line), "", on_follower);
	else
		gather_held(r);
}

static bool may_end_block(const struct repl *r, const char *text, size_t n)
{
	return !repl_has_person(r) && r->has_gathered && r->lang->style == TRM_STYLE_INDENT && n
	       && !isspace((unsigned char)*text) && !memchr(text, 0, n);
}

/* ---- taking a line -------------------------------------------------------------------------- */

static void inspect_trailing(struct repl *r, const char *text, size_t n)
{
	char *name = strndup(text, n - 1);
	inspect_start(r, name ? name : "");
	free(name);
}

static void install_typed(struct repl *r, const char *text)
{
	char **libraries = NULL, packages[512] = "";
	struct trm_error why = {0};
	size_t len = 0;
	if (trm_package_command_line(text, packages, sizeof packages) && r->lang == trm_lang_default()
			&& trm_magic_libraries(&libraries, r->lang, text, strlen(text), &why) < 0) {
		repl_error(r, "%s", why.msg);
		return;
	}
	for (char **name = libraries; name && *name && len < sizeof packages; name++)
		len += (size_t)snprintf(
				packages + len, sizeof packages - len, "%s'%s'", len ? " " : "", *name);
	trm_libraries_free(libraries);
	repl_command_install(r, packages);
}

/* False: the line is code. */
static bool take_other(struct repl *r, const char *text, size_t n)
{
	int code = 0;
	if (!is_other(r, text, n))
		return false;
	if (repl_has_person(r))
		history_add(&r->history, text, n);
	if (*text == ':')
		repl_command_start(r, text + 1);
	else if (*text == '%')
		install_typed(r, text);
	else if (*text == '!')
		shell_start(r, text + 1);
	else if (*text == '?')
		inspect_start(r, text + 1);
	else if (is_question(text, n))
		inspect_trailing(r, text, n);
	else if (is_exit(text, &code)) {
		r->exit_code = r->exit_code ? r->exit_code : code;
		repl_leave(r);
	}
	return true;
}

static void take_end(struct repl *r)
{
	if (!r->has_gathered)
		repl_leave(r);
	else if (repl_has_person(r))
		repl_drop_input(r);
	else
		repl_submit(r);
}

/* A pasted example from documentation. */
static bool take_doctest(struct repl *r, const char *text)
{
	char *copy = strncmp(text, ">>>", 3) ? NULL : strdup(text);
	bool is_taken = copy && doctest_strip(copy);
	if (is_taken)
		gather(r, copy, strlen(copy));
	free(copy);
	return is_taken;
}

/* A transcript in the style of documentation. True: the line was handled. */
static bool take_doctest_line(struct repl *r, const char *text, size_t n)
{
	size_t prompt;
	enum doctest_line kind = doctest_line(text, n, &prompt);
	r->is_doctest |= kind == DOCTEST_FIRST;
	if (!r->is_doctest)
		return false;
	if (kind != DOCTEST_MORE && r->has_gathered) { /* the previous block ends here */
		r->held_line = kind == DOCTEST_FIRST ? strndup(text, n) : NULL;
		repl_submit(r);
	} else if (kind == DOCTEST_FIRST && is_blank(text + prompt, n - prompt)) {
		return true;
	} else if (kind != DOCTEST_ANSWER) {
		gather(r, text + prompt, n - prompt);
	}
	return true;
}

void repl_take(struct repl *r, const char *text, size_t n)
{
	bool is_python = r->lang->style == TRM_STYLE_INDENT;
	if (r->question_shown)
		confirm_answer(r, text);
	else if (!text)
		take_end(r);
	else if (is_python && !repl_has_person(r) && *text != ':' && take_doctest_line(r, text, n))
		return;
	else if (is_python && !r->has_gathered && take_doctest(r, text))
		return;
	else if (!r->has_gathered && (is_blank(text, n) || take_other(r, text, n)))
		return;
	else if (may_end_block(r, text, n) && (r->held_line = strndup(text, n)))
		ask_completeness(r, r->code.text, r->code.n, "\n\n", on_repl_input_ended);
	else
		gather(r, text, n);
}
