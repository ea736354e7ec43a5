/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_H
#define TUI_MODEL_H

/* The whole state of the workbench. Only update() changes it, and the app where an effect says so (opening
 * and saving files). Views read it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/lang.h>
#include <terrarium/metrics.h>
#include <terrarium/policy.h>
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
#include "model/find_all.h"
#include "model/finder.h"
#include "model/gallery.h"
#include "model/kernel_query.h"
#include "model/key_count.h"
#include "model/layout.h"
#include "model/palette.h"
#include "model/peer_runs.h"
#include "model/replay.h"
#include "model/run_history.h"
#include "model/sandboxes.h"
#include "model/settings_page.h"
#include "model/table_page.h"
#include "model/tutor.h"
#include "model/variable_tree.h"
#include "model/variables.h"
#include "output/artifacts.h"
#include "output/outpane.h"
#include "output/runs.h"
#include "widget/dialog.h"
#include "widget/field.h"
#include "widget/notices.h"

#define MODEL_GUARDS 24
#define MODEL_MOUNT_BYTES 216
#define MODEL_WAITING 16 /* runs that may wait after the current one */

enum sandbox_state { SANDBOX_STARTING, SANDBOX_READY, SANDBOX_DEAD };

/* The state of the sandbox. */
struct sandbox_info {
	enum sandbox_state state;
	char name[65];
	char backend[32];
	char origin[128]; /* image or container of which it was made; "" */
	bool is_adopted;  /* … which existed before, and keeps its own limits and network */
	char doing[160];  /* while it starts: the current step; "" */
	bool is_kept;     /* it outlives the workbench … */
	bool is_attached; /* … and it existed before the workbench */
	char remote_options[TRM_REMOTE_OPTIONS_BYTES]; /* for command lines; see trm_remote_format_options();
							  "" */
	char reason[560];                              /* the reason of its end: a sentence */
	bool was_ready;                                /* it has started */
	bool is_open;                                  /* it has no isolation */
	uint32_t missing_langs; /* bit i: language i is not installed; 0: all are installed, or unknown */
	struct trm_limits limits;
	struct trm_guard guards[MODEL_GUARDS];
	size_t n_guards;
	struct {
		bool is_writable;
		char text[MODEL_MOUNT_BYTES];
	} mounts[TRM_MOUNTS_MAX];
	size_t n_mounts;
};

/* The progress of stopping the current run; see stopping.h. */
struct ladder {
	enum trm_stop step, next;
	uint64_t next_at_ns; /* of `next`, unless the countdown is paused */
	bool is_held;
};

/* The signature of the call at the cursor, and its position; see inspect.h. */
struct signature {
	char text[240];
	uint32_t buffer;
	size_t line, pos;
	size_t asked_pos; /* of the call of the last question to the kernel */
};

/* The current run. */
struct active_run {
	enum run_state state; /* RUN_NONE: nothing runs */
	uint32_t serial;
	const struct trm_lang *lang;
	uint64_t started_ns; /* time of the request, later time of the start */
	struct ladder ladder;
	uint64_t paused_ns;    /* since when it is suspended near the memory limit; 0: it is not */
	uint64_t memory_bytes; /* in use at that time */
	uint64_t left_ms;      /* until its time limit; 0: no limit, or unknown */
	bool reads_line;       /* it waits for a line of input */
	bool is_secret;
	bool is_install; /* no code: an installation of packages */
	char prompt[256];
};

/* The position of the cursor after code was started. RUN_THEN_DEMO: it stays, and the run belongs to the
 * demo, to whose whole file the person has agreed. */
enum run_then { RUN_THEN_STAY, RUN_THEN_NEXT_CELL, RUN_THEN_NEXT_LINE, RUN_THEN_DEMO };

/* Lines that were sent to runs. */
#define INPUT_LINES 200
struct input_history {
	char *lines[INPUT_LINES]; /* oldest first; owned */
	size_t n, at;             /* number of lines; the line that is shown (n: none) */
};
void input_history_finish(struct input_history *h); /* input_update.c; accepts a zeroed object */

struct model {
	int rows, cols;
	struct layout layout;
	struct layout_request panes; /* the person's wishes */
	enum border moving;          /* the border that the mouse drags */
	bool has_utf8;               /* borders and graphs may use more than ASCII */
	bool shows_links;            /* URLs in output are links */
	enum pane focus;
	enum pane focus_back; /* pane that gets the focus after a run that asked for input */
	bool owes_focus;
	struct keymap keymap;
	bool tells_keys;   /* the terminal can tell similar keys apart, such as Enter and Shift-Enter */
	struct keys typed; /* keys of an incomplete sequence */
	struct key_count key_count;
	bool has_which_key;       /* such a sequence, or one of vi's, has begun: … */
	uint32_t which_key_begun; /* … which, and … */
	uint64_t which_key_ns;    /* … when its last key came */
	enum pane mouse_pane;     /* pane in which a drag began */
	bool has_mouse_pane;

	struct vi vi; /* its state, if the key map is that of vi */

	struct buffers buffers;
	struct clipboard clipboard;
	struct finder finder;
	struct find_all find_all;
	const struct trm_lang *lang; /* of the current buffer */
	struct grammars *grammars;   /* borrowed; NULL: code has no colors */

	struct outpane out;
	struct active_run run;
	uint32_t waiting[MODEL_WAITING]; /* serials of the waiting runs, next first */
	size_t n_waiting;
	uint64_t queued_notice; /* number of the notice about the last of them; see notices.h */
	bool has_last;          /* a run has ended */
	enum trm_status last_status;
	uint64_t last_wall_us;
	struct peer_runs peer_runs;
	struct field input; /* the line for stdin */
	bool has_input;     /* it is open */
	struct input_history input_history;

