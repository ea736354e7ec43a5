/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/recipe.h>
#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/confirm.h"
#include "cmd/sandbox_list.h"

enum { OPTION_REPL };

static const struct option_spec options[] = {
		[OPTION_REPL] = {"--repl", 0, NULL, "open the REPL instead of the workbench"}, {0}};

/* "ENGINE:CONTAINER": a sandbox in an existing container, which the sandbox does not remove. */
static int attach_container(const struct options *o, struct settings *settings, const char *name,
		const char *file, bool is_repl)
{
	const size_t n = strcspn(name, ":");
	struct trm_config *config = &settings->config;
	struct trm_recipe *recipe;
	struct trm_error why = {0};
	if (!n || !name[n + 1] || n >= sizeof config->backend
			|| strlen(name + n + 1) >= sizeof config->container)
		return cmd_fail("'%s' is not a container: write ENGINE:CONTAINER, as 'terrarium ps --containers' lists them",
				name);
	snprintf(config->backend, sizeof config->backend, "%.*s", (int)n, name);
	if (trm_recipe_load(config->backend, o->config_path, &recipe, &why) < 0)
		return cmd_fail("%s", why.msg);
	trm_recipe_free(recipe);
	snprintf(config->container, sizeof config->container, "%s", name + n + 1);
	int code = config->confirm ? confirm_container(config) : CMD_OK;
	if (code != CMD_OK)
		return code;
	return is_repl ? repl_open(settings, o, false, NULL) : workbench_open(settings, o, file, false);
}

/* The language of a kernel that runs there, unless it is the default, so that no other one is started. */
static void choose_running_language(const struct trm_entry *entry, struct trm_config *config)
{
	unsigned running = entry->has_kernels ? entry->kernels : 0;
	if (!running || running >> trm_lang_default()->index & 1)
		return;
	for (unsigned i = 0; i < trm_lang_count(); i++)
		if (running >> i & 1) {
			snprintf(config->language, sizeof config->language, "%s", trm_lang_at(i)->name);
			return;
		}
}

static int attach_sandbox(const struct options *o, const char *name, const char *file, bool is_repl)
{
	struct settings settings;
	const struct trm_lang *lang;
	struct trm_entry entry;
	struct trm_error why = {0};
	if (options_settings(o, &settings) < 0)
		return CMD_FAILED;
	if (strchr(name, ':') && !sandbox_list_is_remote(&settings.config))
		return attach_container(o, &settings, name, file, is_repl);
	if (trm_sandbox_name_check(name, &why) < 0)
		return cmd_fail("%s", why.msg);
	if (!sandbox_list_is_remote(&settings.config) && !sandbox_list_runs(name, &entry))
		return sandbox_list_fail_unknown(name);
	snprintf(settings.config.name, sizeof settings.config.name, "%s", name);
	bool tells_lang = file && trm_lang_guess(file, &lang, NULL) == 0;
	if (!tells_lang && !sandbox_list_is_remote(&settings.config) && !*settings.config.language)
		choose_running_language(&entry, &settings.config);
	return is_repl ? repl_open(&settings, o, true, NULL) : workbench_attach(&settings, o, file);
}

static int attach_main(const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	const char *name = NULL, *file = NULL;
	bool is_repl = false;
	int got;
	options_init(&o, cmd->name, cmd->options, argc, argv);
	while ((got = options_next(&o)) == OPTION_REPL || (got == OPTIONS_OPERAND && !file))
		if (got == OPTION_REPL)
			is_repl = true;
		else
			*(name ? &file : &name) = o.value;
	if (got == OPTIONS_HELP)
		return cmd_print_help(cmd);
	if (got == OPTIONS_OPERAND)
		return cmd_fail("'attach' takes a NAME and a FILE, and '%s' is a third one", o.value);
	if (got != OPTIONS_END)
		return CMD_FAILED;
	if (!name)
		return cmd_fail("which sandbox? Give its NAME; 'terrarium ps' lists them");
	if (file && is_repl)
		return cmd_fail("the REPL opens no file; leave out '%s' or --repl", file);
	return attach_sandbox(&o, name, file, is_repl);
}

static const char *const settings[] = {"language", "theme", "keymap", "timeout", "confirm", NULL};

const struct cmd cmd_attach = {
		.name = "attach",
		.usage = "attach [--repl] [OPTIONS] NAME | ENGINE:CONTAINER [FILE]",
		.summary = "open a running sandbox",
		.help = "Opens the workbench, or the REPL, on a running sandbox with all its state. "
			"The workbench opens FILE, if it is given. "
			"When you leave, the sandbox keeps running; one that is not kept ends with its "
			"owner. ENGINE:CONTAINER is a container that somebody else made ('terrarium ps "
			"--containers' lists them). Terrarium "
			"asks before it puts its agent into the container, removes the agent at the "
			"end, and never stops or removes the container.",
		.options = options,
		.operands = "NAME FILE",
		.settings = settings,
		.run = attach_main,
};
