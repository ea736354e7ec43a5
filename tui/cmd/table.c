/* SPDX-License-Identifier: MIT */
/* The tables of commands, options and settings as JSON, for programs such as checks of the man pages, front
 * ends, and completion of other shells. */
#include <terrarium/config.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"

static void put_letter(struct json_out *j, char letter)
{
	json_put_text(j, "letter", letter ? (char[]){'-', letter, 0} : NULL);
}

static void put_options(struct json_out *j, const char *key, const struct option_spec *options)
{
	json_open(j, key, '[');
	for (; options && options->name; options++) {
		json_open(j, NULL, '{');
		json_put_text(j, "option", options->name);
		put_letter(j, options->letter);
		json_put_text(j, "value", options->metavar);
		json_put_text(j, "help", options->help);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_command(struct json_out *j, const struct cmd *cmd)
{
	json_open(j, NULL, '{');
	json_put_text(j, "command", cmd->name);
	json_put_text(j, "alias", cmd->alias);
	json_put_text(j, "usage", cmd->usage);
	json_put_text(j, "summary", cmd->summary);
	json_put_text(j, "operands", cmd->operands);
	json_put_bool(j, "asks", cmd->asks);
	put_options(j, "options", cmd->options);
	json_open(j, "settings", '[');
	for (const char *const *name = cmd->settings; name && *name; name++)
		json_put_text(j, NULL, *name);
	json_close(j, ']');
	json_close(j, '}');
}

static void put_settings(struct json_out *j)
{
	json_open(j, "settings", '[');
	for (size_t i = 0; i < setting_count(); i++) {
		const struct trm_setting *s = setting_row(i);
		json_open(j, NULL, '{');
		json_put_text(j, "setting", s->name);
		json_put_text(j, "option", s->option);
		put_letter(j, s->letter);
		json_put_text(j, "variable", s->env);
		json_put_text(j, "value", s->metavar);
		json_put_text(j, "default", s->fallback);
		json_put_text(j, "help", s->help);
		json_put_bool(j, "from_dotenv", !s->not_from_dotenv);
		json_close(j, '}');
	}
	json_close(j, ']');
}

int cmd_print_table_json(void)
{
	struct json_out j;
	size_t n;
	const struct cmd *const *table = cmd_table(&n);
	json_init(&j);
	json_open(&j, NULL, '{');
	json_open(&j, "commands", '[');
	for (size_t i = 0; i < n; i++)
		put_command(&j, table[i]);
	json_close(&j, ']');
	put_options(&j, "options", options_common);
	put_options(&j, "workbench", cmd_workbench.options);
	put_settings(&j);
	json_close(&j, '}');
	return json_finish(&j);
}
