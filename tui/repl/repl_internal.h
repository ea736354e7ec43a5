/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_REPL_INTERNAL_H
#define TUI_REPL_REPL_INTERNAL_H

/* The REPL's own parts; private to this folder.
 *
 * Theory of operation. One thing is done at a time: a line is awaited, or something is under way
 * (`activity`), which Ctrl-C ends and whose end is repl_done(). Lines come from the line editor or from a
 * pipe; both give them to repl_take(). A line that begins an input may be a command (:), a shell command (!)
 * or a question (?); else lines are gathered until the kernel says that they are complete, and are run.
 * Everything happens inside trm_loop_step(); take_repl_turn() follows each step and shows the next prompt. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/terrarium.h>

#include "repl/history.h"
#include "repl/leave.h"
#include "repl/line.h"
#include "repl/paint.h"
#include "repl/repl.h"
#include "repl/show.h"
#include "settings/settings.h"
#include "stream/cli_session.h"
#include "stream/displays.h"
#include "stream/echo_off.h"
#include "stream/policy_gate.h"
#include "stream/stdin_feed.h"
#include "stream/tail.h"

enum {
	REPL_ENV = 12,
	EXIT_OWN_FAILURE = 125,
	PEER_RUNS_BEFORE = 20, /* runs that were over: of more, the newest are shown */
};

struct repl;
struct shell;
struct edit;
struct install;
struct other;
struct images;
struct cJSON;

/* What is under way. */
struct activity {
	const char *what;                  /* NULL: nothing; a line is awaited */
	void (*interrupt)(struct repl *r); /* Ctrl-C */
	/* Bytes from the terminal, or a line from the pipe, are wanted; NULL: not now. */
	void (*input)(struct repl *r, const char *bytes, size_t n);
	void (*eof)(struct repl *r);
};

/* When a person is asked before code runs. */
enum confirm_mode { CONFIRM_NEVER, CONFIRM_HIGH /* findings of high severity */, CONFIRM_EACH };
enum confirm_question {
	QUESTION_NONE,
	QUESTION_START,
	QUESTION_RUN,
	QUESTION_ANYWAY /* about code that is asked about in any case */
};

/* Lines that are gathered. */
struct code {
	char *text;
	size_t n, cap;
};

struct repl {
	const struct repl_opts *opts;
	struct trm_config config; /* changed by commands */
	struct cli_session cli_session;
	struct trm_session *session;
	const struct trm_lang *lang;
	unsigned used_langs; /* bit per language that has run something */
	struct leaving leaving;
	struct tail tail;                                       /* the end of the run's stderr */
	char lost_why[sizeof(((struct trm_error *)NULL)->msg)]; /* why a run was lost, as the person has been
								   told */
	const char *env[REPL_ENV];
	char columns[32], lines[32];
	struct trm_signal *winch, *tstp;

	struct paint paint;
	struct show show;
	struct displays displays;
	struct images *images; /* images.c; NULL until one came */
	struct line *line;     /* NULL: lines come from a pipe */
	struct history history;
	struct trm_timer *calm; /* until the prompt comes back below output that has no newline */

	/* a pipe: piped.c */
	struct stdin_feed stdin_feed;
	struct code ahead; /* read and not taken */
	size_t ahead_at;
	bool is_eof;

	struct activity activity;
	struct code code; /* the input that is being gathered */
	bool has_gathered;
	bool is_doctest;                   /* a transcript that is written as documentation is */
	char indent[128];                  /* offered for its next line */
	char *offered;                     /* a text to begin the next input with; or NULL */
	uint64_t tab;                      /* the newest question of Tab */
	uint64_t question;                 /* the answer to an older one is not wanted any more */
	char *held_line;                   /* of a pipe: it follows the input that ends before it */
	struct code last;                  /* what was run last, for :edit and :save */
	struct code scripts[TRM_LANG_MAX]; /* all that was run, for :save */
	struct trm_timer *step_timer; /* a step of stopping is told when it has had no effect for a while */
	struct trm_stopping stopping;
	struct trm_timer *limit_timer; /* warns once that the time limit is near */
	const struct policy_gate *policy_gate;
	enum confirm_mode confirm_mode;
	bool owes_start;                      /* the question at the start */
	bool owes_with;                       /* the packages that were asked for */
	enum confirm_question question_shown; /* the line that is typed answers it */

	struct trm_run *run;
	char *filename;           /* of the run, NULL: typed */
	uint64_t number;          /* of the next run, as far as it is known */
	struct echo_off echo_off; /* while a password is typed */
	bool reads;               /* the run has asked for a line */
	struct other *others;     /* runs of other clients: others.c */
	struct earlier *earlier;  /* what show_gather() has of runs that were there before */
	size_t n_earlier, earlier_cap;
	unsigned n_before;            /* how many such runs there were */
	struct trm_timer *wait_timer; /* a question waits for one of them */
	struct shell *shell;          /* shell.c */
	size_t shell_owed;            /* bytes of its output that the terminal has not taken */
	unsigned next_to_leave;

