/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_OPTIONS_H
#define TUI_CMD_OPTIONS_H

/* Command lines. A command has a few options of its own; beside them every
 * setting of the config is an option (--memory 64, --memory=64, -l python), so are
 * --config FILE, -y/--yes and -h/--help. Those are dealt with in here. */

#include <stdbool.h>
#include <stddef.h>

#include "stream/cli_session.h"

struct trm_config;

/* A metavar says what a value is, also for shell completion: NAME (of a sandbox that is running), FILE, DIR,
 * THEME, LANG, COMMAND (of terrarium), SETTING, NAME:PATH, or literal words in lower case; alternatives with
 * | between them: "FILE|-", "ipynb|md|html". Of others (N, S, MIB …) nothing can be completed. */
struct option_spec {
	const char *name;    /* "--json" */
	char letter;         /* 'j' for -j; 0: none */
	const char *metavar; /* of its value; NULL: it has none */
	const char *help;    /* one sentence or less; --help wraps it */
};

/* What all commands take beside their own and the settings; ended by a row without name. */
extern const struct option_spec options_common[];

enum { OPTIONS_SETTINGS_MAX = 96 };

struct options {
	/* in */
	const char *command;           /* for messages: "run" */
	const struct option_spec *own; /* ended by a row without name; may be NULL */
	int argc;
	char **argv;
	/* out */
	const char *value; /* of what options_next() just returned */
	bool yes;
	/* inside */
	int at;
	const char *cluster; /* rest of -abc */
	bool only_operands;  /* "--" was seen */
	const char *config_path;
	bool fetches; /* packages are fetched, whether or not the sandbox has a network */
	/* A switch that was given without a value, and the word behind it, which may have been meant to be
	 * it. */
	const char *bare_switch, *bare_word;
	struct {
		const char *text, *label;
	} settings[OPTIONS_SETTINGS_MAX];          /* by row of trm_settings() */
	unsigned char given[OPTIONS_SETTINGS_MAX]; /* n_given rows: few, so that looking for one is quick */
	size_t n_given;
	size_t n_items;
};

enum {
	OPTIONS_END = -1,     /* nothing is left */
	OPTIONS_OPERAND = -2, /* a word that is no option: `value` */
	OPTIONS_HELP = -3,
	OPTIONS_WRONG = -4, /* the sentence has been printed */
};

void options_init(
		struct options *o, const char *command, const struct option_spec *own, int argc, char **argv);

/* The next thing on the line: row of `own` (its value in `value`), or one of the above. */
int options_next(struct options *o);

/* True if this setting was given as an option. */
bool options_has(const struct options *o, const char *setting);
/* What the sandbox of that name has to be like. */
struct cli_session_asked options_asked(const struct options *o);
/* True if some other option says what a new sandbox shall be like: its limits, mounts, variables … */
bool options_has_request(const struct options *o);
/* The same without what can also hold for a single run: variables and working directory. */
bool options_has_lasting_request(const struct options *o);

/* Load the config and put the options on top. 0, or -1 when the sentence has been printed. */
int options_config(const struct options *o, struct trm_config *ret_config);
/* The same for what may start a sandbox: options that only containers have are wrong with other backends.
 * What the config file says of containers just plays no part there. */
int options_config_start(const struct options *o, struct trm_config *ret_config);
/* That check alone, for whom the name of a sandbox, which may be running, comes later than the options. 0, or
 * CMD_FAILED when the sentence has been printed. */
int options_check_backend(const struct options *o, const struct trm_config *config);
/* What is said of a sandbox that is kept is refused for one that is not. As options_check_backend(). */
int options_check_kept(const struct options *o, const struct trm_config *config);
/* The same, and by row of trm_settings() where each value came from (OPTIONS_SETTINGS_MAX of them; NULL:
 * nobody wants to know). An origin OPTION of "confirm" with a column is --yes. */
struct trm_config_origin;
int options_config_from(const struct options *o, struct trm_config *ret_config,
		struct trm_config_origin *ret_origins);

#endif
