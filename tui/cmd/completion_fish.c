/* SPDX-License-Identifier: MIT */
/* The tables of commands and options for fish: a `complete` line for each word that can be completed. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/config.h>
#include <terrarium/lang.h>
#include <terrarium/policy.h>

#include "cmd/cmd.h"
#include "cmd/completion.h"

static const struct {
	const char *word, *arguments; /* NULL: file names, which fish completes itself */
} kinds[] = {
		{"NAME", "(__terrarium_names)"},
		{"NAME:PATH", "(__terrarium_paths)"},
		{"THEME", "(__terrarium_themes)"},
		{"BACKEND", "(__terrarium_backends)"},
		{"FILE", NULL},
		{"RECORDING", NULL},
		{"PATH", NULL},
		{"DIR", "(__fish_complete_directories)"},
};

static void quoted(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

static bool is_word(const char *part, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(part, word, n) == 0;
}

static void put_commands(void)
{
	size_t n;
	const struct cmd *const *table = cmd_table(&n);

	for (size_t i = 0; i < n; i++)
		printf("%s ", table[i]->name);
}

static void put_settings(void)
{
	size_t n;
	const struct trm_setting *settings = trm_settings(&n);

	for (size_t i = 0; i < n; i++)
		printf("%s ", settings[i].name);
}

static void put_languages(void)
{
	for (unsigned id = 0; id < trm_lang_count(); id++)
		printf("%s ", trm_lang_at(id)->name);
}

/* Only shipped policies, because the output may be stored in a file that other people use, too. */
static void put_policy(void *user, const char *name, const char *description, bool is_own)
{
	(void)user, (void)description;
	if (!is_own)
		printf("%s ", name);
}

/* Print " -a '…'" and " -F" for the possible values. Returns whether file names are among them. */
static bool put_arguments(const char *value, size_t n)
{
	bool has_files = false;

	fputs(" -a '", stdout);
	for (size_t at = 0; at < n;) {
		size_t len = 0;
		while (at + len < n && value[at + len] != '|')
			len++;
		const char *part = value + at;
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
			if (is_word(part, len, kinds[k].word) && kinds[k].arguments)
				printf("%s ", kinds[k].arguments);
			else if (is_word(part, len, kinds[k].word))
				has_files = true;
		if (is_word(part, len, "NAME:PATH"))
			has_files = true;
		if (is_word(part, len, "COMMAND"))
			put_commands();
		else if (is_word(part, len, "SETTING"))
			put_settings();
		else if (is_word(part, len, "LANG"))
			put_languages();
		else if (is_word(part, len, "POLICY"))
			trm_policy_list(NULL, put_policy, NULL, NULL);
		else if (len && islower((unsigned char)*part))
			printf("%.*s ", (int)len, part);
		at += len + 1;
	}
	putchar('\'');
	return has_files;
}

static void put_valued(const char *command, const char *name, char letter)
{
	printf("set -a __terrarium_valued '%s %s'", command, name);
	if (letter)
		printf(" '%s -%c'", command, letter);
	putchar('\n');
}

/* `command` NULL: all commands have this option. */
static void put_option(
		const char *command, const char *name, char letter, const char *value, const char *help)
{
	/* A switch needs no value. */
	const bool has_value = value && strcmp(value, "on|off") != 0;

	fputs("complete -c terrarium", stdout);
	if (command)
		printf(" -n '__terrarium_is %s'", command);
	printf(" -l %s", name + 2);
	if (letter)
		printf(" -s %c", letter);
	if (has_value) {
		bool has_files = put_arguments(value, strlen(value));
		fputs(has_files ? " -r -F" : " -x", stdout);
	}
	fputs(" -d ", stdout);
	quoted(help);
	putchar('\n');
	if (has_value)
		put_valued(command ? command : ".", name, letter);
}

/* Print an operand that can follow `first` to `last` other operands. */
static void put_operand(const char *command, int first, int last, const char *value, size_t n)
{
	bool is_path = n >= 9 && memcmp(value, "NAME:PATH", 9) == 0;
	if (is_path) {
		/* A word that begins with the name of a sandbox is not a file on this machine. */
		printf("complete -c terrarium -n '__terrarium_is %s; and __terrarium_operands_are %d %d; and "
		       "__terrarium_is_inside' -f -a '(__terrarium_paths)'\n",
				command, first, last);
		printf("complete -c terrarium -n '__terrarium_is %s; and __terrarium_operands_are %d %d; and not "
		       "__terrarium_is_inside'",
				command, first, last);
	} else if (strcmp(command, "workbench") == 0)
		fputs("complete -c terrarium -n '__terrarium_is workbench'", stdout);
	else
		printf("complete -c terrarium -n '__terrarium_is %s; and __terrarium_operands_are %d %d'",
				command, first, last);
	bool has_files = put_arguments(value, n);
	puts(has_files ? " -F" : "");
}

static void put_operands(const char *command, const char *operands)
{
	int at = 0;

	while (operands && *operands) {
		size_t n = strcspn(operands, " ");
		bool is_repeated = n > 3 && memcmp(operands + n - 3, "...", 3) == 0;
		put_operand(command, at, is_repeated ? 999 : at, operands, is_repeated ? n - 3 : n);
		at++;
		operands += n + strspn(operands + n, " ");
	}
}

void completion_fish_lines(void)
{
	size_t n, n_settings;
	const struct cmd *const *table = cmd_table(&n);
	const struct trm_setting *s = trm_settings(&n_settings);

	for (size_t i = 0; i < n; i++) {
		printf("complete -c terrarium -n '__terrarium_is workbench' -a %s -d ", table[i]->name);
		quoted(table[i]->summary);
		putchar('\n');
	}
	for (size_t i = 0; i < n_settings; i++)
		put_option(NULL, s[i].option, s[i].letter, s[i].metavar, s[i].help);
	for (const struct option_spec *o = options_common; o->name; o++)
		put_option(NULL, o->name, o->letter, o->metavar, o->help);
	put_operands("workbench", cmd_workbench.operands);
	for (size_t i = 0; i < n; i++) {
		for (const struct option_spec *o = table[i]->options; o && o->name; o++)
			put_option(table[i]->name, o->name, o->letter, o->metavar, o->help);
		put_operands(table[i]->name, table[i]->operands);
	}
}
