/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_SOURCE_H
#define TUI_CMD_SOURCE_H

/* Code to run: from a file, from stdin, or from an argument. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/lang.h>

struct trm_error;

enum source_kind { SOURCE_FILE, SOURCE_STDIN, SOURCE_ARGUMENT, SOURCE_CELL };

enum { SOURCE_MAX_BYTES = 16 << 20 };

struct source {
	enum source_kind kind;
	const char *name; /* the file's name; "-"; the code itself; "x.ipynb, cell 2". Borrowed */
	const char *file; /* of a cell: its notebook. Borrowed */
	char *own_name;   /* that `name` points to; NULL: it is borrowed */
	char *text;       /* UTF-8 without a byte order mark, NUL-terminated */
	size_t n;
	const struct trm_lang *lang;
	char **libraries;       /* packages that it names, and those of --with; NULL: none */
	const char *dir;        /* folder whose content is copied first; NULL: none. Borrowed */
	bool has_own_libraries; /* the code itself names packages */
	bool is_command;        /* for `run --camel`: the question calls it a command */
};

/* Read the code and check that it is text. Blocks. Errors name the file. */
int source_read(struct source *source, struct trm_error *reterr);

/* Find the language: `forced` if it is not NULL; else for a file by its extension, then by its #! line; else
 * `fallback`. */
int source_guess(struct source *source, const struct trm_lang *forced, const struct trm_lang *fallback,
		struct trm_error *reterr);

/* Read the packages that a block in the code names (PEP 723). Errors name the file. */
int source_find_libraries(struct source *source, struct trm_error *reterr);

void source_finish(struct source *source);

#endif
