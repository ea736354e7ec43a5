/* SPDX-License-Identifier: MIT */
#ifndef TUI_APP_H
#define TUI_APP_H

/* The workbench: connects the loop, the library, the model, the views and the terminal. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/terrarium.h>

#include "metrics/metrics.h"

struct recording;
struct settings;

struct app_opts {
	const char *file;                /* file to open; NULL: an empty buffer */
	bool picks_file;                 /* start with the list of the folder's files */
	const struct trm_lang *lang;     /* NULL: from the extension of the file, else python */
	char **with;                     /* packages to install at the start, NULL-terminated; NULL: none */
	struct trm_sandbox_opts sandbox; /* backend, name, limits, metrics interval (0: 1000 ms), keep */
	struct trm_config_lists lists;   /* room for the lists of `sandbox` */
	const char *attach;              /* name of a running sandbox to attach to; NULL: start a new one */
	struct trm_session_opts session; /* time limit and grace time of runs */
	const char *theme;               /* name of a theme or path of its file; NULL: the default theme */
	const struct recording *replay;  /* recording to show instead of a sandbox; NULL: none. Borrowed */
	bool is_demo;                    /* present the file cell by cell … */
	uint32_t typing;                 /* … typed at this number of characters per second; 0: at once */
	bool is_tutor;                   /* start with the tutorial */
	bool is_linear;                  /* lines on stdin and stdout instead of a screen */
	bool is_theme_given; /* the theme applies only to this start and overrides the stored choice */
	const char *record;  /* path of a recording to make; NULL or "": none */
	/* All settings. NULL: they cannot be changed while the workbench runs.
	 */
	const struct settings *settings;
	const char *config;        /* config file, for its keys; NULL: the usual one */
	const char *keymap;        /* key map; NULL: the default one */
	bool has_history;          /* store what is run in the history file */
	const char *links;         /* "auto", "on", "off" */
	const char *images;        /* how to draw them: "auto", "kitty", "sixel", "symbols", "off" */
	bool auto_close, wrap;     /* brackets close themselves; long lines wrap */
	bool auto_complete;        /* offer members when a dot is typed */
	bool confirm;              /* ask before each run */
	const char *trust;         /* the setting: backends with fewer questions; NULL: none */
	struct trm_policy *policy; /* checks code before the question; NULL: no check. Borrowed */
	bool policy_asks;          /* … and always ask about code that it refuses */
	const char *graphs;        /* "braille", "blocks", "ascii"; NULL: braille */
	const char *alerts;        /* "off", "status", "bell", "osc9", "all"; NULL: off */
	unsigned alert_percent;    /* share of a limit … */
	uint32_t alert_after_ms;   /* … that is in use for this time */
	uint32_t alert_run_ms;     /* duration of a run; 0: none */
	bool restore;              /* without a file: open the buffers that were last open in this folder */
	size_t scrollback_bytes;   /* bytes of output that are stored; 0: 16 MiB */
};

/* The defaults of all options: python, local, confirmation on. */
void app_opts_default(struct app_opts *opts);

/* The style of graphs for the value of the setting (NULL: braille) and this terminal. */
enum graph_style app_graph_style(const char *wanted);

/* Is this a valid way to draw images? */
bool app_knows_images(const char *how);

/* Run the workbench until the person leaves it. Borrows `opts`. Returns the exit code of the program: 0; 125
 * after a message on stderr if there is no usable terminal, if the sandbox to attach to does not run, or if
 * no sandbox could start and nobody could see that; 128+n if signal n ended the program. The terminal is
 * always restored. */
int app_main(const struct app_opts *opts);

#endif
