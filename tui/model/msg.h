/* SPDX-License-Identifier: MIT */
#ifndef TUI_MSG_H
#define TUI_MSG_H

/* Everything that can happen to the model. Texts and pointers are borrowed for the
 * length of one update(). */

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
	MSG_TICK,  /* number: ms left of the time limit of the run in hand, 0: none; time has passed
		      (model_tick_ms() told when) */
	MSG_SANDBOX_STARTING, /* text: its name; other: the backend's; limits; kept, attached */
	MSG_SANDBOX_READY,  /* text, other, limits, kept, attached as above; guards; number: its isolation */
	MSG_SANDBOX_KEPT,   /* kept: from now on */
	MSG_SANDBOX_CLOSED, /* text: the reason, or NULL when it was asked for */
	MSG_NO_ISOLATION,   /* text: why no level works here; the sandbox has not started */
	MSG_METRICS,        /* metrics */
	MSG_RUN_ACCEPTED,   /* number: of the run in its session */
	MSG_RUN_STARTED,
	MSG_RUN_JOINED, /* another program's run: lang, text, len: its code; other: whose; number; serial: the
			   next */
	MSG_SANDBOX_PROGRESS, /* text: what is being done before it is there */
	MSG_SANDBOX_WARNING,  /* text: a sentence */
	MSG_CLIENTS,          /* number: of programs attached to the sandbox */
	MSG_RUN_OUTPUT,       /* stream, text, len */
	MSG_RUN_DISPLAY,      /* display */
	MSG_RUN_INPUT,        /* text: the prompt; flag: secret */
	MSG_SANDBOXES,        /* entries, n_entries; text: NULL, or why there are none */
	MSG_CONTAINER,        /* container: that runs in an engine, or an engine that cannot be asked */
	MSG_CONTAINERS_END,   /* there are no more; text: NULL, or why no engine could be asked */
	MSG_INSIDE_PROGRESS,  /* text: what is being done before it can be looked into; "": nothing more */
	MSG_INSIDE_METRICS,   /* metrics: of the sandbox that is looked into */
	MSG_INSIDE_JOINED,    /* a run there: as MSG_RUN_JOINED */
	MSG_INSIDE_OUTPUT,    /* serial, stream, text, len */
	MSG_INSIDE_DONE,      /* serial, result */
	MSG_INSIDE_CLOSED,    /* text: why */
	MSG_RUN_MEMORY,       /* number: bytes in use: near the limit */
	MSG_RUN_STOPPING,     /* stopping */
	MSG_RUN_DONE,         /* result */
	MSG_RUN_REFUSED,      /* text: why it could not be asked for */
	MSG_LATE,             /* number, stream, text, len */
	MSG_SPILL, /* serial; text: what has become of it; flag: it goes on; other: not NULL: it has failed */
	/* Files. number: the buffer's id */
	MSG_OPENED,       /* text: path; other: NULL or the error; flag: it is a new file */
	MSG_ALREADY_OPEN, /* text: path */
	MSG_SAVED,        /* text: path; other: NULL or the error */
	MSG_FILE_CHANGED, /* text: path that somebody else has changed; flag: it is gone */
	MSG_RELOADED,     /* text: path; other: NULL or the error */
	MSG_FOUND,        /* text: what was left unsaved by a crash, a line each */
	MSG_SAVE_EXISTS,  /* text: path that exists already; flag: somebody else has changed it */
	MSG_COPY_EXISTS,  /* text: what lies where files are to be copied to; flag: it is a folder */
	MSG_THEMES,       /* names, n_names */
	MSG_PATH,         /* text: the completed path */
	MSG_RECORDING,    /* text: path; flag: it goes on; other: NULL or the error */
	MSG_EXPORTED,     /* text: path; number: of runs; other: NULL or the error; flag: the file exists */
	/* Images. */
	MSG_KEYS_DISTINCT,  /* the terminal tells keys apart that are one to others, such as Shift-Enter */
	MSG_IMAGES,         /* look: what the terminal can show; flag: nothing is to be */
	MSG_FIGURE_DRAWN,   /* number: the figure's id; flag: for the whole screen; picture, becomes the
			       model's; or NULL and text: why not */
	MSG_FIGURE_SAVED,   /* number: the figure's id; text: path; other: NULL or the error; flag: the file
			       exists */
	MSG_NOTICE,         /* text: something to tell */
	MSG_ERROR,          /* text: something that went wrong */
	MSG_TEXT_UNSAFE,    /* text: why unsaved text cannot be kept; flag: it was to be kept to quit */
	MSG_ANSWER,         /* of a kernel. serial: of the question; text: JSON, or NULL and other: why not */
	MSG_HISTORY,        /* text, len: the file of what was run; number: the time, in s since 1970 */
	MSG_FILES,          /* text: lines of size, tab, name; NULL: not known; flag: there are more */
	MSG_PICK_FILES,     /* text, len: paths, each ended by a NUL; number: of those opened lately, first */
	MSG_SETTINGS,       /* settings, n_settings */
	MSG_SETTING_STORED, /* text: its name; other: why it was not; config: all as they are now */
	MSG_STOPPING,       /* the sandbox is being torn down, and it takes a while */
};

struct msg {
	enum msg_type type;
	uint64_t now_ns; /* always set */
	const struct event *event;
	const char *text, *other;
	size_t len;
	uint64_t number;
	uint32_t serial; /* MSG_RUN_…: which run, by the workbench's own numbering */
	int stream;
	bool flag;
	bool kept, attached;    /* of the sandbox: it outlives us; it was there before us */
	uint32_t missing_langs; /* bit i: language i is not on this machine, whose programs it uses */
	bool adopted;           /* its origin is an existing container */
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
	const char *origin; /* image or container that it was made from; "" */
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
