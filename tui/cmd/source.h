/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_SOURCE_H
#define TUI_CMD_SOURCE_H

/* Code to be run: a file, stdin, or an argument. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/lang.h>

struct trm_error;

enum source_kind { SOURCE_FILE, SOURCE_STDIN, SOURCE_ARGUMENT };

enum { SOURCE_MAX_BYTES = 16 << 20 };

struct source {
	enum source_kind kind;
	const char *name; /* the file's name; "-"; or the code itself. Borrowed */
	char *text;       /* UTF-8 without a byte order mark, NUL-terminated */
	size_t n;
	const struct trm_lang *lang;
	char **libraries;       /* that it says it needs, and that --with names; NULL: none */
	const char *dir;        /* what is in it is put in before; NULL: nothing. Borrowed */
	bool has_own_libraries; /* the code names some */
	bool is_command;        /* for `run --camel`: to be asked about as one */
};

/* Read the code, and see that it is text. Blocks. Errors: a sentence with the file's name. */
int source_read(struct source *source, struct trm_error *reterr);

/* Settle the language: `forced` if not NULL, else for a file its name's ending, then its #! line;
 * else `fallback`. */
int source_guess(struct source *source, const struct trm_lang *forced, const struct trm_lang *fallback,
		struct trm_error *reterr);

/* What a block in the code says that it needs (PEP 723). Errors: a sentence with the file's name. */
int source_find_libraries(struct source *source, struct trm_error *reterr);

void source_finish(struct source *source);

#endif
