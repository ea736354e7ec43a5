/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_H
#define TUI_MODEL_H

/* The whole state of the workbench. update() is the only thing that changes it (and
 * the app where an effect says so: opening and saving files); views read it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/lang.h>
#include <terrarium/metrics.h>
#include <terrarium/result.h>
#include <terrarium/sandbox.h>
#include <terrarium/session.h>

#include "command/keymap.h"
#include "editor/buffers.h"
#include "editor/editor.h"
#include "editor/vi.h"
#include "metrics/metrics.h"
#include "model/alerts.h"
#include "model/complete.h"
#include "model/confirm_loss.h"
#include "model/demo.h"
#include "model/file_picker.h"
#include "model/finder.h"
#include "model/kernel_query.h"
#include "model/layout.h"
#include "model/palette.h"
#include "model/peer_runs.h"
#include "model/replay.h"
#include "model/run_history.h"
#include "model/sandboxes.h"
#include "model/settings_page.h"
#include "model/tutor.h"
#include "model/variables.h"
#include "output/outpane.h"
#include "output/runs.h"
#include "widget/dialog.h"
#include "widget/field.h"
#include "widget/notices.h"

#define MODEL_GUARDS 24
#define MODEL_MOUNT_BYTES 216
#define MODEL_WAITING 16 /* runs that may wait behind the one in hand */

enum sandbox_state { SANDBOX_STARTING, SANDBOX_READY, SANDBOX_DEAD };

/* What is known of the sandbox. */
struct sandbox_info {
	enum sandbox_state state;
	char name[65];
	char backend[32];
	char origin[128];             /* image or container that it was made from; "" */
	bool is_adopted;              /* … which was there before, and keeps its own limits and network */
	char doing[160];              /* while it starts: what takes its time; "" */
	bool is_kept;                 /* it outlives the workbench … */
	bool is_attached;             /* … and so does one that was there before */
	char words[TRM_SERVER_WORDS]; /* by which a command line gets at it; "" */
	char reason[560];             /* why it died: a sentence */
	bool was_ready;               /* it has started */
	bool is_open;                 /* nothing isolates it */
	uint32_t missing_langs;       /* bit i: language i is not installed; 0: or not known */
	struct trm_limits limits;
	struct trm_guard guards[MODEL_GUARDS];
	size_t n_guards;
	struct {
		bool is_writable;
		char words[MODEL_MOUNT_BYTES];
	} mounts[TRM_MOUNTS_MAX];
	size_t n_mounts;
};

/* How far the stopping of the run in hand has got; see stopping.h. */
struct ladder {
	enum trm_stop step, next;
	uint64_t next_at_ns; /* of `next`, if it is not held */
	bool is_held;
};

/* Of the call that is being typed, and where that is; see inspect.h. */
struct signature {
	char text[240];
	uint32_t buffer;
	size_t line, pos;
	size_t asked_pos; /* of the call that the kernel was asked about last */
};

/* The run in hand. */
struct active_run {
	enum run_state state; /* RUN_NONE: nothing runs */
	uint32_t serial;
	const struct trm_lang *lang;
	uint64_t started_ns; /* when it was asked for, then when it started */
	struct ladder ladder;
	uint64_t paused_ns;    /* since when it stands still before the memory limit; 0: it does not */
	uint64_t memory_bytes; /* in use then */
	uint64_t left_ms;      /* of its time limit; 0: none, or not known */
	bool reads_line;       /* it waits for a line of input */
	bool is_secret;
	bool is_install; /* no code: packages are being installed */
	char prompt[256];
};

/* Where the cursor goes when code has been started. */
enum run_then { RUN_THEN_STAY, RUN_THEN_NEXT_CELL, RUN_THEN_NEXT_LINE };

/* Lines that were sent to runs. */
#define INPUT_LINES 200
struct input_history {
	char *lines[INPUT_LINES]; /* oldest first; owned */
	size_t n, at;             /* how many; which is shown (n: none) */
};
void input_history_finish(struct input_history *h); /* input_update.c; takes a zeroed object */

struct model {
	int rows, cols;
	struct layout layout;
	struct layout_request panes; /* how they shall lie */
	enum border moving;          /* a border is being dragged */
	bool has_utf8;               /* borders and graphs may use more than ASCII */
	enum pane focus;
	enum pane focus_back; /* where focus goes when the run that asks for input has ended */
	bool owes_focus;
	struct keymap keymap;
	bool tells_keys;   /* the terminal does, also those that are one to others: Enter and Shift-Enter */
	struct keys typed; /* of a sequence that is not complete */
	enum pane mouse_pane; /* that a drag began in */
	bool has_mouse_pane;

	struct vi vi; /* its keys, if the key map is vi's */

