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
static int attach_container(
		const struct options *o, struct settings *settings, const char *name, bool is_repl)
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
	return is_repl ? repl_open(settings, o, false, NULL) : workbench_open(settings, o, NULL, false);
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

static int attach_sandbox(const struct options *o, const char *name, bool is_repl)
{
	struct settings settings;
	struct trm_entry entry;
	struct trm_error why = {0};
	if (options_settings(o, &settings) < 0)
		return CMD_FAILED;
	if (strchr(name, ':') && !sandbox_list_is_remote(&settings.config))
		return attach_container(o, &settings, name, is_repl);
	if (trm_sandbox_name_check(name, &why) < 0)
		return cmd_fail("%s", why.msg);
	if (!sandbox_list_is_remote(&settings.config) && !sandbox_list_runs(name, &entry))
		return sandbox_list_fail_unknown(name);
	snprintf(settings.config.name, sizeof settings.config.name, "%s", name);
	if (!sandbox_list_is_remote(&settings.config) && !*settings.config.language)
		choose_running_language(&entry, &settings.config);
	return is_repl ? repl_open(&settings, o, true, NULL) : workbench_attach(&settings, o);
}

static int attach_main(const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	const char *name;
	unsigned given;
	int code;
	if (!cmd_read_one(cmd, argc, argv, &o, "NAME", &given, &name, &code))
		return code;
	if (!name)
		return cmd_fail("which sandbox? Give its NAME; 'terrarium ps' lists them");
	return attach_sandbox(&o, name, given & 1u << OPTION_REPL);
}

static const char *const settings[] = {"language", "theme", "keymap", "timeout", "confirm", NULL};

const struct cmd cmd_attach = {
		.name = "attach",
		.usage = "attach [--repl] [OPTIONS] NAME | ENGINE:CONTAINER",
		.summary = "open a running sandbox",
		.help = "Opens the workbench, or the REPL, on a running sandbox with all its state. "
			"When you leave, the sandbox keeps running; one that is not kept ends with its owner. ENGINE:CONTAINER is a container "
			"that somebody else made ('terrarium ps --containers' lists them). Terrarium "
			"asks before it puts its agent into the container, removes the agent at the "
			"end, and never stops or removes the container.",
		.options = options,
		.operands = "NAME",
		.settings = settings,
		.run = attach_main,
};
