/* SPDX-License-Identifier: MIT */
/* Choices that a person makes in the workbench and expects at the next start: the theme, the borders of the
 * panes, and recent commands. They are lines of NAME VALUE in a file of the state folder.
 *
 * A chosen theme replaces the theme that the settings had at that time, and only that one. If the config or
 * the command line names another theme, that theme is used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app_internal.h"
#include "command/command.h"
#include "state/dir.h"

#define FILE_NAME "preferences"
enum { MOST_BYTES = 16384 };

static const char *configured_theme(const struct app *a)
{
	return a->opts->theme ? a->opts->theme : "dark";
}

static void set_permille(uint16_t *field, const char *value)
{
	unsigned long n = strtoul(value, NULL, 10);

	if (n > 0 && n < 1000)
		*field = (uint16_t)n;
}

static void take_preference(struct app_preferences *p, const char *name, const char *value)
{
	if (strcmp(name, "theme") == 0)
		snprintf(p->theme, sizeof p->theme, "%s", value);
	else if (strcmp(name, "theme-for") == 0)
		snprintf(p->theme_for, sizeof p->theme_for, "%s", value);
	else if (strcmp(name, "editor-permille") == 0)
		set_permille(&p->panes.editor_permille, value);
	else if (strcmp(name, "metrics-permille") == 0)
		set_permille(&p->panes.metrics_permille, value);
	else if (strcmp(name, "zoomed") == 0)
		p->panes.is_zoomed = strcmp(value, "yes") == 0;
	else if (strcmp(name, "recent") == 0 && command_find(value))
		palette_remember(&p->palette, command_find(value));
}

void app_load_preferences(struct app *a)
{
	char path[STATE_PATH], *save = NULL;
	size_t n = 0;
	char *text = state_path(FILE_NAME, path) ? state_read(path, MOST_BYTES, &n) : NULL;

	a->preferences = (struct app_preferences){0};
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
			line = strtok_r(NULL, "\n", &save)) {
		char *blank = strchr(line, ' ');
		if (!blank)
			continue;
		*blank = '\0';
		take_preference(&a->preferences, line, blank + 1);
	}
	free(text);
}

const char *app_preferred_theme(const struct app *a)
{
	const struct app_preferences *p = &a->preferences;

	bool is_meant = p->theme[0] && !a->opts->is_theme_given
			&& strcmp(p->theme_for, configured_theme(a)) == 0;
	return is_meant ? p->theme : NULL;
}

void app_use_preferences(struct app *a)
{
	a->model.panes = a->preferences.panes;
	a->model.palette = a->preferences.palette;
	snprintf(a->preferences.shown, sizeof a->preferences.shown, "%s", a->model.theme);
	model_relayout(&a->model);
}

static bool is_changed(const struct app *a)
{
	const struct app_preferences *p = &a->preferences;
	const struct layout_request *now = &a->model.panes;

	return strcmp(p->shown, a->model.theme) != 0 || now->is_zoomed != p->panes.is_zoomed
	       || now->editor_permille != p->panes.editor_permille
	       || now->metrics_permille != p->panes.metrics_permille
	       || memcmp(&p->palette, &a->model.palette, sizeof p->palette) != 0;
}

static void write_preferences(const struct app *a, const char *theme, const char *theme_for, FILE *f)
{
	const struct layout_request *panes = &a->model.panes;

	if (*theme)
		fprintf(f, "theme %s\ntheme-for %s\n", theme, theme_for);
	fprintf(f, "editor-permille %u\nmetrics-permille %u\nzoomed %s\n", panes->editor_permille,
			panes->metrics_permille, panes->is_zoomed ? "yes" : "no");
	for (size_t i = a->model.palette.n_recent; i-- > 0;)
		fprintf(f, "recent %s\n", a->model.palette.recent[i]->name);
}

void app_save_preferences(struct app *a)
{
	const struct app_preferences *p = &a->preferences;
	bool is_chosen = strcmp(p->shown, a->model.theme) != 0;
	char path[STATE_PATH], *bytes = NULL;
	size_t n = 0;

	if (!p->shown[0] || !is_changed(a) || !state_path("", path) || state_make_dir(path) < 0
			|| !state_path(FILE_NAME, path))
		return;
	FILE *f = open_memstream(&bytes, &n);
	if (!f)
		return;
	write_preferences(a, is_chosen ? a->model.theme : p->theme,
			is_chosen ? configured_theme(a) : p->theme_for, f);
	if (fclose(f) == 0)
		/* An error means that the next start has the same choices as this one. */
		state_write(path, bytes, n);
	free(bytes);
}