	struct buffers buffers;
	struct clipboard clipboard;
	struct finder finder;
	const struct trm_lang *lang; /* of the current buffer */
	struct grammars *grammars;   /* borrowed; NULL: no colors for code */

	struct outpane out;
	struct active_run run;
	uint32_t waiting[MODEL_WAITING]; /* serials of the runs behind it, next first */
	size_t n_waiting;
	bool has_last; /* a run has ended */
	enum trm_status last_status;
	uint64_t last_wall_us;
	struct peer_runs peer_runs;
	struct field input; /* the line for stdin */
	bool has_input;     /* it is open */
	struct input_history input_history;

	struct sandbox_info sandbox;
	struct metrics metrics; /* of our own sandbox */
	struct signal_target {
		uint32_t pid;
		uint64_t start;
		char command[64];
		int signo;
	} target; /* that a question about a signal is about */
	enum graph_style graph_style;
	struct alerts alerts;
	struct sandboxes sandboxes;

	struct kernel_queries kernel_queries;
	struct variables variables[TRM_LANG_MAX];
	struct variables_page variables_page;
	uint64_t variables_due_ns; /* when the kernels may be asked for them */
	struct loss_question loss_question;
	struct run_history run_history;
	uint64_t first_disk_bytes; /* in the sandbox's files when it was new */
	struct signature signature;
	struct complete completion;
	bool auto_complete; /* offer members as soon as the dot is typed */

	struct dialog dialog;
	struct palette palette;
	struct settings_page settings_page;
	struct file_picker file_picker;
	char pending_path[4096]; /* that a question is about */
	uint32_t pending_buffer; /* that a question is about */
	uint32_t closing_buffer; /* is closed as soon as it is saved; 0: none */
	char theme[64];          /* in use, but for previews */
	struct notices notices;

	struct replay replay; /* a recording is shown */
	struct tutor tutor;
	struct demo demo; /* a file is shown cell by cell */
	int foot_rows;    /* rows below the layout, for what these two say */
	bool is_recording;
	struct editor_run to_run; /* what was asked for last */
	enum run_then run_then;
	bool confirm;              /* ask before a run … */
	bool trusts_session;       /* … but in this session only about findings of high severity; … */
	char trust[128];           /* … and so in sandboxes of these backends */
	bool runs_when_chosen;     /* the dialog about that was opened by a question about a run */
	struct trm_policy *policy; /* what code is looked at with before it; NULL: nothing. Borrowed */
	bool policy_asks;          /* what it refuses is asked about in any case */
	uint32_t timeout_ms, grace_ms, terminate_grace_ms;
	uint64_t now_ns; /* of the last message */
	bool is_quitting;
	bool text_is_unsafe; /* unsaved text could not be kept outside of this process */
	bool is_slow_to_quit;
	bool needs_draw;         /* something to be seen has changed; … */
	bool needs_editor_draw;  /* … only in the editor */
	bool needs_metrics_draw; /* … only in the metrics */
};

struct model_opts {
	int rows, cols;
	bool has_utf8;
	enum graph_style graph_style; /* wanted; without UTF-8 it is ASCII */
	struct alert_opts alerts;
	const struct trm_lang *lang;
	const char *theme;
	bool confirm;
	const char *trust; /* the setting; NULL: none */
	struct trm_policy *policy;
	bool policy_asks;
	bool auto_close, wrap, auto_complete, has_history;
	uint32_t timeout_ms, grace_ms, terminate_grace_ms;
	struct trm_limits limits;
	size_t scrollback_bytes;
	bool images_off;    /* images are not drawn */
	int cell_w, cell_h; /* pixels of a cell; 0: not known */
	uint32_t pictures;  /* where their numbers begin, which the terminal shares with other programs */
};

int model_init(struct model *m, const struct model_opts *opts); /* 0 or TRM_ENOMEM */
void model_finish(struct model *m);                             /* takes a zeroed object */

static inline struct editor *model_editor(const struct model *m)
{
	return &buffers_current(&m->buffers)->editor;
}

static inline bool model_is_running(const struct model *m)
{
	return m->run.state != RUN_NONE;
}

/* Work the layout out again after a change of size or focus. */
void model_relayout(struct model *m);
void model_focus(struct model *m, enum pane pane);

enum { OUTPUT_ROWS_MIN = 24, OUTPUT_COLS_MIN = 80 }; /* of the screen that programs draw on */
/* Where the output pane's text is: without the margin and the input line. */
struct rect model_output_area(const struct model *m);
/* The columns of that, or what it will have when it is shown. */
int model_output_cols(const struct model *m);
/* Where the editor's text is: without the bar for finding. */
struct rect model_editor_area(const struct model *m);

/* -1, or in how many ms a MSG_TICK is due because something shown depends on the time. */
int model_tick_ms(const struct model *m);

#endif
