/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_GO_KEPT_H
#define TRM_AGENT_GO_KEPT_H

/* Declarations and imports of Go, for go_source.c: those of a piece, and those that stay. */

#include <stdbool.h>
#include <stddef.h>

#include "agent/batch/go_part.h"
#include "agent/batch/go_source.h"

/* A declaration. */
struct go_entry {
	struct buf text;
	enum go_kind kind;
	char (*names)[GO_NAME_SIZE];
	size_t n_names;
	bool is_literal; /* a variable with a function literal: each piece creates the function again */
	bool is_generic; /* a type */
	char *packages;  /* that its type names, ended by newlines; NULL: none */
};

struct go_import {
	char name[GO_NAME_SIZE];
	char *path;    /* with its quotes */
	bool is_blank; /* needed for its effect, or its names stand alone */
};

/* Add to a list. NULL: out of memory. */
struct go_entry *go_entry_add(struct go_entry **entries, size_t *n, enum go_kind kind);
/* Add a name to those that it declares; without memory it is left out. */
void go_entry_name(struct go_entry *e, const char *name);
/* Does one of them declare the name? */
bool go_entries_have(const struct go_entry *entries, size_t n, const char *name);
/* Does the piece, a later one, declare one of its names again? Methods stay when their type is declared
 * again. */
bool go_entry_is_replaced(const struct go_entry *e, const struct go_piece *piece);
/* Is there an import of that name? Blank ones must be of the same path. */
bool go_imports_have(const struct go_import *list, size_t n, const struct go_import *one);

#endif
