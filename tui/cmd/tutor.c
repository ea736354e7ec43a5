/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"

static const struct option_spec own[] = {
		{"--sample", 0, NULL, "print a short program in the language, and do nothing else"},
		{NULL, 0, NULL, NULL},
};

static int print_sample(const struct trm_config *config)
{
	const struct trm_lang *lang = trm_lang_default();
	struct trm_error why = {0};

	if (*config->language && trm_lang_find(config->language, &lang, &why) < 0)
		return cmd_fail("%s", why.msg);
	if (!*lang->sample)
		return cmd_fail("there is no sample in %s", lang->name);
	fputs(lang->sample, stdout);
	return CMD_OK;
}

static int tutor_main(const struct cmd *cmd, int argc, char **argv)
{
	struct settings settings;
	struct options o;
	unsigned given;
	int code;

	if (!cmd_read_flags(cmd, argc, argv, &o, &given, &code))
		return code;
	if (options_settings(&o, &settings) < 0)
		return CMD_FAILED;
	return given ? print_sample(&settings.config) : workbench_tutor(&settings, &o);
}

static const char *const settings[] = {"language", "theme", "keymap", "confirm", NULL};

const struct cmd cmd_tutor = {
		.name = "tutor",
		.usage = "tutor [OPTIONS]",
		.summary = "learn the workbench",
		.help = "Opens the workbench with a tutorial below it: five steps, write, run, see, stop and "
			"plot. Each is checked off when you have done it. The key that its row names "
			"(Alt-X) skips a step, and closes the tutorial at the end.",
		.options = own,
		.settings = settings,
		.asks = true,
		.run = tutor_main,
};
