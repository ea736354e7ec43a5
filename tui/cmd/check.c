/* SPDX-License-Identifier: MIT */
#include "cmd/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "command/keymap.h"
#include "theme/theme.h"

static const struct {
	const char *word, *color;
} looks[] = {
		[CHECK_OK] = {"ok", "32"},
		[CHECK_NOTE] = {"note", "36"},
		[CHECK_WARNING] = {"warning", "33"},
		[CHECK_ERROR] = {"error", "31"},
};

static void put_row(struct check_report *r, enum check_status status, const char *name, const char *detail)
{
	json_open(&r->json, NULL, '{');
	json_put_text(&r->json, "status", looks[status].word);
	json_put_text(&r->json, "part", r->part);
	json_put_text(&r->json, "name", name);
	json_put_text(&r->json, "detail", detail);
	json_close(&r->json, '}');
}

void check_say(struct check_report *r, enum check_status status, const char *name, const char *fmt, ...)
{
	char detail[700], line[700], clean[96];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof line, fmt, args);
	va_end(args);
	trm_text_clean_line(detail, sizeof detail, line, strlen(line));
	trm_text_clean_line(clean, sizeof clean, name, strlen(name));
	if (r->is_json)
		put_row(r, status, clean, detail);
	else if (r->has_color)
		printf("\033[%sm%-8s\033[m%-16s %s\n", looks[status].color, looks[status].word, clean,
				detail);
	else
		printf("%-8s%-16s %s\n", looks[status].word, clean, detail);
	r->n++;
	r->n_errors += status == CHECK_ERROR;
	r->n_warnings += status == CHECK_WARNING;
}

/* ---- the settings ---- */

static void on_recipe(void *user, const struct trm_recipe_entry *entry)
{
	if (*entry->problem)
		check_say(user, CHECK_ERROR, "backends", "%s", entry->problem);
	else if (*entry->where)
		check_say(user, CHECK_OK, "backends", "%s", entry->name);
}

/* Without PCRE2 the patterns cannot be checked. */
static void check_policy(struct check_report *r, const char *name)
{
	struct trm_policy *policy = NULL;
	struct trm_error why = {0};
	int e = trm_policy_load(name, r->config, &policy, &why);
	if (e < 0)
		check_say(r, e == TRM_ENOTSUP ? CHECK_NOTE : CHECK_ERROR, "policies", "%s", why.msg);
	trm_policy_free(policy);
}

struct policy_check {
	struct check_report *report;
	const char *used;
	bool is_listed; /* the policy in use */
};

static void on_policy(void *user, const char *name, const char *description, bool is_own)
{
	struct policy_check *c = user;
	(void)description;
	c->is_listed = c->is_listed || strcmp(name, c->used) == 0;
	if (is_own)
		check_policy(c->report, name);
}

static void check_policies(struct check_report *r, const char *used)
{
	struct policy_check c = {.report = r, .used = used};
	struct trm_error why = {0};
	if (trm_policy_list(r->config, on_policy, &c, &why) < 0)
		check_say(r, CHECK_ERROR, "policies", "%s", why.msg);
	else if (!c.is_listed)
		check_policy(r, used); /* reports which policies exist */
}

struct trust_check {
	const char *word;
	bool is_known;
};

static void compare_backend(void *user, const struct trm_backend_info *backend)
{
	struct trust_check *c = user;
	c->is_known = c->is_known || strcmp(c->word, backend->name) == 0;
}

/* Report each word of the setting "trust" that is not the name of a backend. */
static void check_trust(struct check_report *r, const char *trust)
{
	char words[sizeof((struct trm_config *)0)->trust], *rest = words;
	snprintf(words, sizeof words, "%s", trust);
	for (char *word; (word = strtok_r(rest, ", ", &rest));) {
		struct trust_check c = {.word = word, .is_known = strcmp(word, "all") == 0};
		trm_backends(r->config, false, compare_backend, &c, NULL);
		if (!c.is_known)
			check_say(r, CHECK_ERROR, "trust",
					"there is no backend '%s': run 'terrarium backends' for a list",
					word);
	}
}

