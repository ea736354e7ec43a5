/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_LANG_H
#define TERRARIUM_LANG_H

/* The languages that a session can run. Each one is a row of a table: the built-in rows, and those that
 * trm_lang_load() takes from the section "languages" of a config file. Pointers to rows and their texts are
 * valid for the life of the program and may be compared. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_error;

enum { TRM_LANG_MAX = 32 }; /* rows at most: for arrays that are indexed by trm_lang.index */

/* How a policy finds in a syntax tree what is imported and used: names and their attributes, as in Python;
 * objects and their members, as in JavaScript; commands, as in Bash. Not: it looks for patterns. */
enum trm_lang_tree { TRM_TREE_NONE, TRM_TREE_ATTRIBUTES, TRM_TREE_MEMBERS, TRM_TREE_COMMANDS };

/* How blocks are written: in braces, by indentation, as in a shell, or with a closing `end`, as in Ruby. */
enum trm_lang_style { TRM_STYLE_BRACES, TRM_STYLE_INDENT, TRM_STYLE_SHELL, TRM_STYLE_END };

struct trm_lang {
	unsigned index;              /* from 0; stays the same */
	const char *name;            /* "python": shown to people, accepted from them */
	const char *const *aliases;  /* NULL-terminated, includes the name */
	const char *const *suffixes; /* NULL-terminated file endings, with the dot */
	const char *interpreter;     /* or compiler: a full path inside the sandbox, or a name for PATH */
	const char *const *version;  /* NULL-terminated command that prints its version */
	const char *comment;         /* line comment sign, e.g. "#"; "" there is none */
	const char *block_begin, *block_end; /* of a comment over several lines; "" there is none */
	enum trm_lang_style style;
	enum trm_lang_tree tree;
	bool has_tab;        /* the workbench shows a tab for it from the start */
	bool prints_prompts; /* when code asks for a line; Bash does so on terminals only */
	bool takes_args;     /* whole programs can be given arguments; batch languages always can */
	bool takes_env;      /* runs can have variables and a directory of their own; likewise */
	/* A batch language: these commands, each NULL-terminated, run one after the other for each piece of
	 * code; the list ends with NULL. {file} {out} {dir} {lines} stand for paths, {args} for the
	 * arguments. Only files stay from run to run, unless has_pieces. NULL: a resident interpreter runs
	 * the code, and keeps variables as well. */
	const char *const *const *commands;
	bool has_pieces;      /* code without main() is compiled as a piece, and keeps variables as well */
	const char *grammar;  /* tree-sitter's; "" there is none */
	const char *skeleton; /* the frame of a program, for an empty file; "" there is none */
	const char *sample;   /* a short program to begin with; "" there is none */
	/* NULL-terminated, for the tutorial of the workbench: a line to write, one that does not end, and one
	 * that plots; the last ones may be missing. */
	const char *const *lessons;
	const char *image;                  /* container image by default; "" there is none */
	const char *package;                /* of Debian, that brings the interpreter; "" not known */
	const char *package_manager;        /* "pip"; "" packages cannot be installed */
	const char *const *plot_libraries;  /* NULL-terminated: those whose figures are displays */
	const char *const *install_command; /* with {package}, NULL-terminated; NULL: none */
	const char *const *prepare; /* command that makes what its compiler can use again; NULL: none */
	/* For policies: a PCRE pattern of an import, in which {module} stands for the name, and
	 * what may be written in front of the name or, one of these characters, behind it. "" there is none.
	 */
	const char *imports, *module_prefix, *module_parts;
	/* Options behind which a command line of the interpreter has code ("-e"), NULL-terminated; NULL:
	 * none. */
	const char *const *code_options;
};

/* How many rows there are, and one of them; NULL if out of range. */
unsigned trm_lang_count(void);
const struct trm_lang *trm_lang_at(unsigned index);
/* The one that is meant where nothing says another (Python), and that of command lines (Bash). */
const struct trm_lang *trm_lang_default(void);
const struct trm_lang *trm_lang_shell(void);

/* Add the languages of a config file's section "languages" (terrarium-config(5)), or change built-in ones;
 * NULL: the user's file. Call it before the first session is opened, from one thread. TRM_EINVAL tells file,
 * line, key and reason; the table stays as it was. */
int trm_lang_load(const char *config_path, struct trm_error *reterr);

/* Is its interpreter or compiler on this machine, where local sandboxes look for it? Nothing is started. */
bool trm_lang_is_here(const struct trm_lang *lang);

/* Find a language by name or alias (python py py3 python3 · javascript js node · bash shell sh …); case does
 * not matter. 0, or TRM_EINVAL with a sentence that names the nearest, or lists the known ones. */
int trm_lang_find(const char *name, const struct trm_lang **ret, struct trm_error *reterr);

/* Guess the language from the ending of a file name; errors as in trm_lang_find(). */
int trm_lang_guess(const char *filename, const struct trm_lang **ret, struct trm_error *reterr);

/* A copy of the code without its comments; lines keep their numbers. Comment signs inside strings stay. To be
 * freed; NULL: out of memory. */
char *trm_lang_strip_comments(const struct trm_lang *lang, const char *code, size_t n);
/* The same with blanks in place of the comments: what is left stays where it is. */
char *trm_lang_blank_comments(const struct trm_lang *lang, const char *code, size_t n);

/* The folder on this machine for what trm_lang.prepare has made, which local sandboxes see read-only; it is
 * made if need be. Only what was made without code of anybody else's belongs there. */
int trm_lang_prepared(const struct trm_lang *lang, char *out, size_t cap, struct trm_error *reterr);
/* What the command may read at descriptor 5: the source of the language's driver, or what is compiled with
 * its pieces. It is the library's. */
const void *trm_lang_companion(const struct trm_lang *lang, size_t *ret_n);
/* Where the command leaves it inside of a sandbox. */
#define TRM_LANG_PREPARING "/tmp/prepared"

/* The command that installs a package where the language's own package manager puts it: "pip install NAME".
 * One line, as a shell reads it: what is not plain is quoted. TRM_ENOTSUP: the language has no package
 * manager; TRM_ETOOBIG. */
int trm_lang_install_command(const struct trm_lang *lang, const char *package, char *out, size_t cap,
		struct trm_error *reterr);

TRM_END_API

#endif
