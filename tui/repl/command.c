/* SPDX-License-Identifier: MIT */
#include "repl/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>

#include "repl/repl_internal.h"
#include "text/edit_distance.h"

const struct repl_command repl_command_table[] = {
		{"help", "[WORD]", "explain a word", "list the commands, or those about a word", ARG_COMMAND,
				repl_command_help},
		{"lang", "[LANGUAGE]", "switch language",
				"switch to another language; without one: list the languages", ARG_LANG,
				repl_command_language},
		{"run", "FILE", "run a file", "run a file from this machine", ARG_FILE, repl_command_run},
		{"load", "FILE", "load as input", "load a file as the next input", ARG_FILE,
				repl_command_load},
		{"save", "FILE", "save your runs",
				"save what you ran, or the last image (.png, .jpg, .svg), to a new file",
				ARG_FILE, repl_command_save},
		{"edit", "[FILE]", "edit in $EDITOR",
				"edit the last input, or a file, in $EDITOR; the result is the next input",
				ARG_FILE, repl_command_edit},
		{"history", "[WORD]", "show the history", "show earlier inputs; Ctrl-R searches them",
				ARG_TEXT, repl_command_history},
		{"vars", "", "list variables", "list the variables with their values", ARG_NONE,
				repl_command_variables},
		{"table", "[NAME …]", "show a table",
				"show a page of a variable or a CSV file: NAME [ROW] [by COLUMN] [down] [find TEXT] "
				"[column N]; alone: the next page",
				ARG_TEXT, repl_command_table_show},
		{"artifacts", "[save …]", "list artifacts",
				"list what runs have shown: images, tables, files; save N [FILE], save all [DIR]",
				ARG_TEXT, repl_command_artifacts},
		{"reset", "", "forget variables", "forget all variables; files are kept", ARG_NONE,
				repl_command_reset},
		{"restart", "", "restart it", "restart the interpreter; variables are lost, files are kept",
				ARG_NONE, repl_command_restart},
		{"interrupt", "", "stop others' runs", "interrupt the run of another client", ARG_NONE,
				repl_command_interrupt},
		{"files", "[DIR]", "list files", "list /workspace of the sandbox, or another folder",
				ARG_TEXT, repl_command_files},
		{"cp", "FROM TO", "copy files",
				"copy files and directories; :PATH is in the sandbox, NAME:PATH in another",
				ARG_FILE, repl_command_copy},
		{"install", "PACKAGE…", "pip or npm", "install packages: pip for Python, npm for JavaScript",
				ARG_TEXT, repl_command_install},
		{"net", "[on|off]", "show the network",
				"show the network of this sandbox; it is chosen at the start", ARG_SWITCH,
				repl_command_net},
		{"metrics", "", "show the metrics", "show CPU, memory, disk, processes, network", ARG_NONE,
				repl_command_metrics},
		{"top", "", "list processes", "list the processes, the busiest first", ARG_NONE,
				repl_command_top},
		{"limits", "", "show the limits", "show the limits and how they are enforced", ARG_NONE,
				repl_command_limits},
		{"env", "", "show environment", "show the environment of programs in the sandbox", ARG_NONE,
				repl_command_env},
		{"timeout", "[SECONDS]", "set time limit", "set the time limit of later runs; 0: none",
				ARG_TEXT, repl_command_timeout},
		{"confirm", "[on|off]", "ask before runs",
				"ask before each input; off: only about findings of high severity",
				ARG_SWITCH, repl_command_confirm},
		{"attach", "", "how to attach", "show how other programs attach to this sandbox", ARG_NONE,
				repl_command_attach},
		{"keep", "[on|off]", "keep the sandbox",
				"choose whether the sandbox keeps running when this REPL ends", ARG_SWITCH,
				repl_command_keep},
		{"theme", "[NAME]", "switch theme",
				"switch to another theme; without a name: list the themes", ARG_THEME,
				repl_command_theme},
		{"quit", "", "leave (Ctrl-D)", "leave; Ctrl-D, exit and quit() do the same", ARG_NONE,
				repl_command_quit},
		{0},
};

/* ---- finding ------------------------------------------------------------------------------- */

static void add_word(char *words, size_t cap, const char *name)
{
	size_t n = strlen(words);
	snprintf(words + n, cap - n, "%s:%s", n ? ", " : "", name);
}

enum repl_command_match repl_command_find(const struct repl_command *table, const char *word, size_t n,
		const struct repl_command **ret, char *words, size_t cap)
{
	size_t n_begin = 0;
	words[0] = '\0';
	for (const struct repl_command *c = table; c->name; c++) {
		if (strlen(c->name) == n && !memcmp(c->name, word, n)) {
			*ret = c;
			return REPL_COMMAND_FOUND;
		}
	}
	for (const struct repl_command *c = table; n && c->name; c++) {
		if (strncmp(c->name, word, n) != 0)
			continue;
		*ret = c;
		n_begin++;
		add_word(words, cap, c->name);
	}
	if (n_begin)
		return n_begin == 1 ? REPL_COMMAND_FOUND : REPL_COMMAND_AMBIGUOUS;
	struct near near = edit_distance_to(word, n);
	for (const struct repl_command *c = table; c->name; c++)
		edit_distance_try(&near, c->name);
	if (near.best)
		add_word(words, cap, near.best);
	return REPL_COMMAND_UNKNOWN;
}

