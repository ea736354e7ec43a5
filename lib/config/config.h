/* SPDX-License-Identifier: MIT */
#ifndef TRM_CONFIG_CONFIG_H
#define TRM_CONFIG_CONFIG_H

/* Inner parts of the config room, public for the tests. */

#include <terrarium/config.h>
#include <terrarium/error.h>

/* The position of a byte in a text: both from 1, the column in code points. */
struct place {
	size_t line, column;
};
struct place jsonc_place(const char *text, size_t n, size_t offset);

/* Overwrite comments, and commas before a closing bracket, with spaces. Newlines stay, so that every
 * offset stays valid. Returns the offset of a comment without an end, or n. */
size_t jsonc_blank_comments(char *text, size_t n);

/* Offset of the nth key (from 0) of the outermost object of valid JSON; n when there is none. */
size_t jsonc_key_offset(const char *text, size_t n, size_t nth);

/* Offset of the value of the key at `key`, in valid JSON. */
size_t jsonc_value_offset(const char *text, size_t n, size_t key);

/* Is this the key of a section? See trm_config_walk(). */
bool setting_is_section(const char *key);

/* Parse JSON with comments into a tree, which lives while `use` runs. Errors name the position. */
struct cJSON;
struct source {
	const char *filename;
	const char *text; /* the original, for positions in messages */
	size_t n;
};
typedef int source_fn(void *user, const struct source *src, const char *blanked, const struct cJSON *root,
		struct trm_error *reterr);
int source_parse(const struct source *src, source_fn *use, void *user, struct trm_error *reterr);
int source_fail(const struct source *src, size_t offset, struct trm_error *reterr, const char *why);

/* Settings of kind LIST, as trm_config_set() and trm_config_get(). */
int list_set(struct trm_config *config, const struct trm_setting *setting, const char *text,
		const char *label, struct trm_error *reterr);
size_t list_get(const struct trm_config *config, const struct trm_setting *setting, char *out, size_t cap);

/* Settings of kinds SECRET and SECRET_FILE. */
int secret_set(struct trm_config *config, const struct trm_setting *setting, const char *text,
		const char *label, struct trm_error *reterr);
int secret_set_file(struct trm_config *config, const struct trm_setting *setting, const char *path,
		const char *label, struct trm_error *reterr);
size_t secret_get(const struct trm_config *config, const struct trm_setting *setting, char *out, size_t cap);
/* An address, with *** in place of a password. */
size_t secret_get_url(
		const struct trm_config *config, const struct trm_setting *setting, char *out, size_t cap);
/* Is a folder's .env forbidden to choose this server? It is if there is a key from elsewhere, which would
 * be sent to the server. Servers on this machine are always allowed. */
bool secret_forbids_url(const struct trm_config *config, const char *url);

/* Where settings are stored. `origins`: where their values came from, by row of trm_settings(); NULL: not
 * wanted. `own`: the settings of the program, whose rows come behind those of the library; NULL: unknown. */
struct config_target {
	struct trm_config *config;
	struct trm_config_origin *origins;
	const struct trm_program_settings *own;
};
enum { OWN_SETTINGS_MAX = 24, SETTINGS_MAX = 96 };
size_t config_count(const struct config_target *target);
const struct trm_setting *config_row(const struct config_target *target, size_t row);
/* The row with this name, option or variable; config_count() if there is none. */
size_t config_find(const struct config_target *target, const char *key);
/* The known name nearest to `key`, or NULL when none is near. */
const char *config_nearest(const struct config_target *target, const char *key);
int config_set_row(const struct config_target *target, size_t row, const char *text, const char *label,
		struct trm_error *reterr);
void config_note(const struct config_target *target, size_t row, enum trm_config_from from, size_t line,
		size_t column);
/* Parse the text of a config file on top of the settings in `target`. `filename` is for messages. On an error
 * `target->config` does not change; the fields of the program's own rows may have. */
int config_parse(const struct config_target *target, const char *text, size_t n, const char *filename,
		struct trm_error *reterr);

/* Settings from the text of a .env file; other names are ignored. */
int dotenv_parse(const struct config_target *target, const char *text, size_t n, const char *filename,
		struct trm_error *reterr);

/* Read a whole file: NUL-terminated, malloc'd. TRM_ENOENT if it is missing; at most 1 MiB. */
int config_read_file(const char *path, char **ret_text, size_t *ret_n, struct trm_error *reterr);

#endif
