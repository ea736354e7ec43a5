/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_SETTINGS_PAGE_H
#define TUI_MODEL_SETTINGS_PAGE_H

/* The settings of the program as a list that is searched (DIALOG_SETTINGS), and the dialog that changes one
 * (DIALOG_SETTING). The app lists and stores them: MSG_SETTINGS, EFFECT_SETTING. */

#include <stdbool.h>
#include <stddef.h>

struct effects;
struct model;
struct msg;

#define SETTINGS_PAGE_MAX 64

/* From when on a change counts. */
enum setting_when { SETTING_NOW, SETTING_SANDBOX, SETTING_START };

struct setting_row {
	const char *name, *help, *metavar, *option; /* of the table of settings: they live for ever */
	bool is_choice;                             /* the words of metavar, parted by '|', are all values */
	enum setting_when when;
	bool is_changed; /* since the sandbox, or the program, was started with another value */
	char value[256];
	char from[64]; /* where it comes from: "default", "config.json:3", "TERRARIUM_THEME" */
};

struct settings_page {
	struct setting_row rows[SETTINGS_PAGE_MAX];
	size_t n;
	size_t edited; /* that DIALOG_SETTING is about */
	char query[64];
	char current[32]; /* name of the row that is chosen when it is opened again */
};

void settings_page_ask(
		struct model *m, struct effects *out); /* open it, as soon as the app has listed them */
void settings_page_show(struct model *m, const struct msg *msg);
void settings_page_stored(struct model *m, const struct msg *msg, struct effects *out);
void answer_settings(struct model *m, int answer, struct effects *out);
void answer_setting(struct model *m, int answer, struct effects *out);

#endif
