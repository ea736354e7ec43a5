/* SPDX-License-Identifier: MIT */
#ifndef TRM_CONFIG_DOTENV_H
#define TRM_CONFIG_DOTENV_H

/* .env files as python-dotenv reads them (load_dotenv() of version 0.21 and later): both find the same
 * values. The rules come from its dotenv/parser.py and dotenv/variables.py:
 *
 *   [export] NAME [= VALUE] [# comment]
 *
 * NAME contains no blank, '=' or '#', or is in single quotes. A NAME without '=' has no value. VALUE in
 * single quotes may contain \\ and \'; in double quotes also \" \a \b \f \n \r \t \v. Both may span
 * lines. Other values go to the end of the line, or to a '#' after a blank, without trailing blanks.
 * Other lines are ignored. ${NAME} and ${NAME:-default} are replaced by the environment variable,
 * otherwise by the file's earlier value, otherwise by the default. A byte order mark belongs to the first
 * name. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/error.h>

/* One assignment as written in the file. Texts are borrowed, and not NUL-terminated. */
struct dotenv_binding {
	const char *key; /* NULL: a line without an assignment, or an invalid one */
	size_t key_n;
	const char *value; /* NULL: none; with its escapes */
	size_t value_n;
	char quote;  /* of the value: ' or " or 0 */
	size_t line; /* of the key, from 1 */
};

struct dotenv_reader {
	const char *text; /* line ends are \n: see dotenv_unify_lines() */
	size_t n, at, line;
};

/* Replace "\r\n" and "\r" by "\n", as Python does for text files. Returns the new length. */
size_t dotenv_unify_lines(char *text, size_t n);

/* The next binding; false: there is none. */
bool dotenv_next(struct dotenv_reader *r, struct dotenv_binding *ret);

/* Write the value without escapes to out[value_n]. Returns its length. */
size_t dotenv_unescape(const struct dotenv_binding *b, char *out);

/* Call `fn` for every binding with a key, in order, with variables expanded. `value` NULL: none. Both
 * texts are NUL-terminated (a NUL in the file ends the text). Stops when `fn` returns other than 0, and
 * returns that. TRM_ENOMEM; TRM_ETOOBIG: all values together exceed 16 MiB. */
typedef int dotenv_fn(void *user, const char *key, const char *value, size_t line);
int dotenv_each(const char *text, size_t n, dotenv_fn *fn, void *user, struct trm_error *reterr);

#endif
