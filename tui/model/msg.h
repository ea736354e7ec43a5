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
struct order;
struct picture_style;
struct setting_row;
struct settings;
struct trm_container_info;
struct trm_entry;
struct trm_findings;
struct trm_lang;
struct trm_result;
struct trm_display;
struct trm_stopping;

/* After the colon: the member of struct msg that goes with it. */
enum msg_type {
	MSG_ORDER,            /* : order, of a front end without keys */
	MSG_EVENT,            /* : event, a key, the mouse, a paste, a new size */
	MSG_TICK,             /* : left_ms; time has passed (see model_tick_ms()) */
	MSG_KEYS_DISTINCT,    /* the terminal can tell similar keys apart, such as Enter and Shift-Enter */
	MSG_NOTICE,           /* : text, an information */
	MSG_ERROR,            /* : text, a problem */
	MSG_STOPPING,         /* the sandbox is being removed, which takes a while */
	MSG_SANDBOX_STARTING, /* : sandbox, of which guards and isolation are not known yet */
	MSG_SANDBOX_PROGRESS, /* : text, the current step of the start */
	MSG_SANDBOX_WARNING,  /* : text, a sentence */
	MSG_SANDBOX_READY,    /* : sandbox */
	MSG_SANDBOX_KEPT,     /* : is_kept, the new state */
	MSG_SANDBOX_CLOSED,   /* : text, the reason, or NULL if the end was requested */
	MSG_NO_ISOLATION,     /* : text of trm_isolation_explain(); the sandbox has not started */
	MSG_CAUGHT_UP,        /* all runs that were there before have been joined */
	MSG_CLIENTS,          /* : n_clients, of the sandbox */
	MSG_CLIENT,           /* : client */
	MSG_METRICS,          /* : metrics */
	MSG_SCANNED,          /* : findings in the code to run */
	MSG_RUN_ACCEPTED,     /* : run.number */
	MSG_RUN_STARTED,      /* : run */
	MSG_RUN_JOINED,       /* : run.joined, a run of another client; run.serial is the next one */
	MSG_RUN_OUTPUT,       /* : run.output */
	MSG_RUN_DISPLAY,      /* : run.display */
	MSG_RUN_INPUT,        /* : run.input */
	MSG_RUN_MEMORY,       /* : run.memory_bytes in use, which are near the limit */
	MSG_RUN_STOPPING,     /* : run.stopping */
	MSG_RUN_DONE,         /* : run.result */
	MSG_RUN_REFUSED,      /* : run.why it could not be requested */
	MSG_SPILL,            /* : run.spill */
	MSG_LATE,             /* : late, output after the end of its run */
	MSG_SANDBOXES,        /* : sandboxes */
	MSG_CONTAINER,        /* : container, of an engine, or an engine that cannot be asked */
	MSG_CONTAINERS_END,   /* : text, NULL, or why no engine could be asked */
	MSG_INSIDE_PROGRESS,  /* : text, the current step of looking into a sandbox; "": done */
	MSG_INSIDE_METRICS,   /* : metrics, of the sandbox that is shown */
	MSG_INSIDE_CAUGHT_UP, /* as MSG_CAUGHT_UP, in that sandbox */
	MSG_INSIDE_JOINED,    /* : run.joined, in that sandbox */
	MSG_INSIDE_OUTPUT,    /* : run.output */
	MSG_INSIDE_DONE,      /* : run.result */
	MSG_INSIDE_CLOSED,    /* : text, the reason */
	MSG_OPENED,           /* : file */
	MSG_ALREADY_OPEN,     /* : file */
	MSG_SAVING,       /* : text, a save takes a while and goes on in the background; MSG_SAVED follows */
	MSG_SAVED,        /* : file */
	MSG_LEAVING,      /* : text, the file that is awaited before the workbench quits; NULL: none */
	MSG_RELOADED,     /* : file */
	MSG_FILE_CHANGED, /* : file_changed, by another program */
	MSG_SAVE_EXISTS,  /* : save_exists */
	MSG_COPY_EXISTS,  /* : copy_exists */
	MSG_FOUND,        /* : text, unsaved buffers that a crash has left, one per line */
	MSG_TEXT_UNSAFE,  /* : text_unsafe */
	MSG_PATH,         /* : path */
	MSG_PICK_FILES,   /* : picks */
	MSG_THEMES,       /* : themes */
	MSG_SETTINGS,     /* : settings */
	MSG_SETTING_STORED, /* : setting */
	MSG_REPLAY_END,     /* the recording that is shown has no more, or cannot go on */
	MSG_RECORDING,      /* : recording */
	MSG_EXPORTED,       /* : exported */
	MSG_IMAGES,         /* : images */
	MSG_FIGURE_DRAWN,   /* : figure_drawn */
	MSG_FIGURE_SAVED,   /* : figure_saved */
	MSG_ANSWER,         /* : answer, from a kernel */
	MSG_TABLE_FILE,     /* : table_file */
	MSG_HISTORY,        /* : history */
	MSG_FILES,          /* : files */
};

/* A path that was completed. */
struct msg_path {
	const char *text;  /* what all fitting paths have in common */
	const char *names; /* several that fit, "no matches", or NULL: it is complete */
};

