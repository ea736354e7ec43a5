/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/config.h>

#include "cmd/cmd.h"

enum { SCREEN_LINES = 24 }; /* a help is seen whole */

static void print_option(char letter, const char *name, const char *metavar, const char *help)
{
	char left[64], shown[4] = "";
	if (letter)
		snprintf(shown, sizeof shown, "-%c,", letter);
	snprintf(left, sizeof left, "%-3s %s%s%s", shown, name, metavar ? " " : "", metavar ? metavar : "");
	printf("  %-26s %s\n", left, help);
}

static void print_setting(const char *name)
{
	const struct trm_setting *s = trm_setting_find(name);
	char help[160];
	snprintf(help, sizeof help, *s->fallback ? "%s (%s)" : "%s", s->help, s->fallback);
	print_option(s->letter, s->option, s->metavar, help);
}

int cmd_print_help(const struct cmd *cmd)
{
	printf("Usage: terrarium %s\n%s\n", cmd->usage, cmd->help ? cmd->help : "");
	for (const struct option_spec *o = cmd->options; o && o->name; o++)
		print_option(o->letter, o->name, o->metavar, o->help);
	if (cmd->asks)
		print_option('y', "--yes", NULL, "do not ask before code is run");
	for (const char *const *name = cmd->settings; name && *name; name++)
		print_setting(*name);
	if (cmd->settings)
		puts("All settings, as options, variables and keys of the config file: terrarium help config");
	return cmd_flush();
}

static int print_overview(void)
{
	size_t n;
	const struct cmd *const *table = cmd_table(&n);
	puts("terrarium - a workbench that runs code in persistent sandboxes\n");
	printf("Usage: terrarium %s\n", cmd_workbench.usage);
	printf("  %-10s %s\n", "", cmd_workbench.summary);
	for (size_t i = 0; i < n; i++)
		printf("  %-10s %s\n", table[i]->name, table[i]->summary);
	puts("\nSome options (the same for all):");
	int room = SCREEN_LINES - 8 - (int)n; /* with the lines around the two lists */
	for (const char *const *name = cmd_workbench.settings; *name && room-- > 0; name++)
		print_setting(*name);
	puts("\nMore: terrarium help COMMAND, terrarium help config");
	return cmd_flush();
}

static int print_config(void)
{
	size_t n;
	const struct trm_setting *s = trm_settings(&n);
	puts("Highest first: option, environment, .env in the current directory, config file, default.\n"
	     "Config file: $XDG_CONFIG_HOME/terrarium/config.json (or --config FILE, TERRARIUM_CONFIG);\n"
	     "one JSON object with comments, e.g. { \"memory\": 1024, \"theme\": \"light\" } // mine\n");
	for (size_t i = 0; i < n; i++) {
		printf("  %-17s %-10s %-7s %s\n", s[i].name, s[i].metavar,
				*s[i].fallback ? s[i].fallback : "-", s[i].help);
	}
	puts("\n  As an option: --metrics-interval 2. In the environment: TERRARIUM_METRICS_INTERVAL=2.\n"
	     "  MIB also takes K, M, G; S also takes ms, s, m.");
	return cmd_flush();
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	(void)cmd;
	if (argc < 2)
		return print_overview();
	if (!strcmp(argv[1], "config"))
		return print_config();
	const struct cmd *topic = cmd_find(argv[1]);
	if (!topic)
		return cmd_fail("there is no command '%s'; see 'terrarium help'", argv[1]);
	return topic == &cmd_help ? print_overview() : cmd_print_help(topic);
}

const struct cmd cmd_help = {
		.name = "help",
		.usage = "help [COMMAND | config]",
		.summary = "explain a command, or the settings",
		.run = run,
};
