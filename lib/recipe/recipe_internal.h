/* SPDX-License-Identifier: MIT */
#ifndef TRM_RECIPE_RECIPE_INTERNAL_H
#define TRM_RECIPE_RECIPE_INTERNAL_H

/* The inside of a recipe: read.c makes it from JSON, expand.c puts facts into it. */

#include "recipe/recipe.h"

struct cJSON;

/* ---- words: what may be between braces, and after "if" and "each" ---- */

enum recipe_list { LIST_ENV, LIST_MOUNT, LIST_LABEL, LIST_OPTION, LIST_ENGINE_ARG, LIST_COUNT };
enum { PART_WHOLE, PART_NAME, PART_VALUE }; /* of an item "NAME=value"; of a mount: host, guest, writable */

enum word_kind {
	WORD_FACT,   /* index: enum recipe_fact */
	WORD_WHOLE,  /* the same fact, a number, rounded up to a whole one */
	WORD_FIXED,  /* text: its constant value */
	WORD_LATE,   /* text: RECIPE_LATE_… */
	WORD_ITEM,   /* of the list `index`, only inside its "each"; part: PART_… */
	WORD_PROGRAM /* the recipe's own; a whole element, because it may be several arguments */
};

/* The kinds of facts that a step knows, one bit each. A word has the bits of the steps that know it. */
enum { KNOW_IMAGE = 1, KNOW_BUILD = 2, KNOW_EXISTING = 4, KNOW_SANDBOX = 8, KNOW_ID = 16, KNOW_TAG = 32 };

struct word {
	const char *name;
	enum word_kind kind;
	unsigned index, part, known;
	const char *text;   /* FIXED, LATE */
	const char *option; /* that sets it, for messages; may be NULL */
};

/* Row by name; NULL: there is none. */
const struct word *word_find(const char *name, size_t n);
const struct word *word_at(size_t i); /* NULL: no more */
/* A word for "if" and "unless": a fact, a list (does it have items?), or "mount.writable". */
const struct word *word_condition(const char *name);
/* A list for "each": enum recipe_list, or -1. */
int word_list(const char *name);
const char *word_list_name(enum recipe_list list);
unsigned word_known(enum recipe_step step);
/* Does the manifest of a pod (RECIPE_PUT_POD) use it? */
bool word_is_in_pod(const char *name);
/* The nearest known one, or NULL. */
const char *word_nearest(const char *name, size_t n);
const char *word_nearest_condition(const char *name);
const char *word_nearest_list(const char *name);

enum word_quote { QUOTE_NONE, QUOTE_SHELL, QUOTE_CSV };

/* A placeholder that begins at a brace: {name} or {name:sh}. */
struct placeholder {
	const char *name, *how; /* borrowed, not NUL-terminated; how: the text after the colon */
	size_t n, n_how;
};
/* Its length; 0: this brace begins no placeholder. */
size_t word_scan(const char *text, struct placeholder *ret);
/* "sh", "csv" or nothing; false: something else. */
bool word_quote(const struct placeholder *p, enum word_quote *ret);

/* ---- a recipe ---- */

enum arg_kind { ARG_TEXT, ARG_PROGRAM, ARG_IF, ARG_UNLESS, ARG_EACH };

struct args {
	struct arg *all;
	size_t n;
};

struct arg {
	enum arg_kind kind;
	char *text;               /* TEXT: with placeholders */
	const struct word *asked; /* IF, UNLESS */
	enum recipe_list list;    /* EACH */
	struct args args;         /* all except TEXT and PROGRAM */
};

struct step {
	struct args *commands;
	size_t n;
};

struct hint {
	char *text, *say;
};

struct trm_recipe {
	unsigned n_refs;
	char name[TRM_RECIPE_NAME];
	char like[TRM_RECIPE_NAME];
	char *about;
	struct args program; /* TEXT without placeholders */
	struct step steps[STEP_COUNT];
	struct hint *hints;
	size_t n_hints;
	char **env;
	size_t n_env;
	char *workdir; /* with placeholders; may be NULL */
	char *image;   /* if none is named; may be NULL */
	enum recipe_put put_reads;
	bool keeps_user;
	uint32_t timeout_ms;
};

void args_finish(struct args *args);
void step_finish(struct step *step);

/* ---- reading ---- */

/* A text with recipes, for messages: where an object of it is, and which recipe. */
struct recipe_text {
	const char *file; /* "": the built-in ones */
	const char *json; /* the whole file, comments blanked */
	size_t n;
	size_t offset;            /* of `root` */
	const struct cJSON *root; /* names and recipes */
	bool is_one;              /* at `offset` is a recipe itself, the only one of `root` */
};

/* Read the recipe `name`, which is child `nth` of text->root, on top of what `recipe` has already. */
int recipe_read(const struct recipe_text *text, size_t nth, struct trm_recipe *recipe,
		struct trm_error *reterr);
/* Is the recipe complete? Call this after reading all recipes that it is like. Messages name the same
 * position. */
int recipe_check(const struct recipe_text *text, size_t nth, const struct trm_recipe *recipe,
		struct trm_error *reterr);
/* "FILE:LINE:COLUMN: backend 'x': …" of the recipe as a whole, or of its key "like". */
int recipe_fail(const struct recipe_text *text, size_t nth, const char *key, struct trm_error *reterr,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