static void check_config(struct check_report *r)
{
	struct settings settings;
	struct trm_error why = {0};
	char path[512];

	if (settings_load(&settings, r->config, &why) < 0) {
		check_say(r, CHECK_ERROR, "settings", "%s", why.msg);
		return;
	}
	if (!trm_config_path(r->config, path, sizeof path))
		path[0] = '\0';
	struct theme theme;
	struct keymap map = {0};
	if (theme_load(settings.theme, &theme, &why) < 0)
		check_say(r, CHECK_ERROR, "theme", "%s", why.msg);
	if (keymap_complete(&map, settings.keymap, &why) < 0)
		check_say(r, CHECK_ERROR, "keymap", "%s", why.msg);
	keymap_finish(&map);
	if (trm_lang_load(r->config, &why) < 0)
		check_say(r, CHECK_ERROR, "languages", "%s", why.msg);
	if (trm_recipe_list(r->config, on_recipe, r, &why) < 0)
		check_say(r, CHECK_ERROR, "backends", "%s", why.msg);
	check_policies(r, settings.config.policy);
	check_trust(r, settings.config.trust);
	if (trm_server_check(r->config, &why) < 0)
		check_say(r, CHECK_ERROR, "server images", "%s", why.msg);
	check_say(r, CHECK_OK, "settings", "%s%sthe environment and .env can be read", path,
			*path ? " (if it is there), " : "");
}

/* ---- the command ---- */

static const char *const parts[] = {"themes", "keys", "config"};
enum { N_PARTS = sizeof parts / sizeof *parts, ALL = -1 };

static int find_part(const char *word)
{
	for (int i = 0; i < N_PARTS; i++)
		if (strcmp(parts[i], word) == 0)
			return i;
	return ALL;
}

static void check_part(struct check_report *r, int part, const char *theme)
{
	r->part = parts[part];
	if (!r->is_json)
		printf("%s%s\n", r->n ? "\n" : "", r->part);
	switch (part) {
	case 0: check_themes(r, theme); break;
	case 1: check_keys(r); break;
	case 2: check_config(r); break;
	}
}

static int check_all(struct check_report *r, int part, const char *theme)
{
	json_init(&r->json);
	if (r->is_json)
		json_open(&r->json, NULL, '[');
	for (int i = 0; i < N_PARTS; i++)
		if (part == ALL || part == i)
			check_part(r, i, theme);
	if (r->is_json)
		json_close(&r->json, ']');
	else if (r->n_errors || r->n_warnings)
		printf("\n%zu error%s, %zu warning%s.\n", r->n_errors, r->n_errors == 1 ? "" : "s",
				r->n_warnings, r->n_warnings == 1 ? "" : "s");
	int code = json_finish(&r->json);
	return code ? code : r->n_errors > 0;
}

static const struct option_spec options[] = {
		{"--json", 0, NULL,
				"print a list of {status, part, name, detail}; with --list: "
				"{command, place, title, help, keys}"},
		{"--list", 0, NULL, "with keys: print each command and its keys"},
		{0},
};

static int check_main(const struct cmd *cmd, int argc, char **argv)
{
	struct check_report r = {.has_color = cmd_has_color(), .keymap = "default"};
	const char *theme = NULL;
	struct settings chosen;
	bool wants_list = false;
	struct options o;
	int part = ALL;

	options_init(&o, cmd->name, options, argc, argv);
	for (int got; (got = options_next(&o)) != OPTIONS_END;) {
		if (got == OPTIONS_HELP)
			return cmd_print_help(cmd);
		if (got == OPTIONS_WRONG)
			return CMD_FAILED;
		if (got == OPTIONS_OPERAND && part == 0 && !theme)
			theme = o.value;
		else if (got == OPTIONS_OPERAND && (part != ALL || (part = find_part(o.value)) == ALL))
			return cmd_fail("'check' takes themes, keys or config, not '%s'", o.value);
		r.is_json = r.is_json || got == 0;
		wants_list = wants_list || got == 1;
	}
	r.config = o.config_path;
	/* Check the rest even if the config file cannot be read. */
	if (settings_load(&chosen, o.config_path, NULL) == 0)
		r.keymap = chosen.keymap;
	if (options_has(&o, "keymap") && options_settings(&o, &chosen) == 0)
		r.keymap = chosen.keymap;
	if (!wants_list)
		return check_all(&r, part, theme);
	return check_list_keys(&r);
}

static const char *const settings[] = {"keymap", NULL};

const struct cmd cmd_check = {
		.name = "check",
		.usage = "check [themes [NAME] | keys | config] [OPTIONS]",
		.summary = "check themes, keys, config",
		.help = "Reads the themes, the key map and the config as the workbench does. Reports "
			"missing and unknown roles, text with too little contrast (with many and with "
			"few colors), keys that clash or cannot be typed, labels that are too "
			"wide, and mistakes in languages, backends, policies and server images.\nThe exit code is 1 if there are errors.",
		.operands = "themes|keys|config THEME",
		.options = options,
		.settings = settings,
		.run = check_main,
};
