/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/config.h>
#include <terrarium/text.h>

#include "cmd/cmd.h"

enum { SCREEN_LINES = 24, SCREEN_COLS = 80, HELP_COL = 28 };

/* Returns the number of bytes of `text` to print before a line break, so that they take at most `cols`
 * columns. */
static size_t break_at(const char *text, size_t cols)
{
	size_t at = 0, best = 0, used = 0;
	for (; text[at] && text[at] != '\n'; at++) {
		if (text[at] == ' ')
			best = at;
		used += ((unsigned char)text[at] & 0xc0) != 0x80;
		if (used > cols)
			return best ? best : at;
	}
	return at;
}

void cmd_print_wrapped(const char *text, int indent)
{
	for (;;) {
		size_t part = break_at(text, (size_t)(SCREEN_COLS - indent));
		printf("%.*s\n", (int)part, text);
		text += part;
		text += *text == '\n' ? 1 : strspn(text, " ");
		if (!*text)
			return;
		printf("%*s", indent, "");
	}
}

/* Print one line of a list of options, wrapped to 80 columns. `letter` 0, `metavar` NULL: none. */
static void cmd_print_option(char letter, const char *name, const char *metavar, const char *help)
{
	char shown[4] = "", text[320];
	if (letter)
		snprintf(shown, sizeof shown, "-%c,", letter);
	/* A long list of choices is printed on the right. */
	bool is_list = metavar && strchr(metavar, '|') && 7 + strlen(name) + strlen(metavar) >= HELP_COL;
	snprintf(text, sizeof text, is_list ? "%s: %s" : "%s", help, metavar);
	int n = printf("  %-3s %s%s%s", shown, name, metavar ? " " : "",
			is_list   ? "WORD"
			: metavar ? metavar
				  : "");
	printf("%*s", n < HELP_COL ? HELP_COL - n : 1, "");
	cmd_print_wrapped(text, HELP_COL);
}

static void print_setting(const char *name)
{
	const struct trm_setting *s = setting_find(name);
	char help[160];
	bool has_default = *s->fallback && strcmp(s->fallback, "0") != 0;
	snprintf(help, sizeof help, has_default ? "%s (%s)" : "%s", s->help, s->fallback);
	cmd_print_option(s->letter, s->option, s->metavar, help);
}

int cmd_print_help(const struct cmd *cmd)
{
	printf("Usage: terrarium %s\n", cmd->usage);
	cmd_print_wrapped(cmd->help ? cmd->help : cmd->summary, 0);
	putchar('\n');
	if (cmd->alias)
		printf("Also called '%s'.\n", cmd->alias);
	for (const struct option_spec *o = cmd->options; o && o->name; o++)
		cmd_print_option(o->letter, o->name, o->metavar, o->help);
	if (cmd->asks)
		cmd_print_option('y', "--yes", NULL, "run code without asking");
	for (const char *const *name = cmd->settings; name && *name; name++)
		print_setting(*name);
	printf("Options of all commands: terrarium help options. More: man terrarium-%s\n", cmd->name);
	return cmd_flush();
}

static int print_overview(void)
{
	size_t n;
	const struct cmd *const *table = cmd_table(&n);
	puts("terrarium - a workbench that runs code in persistent sandboxes\n");
	printf("Usage: terrarium %s\n\n", cmd_workbench.usage);
	size_t n_rows = (n + 1) / 2; /* two columns, sorted downwards */
	for (size_t i = 0; i < n_rows; i++) {
		printf("  %-10s ", table[i]->name);
		if (i + n_rows == n)
			puts(table[i]->summary);
		else
			printf("%-*s %-10s %s\n", CMD_SUMMARY_MAX, table[i]->summary, table[i + n_rows]->name,
					table[i + n_rows]->summary);
	}
	puts("\nWithout a command terrarium opens the workbench; --with PKG installs PKG first.");
	puts("More: terrarium help COMMAND, help options, help settings; man terrarium");
	return cmd_flush();
}

static int print_options(void)
{
	puts("Options that every command takes:\n");
	for (const struct option_spec *o = options_common; o->name; o++)
		cmd_print_option(o->letter, o->name, o->metavar, o->help);
	putchar('\n');
	cmd_print_wrapped(
			"and each setting, as --name VALUE or --name=VALUE. The help of a command names the settings that "
			"matter most; 'terrarium help settings' lists all. A switch alone turns a setting on (--linear). "
			"One-letter options can be joined (-yc CODE). -- ends the options. Options follow the command.\n"
			"\n"
			"Without an option, a setting takes its value from its environment variable (TERRARIUM_MEMORY=64), "
			"else from .env in the current directory, else from the config file, else the default. 'terrarium "
			"config' shows each value and its source.",
			0);
	return cmd_flush();
}

static int print_settings(void)
{
	cmd_print_wrapped(
			"The first of these wins: option, environment, .env in the current directory, config file, default. "
			"The config file is $XDG_CONFIG_HOME/terrarium/config.json (or --config FILE, TERRARIUM_CONFIG): a "
			"JSON object with comments, such as\n"
			"    { \"memory\": 1024, \"theme\": \"light\" } // mine\n",
			0);
	putchar('\n');
	for (size_t i = 0; i < setting_count(); i++) {
		const struct trm_setting *s = setting_row(i);
		char left[48];
		snprintf(left, sizeof left, "%-16s %s", s->name, *s->fallback ? s->fallback : "-");
		printf("  %-24s  %s\n", left, s->help);
	}
	cmd_print_wrapped(
			"\nAs an option: --metrics-interval 2. In the environment: TERRARIUM_METRICS_INTERVAL=2. Sizes are "
			"MiB, or take K, M, G; times are seconds, or take ms, s, m. 'terrarium config' shows the current values.",
			0);
	return cmd_flush();
}

static const struct {
	const char *word;
	int (*print)(void);
} topics[] = {
		{"options", print_options},
		{"settings", print_settings},
};

static int refuse_unknown_topic(const char *word)
{
	const struct cmd *near = cmd_nearest(word);
	return near ? cmd_fail("there is no command '%s'; did you mean 'terrarium help %s'?", word,
			       near->name)
		    : cmd_fail("there is no command '%s'; see 'terrarium help'", word);
}

static int help_main(const struct cmd *cmd, int argc, char **argv)
{
	const char *word;
	unsigned given;
	int code;
	struct options o;

	if (!cmd_read_one(cmd, argc, argv, &o, "COMMAND", &given, &word, &code))
		return code;
	if (given)
		return cmd_print_table_json();
	if (!word)
		return print_overview();
	for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
		if (!strcmp(word, topics[i].word))
			return topics[i].print();
	const struct cmd *topic = cmd_find(word);
	return topic ? cmd_print_help(topic) : refuse_unknown_topic(word);
}

static const struct option_spec options[] = {
		{"--json", 0, NULL, "print a table of all commands, options and settings"},
		{0},
};

const struct cmd cmd_help = {
		.name = "help",
		.usage = "help [COMMAND | options | settings] [--json]",
		.summary = "explain a command",
		.help = "Explains a command, the options that all commands take, or the settings.",
		.options = options,
		.operands = "COMMAND|options|settings",
		.run = help_main,
};
