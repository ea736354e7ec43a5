/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_RUN_SESSION_INTERNAL_H
#define TUI_CMD_RUN_SESSION_INTERNAL_H

/* Shared by run_session.c (the order of the runs), run_session_files.c (files in and out) and
 * run_session_output.c (output, input and results). */

#include "cmd/run_session.h"
#include "stream/cli_session.h"
#include "stream/displays.h"
#include "stream/echo_off.h"
#include "stream/install_hint.h"
#include "stream/lost_files.h"
#include "stream/missing_file.h"
#include "stream/sink.h"
#include "stream/stdin_feed.h"
#include "stream/tail.h"

enum { LATE_HELD_MAX = 8 << 20 };

struct run_session {
	const struct run_session_opts *opts;
	size_t next; /* index of the next source */
	/* Index of the next language whose interpreter must end, after all sources. */
	unsigned next_to_leave;
	bool is_leaving;
	struct cli_session cli_session;
	struct trm_session *session;
	struct trm_run *run;         /* NULL between runs */
	const struct source *source; /* source of that run */
	struct trm_copy *copy; /* of the folder before the first run, or of files at the end; NULL: none */
	struct trm_config_lists lists;    /* room for the lists of `asked` */
	struct trm_sandbox_opts asked;    /* options from the config; the members below point to its texts */
	char inside[TRM_INSIDE_PATH + 1]; /* target of the folder */
	/* For each run; env is NULL-terminated; NULL: as in the sandbox. */
	const char *env[TRM_ENV_MAX + 1], *cwd;
	uint64_t first_number; /* number of the first run; 0 until it has started */
	struct sink out, err;
	struct stdin_feed stdin_feed;
	struct displays displays;
	struct collect *collect;    /* NULL: no files are collected */
	struct trm_result *waiting; /* result that is printed when its files have been fetched */
	struct echo_off echo_off;   /* while a password is typed */
	struct lost_files lost;     /* files that end with the sandbox, or are copied out of it */
	int64_t begun_ns;           /* CLOCK_REALTIME */
	struct tail tail;           /* the end of the run's stderr */
	int exit_code;
	bool is_over;         /* no further run will start */
	bool is_saving;       /* files are looked for or copied, which is the last thing */
	bool was_interrupted; /* by the person, who wants no further run */
	bool is_pipe_broken;  /* stdout has no reader */
};

enum { HINT = (int)MISSING_FILE_HINT > (int)INSTALL_HINT ? (int)MISSING_FILE_HINT : (int)INSTALL_HINT };

/* ---- run_session.c ---- */

/* Start the next run. After the last one the interpreters end. */
void run_session_start(struct run_session *p);

/* ---- run_session_files.c ---- */

/* Copy the folder, if one was given, and note what is there. Then start the first run. */
void run_session_begin(struct run_session *p);
/* The path inside of the sandbox of a file in the copied folder. NULL: the file is elsewhere. The caller
 * frees it. */
char *run_session_name_inside(const struct run_session *p, const struct source *source);
/* The last thing before a sandbox ends with its files: save them, or tell a person of them. */
void run_session_look_for_files(struct run_session *p);

/* ---- run_session_output.c ---- */

/* No further run starts. The first call saves the files. */
void run_session_end(struct run_session *p, int exit_code);
/* Print a message of terrarium itself. */
void run_session_message(struct run_session *p, const char *text);
void run_session_on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n);
/* Show the last line of pip or npm next to the packages that are being installed. */
void run_session_on_installing(void *user, struct trm_run *run, int stream, const void *bytes, size_t n);
void run_session_on_started(void *user, struct trm_run *run);
/* Output after the end of a run of this program. Late output of other runs in the sandbox is not printed.
 * With --json, stdout has only results. */
void run_session_on_late(void *user, const struct trm_lang *lang, uint64_t number, int stream,
		const void *bytes, size_t n);
void run_session_on_display(void *user, struct trm_run *run, const struct trm_display *display);
void run_session_on_input(void *user, struct trm_run *run, const char *prompt, bool is_secret);
void run_session_print_error(struct run_session *p, const struct trm_result *result);
void run_session_print_result(struct run_session *p, const struct trm_result *result);

extern const struct sink_cb run_session_sink_cb;
extern const struct displays_out run_session_displays_out;
extern const struct stdin_feed_cb run_session_stdin_cb;

#endif
