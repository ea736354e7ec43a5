/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/config.h>
#include <terrarium/container.h>
#include <terrarium/doctor.h>
#include <terrarium/error.h>
#include <terrarium/recipe.h>
#include <terrarium/sandbox.h>
#include <terrarium/text.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "cmd/status.h"

enum { TEXT_COL = 29 };

struct listing {
	bool is_json, names_only;
	const char *current; /* the configured backend */
	struct json_out json;
};

static void print_text(const char *text)
{
	char clean[600];
	if (!*text)
		return;
	trm_text_clean_line(clean, sizeof clean, text, strlen(text));
	printf("%*s", TEXT_COL, "");
	status_print_text(clean, TEXT_COL);
}

static void print_backend_row(const struct listing *l, const struct trm_backend_info *info)
{
	char name[24], about[200];
	trm_text_clean_line(name, sizeof name, info->name, strlen(info->name));
	trm_text_clean_line(about, sizeof about, info->about, strlen(info->about));
	printf("%c %-18s ", !strcmp(info->name, l->current) ? '*' : ' ', name);
	status_print(info->status, "-");
	putchar(' ');
	status_print_text(*about ? about : "(no description)", TEXT_COL);
	print_text(info->detail);
	print_text(info->advice);
	print_text(info->where);
}

static void put_text_or_null(struct json_out *j, const char *key, const char *text)
{
	json_put_text(j, key, *text ? text : NULL);
}

static void put_row(struct json_out *j, const struct listing *l, const struct trm_backend_info *info)
{
	json_open(j, NULL, '{');
	json_put_text(j, "name", info->name);
	json_put_text(j, "about", info->about);
	json_put_bool(j, "current", !strcmp(info->name, l->current));
	json_put_bool(j, "recipe", info->is_recipe);
	put_text_or_null(j, "like", info->like);
	put_text_or_null(j, "where", info->where);
	if (info->status == TRM_CHECK_NOTE)
		json_put_null(j, "works");
	else
		json_put_bool(j, "works", info->status == TRM_CHECK_OK);
	put_text_or_null(j, "detail", info->detail);
	put_text_or_null(j, "advice", info->advice);
	json_close(j, '}');
}

static void on_backends_backend(void *user, const struct trm_backend_info *info)
{
	struct listing *l = user;
	char name[64];
	if (l->is_json) {
		put_row(&l->json, l, info);
	} else if (l->names_only) {
		trm_text_clean_line(name, sizeof name, info->name, strlen(info->name));
		puts(name);
	} else {
		print_backend_row(l, info);
	}
}

enum { OPTION_JSON, OPTION_NAMES, OPTION_PRINT_MANIFEST };
static const struct option_spec options[] = {
		[OPTION_JSON] = {"--json", 0, NULL, "print a list of objects"},
		[OPTION_NAMES] = {"--names", 0, NULL, "print only names, and probe nothing"},
		[OPTION_PRINT_MANIFEST] = {"--print-manifest", 0, "NAME",
				"print the objects of the cluster that the backend NAME takes"},
		{0},
};

static int list_backends(struct listing *l, const struct options *o)
{
	struct trm_config config;
	struct trm_error why = {0};
	if (options_config(o, &config) < 0)
		return CMD_FAILED;
	l->current = config.backend;
	json_init(&l->json);
	if (l->is_json)
		json_open(&l->json, NULL, '[');
	if (trm_backends(o->config_path, !l->names_only, on_backends_backend, l, &why) < 0) {
		json_drop(&l->json);
		return cmd_fail("%s", why.msg);
	}
	if (l->is_json)
		json_close(&l->json, ']');
	return json_finish(&l->json);
}

/* ---- the objects of a cluster ------------------------------------------------------------- */

/* Only what the template of a claim says has an effect on its pods. */
static int print_manifest(const char *backend, const struct options *o)
{
	struct trm_config config;
	struct trm_config_lists lists;
	struct trm_sandbox_opts opts;
	struct trm_recipe *recipe = NULL;
	struct trm_error why = {0};
	char *text = NULL;
	if (options_config(o, &config) < 0)
		return CMD_FAILED;
	if (trm_recipe_load(backend, *config.path ? config.path : NULL, &recipe, &why) < 0)
		return cmd_fail("%s", why.msg);
	const bool takes_templates = trm_recipe_takes(recipe, "--template", false);
	trm_recipe_free(recipe);
	if (!takes_templates)
		return cmd_fail("the backend '%s' makes its sandboxes without objects that you apply first",
				backend);
	trm_config_sandbox_opts(&config, &lists, &opts);
	if (trm_kube_template(&opts, &text, &why) < 0)
		return cmd_fail("%s", why.msg);
	puts(text);
	free(text);
	return CMD_OK;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int backends_main(const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	unsigned given = 0;
	const char *manifest = NULL;
	options_init(&o, cmd->name, cmd->options, argc, argv);
	for (int got; (got = options_next(&o)) != OPTIONS_END;) {
		if (got == OPTIONS_HELP)
			return cmd_print_help(cmd);
		if (got == OPTIONS_OPERAND)
			return cmd_fail("'%s' takes no arguments, but got '%s'", cmd->name, o.value);
		if (got < 0)
			return CMD_FAILED;
		given |= 1u << got;
		manifest = got == OPTION_PRINT_MANIFEST ? o.value : manifest;
	}
	struct listing l = {.is_json = given & 1u << OPTION_JSON, .names_only = given & 1u << OPTION_NAMES};
	return manifest ? print_manifest(manifest, &o) : list_backends(&l, &o);
}

static const char *const settings[] = {"backend", "image", "language", "memory", "cpus", "disk", "user",
		"workdir", "template", NULL};

const struct cmd cmd_backends = {
		.name = "backends",
		.usage = "backends [--json | --names | --print-manifest NAME]",
		.summary = "list the backends",
		.help = "Lists the built-in backends and those of the config file, and says whether "
			"each works here. To find out, it runs the step \"probe\" of each. * marks the "
			"current backend. terrarium-backends(5) explains how to write one. "
			"--print-manifest agent-sandbox prints a template and a warm pool with "
			"Terrarium's agent, for 'kubectl apply --server-side -f -'.",
		.options = options,
		.settings = settings,
		.run = backends_main,
};
