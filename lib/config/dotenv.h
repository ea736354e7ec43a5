/* SPDX-License-Identifier: MIT */
#ifndef TRM_CONFIG_DOTENV_H
#define TRM_CONFIG_DOTENV_H

/* .env files as python-dotenv reads them (load_dotenv() of version 0.21 and later): what one program finds in
 * a .env, the other finds too. Source of the rules: its dotenv/parser.py and dotenv/variables.py, told here
 * in words.
 *
 *   [export] NAME [= VALUE] [# comment]
 *
 * NAME has no blank, '=' or '#' in it, or stands in single quotes. A NAME without '=' has no value. VALUE in
 * single quotes knows \\ and \', in double quotes also \" \a \b \f \n \r \t \v; either may go over several
 * lines. Other values go to the end of the line, or to a '#' with a blank before it, without blanks at the
 * end. A line that is none of this is passed over. ${NAME} and ${NAME:-default} stand for the variable of the
 * environment, else for what the file has said before, else for the default. A byte order mark belongs to the
 * first name. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/error.h>

/* One assignment as it stands in the file; texts are borrowed, and not NUL-terminated. */
struct dotenv_binding {
	const char *key; /* NULL: a line without any, or one that is wrong */
	size_t key_n;
	const char *value; /* NULL: none; escapes are still in it */
	size_t value_n;
	char quote;  /* of the value: ' or " or 0 */
	size_t line; /* of the key, from 1 */
};

struct dotenv_reader {
	const char *text; /* line ends are \n alone: see dotenv_unify_lines() */
	size_t n, at, line;
};

/* "\r\n" and "\r" become "\n", as Python's text files have it. Returns the new length. */
size_t dotenv_unify_lines(char *text, size_t n);

/* The next binding; false: there is none. */
bool dotenv_next(struct dotenv_reader *r, struct dotenv_binding *ret);

/* The value without escapes, into out[value_n]; returns its length. */
size_t dotenv_unescape(const struct dotenv_binding *b, char *out);

/* Every binding of a file that has a key, in its order, with variables put in. `value` NULL: none. Both texts
 * are NUL-terminated (what follows a NUL in the file is cut off). Stops when `fn` returns other than 0, and
 * returns that. TRM_ENOMEM; TRM_ETOOBIG: all values together are beyond 16 MiB. */
typedef int dotenv_fn(void *user, const char *key, const char *value, size_t line);
int dotenv_each(const char *text, size_t n, dotenv_fn *fn, void *user, struct trm_error *reterr);

#endif
