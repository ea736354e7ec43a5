/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_MAGIC_H
#define TERRARIUM_MAGIC_H

/* Lines that notebooks have beside the language's own: !command, %pip install, %%bash. trm_session_run() and
 * trm_policy_scan() read them by themselves; trm_session_run() installs nothing, see `libraries`.
 *
 * A line is read in this way only where it cannot be code of its language. In Python that is at the beginning
 * of a statement, so a continuation line or a string may begin with % or !. In other languages a whole text
 * of !commands is read, if each is two words that the language cannot read as an expression ("!f()" and
 * "!ls -la" are JavaScript; "!pip list" is not). Bash has no such lines: it runs commands anyway.
 *
 * Python:
 *   !command         run by Bash in the working directory; {expression} and $name are replaced by values.
 *                    `_exit_code` is its exit code; a text of nothing else ends with that of the last one
 *   x = !command     a list of the lines that it prints
 *   %pip install …   packages for the run
 *   %time, %timeit   of one statement; %cd, %pwd, %env, %set_env, %who, %whos, %ls, %cat, %cp, %mkdir, %mv,
 * %rm, %rmdir %matplotlib, %load_ext, %reload_ext, %autoreload and %config do nothing The first line of a
 * text, in all languages but Bash:
 *   %%time           tells the time that the run took
 *   %%LANGUAGE       the rest is in that language: %%bash, %%javascript
 *   %%writefile F    writes the rest to a file; with -a it is appended
 *   %%timeit         Python */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_error;
struct trm_lang;

/* What a text means. Lines keep their numbers. */
struct trm_magic {
	const struct trm_lang *lang; /* of `code` */
	char *code;                  /* what the interpreter is to run */
	size_t code_len;
	char *plain; /* the same without our own calls, for a policy that is to read it */
	size_t plain_len;
	char *shell; /* the commands for Bash, for the same purpose; NULL: none */
	size_t shell_len;
	char **libraries; /* what %pip is to install, for trm_run_opts; NULL: nothing */
	bool is_timed;
};

/* Read a text. Returns 1 if it has such lines, for trm_magic_finish(); 0 if it is code as it stands. Errors:
 * TRM_EINVAL a line that cannot be done, with the reason; TRM_ENOMEM. */
int trm_magic_read(const struct trm_lang *lang, const char *code, size_t n, struct trm_magic *ret,
		struct trm_error *reterr);
void trm_magic_finish(struct trm_magic *magic); /* takes a zeroed one */
/* Add what %pip is to install to a list, for trm_libraries_add(). Errors as trm_magic_read(). */
int trm_magic_libraries(char ***list, const struct trm_lang *lang, const char *code, size_t n,
		struct trm_error *reterr);
/* Is this line, typed alone, a !command? As above, and in Bash "!command" with no blank behind the sign. */
bool trm_magic_is_command(const struct trm_lang *lang, const char *line, size_t n);
/* Does the text begin with %%word, where that is not code? More lines may follow, until a blank one. */
bool trm_magic_is_cell(const struct trm_lang *lang, const char *code, size_t n);
/* What to say about a text that failed and has a line that only looks like these. False: nothing. */
bool trm_magic_hint(const struct trm_lang *lang, const char *code, size_t n, char *out, size_t cap);

TRM_END_API

#endif
