/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_CONFIG_H
#define TERRARIUM_CONFIG_H

/* Settings of the program: one table names each with its option, its
 * environment variable, its unit and its range, and everything that reads,
 * checks or explains a setting goes by that table.
 *
 * Precedence, highest first: option, environment (TERRARIUM_…), the file
 * `.env` in the current directory (read as python-dotenv reads it), the config file, the default.
 *
 * The config file is one JSON object with comments (// and slash-star) at
 * $XDG_CONFIG_HOME/terrarium/config.json (~/.config if that is not set). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/sandbox.h>
#include <terrarium/session.h>

struct trm_error;

/* Plain data: copy it freely, nothing to free. */
struct trm_config {
	char backend[32];  /* "local", "microsandbox", "fake", or a recipe's name (terrarium/recipe.h) */
	char name[65];     /* of the sandbox; "": a random one */
	char language[64]; /* "": from the file's name, else python */
	char theme[64];    /* name of a file in themes/ without .json */
	char keymap[32];   /* set of keys of the workbench: "default", "emacs" */
	struct trm_limits limits;
	uint32_t timeout_ms;          /* per run; 0: none */
	uint32_t grace_ms;            /* between an interrupt and the next step */
	uint32_t terminate_grace_ms;  /* between SIGTERM and the kill, in the workbench; 0: no SIGTERM */
	bool keep;                    /* the sandbox is left running … */
	uint32_t idle_timeout_ms;     /* … until it was idle for so long; 0: no limit … */
	uint32_t max_lifetime_ms;     /* … or so long in all; 0: no limit */
	uint32_t start_timeout_ms;    /* of a sandbox */
	uint32_t metrics_interval_ms; /* 200 to 60 000 */
	uint64_t output_keep_bytes;   /* of a run's output kept in its result */
	uint64_t output_max_bytes;    /* that a run may print; 0: no limit */
	uint64_t scrollback_bytes;    /* of all output, kept in the workbench */
	bool net_credentials;         /* of proxies and package indexes go into sandboxes with a network */
	bool confirm;                 /* ask before code is run */
	char policy[64];              /* what code is looked at with: terrarium/policy.h */
	char policy_mode[16];         /* "advise", "ask", "enforce" */
	char isolation[16];           /* as in trm_isolation_find() */
	char memory_alert[16];        /* "ask", "interrupt", "off" */
	uint32_t memory_alert_at;     /* per cent of the memory limit */
	char alerts[16];              /* "off", "status", "bell", "osc9", "all" */
	uint32_t alert_at;            /* per cent of a limit */
	uint32_t alert_after_ms;      /* so long above it */
	uint32_t alert_run_ms;        /* a run that took so long tells its end; 0: none does */
	char graphs[16];              /* "braille", "blocks", "ascii" */
	bool restore;                 /* the workbench opens what was open in this folder the last time */
	uint32_t typing;              /* characters a second that a demo types its cells with; 0: at once */
	bool linear;                  /* the workbench as lines of text instead of a screen */
	bool history;                 /* remember what is run in the workbench, in a file */
	char images[16];              /* how the workbench draws images: auto, kitty, sixel, symbols, off */
	uint64_t max_copy_bytes;      /* of a copy: what is fetched may not be bigger */
	uint32_t max_copy_files;      /* files and directories of a copy */
	bool auto_complete;           /* offer members as soon as a dot is typed */
	bool commit_over;             /* of containers, as the next ones: terrarium/sandbox.h */
	bool keep_image;
	bool read_only;
	char path[1024];               /* the config file that was named; "": none was */
	char workdir[TRM_INSIDE_PATH]; /* "": /workspace */
	/* of the backend "microsandbox" (terrarium/sandbox.h: struct trm_server_opts); "": its default */
	char server_url[TRM_SERVER_URL_BYTES];
	char server_space[TRM_SERVER_SPACE_BYTES];
	char image[256]; /* of containers, too */
	char shell[256];
	/* of containers (terrarium/sandbox.h: struct trm_container_opts); "": none */
	char container[256];
	char user[128];
	char commit[256];
	char record[1024];       /* file to record the workbench's session to; "": none */
	char api_key_file[1024]; /* of a server: from which the key was read, if it was */
	char ca_file[1024];
	char dockerfile[1024];           /* of containers */
	char ports[1024];                /* a list, of servers */
	char api_key[TRM_API_KEY_BYTES]; /* never to be shown */
	char mounts[TRM_MOUNTS_BYTES];   /* a list: host, guest and "ro" or "rw" of each in turn */
	char env[TRM_ENV_BYTES];         /* a list: "NAME=value" */
	char volumes[8192];              /* a list, of servers */
	char scripts[32768];             /* a list, of servers: name and text of each in turn */
};

