/* SPDX-License-Identifier: MIT */
/* The tables of commands and options as rows for bash and zsh. */
#include <stdio.h>

#include <terrarium/config.h>
#include <terrarium/lang.h>
#include <terrarium/policy.h>

#include "cmd/cmd.h"
#include "cmd/completion.h"

/* Print a field within a string in single quotes; "-" if it is empty. */
static void put_field(const char *text, char end)
{
	for (text = text && *text ? text : "-"; *text; text++)
		if (*text == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*text);
	putchar(end);
}

static void put_row(char kind, const char *command, const char *name, const char *value, const char *help)
{
	printf("%c\t%s\t", kind, command);
	put_field(name, '\t');
	put_field(value, '\t');
	put_field(help, '\n');
}

static void put_option(const char *command, const struct option_spec *o)
{
	put_row('O', command, o->name, o->metavar, o->help);
	if (o->letter)
		put_row('O', command, (char[]){'-', o->letter, 0}, o->metavar, o->help);
}

/* Only shipped policies, because the output may be stored in a file that other people use, too. */
static void put_policy(void *user, const char *name, const char *description, bool is_own)
{
	(void)user;
	if (!is_own)
		put_row('V', "POLICY", name, NULL, description);
}

static void put_setting(char kind, const char *command, const struct trm_setting *s)
{
	put_row(kind, command, s->option, s->metavar, s->help);
	if (s->letter)
		put_row(kind, command, (char[]){'-', s->letter, 0}, s->metavar, s->help);
}

static void put_command(const struct cmd *cmd, const char *name)
{
	for (const struct option_spec *o = cmd->options; o && o->name; o++)
		put_option(name, o);
	for (const struct option_spec *o = options_common; o->name; o++)
		put_option(name, o);
	for (const char *const *setting = cmd->settings; setting && *setting; setting++)
		put_setting('O', name, trm_setting_find(*setting));
}

void completion_rows(void)
{
	size_t n, n_settings;
	const struct cmd *const *table = cmd_table(&n);
	const struct trm_setting *settings = trm_settings(&n_settings);

	for (size_t i = 0; i < n; i++)
		put_row('C', ".", table[i]->name, table[i]->operands, table[i]->summary);
	put_row('C', "-", "workbench", cmd_workbench.operands, cmd_workbench.summary);
	put_command(&cmd_workbench, "workbench");
	for (size_t i = 0; i < n; i++)
		put_command(table[i], table[i]->name);
	for (size_t i = 0; i < n_settings; i++)
		put_setting('S', ".", &settings[i]);
	for (size_t i = 0; i < n_settings; i++)
		put_row('V', "SETTING", settings[i].name, NULL, settings[i].help);
	for (unsigned id = 0; id < trm_lang_count(); id++)
		put_row('V', "LANG", trm_lang_at(id)->name, NULL, NULL);
	trm_policy_list(NULL, put_policy, NULL, NULL);
}
