/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "app/app.h"
#include "cmd/cmd.h"
#include "cmd/confirm.h"
#include "cmd/sandbox_list.h"
#include "stream/policy_gate.h"

int workbench_opts(const struct trm_config *config, const char *config_path, struct app_opts *opts)
{
	struct trm_error why = {0};
	app_opts_default(opts);
	if (!app_knows_images(config->images))
		return cmd_fail("images: %s: must be auto, kitty, sixel, symbols or off", config->images);
	if (*config->language && trm_lang_find(config->language, &opts->lang, &why) < 0)
		return cmd_fail("%s", why.msg);
	opts->typing = config->typing;
	opts->theme = config->theme;
	opts->is_linear = config->linear;
	opts->record = config->record;
	opts->config = config_path;
	opts->keymap = config->keymap;
	opts->confirm = config->confirm;
	opts->trust = config->trust;
	opts->images = config->images;
	opts->auto_close = config->auto_close;
	opts->wrap = config->wrap;
	opts->auto_complete = config->auto_complete;
	opts->graphs = config->graphs;
	opts->alerts = config->alerts;
	opts->alert_percent = config->alert_at;
	opts->alert_after_ms = config->alert_after_ms;
	opts->alert_run_ms = config->alert_run_ms;
	opts->restore = config->restore;
	opts->scrollback_bytes = (size_t)config->scrollback_bytes;
	opts->has_history = config->history;
	trm_config_sandbox_opts(config, &opts->lists, &opts->sandbox);
	trm_config_session_opts(config, &opts->session);
	return CMD_OK;
}

static int open_behind_gate(const struct trm_config *config, const struct options *o, struct app_opts *opts)
{
	struct policy_gate policy_gate;
	struct trm_error why = {0};
	struct trm_config again;
	struct trm_config_origin origins[OPTIONS_SETTINGS_MAX];
	if (options_config_from(o, &again, origins) == 0) {
		opts->settings = config;
		opts->origins = origins;
	}
	if (policy_gate_open(&policy_gate, config, o->config_path, &why) < 0)
		return cmd_fail("%s", why.msg);
	opts->policy = policy_gate.policy;
	opts->policy_asks = policy_gate.mode == TRM_POLICY_ASK;
	opts->session.policy = policy_gate_enforced(&policy_gate);
	int code = app_main(opts);
	policy_gate_close(&policy_gate);
	return code;
}

int workbench_open(const struct trm_config *config, const struct options *o, const char *file, bool is_demo)
{
	struct app_opts opts;
	const char *theme = getenv("TERRARIUM_THEME");
	struct trm_entry entry;
	int code = workbench_opts(config, o->config_path, &opts);
	if (code != CMD_OK)
		return code;
	if (*config->name && trm_registry_lists(config->backend) && sandbox_list_runs(config->name, &entry))
		return cmd_fail("a sandbox called '%s' is already running; 'terrarium attach %s' opens it",
				entry.name, entry.name);
	opts.is_theme_given = options_has(o, "theme") || (theme && *theme);
	opts.file = file;
	opts.is_demo = is_demo;
	return open_behind_gate(config, o, &opts);
}

int workbench_tutor(const struct trm_config *config, const struct options *o)
{
	struct app_opts opts;
	int code = workbench_opts(config, o->config_path, &opts);
	if (code != CMD_OK)
		return code;
	opts.is_tutor = true;
	opts.restore = false;
	return open_behind_gate(config, o, &opts);
}

int workbench_attach(const struct trm_config *config, const struct options *o)
{
	struct app_opts opts;
	const char *theme = getenv("TERRARIUM_THEME");
	int code = workbench_opts(config, o->config_path, &opts);
	if (code != CMD_OK)
		return code;
	opts.is_theme_given = options_has(o, "theme") || (theme && *theme);
	if (sandbox_list_is_remote(config))
		opts.sandbox.server.join = TRM_REMOTE_JOIN;
	else
		opts.attach = config->name;
	return open_behind_gate(config, o, &opts);
}

static int workbench_main(const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	const char *file = NULL;
	options_init(&o, "", cmd->options, argc, argv);
	for (int got; (got = options_next(&o)) != OPTIONS_END;) {
		if (got == OPTIONS_HELP)
			return cmd_help.run(&cmd_help, 1, argv);
		if (got == OPTIONS_WRONG)
			return CMD_FAILED;
		if (file)
			return cmd_fail("the workbench opens one FILE, and '%s' is a second one", o.value);
		file = o.value;
	}
	/* A word such as "rnu" without an extension is more likely a misspelled command than a new file. */
	const struct cmd *near = file && access(file, F_OK) < 0 ? cmd_nearest(file) : NULL;
	if (near && !strcmp(near->name, file))
		return cmd_fail("options follow the command: terrarium %s …", file);
	if (near)
		return cmd_fail("there is no command and no file '%s'; did you mean 'terrarium %s'?", file,
				near->name);
	if (file && access(file, F_OK) < 0 && !isatty(STDIN_FILENO) && !strpbrk(file, "./"))
		return cmd_fail("there is no command and no file '%s'; see 'terrarium help'", file);
	struct trm_config config;
	if (options_config_start(&o, &config) < 0)
		return CMD_FAILED;
	int code = config.linear ? confirm_isolation(&config, o.config_path) : CMD_OK;
	return code == CMD_OK ? workbench_open(&config, &o, file, false) : code;
}

static const char *const settings[] = {"language", "theme", "keymap", "memory", "net", "timeout", "name",
		"keep", "confirm", "restore", "record", NULL};

const struct cmd cmd_workbench = {
		.name = "",
		.usage = "[OPTIONS] [FILE] | COMMAND [OPTIONS] …",
		.summary = "open the workbench",
		.operands = "FILE",
		.settings = settings,
		.run = workbench_main,
};