enum trm_setting_kind {
	TRM_SETTING_TEXT,   /* char [] */
	TRM_SETTING_RANGES, /* char []: ranges of addresses with commas between; an option may be repeated */
	TRM_SETTING_LIST,   /* char []: texts, see trm_list_next(); an option may be repeated */
	TRM_SETTING_SECRET, /* char []: trm_config_get() does not tell it */
	TRM_SETTING_SECRET_FILE, /* char []: a file; what it holds becomes the secret at once */
	TRM_SETTING_CHOICE,      /* char []: one of the words of `metavar`, which are apart by | */
	TRM_SETTING_SWITCH,      /* bool: on off true false yes no 1 0 */
	TRM_SETTING_BYTES,       /* uint64_t bytes; a plain number is MiB; K, M, G (KiB …) may follow */
	TRM_SETTING_CORES,       /* double */
	TRM_SETTING_COUNT,       /* uint32_t */
	TRM_SETTING_SECONDS,     /* uint32_t ms; a plain number is seconds; ms, s, m may follow */
};

struct trm_setting {
	const char *name;     /* key in the config file: "metrics_interval" */
	const char *option;   /* "--metrics-interval" */
	char letter;          /* short option: 'l' for -l; 0: none */
	const char *env;      /* "TERRARIUM_METRICS_INTERVAL" */
	const char *metavar;  /* "S" */
	const char *fallback; /* the default, as one would type it */
	enum trm_setting_kind kind;
	double min, max;      /* in the typed unit (MiB, cores, count, seconds); not for TEXT, SWITCH */
	bool zero_is_off;     /* 0 is allowed although below min */
	bool not_from_dotenv; /* a folder that one happens to be in may not decide this */
	const char *help;     /* one line */
	size_t offset, size;  /* of the field in struct trm_config */
};

/* The table, in the order of --help. */
const struct trm_setting *trm_settings(size_t *ret_count);

/* Row by name, by option ("--memory") or by environment variable; NULL if there is none. */
const struct trm_setting *trm_setting_find(const char *key);

/* Set one field from text. `label` is what a message calls the setting
 * ("--memory", "TERRARIUM_MEMORY"). TRM_EINVAL with a sentence such as
 * "--memory -1: must be at least 16 MiB"; the field is then unchanged. */
int trm_config_set(struct trm_config *config, const struct trm_setting *setting, const char *text,
		const char *label, struct trm_error *reterr);

/* Add a setting to the config file `path`, which is made if it is missing, for those that a person has chosen
 * in a dialog; comments stay. `value` is a plain word. TRM_EEXIST: the file sets it already; TRM_EINVAL: it
 * is no JSON object. */
int trm_config_store(const char *path, const struct trm_setting *setting, const char *value,
		struct trm_error *reterr);

/* Of a LIST the items are apart by newlines; all that was there before is gone. These two for one after the
 * other, of which an item may have newlines in it. TRM_ENOENT: a variable that is to be passed on, and is not
 * set. */
void trm_config_clear(struct trm_config *config, const struct trm_setting *setting);
int trm_config_add(struct trm_config *config, const struct trm_setting *setting, const char *item,
		const char *label, struct trm_error *reterr);
/* A list in a field: texts one after the other, each ended by NUL, behind the last an empty one. The first
 * (`at` NULL), or the one after `at`; NULL at the end. */
