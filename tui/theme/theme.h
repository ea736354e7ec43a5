/* SPDX-License-Identifier: MIT */
#ifndef TUI_THEME_H
#define TUI_THEME_H

/* Themes: roles to colors, read from JSON with comments.
 *
 *   {
 *     "name": "dark",                     // optional; default: the file's name
 *     "inherits": "NAME",                 // optional: another theme to start from
 *     "palette": { "leaf": "#7ec699" },   // optional: names for colors
 *     "roles": {
 *       "text":  { "fg": "#d5d8da", "bg": "default" },
 *       "title": { "fg": "leaf", "attrs": ["bold"] },
 *       "dim":   "#7f8490"                // short for { "fg": … }
 *     }
 *   }
 *
 * A color is "#rrggbb", "#rgb", "color0" to "color255" (the terminal's palette), "default" (the
 * terminal's own), or a name of the palette. A role takes missing values from "text". A missing role
 * looks like the role that role.h names beside it. attrs: bold dim italic underline reverse strike. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/role.h"

struct trm_error;

enum color_depth { DEPTH_NONE, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_RGB };

struct theme_style {
	uint32_t fg, bg; /* COLOR_INDEX, COLOR_RGB (canvas.h), or COLOR_NONE: the terminal's default */
	uint16_t attrs;  /* ATTR_… */
};

struct theme {
	char name[64];
	char path[1024]; /* "" for a compiled-in theme */
	struct theme_style looks[ROLE_COUNT];
	bool is_given[ROLE_COUNT]; /* by the file or a theme that it inherits from; otherwise another role
				      replaces it */
};

#define THEME_MAX_BYTES (256 << 10)

/* A compiled-in theme, so that the program needs no file: "dark", or "mono" (attributes only, which the
 * painter uses without colors). TRM_ENOENT for any other name. */
int theme_builtin(const char *name, struct theme *ret, struct trm_error *reterr);

/* Parse JSON; no I/O. `find_parent` (may be NULL) loads the theme that "inherits" names. Errors:
 * TRM_EINVAL, "FILE:LINE:COLUMN: …" with the role or word; *ret is unchanged. */
typedef int theme_find_fn(const char *name, struct theme *ret, struct trm_error *reterr, void *user);
int theme_parse(const char *json, size_t n, const char *file, theme_find_fn *find_parent, void *user,
		struct theme *ret, struct trm_error *reterr);

/* As theme_parse(), but an error in a role, a color or a name is reported and skipped, as if the faulty
 * part were missing. Fails only if nothing is usable (which is reported, too). */
struct theme_faults {
	void (*tell)(void *user, const char *sentence); /* "FILE:LINE:COLUMN: …" */
	void *user;
};
int theme_parse_most(const char *json, size_t n, const char *file, theme_find_fn *find_parent, void *user,
		const struct theme_faults *faults, struct theme *ret, struct trm_error *reterr);

/* Load by name ("dark") or by path (with a '/' or ending in .json). Names are searched in
 * $XDG_CONFIG_HOME/terrarium/themes, $TERRARIUM_DATA/themes, themes and ../share/terrarium/themes beside
 * the program, the installed data folder, and then among the compiled-in themes. TRM_ENOENT lists the
 * known names. */
int theme_load(const char *name, struct theme *ret, struct trm_error *reterr);
int theme_load_most(const char *name, const struct theme_faults *faults, struct theme *ret,
		struct trm_error *reterr); /* see theme_parse_most() */

/* The folder of the person's own themes. False: it cannot be determined. */
bool theme_own_dir(char *out, size_t cap);

/* All names that theme_load() finds, sorted, without duplicates. */
struct theme_list {
	char (*names)[64];
	size_t n;
};
int theme_list_init(struct theme_list *list);
void theme_list_finish(struct theme_list *list); /* accepts a zeroed object */

/* The color nearest to `color` that the depth can show (COLOR_NONE stays). Pure. */
uint32_t color_degrade(uint32_t color, enum color_depth depth);

/* 0xRRGGBB of a color that is not COLOR_NONE; palette colors as in xterm. Pure. */
uint32_t color_rgb(uint32_t color);

/* WCAG 2's contrast of two colors, 1 (none) to 21; neither is COLOR_NONE. Pure. */
double color_contrast(uint32_t fg, uint32_t bg);
#define THEME_TEXT_CONTRAST 4.5 /* the requirement of its level AA for text */

/* The color nearest to `color` that has at least this contrast to `bg`, among the colors of a depth below
 * DEPTH_RGB. If there is none: color_degrade(). Pure. */
uint32_t color_readable(uint32_t color, uint32_t bg, double least, enum color_depth depth);

/* A readable text color of a program on a background of the theme: `fg` if its contrast is sufficient,
 * otherwise a color of the same hue with sufficient contrast, as far as the depth permits. On a background of
 * the terminal's own, black and white become its own foreground: COLOR_NONE. Pure. */
uint32_t color_mend(uint32_t fg, uint32_t bg, enum color_depth depth);

/* The look of a role at a color depth. Colors are reduced, but readable text stays readable, and a role
 * that is recognized by its background still stands out (reversed if nothing else works). Pure. */
struct theme_style theme_style(const struct theme *t, enum role role, enum color_depth depth);

/* The same on the background of another role: a keyword in the current line. Pure. */
struct theme_style theme_style_on(
		const struct theme *t, enum role role, enum role ground, enum color_depth depth);

/* The look of a role with the color of COLOR_HEAT(step). With few colors there are three steps; without any,
 * the highest ones are bold. Pure. */
struct theme_style theme_heat(const struct theme *t, enum role role, unsigned step, enum color_depth depth);

/* The role whose look `role` has: itself, or its replacement. */
enum role theme_stand_in(const struct theme *t, enum role role);

/* The name of a role: "syn_string". */
const char *role_name(enum role role);

#endif