void repl_command_start(struct repl *r, const char *text)
{
	const struct repl_command *c = NULL;
	char words[300], shown[100];
	text += strspn(text, " \t");
	size_t n = strcspn(text, " \t");
	enum repl_command_match match =
			repl_command_find(repl_command_table, text, n, &c, words, sizeof words);
	trm_text_clean_line(shown, sizeof shown, text, n);
	if (match == REPL_COMMAND_AMBIGUOUS) {
		repl_error(r, ":%s may be %s", shown, words);
	} else if (match == REPL_COMMAND_UNKNOWN) {
		repl_error(r,
				*words ? "there is no command :%s; did you mean %s?"
				       : "there is no command :%s; :help lists them",
				shown, words);
	} else {
		char *rest = strdup(text + n + strspn(text + n, " \t"));
		size_t end = rest ? strlen(rest) : 0;
		while (end && isspace((unsigned char)rest[end - 1]))
			rest[--end] = '\0';
		if (rest && *rest && !*c->args)
			repl_error(r, ":%s takes no arguments", c->name);
		else if (rest)
			c->run(r, rest);
		free(rest);
	}
}

/* ---- completing ------------------------------------------------------------------------------- */

void candidates_add(struct candidates *c, const char *text, const char *kind)
{
	if (c->n == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 32;
		struct candidate *grown = realloc(c->items, cap * sizeof *grown);
		if (!grown)
			return;
		c->items = grown;
		c->cap = cap;
	}
	struct candidate x = {strdup(text), strdup(kind)};
	if (x.text && x.kind) {
		c->items[c->n++] = x;
		return;
	}
	free(x.text);
	free(x.kind);
}

void candidates_finish(struct candidates *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->items[i].text);
		free(c->items[i].kind);
	}
	free(c->items);
	*c = (struct candidates){0};
}

static void add_if(struct candidates *c, const char *text, const char *word, size_t n, const char *tail)
{
	char full[300];
	if (strncmp(text, word, n) != 0)
		return;
	snprintf(full, sizeof full, "%s%s", text, tail);
	candidates_add(c, full, "");
}

static int compare_commands(const void *a, const void *b)
{
	return strcmp(((const struct candidate *)a)->text, ((const struct candidate *)b)->text);
}

/* Complete file names of this machine; the word may begin with folders. */
static void add_files(struct candidates *c, const char *word, size_t n)
{
	char folder[4096];
	size_t slash = n;
	while (slash && word[slash - 1] != '/')
		slash--;
	const char *home = getenv("HOME");
	bool is_home = slash >= 2 && word[0] == '~' && word[1] == '/' && home;
	snprintf(folder, sizeof folder, "%s%.*s",
			is_home ? home
			: slash ? ""
				: ".",
			(int)(slash - is_home), word + is_home);
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		char text[4600], clean[300];
		bool is_hidden = e->d_name[0] == '.' && (n == slash || word[slash] != '.');
		trm_text_clean_line(clean, sizeof clean, e->d_name, strlen(e->d_name));
		if (is_hidden || strncmp(e->d_name, word + slash, n - slash) != 0
				|| strcmp(clean, e->d_name) != 0)
			continue;
		snprintf(text, sizeof text, "%.*s%s%s", (int)slash, word, e->d_name,
				e->d_type == DT_DIR ? "/" : "");
		candidates_add(c, text, "");
	}
	if (dir)
		closedir(dir);
	if (c->n)
		qsort(c->items, c->n, sizeof *c->items, compare_commands);
}

static void add_languages(struct candidates *c, const char *word, size_t n)
{
	for (unsigned i = 0; i < trm_lang_count(); i++)
		add_if(c, trm_lang_at(i)->name, word, n, "");
}

static void add_themes(struct candidates *c, const char *word, size_t n)
{
	struct theme_list list = {0};
	if (theme_list_init(&list) < 0)
		return;
	for (size_t i = 0; i < list.n; i++)
		add_if(c, list.names[i], word, n, "");
	theme_list_finish(&list);
}

static void add_commands(struct candidates *c, const char *word, size_t n, bool has_blank)
{
	for (const struct repl_command *k = repl_command_table; k->name; k++)
		add_if(c, k->name, word, n, has_blank && *k->args ? " " : "");
}

size_t repl_command_complete(struct repl *r, const char *line, size_t point, struct candidates *c)
{
	size_t at = 1, end;
	const struct repl_command *found;
	char words[300];
	(void)r;
	at += strspn(line + at, " \t");
	end = at + strcspn(line + at, " \t");
	if (point <= end) {
		add_commands(c, line + at, point > at ? point - at : 0, true);
		return point > at ? at : point;
	}
	if (repl_command_find(repl_command_table, line + at, end - at, &found, words, sizeof words)
			!= REPL_COMMAND_FOUND)
		return point;
	size_t from = end + strspn(line + end, " \t");
	from = from < point ? from : point;
	const char *word = line + from;
	size_t n = point - from;
	switch (found->arg) {
	case ARG_LANG: add_languages(c, word, n); break;
	case ARG_THEME: add_themes(c, word, n); break;
	case ARG_FILE: add_files(c, word, n); break;
	case ARG_COMMAND: add_commands(c, word, n, false); break;
	case ARG_SWITCH:
		add_if(c, "on", word, n, "");
		add_if(c, "off", word, n, "");
		break;
	case ARG_NONE:
	case ARG_TEXT: break;
	}
	return from;
}
