/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_CONFIG_H
#define TERRARIUM_CONFIG_H

/* Settings. One table lists each setting with its option, its environment variable, its unit
 * and its range. Everything that reads, checks or explains a setting uses that table.
 *
 * Precedence, highest first: option, environment (TERRARIUM_…), the file `.env` in the current directory
 * (read as python-dotenv reads it), the config file, the default.
 *
 * The config file is one JSON object with comments (// and slash-star) at
 * $XDG_CONFIG_HOME/terrarium/config.json (~/.config if that is not set). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/sandbox.h>
#include <terrarium/session.h>
#include <terrarium/snapshot.h>

TRM_BEGIN_API

struct trm_error;

/* Plain data: copy it freely; there is nothing to free. */
struct trm_config {
	char backend[32];  /* "local", "microsandbox", "fake", or a recipe's name (terrarium/recipe.h) */
	char name[65];     /* name of the sandbox; "": a random one */
	char language[64]; /* "": from the file's name, else python */
	struct trm_limits limits;
	uint32_t timeout_ms;          /* per run; 0: none */
	uint32_t grace_ms;            /* between an interrupt and the next step */
	uint32_t terminate_grace_ms;  /* between SIGTERM and the kill, in the workbench; 0: no SIGTERM */
	bool keep;                    /* keep the sandbox running after the program ends */
	uint32_t idle_timeout_ms;     /* end a kept sandbox after this idle time; 0: no limit */
	uint32_t max_lifetime_ms;     /* end a kept sandbox this long after its start; 0: no limit */
	uint32_t start_timeout_ms;    /* time that a sandbox may take to start */
	uint32_t metrics_interval_ms; /* 200 to 60 000 */
	uint64_t output_keep_bytes;   /* how much of a run's output its result keeps */
	uint64_t output_max_bytes;    /* how much a run may print; 0: no limit */
	/* pass credentials of proxies and package indexes to sandboxes with a network */
	bool net_credentials;
	bool confirm;             /* ask before code is run */
	char trust[128];          /* backends with fewer questions: trm_config_trusts() */
	char policy[64];          /* the policy that checks code: terrarium/policy.h */
	char policy_mode[16];     /* "advise", "ask", "enforce" */
	char isolation[16];       /* as in trm_isolation_find() */
	char memory_alert[16];    /* "ask", "interrupt", "off" */
	uint32_t memory_alert_at; /* percent of the memory limit */
	uint64_t max_copy_bytes;  /* size limit of a copy */
	uint32_t max_copy_files;  /* limit of files and directories in a copy */
	bool commit_over;         /* for containers, like the next two: terrarium/sandbox.h */
	bool keep_image;
	bool verbose; /* tell each command that is run for a sandbox */
	bool read_only;
	char path[1024];               /* the config file that was named; "": none was */
	char workdir[TRM_INSIDE_PATH]; /* "": /workspace */
	/* for the backend "microsandbox" (terrarium/sandbox.h: struct trm_remote_opts); "": its default */
	char server_url[TRM_REMOTE_URL_BYTES];
	char server_space[TRM_REMOTE_SPACE_BYTES];
	char image[256]; /* for containers, too */
	char shell[256];
	/* for containers (terrarium/sandbox.h: struct trm_container_opts); "": none */
	char container[256];
	char runtime[64];
	char environment[128];
	char engine_args[4096]; /* a list */
	char kube_context[256];
	char kube_namespace[64];
	char service_account[256];
	char runtime_class[256];
	char pod_manifest[1024];
	char warm_pool[256];
	char sandbox_template[256];
	char kube_transport[8]; /* "auto" or "exec" */
	char user[128];
	char commit[256];
	char from[TRM_SNAPSHOT_TAG]; /* the snapshot that new sandboxes start from; "": none */
	char api_key_file[1024];     /* for a server: the file that the key was read from, if any */
	char ca_file[1024];
	char dockerfile[1024];           /* for containers */
	char ports[1024];                /* a list, for servers */
	char api_key[TRM_API_KEY_BYTES]; /* never show it */
	char mounts[TRM_MOUNTS_BYTES];   /* a list: host, guest and "ro" or "rw" of each in turn */
	char env[TRM_ENV_BYTES];         /* a list: "NAME=value" */
	char volumes[8192];              /* a list, for servers */
	char scripts[32768];             /* a list, for servers: name and text of each in turn */
};

