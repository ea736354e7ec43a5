/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_OPTIONS_H
#define TUI_CMD_OPTIONS_H

/* Command lines. A command has a few options of its own. In addition every setting of the config is an
 * option (--memory 64, --memory=64, -l python), and so are --config FILE, -y/--yes and -h/--help. The
 * functions below handle these. */

#include <stdbool.h>
#include <stddef.h>

#include "settings/settings.h"
#include "stream/cli_session.h"

/* A metavar describes a value, also for shell completion: NAME (of a running sandbox), FILE, DIR, THEME,
 * LANG, COMMAND (of terrarium), SETTING, NAME:PATH, or literal words in lower case. Alternatives are
 * separated by |: "FILE|-", "ipynb|md|html". Other metavars (N, S, MIB …) have no completion. */
struct option_spec {
	const char *name;    /* "--json" */
	char letter;         /* 'j' for -j; 0: none */
	const char *metavar; /* of its value; NULL: it has no value */
	const char *help;    /* at most one sentence; --help wraps it */
};

/* Options that all commands have besides their own and the settings; ended by a row without a name. */
extern const struct option_spec options_common[];

struct options {
	/* Input. */
	const char *command;           /* for messages: "run" */
	const struct option_spec *own; /* ended by a row without a name; may be NULL */
	int argc;
	char **argv;
	/* Output. */
	const char *value; /* value of the option that options_next() has just returned */
	bool yes;
	/* Internal. */
	int at;
	const char *cluster; /* rest of -abc */
	bool only_operands;  /* "--" was read */
	const char *config_path;
	bool opens_folder; /* the workbench starts in the folder that was named, with its list of files */
	bool fetches;      /* packages are fetched even if the sandbox has no network */
	/* A switch without a value, and the next word, which may have been meant as its value. */
	const char *bare_switch, *bare_word;
	struct {
		const char *text, *label;
	} settings[SETTING_COUNT_MAX]; /* by setting_index() */
	/* The n_given rows that were given; few, so a search is fast. */
	unsigned char given[SETTING_COUNT_MAX];
	size_t n_given;
	size_t n_items;
};

enum {
	OPTIONS_END = -1,     /* end of the line */
	OPTIONS_OPERAND = -2, /* `value` is not an option */
	OPTIONS_HELP = -3,
	OPTIONS_WRONG = -4, /* a message was printed */
};

void options_init(
		struct options *o, const char *command, const struct option_spec *own, int argc, char **argv);

/* The next item of the line: a row of `own` (with its value in `value`), or one of the above. */
int options_next(struct options *o);

/* Was this setting given as an option? */
bool options_has(const struct options *o, const char *setting);
/* The requested properties of the sandbox with the given name. */
struct cli_session_asked options_asked(const struct options *o);
/* Does another option describe a new sandbox: limits, mounts, variables …? */
bool options_has_request(const struct options *o);
/* The same without options that can also apply to a single run: variables and working directory. */
bool options_has_lasting_request(const struct options *o);

/* For commands that never start a sandbox: refuse options that describe a new one. 0, or -1 after a message.
 */
int options_check_starts_none(const struct options *o);
/* Load the config and apply the options. Options for settings of the screen are an error. 0, or -1 after a
 * message. */
int options_config(const struct options *o, struct trm_config *ret_config);
/* The same for commands that may start a sandbox. Options for containers are an error with other backends;
 * such settings in the config file are ignored there. */
int options_config_start(const struct options *o, struct trm_config *ret_config);
/* Only that check, for commands that learn after the options which (maybe running) sandbox is meant. 0, or
 * CMD_FAILED after a message. */
int options_check_backend(const struct options *o, const struct trm_config *config);
/* Refuse options that only make sense with a kept sandbox. Returns as options_check_backend() does. */
int options_check_kept(const struct options *o, const struct trm_config *config);
/* Like options_config(), with the settings of the screen and the origin of each value. An origin OPTION of
 * "confirm" with a column means --yes. */
int options_settings(const struct options *o, struct settings *ret_settings);

#endif
