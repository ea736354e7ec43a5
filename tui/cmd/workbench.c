/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "app/app.h"
#include "cmd/cmd.h"
#include "cmd/confirm.h"
#include "cmd/sandbox_list.h"
#include "cmd/with.h"
#include "stream/policy_gate.h"

enum { OPTION_WITH };

static const struct option_spec options[] = {
		[OPTION_WITH] = {"--with", 0, "PKG", "install packages at the start, such as 'rich>=13,six'"},
		{0},
};

int workbench_opts(const struct settings *settings, const char *config_path, struct app_opts *opts)
{
	const struct trm_config *config = &settings->config;
	struct trm_error why = {0};
	app_opts_default(opts);
	if (!app_knows_images(settings->images))
		return cmd_fail("images: %s: must be auto, kitty, sixel, symbols or off", settings->images);
	if (*config->language && trm_lang_find(config->language, &opts->lang, &why) < 0)
		return cmd_fail("%s", why.msg);
	opts->typing = settings->typing;
	opts->theme = settings->theme;
	opts->is_linear = settings->linear;
	opts->record = settings->record;
	opts->config = config_path;
	opts->keymap = settings->keymap;
	opts->confirm = config->confirm;
	opts->trust = config->trust;
	opts->images = settings->images;
	opts->links = settings->links;
	opts->auto_close = settings->auto_close;
	opts->wrap = settings->wrap;
	opts->auto_complete = settings->auto_complete;
	opts->graphs = settings->graphs;
	opts->alerts = settings->alerts;
	opts->alert_percent = settings->alert_at;
	opts->alert_after_ms = settings->alert_after_ms;
	opts->alert_run_ms = settings->alert_run_ms;
	opts->restore = settings->restore;
	opts->scrollback_bytes = (size_t)settings->scrollback_bytes;
	opts->has_history = settings->history;
	trm_config_sandbox_opts(config, &opts->lists, &opts->sandbox);
	trm_config_session_opts(config, &opts->session);
	return CMD_OK;
}

static int open_behind_gate(const struct settings *settings, const struct options *o, struct app_opts *opts)
{
	struct policy_gate policy_gate;
	struct trm_error why = {0};
	opts->settings = settings;
	if (policy_gate_open(&policy_gate, &settings->config, o->config_path, &why) < 0)
		return cmd_fail("%s", why.msg);
	opts->policy = policy_gate.policy;
	opts->policy_asks = policy_gate.mode == TRM_POLICY_ASK;
	opts->session.policy = policy_gate_enforced(&policy_gate);
	int code = opts->with ? with_check_policy(&policy_gate, opts->lang, opts->with) : CMD_OK;
	if (code == CMD_OK)
		code = app_main(opts);
	policy_gate_close(&policy_gate);
	return code;
}

struct with_texts {
	const char **items;
	size_t n;
};

/* They are packages of the language that the workbench opens with. */
static int take_packages(const struct trm_config *config, const struct options *o,
		const struct with_texts *texts, struct app_opts *opts)
{
	int code = with_check_net(o, config);
	if (code != CMD_OK)
		return code;
	if (!opts->lang && (!opts->file || trm_lang_guess(opts->file, &opts->lang, NULL) < 0))
		opts->lang = trm_lang_default();
	return with_add(opts->lang, texts->items, texts->n, &opts->with);
}

static int open_in_workbench(const struct settings *settings, const struct options *o, const char *file,
		bool is_demo, const struct with_texts *with)
{
	struct app_opts opts;
	const char *theme = getenv("TERRARIUM_THEME");
	struct trm_entry entry;
	int code = workbench_opts(settings, o->config_path, &opts);
	if (code != CMD_OK)
		return code;
	const struct trm_config *config = &settings->config;
	if (*config->name && trm_registry_lists(config->backend) && sandbox_list_runs(config->name, &entry))
		return cmd_fail("a sandbox called '%s' is already running; 'terrarium attach %s' opens it",
				entry.name, entry.name);
	opts.is_theme_given = options_has(o, "theme") || (theme && *theme);
	opts.file = file;
	opts.picks_file = !file && o->opens_folder;
	opts.is_demo = is_demo;
	if (with->n)
		code = take_packages(config, o, with, &opts);
	if (code == CMD_OK)
		code = open_behind_gate(settings, o, &opts);
	trm_libraries_free(opts.with);
	return code;
}

int workbench_open(const struct settings *settings, const struct options *o, const char *file, bool is_demo)
{
	return open_in_workbench(settings, o, file, is_demo, &(struct with_texts){0});
}

