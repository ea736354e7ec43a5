/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_H
#define TUI_CMD_H

/* The subcommands. Each has its own file and one row in the table. */

#include <stdbool.h>
#include <stddef.h>

#include "cmd/options.h"

/* Exit codes of the program itself. All others are those of the code that ran. */
enum {
	CMD_OK = 0,
	CMD_TIMED_OUT = 124,
	CMD_FAILED = 125,         /* terrarium itself has failed */
	CMD_NOT_EXECUTABLE = 126, /* both as in shells */
	CMD_NOT_FOUND = 127,
	CMD_SIGNALED = 128, /* plus the number of the signal */
};

/* One row has everything about a command. Its --help, the overview, shell completion and the checks of the
 * man pages (man/terrarium-NAME.1) use the row. tests/cli/words_test.sh checks that each help text has at
 * most 24 lines of 80 columns; tests/cli/man_test.sh checks that man page and row have the same options. */
enum { CMD_SUMMARY_MAX = 27 }; /* the overview shows two commands per line */

struct cmd {
	const char *name;
	const char *alias;   /* another name; may be NULL */
	const char *usage;   /* the text after "terrarium " */
	const char *summary; /* at most CMD_SUMMARY_MAX columns, for the overview */
	const char *help;    /* one or two paragraphs for --help, which wraps them; may be NULL */
	/* Its own options, ended by a row without a name; may be NULL. */
	const struct option_spec *options;
	/* The operands, for completion: one word (as in metavars: cmd/options.h) for each, separated by
	 * blanks. "..." after the last word: it may be repeated. Example: "NAME FILE...". NULL: none. */
	const char *operands;
	const char *const *settings; /* settings in its help, NULL-terminated; may be NULL */
	bool asks;                   /* asks before code runs, unless --yes is given */
	/* argv[0] is the name of the command. Returns the exit code. */
	int (*run)(const struct cmd *cmd, int argc, char **argv);
};

/* The table, sorted by name, one command per line. */
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
	X(restart) \
	X(resume) \
	X(run) \
	X(scan) \
	X(serve) \
	X(snapshot) \
	X(snapshots) \
	X(stop) \
	X(suspend) \
	X(themes) \
	X(tutor) \
	X(version)

#define CMD_DECLARE(name) extern const struct cmd cmd_##name;
CMD_LIST(CMD_DECLARE)
#undef CMD_DECLARE
extern const struct cmd cmd_workbench; /* no subcommand was given */

struct app_opts;
struct trm_config;
/* Take the settings of the workbench from the config; `opts` borrows from it. CMD_OK, or an exit code after
 * a message. */
int workbench_opts(const struct settings *settings, const char *config_path, struct app_opts *opts);
/* Start the REPL. With `attach`, it attaches to the running sandbox of the config's name. `figures`: folder
 * for images, or NULL. */
int repl_open(const struct settings *settings, const struct options *o, bool attach, const char *figures);
/* Start the workbench with a file (NULL: none), or present the file as a demo. Returns the exit code. */
int workbench_open(const struct settings *settings, const struct options *o, const char *file, bool is_demo);

int workbench_tutor(const struct settings *settings, const struct options *o); /* starts the tutorial */

/* Attach the workbench to the running sandbox of the config's name, and open a file; NULL: none. */
int workbench_attach(const struct settings *settings, const struct options *o, const char *file);

/* The table, sorted by name. */
const struct cmd *const *cmd_table(size_t *ret_count);

/* Find a command by a word, also by --help, -h, --version and -V. NULL: none. */
const struct cmd *cmd_find(const char *word);

/* A command whose name differs from `word` only by a few typing errors. NULL: none. */
const struct cmd *cmd_nearest(const char *word);

/* Read the command line of a command whose options have no values. Bit i of *ret_given is set if row i of
 * cmd->options was given. False: return *ret_code at once (help, or a wrong word). */
bool cmd_read_flags(const struct cmd *cmd, int argc, char **argv, struct options *o, unsigned *ret_given,
		int *ret_code);
/* The same with at most one operand, called `what` in messages: "NAME". *ret_one is NULL if it is missing. */
bool cmd_read_one(const struct cmd *cmd, int argc, char **argv, struct options *o, const char *what,
		unsigned *ret_given, const char **ret_one, int *ret_code);

/* Prepare the process: descriptors 0, 1 and 2 are open; writing to a closed pipe returns an error instead of
 * ending the process (children do not inherit this); the umask lets the program use the files that it
 * creates. */
void cmd_prepare(void);

/* Print hints about a sandbox on stderr: configured hosts that its network cannot reach; problems of a
 * mount. */
struct trm_sandbox;
void cmd_note_hints(const struct trm_sandbox *sandbox);
/* Print "terrarium: SENTENCE" on stderr. Returns CMD_FAILED. */
int cmd_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The last such SENTENCE; "" if there was none. */
const char *cmd_last_failure(void);

/* Flush stdout at the end of a command that used stdio. Returns the exit code. If the reader of stdout has
 * gone, the program ends by SIGPIPE, as `cat` does. */
int cmd_flush(void);
/* End the program by SIGPIPE. */
_Noreturn void cmd_die_of_pipe(void);

/* print.c: is stdout a terminal that may get colors? */
bool cmd_has_color(void);

/* Print `text` from column `indent` on, wrapped to 80 columns. The cursor is already at that column. */
void cmd_print_wrapped(const char *text, int indent);
/* Print the help of a command on stdout. Returns the exit code. */
int cmd_print_help(const struct cmd *cmd);
/* table.c: print all tables. */
int cmd_print_table_json(void);

#endif