/* The facts about a sandbox. */
struct msg_sandbox {
	const char *name, *backend;
	const char *origin;        /* image or container of which it was made; "" */
	bool is_adopted;           /* … which is a container that existed before */
	bool is_kept, is_attached; /* it outlives the workbench; it existed before */
	const struct trm_limits *limits;
	const struct trm_mount *mounts;
	size_t n_mounts;
	const struct trm_guard *guards;
	size_t n_guards;
	int isolation; /* a TRM_ISOLATION_… */
	/* Bit i: language i is not installed on this machine, whose programs the sandbox uses. */
	uint32_t missing_langs;
};

/* Something about a run. */
struct msg_run {
	uint32_t serial; /* the workbench's number for the run */
	union {
		uint64_t number; /* in its session */
		struct {
			uint64_t number; /* 0: a command */
			const struct trm_lang *lang;
			const char *code;
			size_t len;
			const char *by;    /* the client; NULL or "": unknown */
			uint64_t age_ms;   /* since it began; 0: unknown */
			uint64_t began_ms; /* by the system clock; 0: unknown */
		} joined;
		struct {
			int stream;
			const char *bytes;
			size_t len;
		} output;
		const struct trm_display *display;
		struct {
			const char *prompt; /* may be NULL */
			bool is_secret;
		} input;
		uint64_t memory_bytes;
		const struct trm_stopping *stopping;
		const struct trm_result *result;
		const char *why;
		struct {
			const char *text; /* the result */
			bool goes_on, has_failed;
		} spill;
	};
};

struct msg {
	enum msg_type type;
	uint64_t now_ns; /* always set */
	union {
		const struct event *event;
		const struct order *order;
		uint64_t left_ms; /* until the time limit of the current run; 0: none */
		const char *text;
		struct msg_path path;
		struct msg_sandbox sandbox;
		bool is_kept;
		unsigned n_clients;
		struct {
			uint32_t id;      /* of another program */
			const char *what; /* NULL: it has gone */
		} client;
		const struct trm_metrics *metrics;
		struct trm_findings *findings; /* the model takes what is in it; NULL: it was not scanned */
		struct msg_run run;
		struct {
			uint64_t number; /* of the run */
			int stream;
			const char *bytes;
			size_t len;
		} late;
		struct {
			const struct trm_entry *entries;
			size_t n;
			const char *why; /* there is no list; NULL: there is one */
			const struct trm_pool_entry *pools;
			size_t n_pools;
		} sandboxes;
		const struct trm_container_info *container;
		struct {
			uint32_t buffer;
			const char *path;
			const char *error; /* NULL: none */
			bool is_new;       /* the file does not exist yet */
			bool closes;       /* the buffer was saved to be closed */
			bool is_behind;    /* after MSG_SAVING */
		} file;
		struct {
			uint32_t buffer;
			const char *path;
			bool is_deleted;
		} file_changed;
		struct {
			uint32_t buffer;
			const char *path; /* of an existing file … */
			bool is_changed;  /* … that another program has changed */
			bool closes;
		} save_exists;
		struct {
			const char *path; /* the existing target of a copy */
			bool is_folder;
		} copy_exists;
		struct {
			const char *why;  /* unsaved text cannot be stored … */
			bool is_quitting; /* … which prevents quitting */
		} text_unsafe;
		struct {
			const char *paths; /* each with a NUL … */
			size_t len;
			size_t n_recent; /* … and recent files come first */
		} picks;
		struct {
			const char (*names)[64];
			size_t n;
		} themes;
		struct {
			const struct setting_row *rows;
			size_t n;
		} settings;
		struct {
			const char *name;
			const char *why;               /* it was not stored; NULL: it was */
			const struct settings *values; /* all current values */
		} setting;
		struct {
			const char *path;
			const char *error; /* NULL: none */
			bool goes_on;
		} recording;
		struct {
			const char *path;
			const char *error; /* NULL: none */
			size_t n_runs;
			bool exists; /* the file, which was left alone */
		} exported;
		struct {
			const struct picture_style *look; /* the abilities of the terminal */
			bool is_off;                      /* show no images */
		} images;
		struct {
			uint32_t id;
			bool is_zoom;            /* for the whole screen */
			struct picture *picture; /* the model takes it; or NULL … */
			const char *why;         /* … and why not */
		} figure_drawn;
		struct {
			uint32_t id;
			const char *path;
			const char *error; /* NULL: none */
			bool exists;       /* the file, which was left alone */
		} figure_saved;
		struct {
			uint32_t serial;  /* of the question */
			const char *json; /* NULL … */
			const char *why;  /* … and why not */
		} answer;
		struct {
			const char *name;
			const char *bytes; /* CSV */
			size_t len;
			const char *why; /* it could not be read; NULL: it was */
		} table_file;
		struct {
			const char *bytes; /* the file; may be NULL */
			size_t len;
			int64_t now_s; /* since 1970 */
		} history;
		struct {
			const char *lines; /* of size, tab, name; NULL: unknown */
			bool has_more;
			bool is_kept; /* the sandbox, now: its owner may have changed that */
		} files;
	};
};

#endif
