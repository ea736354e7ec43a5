/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/config.h>
#include <terrarium/doctor.h>
#include <terrarium/error.h>
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
	printf(" %s\n", *about ? about : "(no description)");
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

static void on_backend(void *user, const struct trm_backend_info *info)
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

enum { OPTION_JSON, OPTION_NAMES };
static const struct option_spec options[] = {
		[OPTION_JSON] = {"--json", 0, NULL, "print a list of objects"},
		[OPTION_NAMES] = {"--names", 0, NULL, "print only names, and probe nothing"},
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
	if (trm_backends(o->config_path, !l->names_only, on_backend, l, &why) < 0) {
		json_drop(&l->json);
		return cmd_fail("%s", why.msg);
	}
	if (l->is_json)
		json_close(&l->json, ']');
	return json_finish(&l->json);
}

static int backends_main(const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	unsigned given;
	int code;
	if (!cmd_read_flags(cmd, argc, argv, &o, &given, &code))
		return code;
	struct listing l = {.is_json = given & 1u << OPTION_JSON, .names_only = given & 1u << OPTION_NAMES};
	return list_backends(&l, &o);
}

static const char *const settings[] = {"backend", NULL};

const struct cmd cmd_backends = {
		.name = "backends",
		.usage = "backends [--json | --names]",
		.summary = "list the backends",
		.help = "Lists the built-in backends and those of the config file, and says whether "
			"each works here. To find out, it runs the step \"probe\" of each. * marks the "
			"current backend. terrarium-backends(5) explains how to write one.",
		.options = options,
		.settings = settings,
		.run = backends_main,
};
