/* SPDX-License-Identifier: MIT */
#ifndef TUI_EFFECT_H
#define TUI_EFFECT_H

/* What update() asks the app to do. The app carries out the list in order and empties it. The list owns its
 * texts. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/session.h>
#include <terrarium/table.h>

struct trm_lang;

enum effect_type {
	EFFECT_RUN,       /* text, len: the code; lang; number: serial of the run; buffer */
	EFFECT_INSTALL,   /* text: package names, separated by blanks; lang; number: serial of the run */
	EFFECT_INTERRUPT, /* number: serial of the run; the second interrupt kills it */
	EFFECT_HOLD,      /* number: serial of the run; pause the countdown of its stop */
	EFFECT_EXTEND,    /* number: serial of the run; grant the same time limit once more */
	EFFECT_LET_GO,    /* number: serial of the run; resume the countdown of its stop */
	EFFECT_SANDBOXES, /* list running sandboxes from now on; answered by MSG_SANDBOXES, repeatedly */
	EFFECT_SANDBOXES_END,
	/* List the containers of the engines; answered by MSG_CONTAINER for each, then MSG_CONTAINERS_END. */
	EFFECT_CONTAINERS,
	EFFECT_PEEK,           /* text: name of a sandbox; MSG_INSIDE_… follow */
	EFFECT_LOOK_CONTAINER, /* text: engine, NUL, id of the container; MSG_INSIDE_… follow */
	EFFECT_LOOK_END,
	EFFECT_STOP_SANDBOX, /* text: name; number, identity: its supervisor */
	EFFECT_PAUSE,        /* number: serial of the run; suspend it … */
	EFFECT_RESUME,       /* … and continue it */
	EFFECT_BELL,         /* ring the bell */
	EFFECT_NOTIFY,       /* text: a notification of the terminal's desktop (OSC 9) */
	EFFECT_ASK,          /* lang, text, number: serial, question, cursor; answered by MSG_ANSWER */
	/* number: process in the sandbox; identity, signo, flag: include its descendants */
	EFFECT_SIGNAL,
	EFFECT_STDIN,           /* text, len: including the newline; number: serial of the run */
	EFFECT_STDIN_EOF,       /* number: serial of the run */
	EFFECT_WARM,            /* start the kernel of `lang` early, so that its first run does not wait */
	EFFECT_RESTART_KERNEL,  /* lang */
	EFFECT_RESTART_SANDBOX, /* replace the sandbox with a new one */
	EFFECT_REMEMBER,        /* text: a line for the history file, a JSON object */
	EFFECT_READ_HISTORY,    /* answered by MSG_HISTORY */
	EFFECT_LIST_FILES,      /* of /workspace; answered by MSG_FILES */
	EFFECT_START_SANDBOX,   /* after the previous one has ended */
	EFFECT_OPEN,            /* text: path; lang: the assumed language */
	EFFECT_PICK_FILES,      /* answered by MSG_PICK_FILES */
	EFFECT_SAVE,            /* buffer; text: path, or NULL for the path of the buffer */
	EFFECT_SAVE_CHECKED,    /* like EFFECT_SAVE, but ask before an existing file is replaced */
	EFFECT_KEEP_OUTPUT,     /* text, len: for a new file; number: the run that printed it */
	/* number: serial of the run; also write its output to a new file; answered by MSG_SPILL */
	EFFECT_SPILL,
	EFFECT_SPILL_END,
	EFFECT_COPY_FILES, /* text: source, NUL, target; flag: out of the sandbox, else into it */
	/* Like EFFECT_COPY_FILES, but ask before an existing file here is replaced. */
	EFFECT_COPY_CHECKED,
	EFFECT_COPY,          /* text, len: for the terminal's clipboard */
	EFFECT_THEME,         /* text: name */
	EFFECT_LIST_THEMES,   /* answered by MSG_THEMES */
	EFFECT_COMPLETE_PATH, /* text: the typed path; answered by MSG_PATH */
	EFFECT_SEEK,          /* number: time in the recording, in us; also after a change of speed */
	EFFECT_EXPORT,        /* text: path, whose extension decides the format; answered by MSG_EXPORTED */
	EFFECT_EXPORT_OVER,   /* the same, though the file exists */
	EFFECT_RECORD,        /* text: path; answered by MSG_RECORDING */
	EFFECT_RECORD_STOP,   /* answered by MSG_RECORDING */
	EFFECT_ASK_TERMINAL,  /* ask which images it can show; answered by MSG_IMAGES */
	EFFECT_DRAW_FIGURE,   /* number: its id; answered by MSG_FIGURE_DRAWN */
	EFFECT_ZOOM_FIGURE,   /* the same for the whole screen */
	EFFECT_SAVE_FIGURE,   /* number: its id; text: path; answered by MSG_FIGURE_SAVED */
	EFFECT_SAVE_FIGURE_OVER, /* the same, though the file exists */
	EFFECT_OPEN_FIGURE,      /* number: its id; open it with a program of the desktop */
	EFFECT_SAVE_ALL,         /* text: folder, for all artifacts; answered by a notice */
	EFFECT_REPAINT,          /* redraw the whole screen */
	EFFECT_RELOAD,           /* buffer: read its file again */
	EFFECT_EDIT_OUTSIDE,     /* buffer: edit it in $VISUAL or $EDITOR */
	EFFECT_RECOVER,          /* number: enum recover_answer */
	EFFECT_QUIT_SAVING,      /* save the buffers that have files, then quit */
	EFFECT_QUIT_DISCARDING,  /* quit and drop the text of unsaved buffers */
	EFFECT_QUIT_STOPPING,    /* quit and stop the sandbox, even a kept one */
	EFFECT_DETACH,           /* quit and leave the sandbox running */
	/* flag: keep the sandbox when the workbench ends, or not; answered by MSG_SANDBOX_KEPT */
	EFFECT_KEEP,
	EFFECT_SETTINGS,   /* answered by MSG_SETTINGS */
	EFFECT_SETTING,    /* text: name, NUL, value for the config file; answered by MSG_SETTING_STORED */
	EFFECT_GO_WITHOUT, /* start a sandbox without isolation; flag: always, on this machine */
	EFFECT_READ_TABLE, /* text: path of a file in the sandbox; answered by MSG_TABLE_FILE */
	EFFECT_QUIT,       /* quit; the text of unsaved buffers comes back at the next start */
};