enum trm_setting_kind {
	TRM_SETTING_TEXT,        /* char [] */
	TRM_SETTING_HOSTS,       /* char []: names of hosts, in the same way */
	TRM_SETTING_RANGES,      /* char []: address ranges, separated by commas; an option may be repeated */
	TRM_SETTING_LIST,        /* char []: strings, see trm_list_next(); an option may be repeated */
	TRM_SETTING_SECRET,      /* char []: trm_config_get() does not show it */
	TRM_SETTING_SECRET_FILE, /* char []: a file; its content becomes the secret at once */
	TRM_SETTING_CHOICE,      /* char []: one of the words of `metavar`, which are separated by | */
	TRM_SETTING_SWITCH,      /* bool: on off true false yes no 1 0 */
	TRM_SETTING_BYTES,   /* uint64_t bytes; a plain number is MiB; K, M, G (Ki, KiB, KB …) may follow */
	TRM_SETTING_CORES,   /* double */
	TRM_SETTING_COUNT,   /* uint32_t */
	TRM_SETTING_SECONDS, /* uint32_t ms; a plain number is seconds; ms, s, m may follow */
};

struct trm_setting {
	const char *name;     /* key in the config file: "metrics_interval" */
	const char *option;   /* "--metrics-interval" */
	char letter;          /* short option: 'l' for -l; 0: none */
	const char *env;      /* "TERRARIUM_METRICS_INTERVAL" */
	const char *metavar;  /* "S" */
	const char *fallback; /* the default, as you would type it */
	enum trm_setting_kind kind;
	double min, max;      /* in the typed unit (MiB, cores, count, seconds); not for TEXT, SWITCH */
	bool zero_is_off;     /* 0 is allowed although it is below min */
	bool not_from_dotenv; /* a `.env` file may not set this */
	const char *help;     /* one line */
	size_t offset, size; /* of the field in struct trm_config, or in the struct of a program's settings */
};

/* The table, in the order of --help. */
const struct trm_setting *trm_settings(size_t *ret_count);

/* Find a row by name, by option ("--memory") or by environment variable; NULL if there is none. */
const struct trm_setting *trm_setting_find(const char *key);

/* Set one field from text. `fields` is the struct that the setting's offset is of: a struct trm_config, or
 * that of a program's settings. `label` is the name of the setting in messages ("--memory",
 * "TERRARIUM_MEMORY"). TRM_EINVAL with a sentence such as "--memory -1: must be at least 16 MiB"; the field
 * is then unchanged. */
int trm_config_set(void *fields, const struct trm_setting *setting, const char *text, const char *label,
		struct trm_error *reterr);

/* Does `trust`, the setting of that name, list this backend, or "all"? Where nothing isolates the code
 * (TRM_ISOLATION_NONE), the caller asks all the same. */
bool trm_config_trusts(const char *trust, const char *backend);

/* Set a setting in the text of a config file: comments, order and all that is unknown stay. Numbers and
 * switches are written bare, all else as a string. *ret is malloc'd, with a NUL behind. TRM_EINVAL: the text
 * is not a JSON object with comments. `value` is not checked: trm_config_set() does that. */
int trm_config_edit(const char *text, size_t n, const struct trm_setting *setting, const char *value,
		char **ret, size_t *ret_n, struct trm_error *reterr);

/* Set a setting in the config file `path` so, which is created if it is missing. This is for settings that a
 * person has chosen in a dialog. */
int trm_config_store(const char *path, const struct trm_setting *setting, const char *value,
		struct trm_error *reterr);

/* For a LIST, trm_config_set() takes items separated by newlines and replaces all existing items. These two
 * functions clear the list and add one item, which may contain newlines. TRM_ENOENT: a variable that should
 * be passed on is not set. */
void trm_config_clear(struct trm_config *config, const struct trm_setting *setting);
int trm_config_add(struct trm_config *config, const struct trm_setting *setting, const char *item,
		const char *label, struct trm_error *reterr);
/* Walk over a list in a field: strings that end with a NUL, with an empty string after the last. Returns
 * the first one (`at` NULL), or the one after `at`; NULL at the end. */
const char *trm_list_next(const char *list, const char *at);

/* Format the field as you would type it, for help, dialogs and tests: "512", "on". Secrets are left out,
 * and so is the password in an address: http://user:***@host. Returns `out`. */
