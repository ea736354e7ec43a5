/* SPDX-License-Identifier: MIT */
#include "cmd/options.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "settings/settings.h"
#include "text/edit_distance.h"

enum { ITEMS_MAX = 192 };

/* Memory for rare options. It is static, because a program has only one command line. */
static struct {
	struct {
		int row;
		const char *text;
	} items[ITEMS_MAX]; /* entries of lists, in the order of the command line */
	char joined[1024];  /* values of a repeated option */
	char secret[4096];  /* value of a secret option, which was erased from the command line */
} rare;

void options_init(
		struct options *o, const char *command, const struct option_spec *own, int argc, char **argv)
{
	*o = (struct options){.command = command, .own = own, .argc = argc, .argv = argv, .at = 1};
}

enum { COMMON_HELP, COMMON_YES, COMMON_CONFIG };
const struct option_spec options_common[] = {
		[COMMON_HELP] = {"--help", 'h', NULL, "explain the command"},
		[COMMON_YES] = {"--yes", 'y', NULL, "run code without asking"},
		[COMMON_CONFIG] = {"--config", 0, "FILE", "read this config file instead of the usual one"},
		{0},
};

/* The meaning of a word on the command line. */
struct match {
	enum { NOTHING, OWN, COMMON, SETTING } kind;
	int row;
	const char *metavar;
};

static bool names(const char *name, char letter, const char *word, size_t n)
{
	if (n == 2 && word[1] != '-')
		return letter == word[1];
	return strlen(name) == n && !memcmp(name, word, n);
}

static bool search_table(
		const struct option_spec *table, int kind, const char *word, size_t n, struct match *ret)
{
	for (int i = 0; table && table[i].name; i++)
		if (names(table[i].name, table[i].letter, word, n)) {
			*ret = (struct match){kind, i, table[i].metavar};
			return true;
		}
	return false;
}

/* `word` of n bytes is "--name" or "-x". */
static struct match find_option(const struct options *o, const char *word, size_t n)
{
	struct match match = {0};
	if (search_table(o->own, OWN, word, n, &match)
			|| search_table(options_common, COMMON, word, n, &match))
		return match;
	for (size_t i = 0; i < setting_count() && i < SETTING_COUNT_MAX; i++) {
		const struct trm_setting *s = setting_row(i);
		if (names(s->option, s->letter, word, n))
			return (struct match){SETTING, (int)i, s->metavar};
	}
	return match;
}

static int wrong(const struct options *o, const char *what, const char *word, int n)
{
	bool is_command = o->command && *o->command;
	cmd_fail("%s '%.*s'; see 'terrarium %s%s--help'", what, n, word, is_command ? o->command : "",
			is_command ? " " : "");
	return OPTIONS_WRONG;
}

/* The option that is most similar to `word` of n bytes. NULL: none is similar. */
static const char *nearest(const struct options *o, const char *word, size_t n)
{
	struct near near = edit_distance_to(word, n);
	for (const struct option_spec *own = o->own; own && own->name; own++)
		edit_distance_try(&near, own->name);
	for (const struct option_spec *common = options_common; common->name; common++)
		edit_distance_try(&near, common->name);
	for (size_t i = 0; i < setting_count(); i++)
		edit_distance_try(&near, setting_row(i)->option);
	return near.best;
}

static int refuse_unknown_option(const struct options *o, const char *word, size_t n)
{
	const char *near = nearest(o, word, n);
	if (!near)
		return wrong(o, "unknown option", word, (int)n);
	cmd_fail("unknown option '%.*s'; did you mean %s?", (int)n, word, near);
	return OPTIONS_WRONG;
}

