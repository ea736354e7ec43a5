/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_LANG_H
#define TERRARIUM_LANG_H

/* The languages that a session can run. The table is constant; pointers to
 * its rows are valid for the life of the program and may be compared. */

#include <stdbool.h>
#include <stddef.h>

struct trm_error;

enum trm_lang_id { TRM_LANG_PYTHON, TRM_LANG_JAVASCRIPT, TRM_LANG_BASH, TRM_LANG_COUNT };

struct trm_lang {
	enum trm_lang_id id;
	const char *name;            /* "python": shown to people, accepted from them */
	const char *const *aliases;  /* NULL-terminated, includes the name */
	const char *const *suffixes; /* NULL-terminated file endings, with the dot */
	const char *interpreter;     /* full path inside the sandbox */
	const char *comment;         /* line comment sign, e.g. "#" */
	bool prints_prompts;         /* when code asks for a line; Bash does so on terminals only */
};

/* Row of a language, by id; NULL if out of range. */
const struct trm_lang *trm_lang_get(unsigned id);

/* Find a language by name or alias (python py py3 python3 · javascript js node
 * · bash shell sh), case-insensitively. 0, or TRM_EINVAL with a sentence that lists the
 * known ones. `typescript` and `ts` are known names that cannot be run
 * faithfully by what is installed: TRM_ENOTSUP, with the reason. */
int trm_lang_find(const char *name, const struct trm_lang **ret, struct trm_error *reterr);

/* Guess from a file name's ending; errors as trm_lang_find. */
int trm_lang_guess(const char *filename, const struct trm_lang **ret, struct trm_error *reterr);

#endif