const char *trm_config_get(const void *fields, const struct trm_setting *setting, char *out, size_t cap);

void trm_config_default(struct trm_config *config);

/* Load the defaults, then the config file, `.env` and the environment. `path` NULL: the file named by
 * TERRARIUM_CONFIG, else the one in the config directory, which need not exist. Keys that the library does
 * not know are ignored: see trm_config_load_from(). Errors: TRM_EINVAL with file, line and column; TRM_ENOENT
 * a file that was named is missing. */
int trm_config_load(struct trm_config *config, const char *path, struct trm_error *reterr);

/* Where a value came from. */
enum trm_config_from {
	TRM_FROM_DEFAULT,
	TRM_FROM_FILE,        /* the config file: trm_config_path() */
	TRM_FROM_DOTENV,      /* `.env` in the current directory */
	TRM_FROM_ENVIRONMENT, /* the setting's variable */
	TRM_FROM_OPTION       /* never set by the library itself */
};
struct trm_config_origin {
	enum trm_config_from from;
	uint32_t line, column; /* for FILE; for DOTENV only the line; from 1 */
};

/* The settings that a program has beside those of the library, in the same file, `.env` and environment. */
struct trm_program_settings {
	const struct trm_setting *rows; /* at most 24; none of kind SECRET, SECRET_FILE or LIST */
	size_t n;
	void *fields;                      /* the struct that the rows' offsets are of */
	struct trm_config_origin *origins; /* one for each row; NULL: not wanted */
};

/* Like trm_config_load(); origins[i] belongs to row i of trm_settings(), and NULL is allowed. `own` is filled
 * in, too, and then every other key of the file is an error. Without it (NULL) keys that the library does not
 * know are ignored, because they may belong to a program that shares the file, as the workbench does. */
int trm_config_load_from(struct trm_config *config, const char *path, struct trm_config_origin *origins,
		const struct trm_program_settings *own, struct trm_error *reterr);

/* Sections are keys of the config file that hold an object with its own meaning ("keys"). Loading only
 * checks that they are objects. The code that knows the meaning walks over the entries, in the order of the
 * file:
 *   { "keys": { "editor": { "ctrl-d": "duplicate" }, "f9": null } }
 * gives ("editor", "ctrl-d", "duplicate") and ("", "f9", ""). */
struct trm_config_entry {
	const char *group, *key, *value; /* "" if there is none; null is "" */
	const char *where;               /* "FILE:LINE:COLUMN" of the key */
};
typedef void trm_config_entry_fn(void *user, const struct trm_config_entry *entry);
/* `path` is as in trm_config_load(). A missing file or section has no entries. Errors as there, and
 * TRM_EINVAL if an entry is not a string. */
int trm_config_walk(const char *path, const char *section, trm_config_entry_fn *fn, void *user,
		struct trm_error *reterr);

/* Get the same section as JSON, for callers that parse it themselves: malloc'd; NULL if there is none. */
int trm_config_section(const char *path, const char *section, char **ret_json, struct trm_error *reterr);

/* The section within its file, for callers that report positions: the whole text of the file with its
 * comments blanked out, and the offset where the section's object begins. */
struct trm_config_text {
	char *text; /* malloc'd, NUL-terminated; NULL: there is no such section */
	size_t n, offset;
	char file[4096];
};
int trm_config_text(
		const char *path, const char *section, struct trm_config_text *ret, struct trm_error *reterr);

/* The file that trm_config_load() reads for `path`. Returns false if there is none. */
bool trm_config_path(const char *path, char *out, size_t cap);

/* Room for the lists that the options of a sandbox point to. There is nothing to free. */
struct trm_config_lists {
	struct trm_mount mounts[TRM_MOUNTS_MAX];
	const char *env[TRM_ENV_MAX];
	const char *engine_args[TRM_ENGINE_ARGS_MAX];
	const char *volumes[TRM_REMOTE_LIST_MAX], *ports[TRM_REMOTE_LIST_MAX];
	struct trm_script scripts[TRM_REMOTE_LIST_MAX];
};

/* Fill in the options of a sandbox and a session. `opts` borrows strings of `config`, and `lists`, which is
 * written. */
void trm_config_sandbox_opts(const struct trm_config *config, struct trm_config_lists *lists,
		struct trm_sandbox_opts *opts);
void trm_config_session_opts(const struct trm_config *config, struct trm_session_opts *opts);

TRM_END_API

#endif
