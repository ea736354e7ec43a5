/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_LANG_H
#define TERRARIUM_LANG_H

/* The languages that a session can run. The table is constant. Pointers to its rows are valid for the life
 * of the program and may be compared. */

#include <stdbool.h>
#include <stddef.h>

struct trm_error;

enum trm_lang_id { TRM_LANG_PYTHON, TRM_LANG_JAVASCRIPT, TRM_LANG_BASH, TRM_LANG_COUNT };

struct trm_lang {
	enum trm_lang_id id;
	const char *name;            /* "python": shown to people and accepted from them */
	const char *const *aliases;  /* NULL-terminated, includes the name */
	const char *const *suffixes; /* NULL-terminated file endings, with the dot */
	const char *interpreter;     /* full path inside the sandbox */
	const char *comment;         /* the start of a line comment, e.g. "#" */
	/* it prints the prompt when code asks for a line; Bash does so only on terminals */
	bool prints_prompts;
};

/* Get the row of a language by id; NULL if out of range. */
const struct trm_lang *trm_lang_get(unsigned id);

/* Find a language by name or alias (python py py3 python3 · javascript js node · bash shell sh), ignoring
 * case. Returns 0, or TRM_EINVAL with a sentence that lists the known ones. `typescript` and `ts` are
 * known, but no installed interpreter runs them correctly: TRM_ENOTSUP, with the reason. */
int trm_lang_find(const char *name, const struct trm_lang **ret, struct trm_error *reterr);

/* Guess the language from the ending of a file name; errors as in trm_lang_find(). */
int trm_lang_guess(const char *filename, const struct trm_lang **ret, struct trm_error *reterr);

#endif
