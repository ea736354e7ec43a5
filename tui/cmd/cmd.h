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
	CMD_TIMED_OUT = 124,
	CMD_FAILED = 125,         /* terrarium's own failure */
	CMD_NOT_EXECUTABLE = 126, /* these two as in shells */
	CMD_NOT_FOUND = 127,
	CMD_SIGNALED = 128, /* plus the number of the signal */
};

/* One row says everything of a command: its --help, the overview, shell completion and the checks of the man
 * pages (man/terrarium-NAME.1) are made from it. tests/cli/words_test.sh sees that a help has at most 24
 * lines of 80 columns, and tests/cli/man_test.sh that man page and row name the same options. */
enum { CMD_SUMMARY_MAX = 27 }; /* two commands stand side by side in the overview */

struct cmd {
	const char *name;
	const char *alias;   /* another name for it; may be NULL */
	const char *usage;   /* what follows "terrarium " */
	const char *summary; /* at most CMD_SUMMARY_MAX columns, for the list of commands */
	const char *help;    /* a paragraph or two for its --help, which wraps them; may be NULL */
	const struct option_spec *options; /* its own, ended by a row without name; may be NULL */
	/* What its operands are, for completion: one word (as metavars: cmd/options.h) for each, apart by
	 * blanks; "..." behind the last when it may be repeated: "NAME FILE...". NULL: there are none. */
	const char *operands;
	const char *const *settings; /* those named in its help, NULL-terminated; may be NULL */
	bool asks;                   /* asks before code is run, unless --yes */
	/* argv[0] is the command's name; returns the exit code. */
	int (*run)(const struct cmd *cmd, int argc, char **argv);
};

/* The table: sorted by name, one to a line. */
#define CMD_LIST(X) \
	X(attach) \
	X(backends) \
	X(check) \
	X(completion) \
	X(config) \
	X(cp) \
	X(demo) \
	X(doctor) \
	X(exec) \
	X(export) \
	X(help) \
	X(inspect) \
	X(install) \
	X(keygen) \
	X(langs) \
	X(logs) \
	X(mcp) \
	X(metrics) \
	X(ps) \
	X(repl) \
	X(replay) \
	X(run) \
	X(scan) \
	X(serve) \
	X(stop) \
	X(themes) \
	X(tutor) \
	X(version)

#define CMD_DECLARE(name) extern const struct cmd cmd_##name;
CMD_LIST(CMD_DECLARE)
#undef CMD_DECLARE
extern const struct cmd cmd_workbench; /* without a command's name */

struct app_opts;
struct trm_config;
/* What the config says of the workbench; `opts` borrows from it. CMD_OK, or the sentence has been printed. */
int workbench_opts(const struct trm_config *config, const char *config_path, struct app_opts *opts);
/* The REPL; `attach`: on the running sandbox that the config names. `figures`: where to save images, or NULL.
 */
int repl_open(const struct trm_config *config, const struct options *o, bool attach, const char *figures);
/* The workbench with a file (NULL: none), or a demo of it; returns the exit code. */
int workbench_open(const struct trm_config *config, const struct options *o, const char *file, bool is_demo);

int workbench_tutor(const struct trm_config *config, const struct options *o); /* with the tutorial */

/* The workbench on the running sandbox of the config's name. */
int workbench_attach(const struct trm_config *config, const struct options *o);

/* The table, sorted by name. */
const struct cmd *const *cmd_table(size_t *ret_count);

/* The command that a word names: also --help, -h, --version and -V. NULL: none. */
const struct cmd *cmd_find(const char *word);

/* A command whose name is some slips of the finger away from `word`; NULL if there is none. */
const struct cmd *cmd_nearest(const char *word);

/* The line of a command that takes nothing but options without values: bit i of *ret_given is set when row i
 * of cmd->options was given. False: there is nothing to do but to return *ret_code (help, or a wrong word).
 */
bool cmd_read_flags(const struct cmd *cmd, int argc, char **argv, struct options *o, unsigned *ret_given,
		int *ret_code);

/* What every program should find: descriptors 0, 1 and 2 open, and a closed pipe an error of the
 * write instead of a silent end (children do not inherit that), and a umask that leaves us what we make. */
void cmd_prepare(void);

/* On stderr: what will not be reached by its network though it is configured; what a mount gives away. */
struct trm_sandbox;
void cmd_note_hints(const struct trm_sandbox *sandbox);
/* "terrarium: SENTENCE" on stderr; returns CMD_FAILED. */
int cmd_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The latest SENTENCE; "" if there was none. */
const char *cmd_last_failure(void);

/* Flush stdout, at the end of a command that used stdio; returns the exit code. A reader that went away
 * ends the program as it would end `cat`: by SIGPIPE. */
int cmd_flush(void);
/* That end. */
_Noreturn void cmd_die_of_pipe(void);

/* stdout is a terminal that may be given colors: print.c. */
bool cmd_has_color(void);

/* Print `text` in lines that begin at column `indent` (the first one is there already), wrapped to 80
 * columns. */
void cmd_print_wrapped(const char *text, int indent);
/* One line of a list of options, wrapped to 80 columns. `letter` 0, `metavar` NULL: none. */
void cmd_print_option(char letter, const char *name, const char *metavar, const char *help);
/* Help of one command on stdout; returns the exit code. */
int cmd_print_help(const struct cmd *cmd);
/* All of the tables: table.c. */
int cmd_print_table_json(void);

#endif
