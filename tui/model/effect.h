/* SPDX-License-Identifier: MIT */
#ifndef TUI_EFFECT_H
#define TUI_EFFECT_H

/* What update() asks the app to do. A list that the app carries out, in order, and
 * empties. Texts are owned by the list. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/session.h>

struct trm_lang;

enum effect_type {
	EFFECT_RUN,       /* text, len: the code; lang; number: the run's serial; buffer */
	EFFECT_INSTALL,   /* text: names of packages, blanks between; lang; number: as of a run */
	EFFECT_INTERRUPT, /* number: serial of the run; a second one kills it */
	EFFECT_HOLD,      /* number: serial of the run: hold the clock of its stopping */
	EFFECT_EXTEND,    /* number: serial of the run: give it as much time again */
	EFFECT_LET_GO,    /* … and let it go on */
	EFFECT_SANDBOXES, /* look for running sandboxes from now on; answered by MSG_SANDBOXES, again and
			     again */
	EFFECT_SANDBOXES_END,
	EFFECT_CONTAINERS, /* ask the engines what else runs; MSG_CONTAINER for each, then MSG_CONTAINERS_END
			    */
	EFFECT_PEEK,       /* text: name of a sandbox; MSG_INSIDE_… follow */
	EFFECT_LOOK_CONTAINER, /* text: name of its engine, NUL, its id; the same follows */
	EFFECT_LOOK_END,
	EFFECT_STOP_SANDBOX, /* text: its name; number, identity: its supervisor */
	EFFECT_PAUSE,        /* number: serial of the run: stand still … */
	EFFECT_RESUME,       /* … and go on */
	EFFECT_BELL,         /* draw attention */
	EFFECT_NOTIFY,       /* text: as a notification of the terminal's desktop (OSC 9) */
	EFFECT_ASK,          /* lang, text, number: serial, question, cursor; answered by MSG_ANSWER */
	EFFECT_SIGNAL,       /* number: process in the sandbox; identity, signo, flag: its descendants too */
	EFFECT_STDIN,        /* text, len, the newline included; number: serial of the run */
	EFFECT_STDIN_EOF,    /* number: serial of the run */
	EFFECT_WARM,         /* start the kernel of `lang`, so that its first run need not wait */
	EFFECT_RESTART_KERNEL,  /* lang */
	EFFECT_RESTART_SANDBOX, /* another in place of the one that is there */
	EFFECT_REMEMBER,        /* text: a line for the file of what was run, a JSON object */
	EFFECT_READ_HISTORY,    /* answered by MSG_HISTORY */
	EFFECT_LIST_FILES,      /* of /workspace; answered by MSG_FILES */
	EFFECT_START_SANDBOX,   /* after the old one has died */
	EFFECT_OPEN,            /* text: path; lang: that it is taken to be in */
	EFFECT_PICK_FILES,      /* answered by MSG_PICK_FILES */
	EFFECT_SAVE,            /* buffer; text: path, or NULL for the buffer's own */
	EFFECT_SAVE_CHECKED,    /* as EFFECT_SAVE, but ask before a file that exists is replaced */
	EFFECT_KEEP_OUTPUT,     /* text, len: into a new file; number: of the run that it is from */
	EFFECT_SPILL, /* number: serial of the run: its output goes to a new file, too; MSG_SPILL tells */
	EFFECT_SPILL_END,
	EFFECT_COPY_FILES,       /* text: from, NUL, to; flag: out of the sandbox, else into it */
	EFFECT_COPY_CHECKED,     /* as EFFECT_COPY_FILES, but ask before what lies here is replaced */
	EFFECT_COPY,             /* text, len: to the terminal's clipboard */
	EFFECT_THEME,            /* text: name */
	EFFECT_LIST_THEMES,      /* answered by MSG_THEMES */
	EFFECT_COMPLETE_PATH,    /* text: what was typed; answered by MSG_PATH */
	EFFECT_SEEK,             /* number: time in the recording, in us; also when its speed has changed */
	EFFECT_EXPORT,           /* text: path, its ending is the format; answered by MSG_EXPORTED */
	EFFECT_EXPORT_OVER,      /* the same, though the file exists */
	EFFECT_RECORD,           /* text: path; answered by MSG_RECORDING */
	EFFECT_RECORD_STOP,      /* answered by MSG_RECORDING */
	EFFECT_ASK_TERMINAL,     /* which images it can show; answered by MSG_IMAGES */
	EFFECT_DRAW_FIGURE,      /* number: its id; answered by MSG_FIGURE_DRAWN */
	EFFECT_ZOOM_FIGURE,      /* the same, for the whole screen */
	EFFECT_SAVE_FIGURE,      /* number: its id; text: path; answered by MSG_FIGURE_SAVED */
	EFFECT_SAVE_FIGURE_OVER, /* the same, though the file exists */
	EFFECT_OPEN_FIGURE,      /* number: its id; with the desktop's program */
	EFFECT_REPAINT,          /* trust nothing on the screen */
	EFFECT_RELOAD,           /* buffer: read its file again */
	EFFECT_EDIT_OUTSIDE,     /* buffer: in $VISUAL or $EDITOR */
	EFFECT_RECOVER,          /* number: enum recover_answer */
	EFFECT_QUIT_SAVING,      /* save the buffers that have files, then quit */
	EFFECT_QUIT_DISCARDING,  /* quit without the text of unsaved buffers */
	EFFECT_QUIT_STOPPING,    /* the sandbox, whatever it is */
	EFFECT_DETACH,           /* quit, and leave the sandbox running */
	EFFECT_KEEP,     /* flag: the sandbox outlives us from now on, or not; answered by MSG_SANDBOX_KEPT */
	EFFECT_SETTINGS, /* answered by MSG_SETTINGS */
	EFFECT_SETTING,  /* text: its name, NUL, its value: into the config file; answered by
			    MSG_SETTING_STORED */
	EFFECT_GO_WITHOUT, /* start a sandbox without isolation; flag: from now on, on this machine */
	EFFECT_QUIT,       /* the text of unsaved buffers is there again at the next start */
};

/* What becomes of unsaved texts that were found. */
enum recover_answer { RECOVER_LATER, RECOVER_RESTORE, RECOVER_DISCARD };

struct effect {
	enum effect_type type;
	const struct trm_lang *lang;
	char *text; /* NUL-terminated, or NULL */
	size_t len;
	uint64_t number;
	enum trm_question question; /* EFFECT_ASK */
	size_t cursor;
	uint32_t buffer; /* id of the buffer that it is about; 0: none */
	uint64_t identity;
	int signo;
	bool flag;
};

struct effects {
	struct effect *items;
	size_t n, cap;
};

void effects_finish(struct effects *e); /* takes a zeroed object */
void effects_clear(struct effects *e);

/* Add one; `text` (len bytes, may be NULL) is copied. Out of memory: it is not added, false. */
bool effect_add(struct effects *e, enum effect_type type, const struct trm_lang *lang, const char *text,
		size_t len, uint64_t number);
bool effect_plain(struct effects *e, enum effect_type type);
bool effect_number(struct effects *e, enum effect_type type, uint64_t number);
bool effect_text(struct effects *e, enum effect_type type, const struct trm_lang *lang, const char *text);
bool effect_setting(struct effects *e, const char *name, const char *value);
/* About a buffer; `text` may be NULL. */
bool effect_buffer(struct effects *e, enum effect_type type, uint32_t buffer, const char *text);

#endif
