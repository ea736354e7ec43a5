/* SPDX-License-Identifier: MIT */
#ifndef TUI_SETTINGS_SETTINGS_H
#define TUI_SETTINGS_SETTINGS_H

/* All settings of terrarium: those of the library (terrarium/config.h), and behind them those that only the
 * screen, the REPL and the commands have a use for. Both have rows of the same form and the same sources. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/config.h>

enum { SETTING_COUNT_MAX = 96 };

/* The offsets of all rows are of this struct: `config` is its first member. */
struct settings {
	struct trm_config config;
	char theme[64];            /* name of a file in themes/ without .json */
	char keymap[32];           /* set of keys of the workbench: "default", "emacs", "vi" */
	uint64_t scrollback_bytes; /* how much output the workbench keeps */
	char alerts[16];           /* "off", "status", "bell", "osc9", "all" */
	uint32_t alert_at;         /* percent of a limit */
	uint32_t alert_after_ms;   /* how long the use must stay above it */
	uint32_t alert_run_ms;     /* alert when a run ends that took longer; 0: never */
	char graphs[16];           /* "braille", "blocks", "ascii" */
	bool restore;              /* the workbench reopens the files of the last session in this folder */
	uint32_t typing;           /* speed of a demo, in characters per second; 0: cells appear at once */
	bool linear;               /* run the workbench as lines of text instead of a screen */
	char record[1024];         /* file for a recording of the workbench's session; "": none */
	bool history;              /* store the code run in the workbench in a file */
	char images[16];           /* how the workbench draws images: auto, kitty, sixel, symbols, off */
	char links[8];             /* are URLs in output links: auto, on, off */
	bool auto_close;           /* brackets and quotes that are typed get their partner */
	bool wrap;                 /* long lines in the editor go on in the next row */
	bool auto_complete;        /* offer members as soon as a dot is typed */
	bool theme_plots;          /* the workbench's plots have the colors of its theme */
	struct trm_config_origin origins[SETTING_COUNT_MAX]; /* of each value, by setting_index() */
};

/* The rows, in the order of --help. */
size_t setting_count(void);
const struct trm_setting *setting_row(size_t i);
size_t setting_index(const struct trm_setting *s);
bool setting_is_of_screen(size_t i); /* not one of the library's */

/* Find a row by name, by option or by environment variable; NULL if there is none. */
const struct trm_setting *setting_find(const char *key);

/* As trm_config_load_from(): unknown keys are errors that name the nearest key. */
int settings_load(struct settings *settings, const char *path, struct trm_error *reterr);

/* Find unknown environment variables that begin with TERRARIUM_, which loading ignores. `fn` is called for
 * each, with the most similar known variable (NULL: none is similar). The names are borrowed. */
typedef void setting_unknown_env_fn(void *user, const char *name, const char *nearest);
void setting_unknown_env(setting_unknown_env_fn *fn, void *user);

#endif
