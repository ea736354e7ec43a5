/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_CHECK_H
#define TUI_CMD_CHECK_H

/* `terrarium check`: checks the files that a person may edit: themes, keys and settings. */

#include <stdbool.h>
#include <stddef.h>

#include "cmd/json_out.h"

enum check_status { CHECK_OK, CHECK_NOTE, CHECK_WARNING, CHECK_ERROR };

struct check_report {
	bool is_json, has_color;
	size_t n, n_errors, n_warnings;
	const char *part;   /* part that is checked: "themes" */
	const char *config; /* path of the config file, as in trm_config_load() */
	const char *keymap;
	struct json_out json;
};

/* Add a line about `name`, a theme, a key or a setting, to the report. */
void check_say(struct check_report *r, enum check_status status, const char *name, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));

/* check_themes.c: check one theme by its name or path, or all (NULL). */
void check_themes(struct check_report *r, const char *name);
/* check_keys.c */
void check_keys(struct check_report *r);
/* List each command with its name, context and keys, for authors of key maps. Returns the exit code. */
int check_list_keys(const struct check_report *r);

#endif
