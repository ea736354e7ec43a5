/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_SETTINGS_PAGE_H
#define TUI_MODEL_SETTINGS_PAGE_H

/* The settings as a list with a search, and the dialog that changes one.
 * The app lists and stores them: MSG_SETTINGS, EFFECT_SETTING. */

#include <stdbool.h>
#include <stddef.h>

struct effects;
struct model;
struct msg;

#define SETTINGS_PAGE_MAX 64

/* When a change takes effect. */
enum setting_when { SETTING_NOW, SETTING_SANDBOX, SETTING_START };

struct setting_row {
	const char *name, *help, *metavar, *option; /* static; from the table of settings */
	bool is_choice; /* the words of metavar, separated by '|', are all possible values */
	enum setting_when when;
	bool is_changed; /* its value differs from that at the start of the sandbox or the program */
	char value[256];
	char from[64]; /* source of the value: "default", "config.json:3", "TERRARIUM_THEME" */
};

struct settings_page {
	struct setting_row rows[SETTINGS_PAGE_MAX];
	size_t n;
	bool has_offered; /* a new sandbox, since the last change that only applies to one */
	size_t edited;    /* the row of the dialog that changes one */
	char query[64];
	char current[32]; /* the row that is selected when the list opens again */
};

void settings_page_show(struct model *m, const struct msg *msg);
void settings_page_stored(struct model *m, const struct msg *msg, struct effects *out);

#endif