	struct sandbox_info sandbox;
	struct metrics metrics; /* of the workbench's own sandbox */
	struct signal_target {
		uint32_t pid;
		uint64_t start;
		char command[64];
		int signo;
	} target; /* process of the question about a signal */
	enum graph_style graph_style;
	struct alerts alerts;
	struct sandboxes sandboxes;

	struct kernel_queries kernel_queries;
	struct variables variables[TRM_LANG_MAX];
	struct variables_page variables_page;
	struct variable_tree variable_tree;
	uint64_t variables_due_ns; /* when the kernels may be asked for variables */
	struct table_page table_page;
	struct artifacts artifacts; /* beside out.figures */
	struct gallery gallery;
	struct loss_question loss_question;
	struct run_history run_history;
	uint64_t first_disk_bytes; /* disk use of the new sandbox */
	struct signature signature;
	struct complete completion;
	bool auto_complete; /* offer members when a dot is typed */

	struct dialog dialog;
	struct palette palette;
	struct settings_page settings_page;
	struct file_picker file_picker;
	char pending_path[4096]; /* subject of the open question */
	uint32_t pending_buffer; /* subject of the open question */
	bool pending_closes;     /* close it when it is saved */
	char theme[64];          /* current theme, except for previews */
	struct notices notices;

	struct replay replay; /* state of a recording that is shown */
	struct tutor tutor;
	struct demo demo; /* state of a file that is presented cell by cell */
	int foot_rows;    /* rows below the layout, for replay, tutorial and demo */
	bool is_recording;
	struct editor_run to_run; /* the code of the last request, */
	uint32_t to_run_buffer;   /* which is in this buffer … */
	uint64_t to_run_version;  /* … as long as the version of its text is this */
	enum run_then run_then;
	bool confirm;          /* ask before a run … */
	bool trusts_session;   /* … but in this session only about findings of high severity … */
	char trust[128];       /* … and also in sandboxes of these backends */
	bool runs_when_chosen; /* a question about a run opened the dialog of this setting: run afterwards */
	char policy[64];       /* name of the policy that checks code before it runs; "": no check */
	bool policy_asks;      /* always ask about code that the policy refuses */
	struct trm_findings findings; /* in the code to run, of its worst part */
	const char *const *with;      /* packages that are still to be installed; NULL: none. Borrowed */
	size_t n_scans;               /* for them: still to be answered */
	uint32_t timeout_ms, grace_ms, terminate_grace_ms;
	bool is_away; /* the terminal says that it has no focus: what moves by itself moves slowly */
	uint64_t metrics_drawn_ns; /* when the figures were drawn last while that is so */
	uint64_t now_ns;           /* of the last message */
	bool is_quitting;
	char leaving[160];   /* the file that is written before the workbench quits; "": it does not quit */
	bool text_is_unsafe; /* unsaved text could not be stored outside of this process */
	bool is_slow_to_quit;
	bool needs_draw;         /* the screen must be drawn again … */
	bool needs_editor_draw;  /* … only the editor */
	bool needs_metrics_draw; /* … only the metrics */
};

struct model_opts {
	int rows, cols;
	bool has_utf8;
	enum graph_style graph_style; /* requested; ASCII without UTF-8 */
	struct alert_opts alerts;
	const struct trm_lang *lang;
	const char *theme;
	bool confirm;
	const char *trust;  /* the setting; NULL: none */
	const char *policy; /* NULL: none */
	bool policy_asks;
	const char *const *with; /* packages to install at the start, NULL-terminated; NULL: none. Borrowed */
	bool auto_close, wrap, auto_complete, has_history;
	uint32_t timeout_ms, grace_ms, terminate_grace_ms;
	struct trm_limits limits;
	size_t scrollback_bytes;
	bool images_off;    /* do not draw images */
	bool shows_links;   /* URLs in output are links */
	int cell_w, cell_h; /* pixels of a cell; 0: unknown */
	uint32_t pictures;  /* first image number; the terminal shares these numbers with other programs */
};

int model_init(struct model *m, const struct model_opts *opts); /* 0 or TRM_ENOMEM */
void model_finish(struct model *m);                             /* accepts a zeroed object */

static inline struct editor *model_editor(const struct model *m)
{
	return &buffers_current(&m->buffers)->editor;
}

static inline bool model_is_running(const struct model *m)
{
	return m->run.state != RUN_NONE;
}

/* Compute the layout again after a change of size or focus. */
void model_relayout(struct model *m);
void model_focus(struct model *m, enum pane pane);
/* "copied 3 lines of the block", or how many characters of one line. */
void model_say_copied(struct model *m, const char *text, size_t n, const char *of);

enum { OUTPUT_ROWS_MIN = 24, OUTPUT_COLS_MIN = 80 }; /* of the screen that programs draw on */
/* The area of the output's text, without the margin and the input line. */
struct rect model_output_area(const struct model *m);
/* The part of the metrics pane that shows metrics: without the variables below. */
struct rect model_metrics_area(const struct model *m);
/* The columns of that area, or the columns it will have when it is shown. */
int model_output_cols(const struct model *m);
/* The area of the editor's text, without the bar for finding. */
struct rect model_editor_area(const struct model *m);

/* Time in ms until the next MSG_TICK is needed, because something visible depends on the time. -1: none. */
int model_tick_ms(const struct model *m);

#endif
