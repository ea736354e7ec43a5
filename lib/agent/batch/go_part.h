/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_GO_PART_H
#define TRM_AGENT_GO_PART_H

/* Splitting a piece of Go into the declarations and statements at its top level, by form. */

#include <stdbool.h>
#include <stddef.h>

enum { GO_NAMES = 32, GO_NAME_SIZE = 64 };

enum go_kind {
	GO_IMPORT,
	GO_TYPE,
	GO_CONST,
	GO_FUNC,   /* or a method: its name is "Type.name" */
	GO_VAR,    /* of one specification; a group has one part for each */
	GO_DEFINE, /* a, b := … */
	GO_STATEMENT,
	GO_EXPRESSION, /* may be one: neither keyword nor assignment */
};

struct go_part {
	enum go_kind kind;
	const char *at;
	size_t n;
	char names[GO_NAMES][GO_NAME_SIZE]; /* that it declares */
	size_t n_names;
	const char *type, *type_end;   /* of variables; NULL: not given */
	const char *value, *value_end; /* their initializers; NULL: none */
};

/* The first part at `at`. False: there is none. */
bool go_part_next(const char *at, size_t n, struct go_part *ret);
/* The same for the specifications of `var (…)` and the like, of which `group` is the whole. False: it is no
 * group, or there are no more. `*at` is NULL at first. */
bool go_part_in_group(const struct go_part *group, const char **at, struct go_part *ret);
/* The first of values that commas separate. False: there is none. */
bool go_part_value(const char *at, size_t n, struct go_part *ret);
/* Does the code begin with `package`? */
bool go_part_is_program(const char *code, size_t n);
/* Is the word used as a package's name, as in `word.Name`? */
bool go_part_uses(const char *at, size_t n, const char *word);

#endif
