/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

#include "cells/canvas.h"
#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "theme/theme.h"

struct request {
	struct settings settings;
	struct theme_list list;
	bool is_json, names_only;
};

/* ---- the sample: parts of a screen in the colors of the theme ---- */

static const struct {
	enum role role;
	const char *text;
} pieces[] = {
		{ROLE_SYN_KEYWORD, " def"},
		{ROLE_SYN_FUNCTION, " grow"},
		{ROLE_TEXT, "(n)"},
		{ROLE_SYN_NUMBER, " 42"},
		{ROLE_SYN_STRING, " 'ok'"},
		{ROLE_SYN_COMMENT, " # why "},
		{ROLE_OUT_ERROR, " Error "},
		{ROLE_WARN, " warn "},
		{ROLE_TITLE, " title "},
		{ROLE_KEY, " F5"},
		{ROLE_KEY_LABEL, " Run "},
};

/* The same decision as in the workbench, except for what only terminfo knows. */
static enum color_depth depth_here(void)
{
	const char *colorterm = getenv("COLORTERM"), *term = getenv("TERM");

	if (!cmd_has_color())
		return DEPTH_NONE;
	if (colorterm && (!strcmp(colorterm, "truecolor") || !strcmp(colorterm, "24bit")))
		return DEPTH_RGB;
	return term && strstr(term, "256") ? DEPTH_256 : DEPTH_8;
}

/* Print the SGR parameters of a color. `base` is 30 for text and 40 for the background. */
static void print_color(uint32_t color, int base)
{
	unsigned value = color & 0xffffff;

	if (color == COLOR_NONE)
		printf(";%d", base + 9);
	else if (color >> 24 == 2)
		printf(";%d;2;%u;%u;%u", base + 8, value >> 16, value >> 8 & 0xff, value & 0xff);
	else if (value < 8)
		printf(";%u", (unsigned)base + value);
	else
		printf(";%d;5;%u", base + 8, value);
}

static void print_piece(const struct theme *t, size_t i, enum color_depth depth)
{
	static const struct {
		uint16_t attr;
		const char *sgr;
	} attrs[] = {{ATTR_BOLD, ";1"}, {ATTR_DIM, ";2"}, {ATTR_ITALIC, ";3"}, {ATTR_UNDERLINE, ";4"},
			{ATTR_REVERSE, ";7"}, {ATTR_STRIKE, ";9"}};
	struct theme_style look = theme_style(t, pieces[i].role, depth);

	fputs("\033[0", stdout);
	for (size_t k = 0; k < sizeof attrs / sizeof *attrs; k++)
		if (look.attrs & attrs[k].attr)
			fputs(attrs[k].sgr, stdout);
	print_color(look.fg, 30);
	print_color(look.bg, 40);
	printf("m%s", pieces[i].text);
}

static void print_swatch(const struct theme *t, enum color_depth depth)
{
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		print_piece(t, i, depth);
	fputs("\033[m", stdout);
}

/* ---- printing ---- */

static bool is_own(const struct theme *t)
{
	char dir[1024];

	return theme_own_dir(dir, sizeof dir) && strncmp(t->path, dir, strlen(dir)) == 0;
}

static void put_theme(struct json_out *j, const struct request *q, const char *name)
{
	struct theme theme = {0};
	struct trm_error why = {0};
	bool is_good = theme_load(name, &theme, &why) == 0;

	json_open(j, NULL, '{');
	json_put_text(j, "name", name);
	json_put_bool(j, "current", !strcmp(name, q->settings.theme));
	if (is_good)
		json_put_bool(j, "own", is_own(&theme));
	else
		json_put_null(j, "own");
	json_put_text(j, "path", is_good && *theme.path ? theme.path : NULL);
	json_put_text(j, "error", is_good ? NULL : why.msg);
	json_close(j, '}');
}

static int print_themes_json(const struct request *q)
{
	struct json_out j;

	json_init(&j);
	json_open(&j, NULL, '[');
	for (size_t i = 0; i < q->list.n; i++)
		put_theme(&j, q, q->list.names[i]);
	json_close(&j, ']');
	return json_finish(&j);
}

static int print_themes_table(const struct request *q)
{
	enum color_depth depth = depth_here();

	for (size_t i = 0; i < q->list.n; i++) {
		const char *name = q->list.names[i];
		struct theme theme;
		struct trm_error why = {0};
		char where[600];
		bool is_good = theme_load(name, &theme, &why) == 0;
		const char *reported = !is_good ? why.msg : is_own(&theme) ? theme.path : "";
		trm_text_clean_line(where, sizeof where, reported, strlen(reported));
		bool has_swatch = is_good && depth != DEPTH_NONE;
		printf("%c %-*s", !strcmp(name, q->settings.theme) ? '*' : ' ', has_swatch || *where ? 18 : 0,
				name);
		if (has_swatch) {
			putchar(' ');
			print_swatch(&theme, depth);
		}
		printf("%s%s\n", *where ? " " : "", where);
	}
	return cmd_flush();
}

static int print_theme_names(const struct request *q)
{
	for (size_t i = 0; i < q->list.n; i++)
		puts(q->list.names[i]);
	return cmd_flush();
}

/* ---- the command ---- */

enum { OPTION_JSON, OPTION_NAMES };
static const struct option_spec options[] = {
		[OPTION_JSON] = {"--json", 0, NULL, "print a list of objects"},
		[OPTION_NAMES] = {"--names", 0, NULL, "print only names"},
		{0},
};

static int print_themes(struct request *q, const struct options *o)
{
	if (options_settings(o, &q->settings) < 0)
		return CMD_FAILED;
	if (theme_list_init(&q->list) < 0)
		return cmd_fail("out of memory");
	int code = q->names_only ? print_theme_names(q)
		   : q->is_json  ? print_themes_json(q)
				 : print_themes_table(q);
	theme_list_finish(&q->list);
	return code;
}

static int themes_main(const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	unsigned given;
	int code;

	if (!cmd_read_flags(cmd, argc, argv, &o, &given, &code))
		return code;
	struct request q = {.is_json = given & 1u << OPTION_JSON, .names_only = given & 1u << OPTION_NAMES};
	return print_themes(&q, &o);
}

static const char *const settings[] = {"theme", NULL};

const struct cmd cmd_themes = {
		.name = "themes",
		.usage = "themes [--json | --names]",
		.summary = "list the themes",
		.help = "Lists the themes; on a terminal, with a sample of each. * marks the current "
			"one, and your own themes are shown with their files. F3 in the workbench tries "
			"them out. 'terrarium check themes' finds mistakes in a theme.",
		.options = options,
		.settings = settings,
		.run = themes_main,
};