/* "--net-allow A --net-allow B" means "--net-allow A,B". */
static bool join_values(struct options *o, int row)
{
	const struct trm_setting *setting = setting_row((size_t)row);
	const char *before = o->settings[row].text;
	bool is_list = setting->kind == TRM_SETTING_RANGES || setting->kind == TRM_SETTING_HOSTS;
	if (!is_list || !before)
		return true;
	char both[sizeof rare.joined];
	if ((size_t)snprintf(both, sizeof both, "%s,%s", before, o->value) >= sizeof both) {
		cmd_fail("%s is given too often", setting->option);
		return false;
	}
	memcpy(rare.joined, both, sizeof both);
	o->value = rare.joined;
	return true;
}

static bool keep_item(struct options *o, int row)
{
	const struct trm_setting *setting = setting_row((size_t)row);
	if (setting->kind != TRM_SETTING_LIST)
		return true;
	if (o->n_items == ITEMS_MAX) {
		cmd_fail("%s is given too often", setting->option);
		return false;
	}
	rare.items[o->n_items].row = row;
	rare.items[o->n_items++].text = o->value;
	return true;
}

/* Erase a secret, because all users of the machine can read a command line while it exists. */
static bool wipe_secret(struct options *o, int row)
{
	const struct trm_setting *setting = setting_row((size_t)row);
	if (setting->kind != TRM_SETTING_SECRET)
		return true;
	size_t n = strlen(o->value);
	char *word = o->cluster ? NULL : o->argv[o->at - 1];
	if (n >= sizeof rare.secret) {
		cmd_fail("%s: it is too long for a key", setting->option);
		return false;
	}
	memcpy(rare.secret, o->value, n + 1);
	memset(word + strlen(word) - n, '*', n);
	o->value = rare.secret;
	fprintf(stderr,
			"terrarium: warning: other users of this machine could see the key in %s until now; use "
			"%s or --api-key-file\n",
			setting->option, setting->env);
	return true;
}

/* Take a matched option with its value in o->value. Common options are handled here. */
static int take_option(struct options *o, struct match match, const char *label)
{
	switch (match.kind) {
	case OWN: return match.row;
	case SETTING:
		if (!wipe_secret(o, match.row) || !join_values(o, match.row) || !keep_item(o, match.row))
			return OPTIONS_WRONG;
		if (!o->settings[match.row].text)
			o->given[o->n_given++] = (unsigned char)match.row;
		o->settings[match.row].text = o->value;
		o->settings[match.row].label = label;
		return options_next(o);
	case COMMON:
		if (match.row == COMMON_HELP)
			return OPTIONS_HELP;
		if (match.row == COMMON_YES)
			o->yes = true;
		if (match.row == COMMON_CONFIG)
			o->config_path = o->value;
		return options_next(o);
	case NOTHING: break;
	}
	return OPTIONS_WRONG;
}

/* The option's name in its table, for messages about its value. */
static const char *label_of(struct match match)
{
	return match.kind == SETTING ? setting_row((size_t)match.row)->option : "";
}

/* "--linear" without a value turns the switch on. */
static bool is_switch(struct match match)
{
	return match.kind == SETTING && setting_row((size_t)match.row)->kind == TRM_SETTING_SWITCH;
}

