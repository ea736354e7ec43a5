/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_CHECK_H
#define TUI_CMD_CHECK_H

/* `terrarium check`: whether what a person may change, themes, keys and settings, is as it should be. */

#include <stdbool.h>
#include <stddef.h>

#include "cmd/json_out.h"

enum check_status { CHECK_OK, CHECK_NOTE, CHECK_WARNING, CHECK_ERROR };

struct check_report {
	bool is_json, has_color;
	size_t n, n_errors, n_warnings;
	const char *part;   /* being checked: "themes" */
	const char *config; /* file of the settings, as in trm_config_load() */
	const char *keymap;
	struct json_out json;
};

/* One line of the report about `name`: a theme, a key, a setting. */
void check_say(struct check_report *r, enum check_status status, const char *name, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));

/* One theme by name or path, or all (NULL). check_themes.c */
void check_themes(struct check_report *r, const char *name);
/* check_keys.c */
void check_keys(struct check_report *r);
/* Every command with its name, place and keys, for who writes a key map. Returns the exit code. */
int check_list_keys(const struct check_report *r);

#endif
