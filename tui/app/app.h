/* SPDX-License-Identifier: MIT */
#ifndef TUI_APP_H
#define TUI_APP_H

/* The workbench: joins the loop, the library, the model, the views and the terminal. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/terrarium.h>

#include "metrics/metrics.h"

struct recording;

struct app_opts {
	const char *file;                /* to open at the start; NULL: an empty buffer */
	const struct trm_lang *lang;     /* NULL: guessed from the file's name, else python */
	struct trm_sandbox_opts sandbox; /* backend, name, limits, metrics interval (0: 1000 ms), keeping */
	const char *attach;              /* name of a running sandbox, instead of a new one; NULL: none */
	struct trm_session_opts session; /* time-out and grace per run */
	const char *theme;               /* name of a theme or path of its file; NULL: the default one */
	const struct recording *replay;  /* shown instead of a sandbox; NULL: none. Borrowed */
	bool is_demo;                    /* show the file cell by cell, … */
	uint32_t typing;                 /* … typed so many characters a second; 0: at once */
	bool is_tutor;                   /* begin with the tutorial */
	bool is_linear;                  /* lines on standard input and output instead of a screen */
	bool is_theme_given;             /* for this start alone: no choice of an earlier one counts */
	const char *record;              /* path of a recording to be made; NULL or "": none */
	/* All settings, and where each comes from; NULL: they cannot be changed while it runs. */
	const struct trm_config *settings;
	const struct trm_config_origin *origins;
	const char *config;        /* file of the settings, for its keys; NULL: the usual one */
	const char *keymap;        /* set of keys; NULL: the default one */
	bool has_history;          /* remember what is run, in a file */
	const char *images;        /* how they are drawn: "auto", "kitty", "sixel", "symbols", "off" */
	bool auto_close, wrap;     /* brackets close themselves; long lines are wrapped */
	bool auto_complete;        /* offer members as soon as the dot is typed */
	bool confirm;              /* ask before each run */
	const char *trust;         /* the setting: backends with fewer questions; NULL: none */
	struct trm_policy *policy; /* what code is looked at with before that; NULL: nothing. Borrowed */
	bool policy_asks;          /* … and what it refuses is asked about in any case */
	const char *graphs;        /* "braille", "blocks", "ascii"; NULL: braille */
	const char *alerts;        /* "off", "status", "bell", "osc9", "all"; NULL: off */
	unsigned alert_percent;    /* of a limit … */
	uint32_t alert_after_ms;   /* … for so long */
	uint32_t alert_run_ms;     /* of a run; 0: none */
	bool restore;              /* without a file: open what was open in this folder the last time */
	size_t scrollback_bytes;   /* of output kept to look at; 0: 16 MiB */
};

/* Defaults of everything above: python, local, confirmation on. */
void app_opts_default(struct app_opts *opts);

/* What graphs are drawn with, for the setting of that name (NULL: braille) and this terminal. */
enum graph_style app_graph_style(const char *wanted);

/* Is it one of the ways to draw images? */
bool app_knows_images(const char *how);

/* Run the workbench until the person leaves it. Borrows `opts`. Returns the
 * exit code of the program: 0, or 125 with a sentence on stderr when there is no usable
 * terminal, not the sandbox that was to be attached to, or none at all and nobody to see that; 128+n when
 * signal n asked it to end. The terminal is always given back as it was. */
int app_main(const struct app_opts *opts);

#endif
