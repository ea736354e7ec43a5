/* SPDX-License-Identifier: MIT */
#ifndef TUI_EFFECT_H
#define TUI_EFFECT_H

/* What update() asks the app to do. The app carries out the list in order and empties it. The list owns the
 * texts of its effects; each ends with a NUL. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/session.h>
#include <terrarium/table.h>

struct trm_lang;

/* After the colon: the member of struct effect that goes with it. */
enum effect_type {
	EFFECT_SCAN,      /* : scan, by the policy; answered by MSG_SCANNED */
	EFFECT_RUN,       /* : run */
	EFFECT_INSTALL,   /* : install */
	EFFECT_INTERRUPT, /* : serial; the second interrupt kills the run */
	EFFECT_HOLD,      /* : serial; pause the countdown of its stop … */
	EFFECT_LET_GO,    /* : serial; … and resume it */
	EFFECT_EXTEND,    /* : serial; grant the same time limit once more */
	EFFECT_PAUSE,     /* : serial; suspend it … */
	EFFECT_RESUME,    /* : serial; … and continue it */
	EFFECT_STDIN,     /* : input */
	EFFECT_STDIN_EOF, /* : serial */
	EFFECT_SPILL,     /* : serial; also write its output to a new file; answered by MSG_SPILL … */
	EFFECT_SPILL_END, /* : serial; … until this */
	EFFECT_SANDBOXES, /* list running sandboxes from now on; answered by MSG_SANDBOXES, repeatedly */
	EFFECT_SANDBOXES_END,
	/* List the containers of the engines; answered by MSG_CONTAINER for each, then MSG_CONTAINERS_END. */
	EFFECT_CONTAINERS,
	EFFECT_PEEK,           /* : name, of a sandbox; MSG_INSIDE_… follow */
	EFFECT_LOOK_CONTAINER, /* : container; MSG_INSIDE_… follow */
	EFFECT_LOOK_END,
	EFFECT_STOP_SANDBOX,    /* : stop_sandbox */
	EFFECT_BELL,            /* ring the bell */
	EFFECT_NOTIFY,          /* : text, a notification of the terminal's desktop (OSC 9) */
	EFFECT_ASK,             /* : ask; answered by MSG_ANSWER */
	EFFECT_SIGNAL,          /* : signal */
	EFFECT_WARM,            /* : lang; start its kernel early, so that its first run does not wait */
	EFFECT_RESTART_KERNEL,  /* : lang */
	EFFECT_RESTART_SANDBOX, /* replace the sandbox with a new one */
	EFFECT_START_SANDBOX,   /* after the previous one has ended */
	EFFECT_REMEMBER,        /* : text, a line for the history file, a JSON object */
	EFFECT_READ_HISTORY,    /* answered by MSG_HISTORY */
	EFFECT_LIST_FILES,      /* of /workspace; answered by MSG_FILES */
	EFFECT_OPEN,            /* : open */
	EFFECT_PICK_FILES,      /* answered by MSG_PICK_FILES */
	EFFECT_SAVE,            /* : save */
	EFFECT_SAVE_CHECKED,    /* : save; ask before an existing file is replaced */
	EFFECT_WRITE,         /* : save; a copy, if the buffer has another file; never over an existing one */
	EFFECT_WRITE_OVER,    /* : save; the same, though the file exists */
	EFFECT_RELOAD,        /* : buffer; read its file again */
	EFFECT_EDIT_OUTSIDE,  /* : buffer; edit it in $VISUAL or $EDITOR */
	EFFECT_KEEP_OUTPUT,   /* : keep_output */
	EFFECT_COPY_FILES,    /* : copy */
	EFFECT_COPY_CHECKED,  /* : copy; ask before an existing file here is replaced */
	EFFECT_COPY,          /* : text, for the terminal's clipboard */
	EFFECT_THEME,         /* : name */
	EFFECT_LIST_THEMES,   /* answered by MSG_THEMES */
	EFFECT_COMPLETE_PATH, /* : path, as typed; answered by MSG_PATH */
	EFFECT_READ_TABLE,    /* : path, in the sandbox; answered by MSG_TABLE_FILE */
	EFFECT_SEEK,          /* : at_us, in the recording; also after a change of speed */
	EFFECT_EXPORT,        /* : path, whose extension decides the format; answered by MSG_EXPORTED */
	EFFECT_EXPORT_OVER,   /* : path; the same, though the file exists */
	EFFECT_RECORD,        /* : path; answered by MSG_RECORDING */
	EFFECT_RECORD_STOP,   /* answered by MSG_RECORDING */
	EFFECT_ASK_TERMINAL,  /* ask which images it can show; answered by MSG_IMAGES */
	EFFECT_DRAW_FIGURE,   /* : figure; answered by MSG_FIGURE_DRAWN */
	EFFECT_ZOOM_FIGURE,   /* : figure; the same for the whole screen */
	EFFECT_OPEN_FIGURE,   /* : figure; open it with a program of the desktop */
	EFFECT_SAVE_FIGURE,   /* : save_figure; answered by MSG_FIGURE_SAVED */
	EFFECT_SAVE_FIGURE_OVER, /* : save_figure; the same, though the file exists */
	EFFECT_SAVE_ALL,         /* : path, a folder for all artifacts; answered by a notice */
	EFFECT_REPAINT,          /* redraw the whole screen */
	EFFECT_SUSPEND,          /* give the terminal to the shell until that continues the program */
	EFFECT_RECOVER,          /* : recover */
	EFFECT_KEEP,             /* : is_kept, when the workbench ends; answered by MSG_SANDBOX_KEPT */
	EFFECT_SETTINGS,         /* answered by MSG_SETTINGS */
	EFFECT_SETTING,          /* : setting, for the config file; answered by MSG_SETTING_STORED */
	EFFECT_GO_WITHOUT,       /* : is_always; start a sandbox without isolation */
	EFFECT_QUIT,             /* the text of unsaved buffers comes back at the next start */
	EFFECT_QUIT_SAVING,      /* save the buffers that have files, then quit */
	EFFECT_QUIT_DISCARDING,  /* quit and drop the text of unsaved buffers */
	EFFECT_QUIT_STOPPING,    /* quit and stop the sandbox, even a kept one */
	EFFECT_DETACH,           /* quit and leave the sandbox running */
	EFFECT_STAY,             /* do not leave when the saves have ended, after MSG_LEAVING */
};

