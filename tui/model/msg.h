/* SPDX-License-Identifier: MIT */
#ifndef TUI_MSG_H
#define TUI_MSG_H

/* Everything that can happen to the model. Texts and pointers are borrowed during one update(). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/metrics.h>
#include <terrarium/sandbox.h>

#include "cells/event.h"

struct picture;
struct picture_style;
struct setting_row;
struct trm_config;
struct trm_container_info;
struct trm_entry;
struct trm_lang;
struct trm_result;
struct trm_display;
struct trm_stopping;

enum msg_type {
	MSG_EVENT, /* event: a key, the mouse, a paste, a new size */
	/* Time has passed (see model_tick_ms()); number: ms until the time limit of the current run, 0: none.
	 */
	MSG_TICK,
	MSG_SANDBOX_STARTING, /* text: name; other: name of the backend; limits; kept, attached */
	/* text, other, limits, kept, attached as above; guards; number: isolation level */
	MSG_SANDBOX_READY,
	MSG_SANDBOX_KEPT,   /* kept: the new state */
	MSG_SANDBOX_CLOSED, /* text: the reason, or NULL if the end was requested */
	MSG_NO_ISOLATION,   /* text: why no isolation level works here; the sandbox has not started */
	MSG_METRICS,        /* metrics */
	MSG_RUN_ACCEPTED,   /* number: number of the run in its session */
	MSG_RUN_STARTED,
	/* Another client's run: lang, text, len: the code; other: the client; number; serial: the next one.
	 */
	MSG_RUN_JOINED,
	MSG_SANDBOX_PROGRESS, /* text: current step of the start */
	MSG_SANDBOX_WARNING,  /* text: a sentence */
	MSG_CLIENTS,          /* number: clients of the sandbox */
	MSG_CLIENT,           /* number: of another program; text: what it is; NULL: it has gone */
	MSG_RUN_OUTPUT,       /* stream, text, len */
	MSG_RUN_DISPLAY,      /* display */
	MSG_RUN_INPUT,        /* text: the prompt; flag: secret */
	MSG_SANDBOXES,        /* entries, n_entries; text: NULL, or why there is no list */
	MSG_CONTAINER,        /* container: a container of an engine, or an engine that cannot be asked */
	MSG_CONTAINERS_END,   /* end of the containers; text: NULL, or why no engine could be asked */
	MSG_INSIDE_PROGRESS,  /* text: current step of looking into a sandbox; "": done */
	MSG_INSIDE_METRICS,   /* metrics: of the sandbox that is shown */
	MSG_INSIDE_JOINED,    /* a run in that sandbox, like MSG_RUN_JOINED */
	MSG_INSIDE_OUTPUT,    /* serial, stream, text, len */
	MSG_INSIDE_DONE,      /* serial, result */
	MSG_INSIDE_CLOSED,    /* text: the reason */
	MSG_RUN_MEMORY,       /* number: bytes in use, which are near the limit */
	MSG_RUN_STOPPING,     /* stopping */
	MSG_RUN_DONE,         /* result */
	MSG_RUN_REFUSED,      /* text: why the run could not be requested */
	MSG_LATE,             /* number, stream, text, len */
	MSG_SPILL,            /* serial; text: the result; flag: more follows; other: not NULL if it failed */
	/* Files. number: id of the buffer */
	MSG_OPENED,        /* text: path; other: NULL or the error; flag: a new file */
	MSG_ALREADY_OPEN,  /* text: path */
	MSG_SAVED,         /* text: path; other: NULL or the error */
	MSG_FILE_CHANGED,  /* text: path of a file that another program changed; flag: it was deleted */
	MSG_RELOADED,      /* text: path; other: NULL or the error */
	MSG_FOUND,         /* text: unsaved buffers that a crash has left, one per line */
	MSG_SAVE_EXISTS,   /* text: path of an existing file; flag: another program has changed it */
	MSG_COPY_EXISTS,   /* text: existing target of a copy; flag: it is a folder */
	MSG_THEMES,        /* names, n_names */
	MSG_PATH,          /* text: the completed path */
	MSG_RECORDING,     /* text: path; flag: recording continues; other: NULL or the error */
	MSG_EXPORTED,      /* text: path; number: runs; other: NULL or the error; flag: the file exists */
	MSG_KEYS_DISTINCT, /* the terminal can tell similar keys apart, such as Enter and Shift-Enter */
	/* Images. */
	MSG_IMAGES, /* look: the abilities of the terminal; flag: show no images */
	/* number: id of the figure; flag: for the whole screen; picture: the model takes it, or NULL and
	 * text: why not */
	MSG_FIGURE_DRAWN,
	/* number: id of the figure; text: path; other: NULL or the error; flag: the file exists */
	MSG_FIGURE_SAVED,
	MSG_NOTICE,      /* text: an information */
	MSG_ERROR,       /* text: a problem */
	MSG_TEXT_UNSAFE, /* text: why unsaved text cannot be stored; flag: this prevents quitting */
	MSG_ANSWER,      /* from a kernel. serial: of the question; text: JSON, or NULL and other: why not */
	MSG_TABLE_FILE,  /* text, len: CSV; origin: its name; or other: why it could not be read */
	MSG_HISTORY,     /* text, len: the history file; number: the time, in s since 1970 */
	MSG_FILES,       /* text: lines of size, tab, name; NULL: unknown; flag: there are more */
	/* text, len: paths, each with a NUL; number: recent files among them, which come first */
	MSG_PICK_FILES,
	MSG_SETTINGS,       /* settings, n_settings */
	MSG_SETTING_STORED, /* text: name; other: why it was not stored; config: all current values */
	MSG_STOPPING,       /* the sandbox is being removed, which takes a while */
};

struct msg {
	enum msg_type type;
	uint64_t now_ns; /* always set */
	const struct event *event;
	const char *text, *other;
	size_t len;
	uint64_t number;
	uint32_t serial; /* MSG_RUN_…: the workbench's number for the run */
	int stream;
	bool flag;
	bool kept, attached; /* the sandbox outlives the workbench; it existed before */
	/* Bit i: language i is not installed on this machine, whose programs the sandbox uses. */
	uint32_t missing_langs;
	bool adopted; /* its origin is an existing container */
	const struct trm_lang *lang;
	const struct trm_result *result;
	const struct trm_display *display;
	const struct picture_style *look;
	struct picture *picture;
	const struct trm_stopping *stopping;
	const struct trm_metrics *metrics;
	const struct trm_entry *entries;
	size_t n_entries;
	const struct trm_container_info *container;
	const char *origin; /* image or container of which it was made; "" */
	const struct trm_limits *limits;
	const struct trm_mount *mounts;
	size_t n_mounts;
	const struct trm_guard *guards;
	size_t n_guards;
	const struct setting_row *settings;
	size_t n_settings;
	const struct trm_config *config;
	const char (*names)[64];
	size_t n_names;
};

#endif
