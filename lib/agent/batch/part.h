/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PART_H
#define TRM_AGENT_PART_H

/* Splitting a piece of C or C++ into the parts that stand next to each other at its top level, and telling
 * declarations from statements. This is done by form: the compiler has the last word.
 * A NUL follows all code, though not each part of it. */

#include <stdbool.h>
#include <stddef.h>

enum { PART_NAMES = 8, PART_NAME_SIZE = 64 };

enum part_kind {
	PART_INCLUDE,   /* #include <…> */
	PART_DIRECTIVE, /* another line for the preprocessor; from #if to #endif is one */
	PART_TYPE,      /* a declaration that makes no object: type, template, using, prototype */
	PART_NAMESPACE, /* of a name, or extern "C" { … } */
	PART_FUNCTION,  /* with a body */
	PART_OBJECT,    /* one or more variables */
	PART_BINDING,   /* auto [a, b] = … */
	PART_STATEMENT,
	PART_EXPRESSION, /* without a semicolon: its value is to be shown */
};

struct part {
	enum part_kind kind;
	const char *at;
	size_t n;
	const char *names[PART_NAMES]; /* in the text: what it declares, or binds */
	size_t name_len[PART_NAMES];
	size_t n_names;
	const char *body;  /* of a function: its brace; of an object: its first initializer; else NULL */
	bool is_unended;   /* a declaration whose semicolon is missing */
	bool has_brackets; /* an object: an array */
};

/* Is this the name of a variable or function that an earlier piece has made? */
typedef bool part_knows(void *user, const char *name, size_t n);

/* The first part at `at`. False: there is none, only spaces and comments. */
bool part_next(const char *at, size_t n, part_knows *knows, void *user, struct part *ret);
/* Does the code define main()? */
bool part_has_main(const char *code, size_t n);

enum part_state { PART_COMPLETE, PART_INCOMPLETE, PART_INVALID };
enum part_state part_state_of(const char *code, size_t n, part_knows *knows, void *user);

#endif