/* What becomes of unsaved texts that were found. */
enum recover_answer { RECOVER_LATER, RECOVER_RESTORE, RECOVER_DISCARD };

struct effect {
	enum effect_type type;
	const struct trm_lang *lang;
	char *text; /* NUL-terminated, or NULL */
	size_t len;
	uint64_t number;
	enum trm_question question;   /* EFFECT_ASK */
	struct trm_table_query table; /* … of TRM_ASK_TABLE; its texts are in `text`: path, NUL, find */
	size_t cursor;
	uint32_t buffer; /* id of the buffer; 0: none */
	uint64_t identity;
	int signo;
	bool flag;
};

struct effects {
	struct effect *items;
	size_t n, cap;
};

void effects_finish(struct effects *e); /* accepts a zeroed object */
void effects_clear(struct effects *e);

/* Add an effect. `text` (len bytes, may be NULL) is copied. False: out of memory, nothing was added. */
bool effect_add(struct effects *e, enum effect_type type, const struct trm_lang *lang, const char *text,
		size_t len, uint64_t number);
bool effect_plain(struct effects *e, enum effect_type type);
bool effect_number(struct effects *e, enum effect_type type, uint64_t number);
bool effect_text(struct effects *e, enum effect_type type, const struct trm_lang *lang, const char *text);
bool effect_setting(struct effects *e, const char *name, const char *value);
/* Add an effect about a buffer. `text` may be NULL. */
bool effect_buffer(struct effects *e, enum effect_type type, uint32_t buffer, const char *text);

#endif