int workbench_tutor(const struct settings *settings, const struct options *o)
{
	struct app_opts opts;
	int code = workbench_opts(settings, o->config_path, &opts);
	if (code != CMD_OK)
		return code;
	opts.is_tutor = true;
	return open_behind_gate(settings, o, &opts);
}

int workbench_attach(const struct settings *settings, const struct options *o, const char *file)
{
	struct app_opts opts;
	const char *theme = getenv("TERRARIUM_THEME");
	int code = workbench_opts(settings, o->config_path, &opts);
	if (code != CMD_OK)
		return code;
	opts.is_theme_given = options_has(o, "theme") || (theme && *theme);
	opts.file = file;
	if (sandbox_list_is_remote(&settings->config))
		opts.sandbox.server.join = TRM_REMOTE_JOIN;
	else
		opts.attach = settings->config.name;
	return open_behind_gate(settings, o, &opts);
}

static bool is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A word such as "rnu" without an extension is more likely a misspelled command than a new file. */
static int check_file(const char *file)
{
	const struct cmd *near = file && access(file, F_OK) < 0 ? cmd_nearest(file) : NULL;
	if (near && !strcmp(near->name, file))
		return cmd_fail("options follow the command: terrarium %s …", file);
	if (near)
		return cmd_fail("there is no command and no file '%s'; did you mean 'terrarium %s'?", file,
				near->name);
	if (file && access(file, F_OK) < 0 && !isatty(STDIN_FILENO) && !strpbrk(file, "./"))
		return cmd_fail("there is no command and no file '%s'; see 'terrarium help'", file);
	return CMD_OK;
}

/* The working directory is about to change: a relative path of the config file must not follow it. */
static void fix_config_path(struct options *o)
{
	static char path[PATH_MAX];
	const char *named = o->config_path ? o->config_path : getenv("TERRARIUM_CONFIG");
	if (!named || !*named || *named == '/' || !getcwd(path, sizeof path))
		return;
	size_t n = strlen(path);
	snprintf(path + n, sizeof path - n, "/%s", named);
	o->config_path = path;
}

static int open_as_asked(struct options *o, const char *file, const struct with_texts *with)
{
	if (file && is_folder(file)) {
		fix_config_path(o);
		if (chdir(file) < 0)
			return cmd_fail("cannot open the folder %s: %s", file, strerror(errno));
		o->opens_folder = true;
		file = NULL;
	}
	struct settings chosen;
	int code = check_file(file);
	if (code != CMD_OK)
		return code;
	if (options_settings(o, &chosen) < 0 || options_check_backend(o, &chosen.config))
		return CMD_FAILED;
	code = chosen.linear ? confirm_isolation(&chosen.config, o->config_path) : CMD_OK;
	return code == CMD_OK ? open_in_workbench(&chosen, o, file, false, with) : code;
}

static int workbench_main(const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	struct with_texts with = {.items = calloc((size_t)argc, sizeof *with.items)};
	const char *file = NULL;
	int got, code = CMD_FAILED;
	if (!with.items)
		return cmd_fail("out of memory");
	options_init(&o, "", cmd->options, argc, argv);
	/* Before its options, which a misspelled command has, too. */
	if (argc > 1 && *argv[1] != '-' && check_file(argv[1]) != CMD_OK) {
		free(with.items);
		return CMD_FAILED;
	}
	while ((got = options_next(&o)) == OPTION_WITH || (got == OPTIONS_OPERAND && !file))
		if (got == OPTION_WITH)
			with.items[with.n++] = o.value;
		else
			file = o.value;
	o.fetches = with.n > 0;
	if (got == OPTIONS_HELP)
		code = cmd_help.run(&cmd_help, 1, argv);
	else if (got == OPTIONS_OPERAND)
		code = cmd_fail("the workbench opens one FILE, and '%s' is a second one", o.value);
	else if (got == OPTIONS_END)
		code = open_as_asked(&o, file, &with);
	free(with.items);
	return code;
}

static const char *const main_settings[] = {"language", "theme", "keymap", "memory", "net", "timeout", "name",
		"keep", "confirm", "restore", "record", NULL};

const struct cmd cmd_workbench = {
		.name = "",
		.usage = "[OPTIONS] [FILE | FOLDER] | COMMAND [OPTIONS] …",
		.summary = "open the workbench",
		.options = options,
		.operands = "FILE",
		.settings = main_settings,
		.run = workbench_main,
};