static bool is_on_or_off(const char *word)
{
	static const char *const words[] = {"on", "off", "true", "false", "yes", "no", "1", "0"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

static int next_long(struct options *o, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t n = equals ? (size_t)(equals - word) : strlen(word);
	struct match match = find_option(o, word, n);
	if (match.kind == NOTHING)
		return refuse_unknown_option(o, word, n);
	o->value = NULL;
	if (!match.metavar && equals)
		return wrong(o, "no value can be given to", word, (int)n);
	if (match.metavar) {
		bool has_word = o->at < o->argc;
		if (!equals && is_switch(match) && !(has_word && is_on_or_off(o->argv[o->at]))) {
			o->value = "on";
			o->bare_switch = label_of(match);
			o->bare_word = has_word ? o->argv[o->at] : NULL;
		} else if (!equals && !has_word)
			return wrong(o, "a value is missing after", word, (int)n);
		else
			o->value = equals ? equals + 1 : o->argv[o->at++];
	}
	return take_option(o, match, label_of(match));
}

static int next_short(struct options *o)
{
	char word[3] = {'-', *o->cluster++, 0};
	struct match match = find_option(o, word, 2);
	const char *rest = *o->cluster ? o->cluster : NULL;
	bool takes_none = !match.metavar || is_switch(match); /* -v, alone or in a cluster, turns it on */
	o->cluster = match.kind != NOTHING && takes_none ? rest : NULL;
	if (match.kind == NOTHING)
		return wrong(o, "unknown option", word, 2);
	o->value = takes_none && match.metavar ? "on" : NULL;
	if (!takes_none) {
		if (!rest && o->at >= o->argc)
			return wrong(o, "a value is missing after", word, 2);
		o->value = rest ? rest : o->argv[o->at++];
	}
	return take_option(o, match, label_of(match));
}

int options_next(struct options *o)
{
	if (o->cluster)
		return next_short(o);
	if (o->at >= o->argc)
		return OPTIONS_END;
	const char *word = o->argv[o->at++];
	if (!o->only_operands && !strcmp(word, "--")) {
		o->only_operands = true;
		return options_next(o);
	}
	if (o->only_operands || word[0] != '-' || !word[1]) {
		o->value = word;
		return OPTIONS_OPERAND;
	}
	if (word[1] == '-')
		return next_long(o, word);
	o->cluster = word + 1;
	return next_short(o);
}

bool options_has(const struct options *o, const char *setting)
{
	for (size_t i = 0; i < o->n_given; i++)
		if (strcmp(setting_row(o->given[i])->name, setting) == 0)
			return true;
	return false;
}

struct cli_session_asked options_asked(const struct options *o)
{
	return (struct cli_session_asked){.backend = options_has(o, "backend"),
			.source = options_has(o, "image") || options_has(o, "container")
				  || options_has(o, "dockerfile"),
			.lifetime = options_has(o, "max_lifetime")};
}

bool options_has_request(const struct options *o)
{
	return options_has(o, "env") || options_has(o, "workdir") || options_has_lasting_request(o);
}

/* The option that describes a new sandbox; NULL: there is none. */
static const char *lasting_request(const struct options *o)
{
	static const char *const requested[] = {"memory", "cpus", "processes", "disk", "file_size",
			"open_files", "net", "net_allow", "net_allow_host", "net_credentials", "idle_timeout",
			"max_lifetime", "mount", "from", "dockerfile", "user", "read_only", "commit", "image",
			"volume", "port", "shell", "script", "engine_arg", "runtime", "environment",
			"service_account", "runtime_class", "pod_manifest", "warm_pool", "template"};
	for (size_t i = 0; i < sizeof requested / sizeof *requested; i++)
		if (options_has(o, requested[i]))
			return o->settings[setting_index(setting_find(requested[i]))].label;
	return NULL;
}

bool options_has_lasting_request(const struct options *o)
{
	return lasting_request(o) != NULL;
}

int options_check_starts_none(const struct options *o)
{
	const char *label = lasting_request(o);
	if (!label)
		return 0;
	cmd_fail("%s has no effect on 'terrarium %s': it describes a new sandbox", label, o->command);
	return -1;
}

static void note_origin(struct settings *settings, size_t row, uint32_t column)
{
	settings->origins[row] = (struct trm_config_origin){.from = TRM_FROM_OPTION, .column = column};
}

/* Refuse values that are never valid although the table accepts them, and options that need another option.
 */
static int check_together(const struct options *o, const struct trm_config *config)
{
	if (options_has(o, "name") && !*config->name)
		return cmd_fail("--name '': a sandbox cannot have an empty name; without --name it has a random one");
	if (options_has(o, "net_allow") && !config->limits.net && !o->fetches && *config->limits.net_allow
			&& !*config->limits.net_allow_host)
		cmd_fail("--net-allow takes effect only with --net on or --net-allow-host, when a sandbox is started");
	if (options_has(o, "net_allow_host") && config->limits.net)
		return cmd_fail("--net-allow-host names the only hosts that are reached: it cannot be used with --net on");
	return 0;
}

/* A list in options replaces a list in the config, as with any setting. */
static int set_list(const struct options *o, int row, struct trm_config *config, struct trm_error *why)
{
	const struct trm_setting *setting = setting_row((size_t)row);
	int r = 0;
	trm_config_clear(config, setting);
	for (size_t i = 0; i < o->n_items && r == 0; i++)
		if (rare.items[i].row == row && *rare.items[i].text)
			r = trm_config_add(config, setting, rare.items[i].text, setting->option, why);
	return r;
}

/* Whoever names a snapshot need not name its backend, too. */
static int take_snapshot(const struct options *o, struct trm_config *config)
{
	struct trm_snapshot_info info;
	struct trm_error why = {0};
	if (trm_snapshot_find(config->from, &info, &why) < 0)
		return options_has(o, "from") ? cmd_fail("--from: %s", why.msg) : CMD_OK;
	if (!options_has(o, "backend"))
		snprintf(config->backend, sizeof config->backend, "%s", info.backend);
	if (options_has(o, "from") && !options_asked(o).source)
		*config->image = *config->dockerfile = *config->container = '\0';
	return CMD_OK;
}

/* Load the settings and apply the options to them. */
static int load_given(const struct options *o, struct settings *ret, struct trm_error *why)
{
	int r = trm_lang_load(o->config_path, why);
	if (r == 0)
		r = settings_load(ret, o->config_path, why);
	for (size_t i = 0; i < setting_count() && r == 0; i++) {
		const struct trm_setting *s = setting_row(i);
		if (!o->settings[i].text)
			continue;
		r = s->kind == TRM_SETTING_LIST
				    ? set_list(o, (int)i, &ret->config, why)
				    : trm_config_set(ret, s, o->settings[i].text, o->settings[i].label, why);
		note_origin(ret, i, 0);
	}
	return r;
}

int options_settings(const struct options *o, struct settings *ret_settings)
{
	struct trm_config *ret_config = &ret_settings->config;
	struct trm_error why = {0};
	if (load_given(o, ret_settings, &why) < 0) {
		cmd_fail("%s", why.msg);
		return -1;
	}
	char backend[TRM_RECIPE_NAME];
	if (strlen(ret_config->backend) < sizeof backend) {
		trm_backend_name(ret_config->backend, *ret_config->path ? ret_config->path : NULL, backend,
				sizeof backend);
		snprintf(ret_config->backend, sizeof ret_config->backend, "%s", backend);
	}
	if (check_together(o, ret_config) || (*ret_config->from && take_snapshot(o, ret_config)))
		return -1;
	if (o->yes) {
		ret_config->confirm = false;
		note_origin(ret_settings, setting_index(setting_find("confirm")), 1);
	}
	return 0;
}

/* An option without any effect is a mistake. In a variable or the config file the same setting is for other
 * commands. */
static int refuse_screen_options(const struct options *o)
{
	for (size_t i = 0; i < o->n_given; i++)
		if (setting_is_of_screen(o->given[i])) {
			cmd_fail("%s has no effect on 'terrarium %s': it is a setting of the workbench and the REPL",
					o->settings[o->given[i]].label, o->command);
			return -1;
		}
	return 0;
}

int options_config(const struct options *o, struct trm_config *ret_config)
{
	struct settings settings;
	int r = refuse_screen_options(o);
	if (r == 0)
		r = options_settings(o, &settings);
	if (r == 0)
		*ret_config = settings.config;
	return r;
}

int options_config_start(const struct options *o, struct trm_config *ret_config)
{
	int r = options_config(o, ret_config);
	return r < 0 ? r : options_check_backend(o, ret_config) ? -1 : 0;
}
