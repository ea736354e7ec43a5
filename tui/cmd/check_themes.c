/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>

#include "cells/canvas.h"
#include "cmd/check.h"
#include "theme/check.h"

struct theme_report {
	struct check_report *report;
	const char *name;
	enum color_depth depth;
	size_t n_problems, n_unknown, n_missing;
	char missing[300];
};

static const struct {
	enum color_depth depth;
	const char *words;
} depths[] = {{DEPTH_RGB, ""}, {DEPTH_256, " with 256 colors"}, {DEPTH_16, " with 16 colors"},
		{DEPTH_8, " with 8 colors"}};

static void on_check_themes_fault(void *user, const char *sentence)
{
	struct theme_report *t = user;

	t->n_problems++;
	check_say(t->report, CHECK_ERROR, t->name, "%s", sentence);
}

static void add_missing(struct theme_report *t, enum role role)
{
	size_t used = strlen(t->missing);

	t->n_missing++;
	if (used + 40 < sizeof t->missing)
		snprintf(t->missing + used, sizeof t->missing - used, "%s%s", used ? ", " : "",
				role_name(role));
	else if (t->missing[used - 1] != '.')
		snprintf(t->missing + used, sizeof t->missing - used, " ...");
}

static void on_finding(void *user, const struct theme_finding *f)
{
	struct theme_report *t = user;
	const char *depth = "";

	for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
		if (depths[i].depth == t->depth)
			depth = depths[i].words;
	switch (f->kind) {
	case FINDING_MISSING:
		if (t->depth == DEPTH_RGB)
			add_missing(t, f->role);
		break;
	case FINDING_CONTRAST:
		t->n_problems++;
		check_say(t->report, CHECK_ERROR, t->name,
				"\"%s\" on %s%s: contrast %.2f, at least %.1f is needed", role_name(f->role),
				f->ground == f->role ? "its ground" : role_name(f->ground), depth,
				f->contrast, f->least);
		break;
	case FINDING_HIDDEN:
		t->n_problems++;
		check_say(t->report, CHECK_ERROR, t->name, "\"%s\" looks just like \"text\"%s",
				role_name(f->role), depth);
		break;
	case FINDING_UNKNOWN: t->n_unknown += t->depth == DEPTH_RGB; break;
	}
}

/* Report the role whose text is hardest to read. */
static void say_ok(struct theme_report *t, const struct theme *theme)
{
	enum role worst = ROLE_TEXT;
	double least = 22;

	for (int i = 0; i < ROLE_COUNT; i++) {
		const struct theme_style *look = &theme->looks[i];
		bool is_line = i == ROLE_BORDER || (i >= ROLE_GRAPH_CPU && i <= ROLE_GRAPH_AXIS);
		if (is_line || look->fg == COLOR_NONE || look->bg == COLOR_NONE)
			continue;
		double contrast = color_contrast(look->fg, look->bg);
		worst = contrast < least ? (enum role)i : worst;
		least = contrast < least ? contrast : least;
	}
	if (least > 21)
		check_say(t->report, CHECK_OK, t->name, "%d roles, in the terminal's own colors", ROLE_COUNT);
	else
		check_say(t->report, CHECK_OK, t->name, "%d roles, contrast from %.1f (%s)", ROLE_COUNT,
				least, role_name(worst));
}

static void check_theme(struct check_report *r, const char *name)
{
	struct theme_report t = {.report = r, .name = name};
	const struct theme_faults faults = {on_check_themes_fault, &t};
	struct trm_error why = {0};
	struct theme theme;

	if (theme_load_most(name, &faults, &theme, &why) < 0) {
		if (!t.n_problems)
			check_say(r, CHECK_ERROR, name, "%s", why.msg);
		return;
	}
	for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
		t.depth = depths[i].depth;
		theme_check(&theme, t.depth, THEME_TEXT_CONTRAST, on_finding, &t);
	}
	if (!t.n_problems)
		say_ok(&t, &theme);
	if (t.n_missing)
		check_say(r, CHECK_WARNING, name, "%zu roles are missing, and look like others: %s",
				t.n_missing, t.missing);
	if (t.n_unknown)
		check_say(r, CHECK_NOTE, name,
				"%zu pairs of colors are the terminal's own: their contrast is unknown",
				t.n_unknown);
}

void check_themes(struct check_report *r, const char *name)
{
	struct theme_list list;

	if (name) {
		check_theme(r, name);
		return;
	}
	if (theme_list_init(&list) < 0) {
		check_say(r, CHECK_ERROR, "themes", "they cannot be listed: out of memory");
		return;
	}
	for (size_t i = 0; i < list.n; i++)
		check_theme(r, list.names[i]);
	theme_list_finish(&list);
}
