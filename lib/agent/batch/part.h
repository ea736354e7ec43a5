/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PART_H
#define TRM_AGENT_PART_H

/* Splits a piece of C or C++ into the parts at its top level, and tells declarations from statements by
 * their form. The compiler decides in the end: a wrong guess becomes a compile error.
 *
 * All code given to these functions is NUL-terminated. A single part of it is not. */

#include <stdbool.h>
#include <stddef.h>

enum { PART_NAMES = 8, PART_NAME_SIZE = 64 };

enum part_kind {
	PART_INCLUDE,   /* #include <…> */
	PART_DIRECTIVE, /* another preprocessor line; everything from #if to its #endif is one part */
	PART_TYPE,      /* a declaration without an object: type, template, using, prototype */
	PART_NAMESPACE, /* namespace with a name, or extern "C" { … } */
	PART_FUNCTION,  /* with its body */
	PART_OBJECT,    /* one or more variables */
	PART_BINDING,   /* auto [a, b] = … */
	PART_STATEMENT,
	PART_EXPRESSION, /* without a semicolon: the run shows its value */
};

struct part {
	enum part_kind kind;
	const char *at;
	size_t n;
	const char *names[PART_NAMES]; /* pointers into the text: names that the part declares or binds */
	size_t name_len[PART_NAMES];
	size_t n_names;
	const char *body;  /* function: its opening brace; object: its first initializer; otherwise NULL */
	bool is_unended;   /* the semicolon of the declaration is missing */
	bool has_brackets; /* the object is an array */
};

/* True if an earlier piece has made a variable or function of this name. */
typedef bool part_knows(void *user, const char *name, size_t n);

/* Find the first part at `at`. False: only spaces and comments are left. */
bool part_next(const char *at, size_t n, part_knows *knows, void *user, struct part *ret);
/* True if the code defines main(). */
bool part_has_main(const char *code, size_t n);

enum part_state { PART_COMPLETE, PART_INCOMPLETE, PART_INVALID };
enum part_state part_state_of(const char *code, size_t n, part_knows *knows, void *user);

#endif