/* What becomes of unsaved texts that were found. */
enum recover_answer { RECOVER_LATER, RECOVER_RESTORE, RECOVER_DISCARD };

struct save_request {
	uint32_t buffer;
	const char *path; /* NULL: that of the buffer */
	bool closes;      /* close the buffer when it is saved */
};

struct effect {
	enum effect_type type;
	union {
		struct {
			const struct trm_lang *lang;
			const char *code;
			size_t len;
		} scan;
		struct {
			const struct trm_lang *lang;
			const char *code;
			size_t len;
			uint32_t serial, buffer;
		} run;
		struct {
			const struct trm_lang *lang;
			char *packages; /* names, separated by blanks */
			bool is_shared; /* fetched outside of the sandbox, as the libraries of a run */
			uint32_t serial;
		} install;
		uint32_t serial; /* of a run */
		struct {
			uint32_t serial;
			const char *bytes; /* including the newline */
			size_t len;
		} input;
		struct {
			const char *engine, *id;
		} container;
		struct {
			const char *name;
			uint32_t supervisor_pid;
			uint64_t supervisor_start;
		} stop_sandbox;
		struct {
			const char *bytes;
			size_t len;
		} text;
		struct {
			uint32_t serial;
			enum trm_question question;
			const struct trm_lang *lang;
			const char *code;
			size_t cursor;
			struct trm_table_query table; /* of TRM_ASK_TABLE, instead of the code */
		} ask;
		struct {
			uint32_t pid; /* in the sandbox; it started at this time */
			uint64_t start;
			int signo;
		} signal;
		const struct trm_lang *lang;
		struct {
			const char *path;
			const struct trm_lang *lang; /* that it is assumed to be in */
		} open;
		struct save_request save;
		uint32_t buffer;
		struct {
			uint64_t run; /* number of the run that printed it; 0: unknown */
			const char *bytes;
			size_t len;
		} keep_output;
		struct {
			const char *from, *to;
			bool is_out; /* out of the sandbox, else into it */
		} copy;
		const char *name;
		const char *path;
		uint64_t at_us;
		uint32_t figure; /* its id */
		struct {
			uint32_t figure;
			const char *path;
		} save_figure;
		enum recover_answer recover;
		bool is_kept;
		struct {
			const char *name, *value;
		} setting;
		bool is_always; /* on this machine */
	};
};

struct effects {
	struct effect *items;
	size_t n, cap;
	struct effect_text *texts; /* list of all copies */
	bool is_short;             /* out of memory: the next effect is not added */
};

void effects_finish(struct effects *e); /* accepts a zeroed object */
void effects_clear(struct effects *e);

/* Copy a text for an effect that is added next. `text` may be NULL. Out of memory: effect_add() fails. */
char *effects_copy(struct effects *e, const char *text, size_t len);
char *effects_string(struct effects *e, const char *text);

/* Add an effect, whose texts were copied with the functions above. False: out of memory, nothing was added.
 */
bool effect_add(struct effects *e, struct effect effect);

/* The same for some members. */
bool effect_plain(struct effects *e, enum effect_type type);
bool effect_serial(struct effects *e, enum effect_type type, uint32_t serial);
bool effect_figure(struct effects *e, enum effect_type type, uint32_t figure);
bool effect_lang(struct effects *e, enum effect_type type, const struct trm_lang *lang);
bool effect_text(struct effects *e, enum effect_type type, const char *bytes, size_t len);
bool effect_name(struct effects *e, enum effect_type type, const char *name);
bool effect_path(struct effects *e, enum effect_type type, const char *path);
bool effect_open(struct effects *e, const char *path, const struct trm_lang *lang);
bool effect_buffer(struct effects *e, enum effect_type type, uint32_t buffer);
bool effect_save(struct effects *e, enum effect_type type, uint32_t buffer, const char *path);
bool effect_setting(struct effects *e, const char *name, const char *value);

#endif
