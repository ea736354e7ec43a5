/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_H
#define TUI_CMD_H

/* The subcommands: one file and one row of the table each. */

#include <stdbool.h>
#include <stddef.h>

#include "cmd/options.h"

/* Exit codes of the program itself; all others belong to the code that was run. */
enum {
	CMD_OK = 0,
	CMD_FAILED = 125,         /* terrarium's own failure */
	CMD_NOT_EXECUTABLE = 126, /* these two as in shells */
	CMD_NOT_FOUND = 127,
	CMD_SIGNALLED = 128, /* plus the number of the signal */
};

struct cmd {
	const char *name;
	const char *usage;                 /* what follows "terrarium " */
	const char *summary;               /* one line, for the list of commands */
	const char *help;                  /* further lines of its own help; may be NULL */
	const struct option_spec *options; /* its own, ended by a row without name; may be NULL */
	const char *const *settings;       /* those named in its help, NULL-terminated; may be NULL */
	bool asks;                         /* asks before code is run, unless --yes */
	/* argv[0] is the command's name; returns the exit code. */
	int (*run)(const struct cmd *cmd, int argc, char **argv);
};

extern const struct cmd cmd_check, cmd_run, cmd_exec, cmd_demo, cmd_export, cmd_replay, cmd_doctor, cmd_help,
		cmd_version, cmd_workbench;

struct app_opts;
struct trm_config;
/* What the config says of the workbench; `opts` borrows from it. CMD_OK, or the sentence has been printed. */
int workbench_opts(const struct trm_config *config, const char *config_path, struct app_opts *opts);
/* The workbench with a file (NULL: none), or a demo of it; returns the exit code. */
int workbench_open(const struct trm_config *config, const struct options *o, const char *file, bool is_demo);

/* The table, sorted by name. */
const struct cmd *const *cmd_table(size_t *ret_count);

/* The command that a word names: also --help, -h, --version and -V. NULL: none. */
const struct cmd *cmd_find(const char *word);

/* A command whose name is a slip of the finger away from `word`; NULL if there is none. */
const struct cmd *cmd_nearest(const char *word);

/* What every program should find: descriptors 0, 1 and 2 open, and a closed pipe an error of the
 * write instead of a silent end (children do not inherit that). */
void cmd_prepare(void);

/* "terrarium: SENTENCE" on stderr; returns CMD_FAILED. */
int cmd_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Flush stdout, at the end of a command that used stdio; returns the exit code. A reader that went away
 * ends the program as it would end `cat`: by SIGPIPE. */
int cmd_flush(void);
/* That end. */
_Noreturn void cmd_die_of_pipe(void);

/* A text as a JSON string on stdout: print.c. */
void cmd_print_json_text(const char *text);
/* stdout is a terminal that may be given colours. */
bool cmd_has_colour(void);

/* Help of one command on stdout; returns the exit code. */
int cmd_print_help(const struct cmd *cmd);

#endif