const char *trm_list_next(const char *list, const char *at);

/* The field as one would type it, for help, dialogs and tests: "512", "on"; but no secrets, nor the password
 * in an address: http://user:***@host. Returns its length. */
size_t trm_config_get(
		const struct trm_config *config, const struct trm_setting *setting, char *out, size_t cap);

void trm_config_default(struct trm_config *config);

/* Defaults, then config file, `.env`, environment. `path` NULL: the file named
 * by TERRARIUM_CONFIG, else the one in the config directory, which need not
 * exist. Errors: TRM_EINVAL, naming file, line and column, and the nearest
 * known key for an unknown one; TRM_ENOENT a file that was named is missing. */
int trm_config_load(struct trm_config *config, const char *path, struct trm_error *reterr);

/* Where a value came from. */
enum trm_config_from {
	TRM_FROM_DEFAULT,
	TRM_FROM_FILE,        /* the config file: trm_config_path() */
	TRM_FROM_DOTENV,      /* `.env` in the current directory */
	TRM_FROM_ENVIRONMENT, /* the variable of the setting */
	TRM_FROM_OPTION       /* never by the library itself */
};
struct trm_config_origin {
	enum trm_config_from from;
	uint32_t line, column; /* FILE; DOTENV: the line; from 1 */
};
/* As trm_config_load(); origins[i] tells of row i of trm_settings(). */
int trm_config_load_from(struct trm_config *config, const char *path, struct trm_config_origin *origins,
		struct trm_error *reterr);

/* Variables of the environment that begin with TERRARIUM_ and mean nothing, which loading passes over: `fn`
 * is called for each, with the one that was most likely meant (NULL: none is near). Names are borrowed. */
typedef void trm_config_stray_fn(void *user, const char *name, const char *nearest);
void trm_config_strays(trm_config_stray_fn *fn, void *user);

/* Settings from the text of a config file, on top of what `config` holds.
 * `filename` is for messages. All or nothing. */
int trm_config_parse(struct trm_config *config, const char *text, size_t n, const char *filename,
		struct trm_error *reterr);

/* Sections: keys of the config file that hold an object with a meaning of its own ("keys"). Loading checks
 * only that they are objects; who knows the meaning walks over the entries, in the order of the file:
 *   { "keys": { "editor": { "ctrl-d": "duplicate" }, "f9": null } }
 * gives ("editor", "ctrl-d", "duplicate") and ("", "f9", ""). */
struct trm_config_entry {
	const char *group, *key, *value; /* "" where there is none; null is "" */
	const char *where;               /* "FILE:LINE:COLUMN" of the key */
};
typedef void trm_config_entry_fn(void *user, const struct trm_config_entry *entry);
/* `path` as in trm_config_load(). A file or section that is not there has no entries. Errors as there, and
 * TRM_EINVAL where an entry is no text. */
int trm_config_walk(const char *path, const char *section, trm_config_entry_fn *fn, void *user,
		struct trm_error *reterr);

/* The same section as JSON, for those who read it themselves: malloc'd; NULL where there is none. */
int trm_config_section(const char *path, const char *section, char **ret_json, struct trm_error *reterr);

/* The same within its file, for those who tell places: all of the file's text with its comments blank, and
 * where in it the section's object begins. */
struct trm_config_text {
	char *text; /* malloc'd, ended by NUL; NULL: there is no such section */
	size_t n, offset;
	char file[4096];
};
int trm_config_text(
		const char *path, const char *section, struct trm_config_text *ret, struct trm_error *reterr);

/* The file that trm_config_load() reads for `path`; false: there is none to be named. */
bool trm_config_path(const char *path, char *out, size_t cap);

/* Fill in the options of a sandbox and a session. `opts` borrows texts of `config`. */
void trm_config_sandbox_opts(const struct trm_config *config, struct trm_sandbox_opts *opts);
void trm_config_session_opts(const struct trm_config *config, struct trm_session_opts *opts);

#endif