	bool wants_top; /* metrics are awaited: info.c */
	unsigned n_samples;
	struct trm_copy *copy; /* under way */
	struct install *install;
	struct repl_artifacts *artifacts; /* command_artifacts.c; NULL: no run has made any */
	struct repl_table *table;         /* that was shown last: command_table.c; NULL: none */
	struct edit *edit;                /* an editor has the terminal: edit.c */

	int exit_code; /* the first failure's */
	bool is_over, is_pipe_broken;
};

/* ---- repl.c */
void repl_begin(struct repl *r, const struct activity *activity);
void repl_done(struct repl *r);           /* a line is awaited again */
void repl_fail(struct repl *r, int code); /* of a transcript: the first failure is remembered */
/* The sandbox is at a server. */
bool repl_is_far(const struct repl *r);
/* What a command line says before its name; "" for one of this machine. Returns `way`. */
const char *repl_server_options(const struct repl *r, char way[TRM_REMOTE_OPTIONS_BYTES]);
void repl_say(struct repl *r, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* dim */
/* What went wrong on our side; counts as a failure. */
void repl_error(struct repl *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void repl_caught_up(struct repl *r); /* with what had happened in a sandbox that was there before */
/* A restart may be over. */
void repl_kernel_changed(struct repl *r, const struct trm_lang *lang, enum trm_kernel_state state);
bool repl_has_person(const struct repl *r);
void repl_set_language(struct repl *r, const struct trm_lang *lang);
/* A terminal's line that is not a prompt's: keys go to `activity.input` until repl_done(). */
void repl_watch_keys(struct repl *r, bool is_on);

/* ---- code.c */
bool code_add(struct code *c, const char *text, size_t n); /* NUL-terminated */
void code_clear(struct code *c);
void code_finish(struct code *c); /* takes a zeroed object */

/* ---- input.c: lines become inputs */
void repl_take(struct repl *r, const char *text, size_t n); /* a line, or several; NULL: the end */
void repl_drop_input(struct repl *r);

/* A file's code, as an input. `filename`: malloc'd, or NULL; it is taken over. */
void repl_run_text(struct repl *r, const char *text, size_t n, char *filename);

/* The next input begins with this. */
void repl_offer(struct repl *r, const char *text);

/* ---- prompt.c */
void repl_prompt(struct repl *r);
void repl_renew_prompt(struct repl *r); /* its number has changed: what is typed stays */

/* ---- piped.c */
void piped_open(struct repl *r);
void piped_turn(struct repl *r); /* nothing is under way: take the next line, if there is one */
/* The run reads: give it the next line. */
void piped_answer(struct repl *r);
bool piped_has_line(const struct repl *r); /* or its end */
void piped_close(struct repl *r);

/* ---- confirm.c */
/* Before the first prompt: ask once, if that is wanted. */
void confirm_start(struct repl *r);
/* May what was gathered be run? Then repl_run_code() follows, from inside or later. */
void confirm_ask(struct repl *r);
void confirm_answer(struct repl *r, const char *text);

/* ---- run.c */
void repl_run_code(struct repl *r); /* what was gathered, confirmed */
/* What came of a run; `has_value`: its last expression's too. */
void repl_run_show(struct repl *r, const struct trm_result *result, bool has_value);
void repl_run_leave(struct repl *r); /* what the kernels have left to do is waited for */
extern const struct trm_session_cb repl_run_session_cb;
extern const struct displays_out repl_run_displays; /* what runs show; its user is the REPL */
int repl_run_open(struct repl *r, struct trm_error *reterr);
void repl_run_released(struct repl *r, size_t n); /* of its output */

/* ---- images.c */
bool images_draw(struct repl *r, const uint8_t *bytes, size_t n, const struct image_info *info);
void images_close(struct repl *r);
/* The newest image, for :save; NULL: there was none. */
const uint8_t *images_last(const struct repl *r, size_t *ret_n, const char **ret_mime);

/* ---- shell.c: !COMMAND */
void shell_start(struct repl *r, const char *command);
void shell_resize(struct repl *r);
void shell_released(struct repl *r); /* after each turn */
void shell_close(struct repl *r);

/* ---- inspect.c: ?NAME */
void inspect_start(struct repl *r, const char *name);

/* ---- complete.c: Tab */
void complete_tab(struct repl *r);

/* ---- others.c */
void peer_runs_joined(void *user, struct trm_run *run, const struct trm_origin *origin);
void peer_runs_print_wait(struct repl *r); /* for which of them it is waited */
bool peer_runs_interrupt(struct repl *r);  /* those in the language of the prompt; false: there are none */
/* Of those that were over before we came the newest are shown, all at once: what others do is gathered from
 * here on until peer_runs_show(), which may be called again. */
void peer_runs_gather(struct repl *r);
void peer_runs_show(struct repl *r);
void peer_runs_close(struct repl *r);

/* ---- info.c */
void info_metrics(struct repl *r, const struct trm_metrics *metrics); /* of the sandbox */

/* ---- edit.c */
void edit_close(struct repl *r);

/* ---- command.c */
void repl_command_start(struct repl *r, const char *text); /* without the colon */

#endif
