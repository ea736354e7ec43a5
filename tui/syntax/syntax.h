/* SPDX-License-Identifier: MIT */
#ifndef TUI_SYNTAX_H
#define TUI_SYNTAX_H

/* The kinds of a text's bytes: keywords, strings, comments. Tree-sitter finds them; its grammars are
 * shared objects that are loaded when a language is first used.
 *
 * Theory of operation. A text is parsed in segments of some KiB. Each begins with a statement of the top
 * level and has its own tree. Only the part that somebody looks at is parsed, and only trees near it are
 * kept. So a key costs the parse of one segment however big the file is, and memory is limited. An edit
 * adjusts the known kinds at once (colors stay with their words) and is reported to the segment's tree.
 * syntax_work() parses that segment again, in slices, when there is nothing more urgent to do. If a
 * statement no longer ends inside its segment (a quote was typed), everything after it is parsed again.
 *
 * Only grammars_get() does I/O. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;
struct text_edit;
struct trm_error;

enum syntax_kind {
	SYNTAX_TEXT,
	SYNTAX_KEYWORD,
	SYNTAX_STRING,
	SYNTAX_ESCAPE, /* inside strings */
	SYNTAX_EMBED,  /* delimiters of code inside strings */
	SYNTAX_NUMBER,
	SYNTAX_CONSTANT,
	SYNTAX_COMMENT,
	SYNTAX_FUNCTION,
	SYNTAX_BUILTIN,
	SYNTAX_DECORATOR,
	SYNTAX_TYPE,
	SYNTAX_VARIABLE,
	SYNTAX_PROPERTY,
	SYNTAX_PARAMETER,
	SYNTAX_OPERATOR,
	SYNTAX_PUNCTUATION,
	SYNTAX_KINDS
};

/* Added to the kind of bytes that the grammar does not accept: the first line of an error, or a bracket
 * in it without a partner. */
#define SYNTAX_FAULT 0x80

/* ---- grammars ---- */

struct syntax_language;
struct grammars;

struct grammars *grammars_create(void); /* loads nothing yet; NULL when out of memory */
/* Destroy every struct syntax that uses one of the languages first. Accepts NULL. */
void grammars_destroy(struct grammars *g);

/* The language of this name ("python", "javascript", "bash"), which is loaded if necessary; borrowed. It
 * is searched in the folder TERRARIUM_GRAMMARS, in grammars/ and the library folder beside the program,
 * and in the installation folder. NULL and a sentence if it is missing or unusable. The sentence comes
 * once; later *reterr is unchanged. */
const struct syntax_language *grammars_get(struct grammars *g, const char *name, struct trm_error *reterr);

/* The same if it is loaded already, else NULL. No I/O. */
const struct syntax_language *grammars_loaded(const struct grammars *g, const char *name);

/* ---- a text ---- */

struct syntax;

struct syntax *syntax_create(void);    /* without a language: plain; NULL: no memory */
void syntax_destroy(struct syntax *s); /* accepts NULL, as do all functions below */

/* Set another language (NULL: plain), or another text: everything is forgotten. Setting the same language
 * has no effect. */
void syntax_set_language(struct syntax *s, const struct syntax_language *l);
void syntax_reset(struct syntax *s);

/* The text has changed: a history_listener, `user` is the struct syntax. */
void syntax_edited(void *user, const struct text *after, const struct text_edit *edit);

/* Continue parsing as needed to know bytes [from, to), for about budget_us. True: their kinds may have
 * changed. */
bool syntax_work(struct syntax *s, const struct text *t, size_t from, size_t to, unsigned budget_us);
/* Would syntax_work() do anything? */
bool syntax_is_behind(const struct syntax *s, const struct text *t, size_t from, size_t to);
/* The text is too long, and these bytes are never parsed. */
bool syntax_is_beyond(const struct syntax *s, size_t from);

/* Fill kinds[0 .. to-from) with the kinds of bytes [from, to); unknown ones are SYNTAX_TEXT. */
void syntax_paint(struct syntax *s, const struct text *t, size_t from, size_t to, uint8_t *kinds);

/* The same, with SYNTAX_FAULT added where an error is certain. */
void syntax_paint_faults(struct syntax *s, const struct text *t, size_t from, size_t to, uint8_t *kinds);

/* Report the words of the grammar, that is, keywords and built-in names, each with its kind. */
void syntax_words(const struct syntax_language *l, void (*fn)(void *user, const char *word, uint8_t kind),
		void *user);

/* Is the byte at `pos` code, as opposed to part of a string or comment? True if unknown. */
bool syntax_is_code(struct syntax *s, const struct text *t, size_t pos);

/* Is the byte at `pos` part of a string that has an end? False if unknown. */
bool syntax_is_in_string(struct syntax *s, const struct text *t, size_t pos);
/* Has the text an end to each of its strings and brackets, as far as the grammar tells? False if unknown. */
bool syntax_is_closed(const struct syntax *s);
/* Parse until the first `to` bytes are known, for about budget_us at most. */
void syntax_know(struct syntax *s, const struct text *t, size_t to, unsigned budget_us);

/* Find the bracket that belongs to the one at `pos`, within `reach` bytes after or before it. Known
 * strings and comments are skipped. False: there is no bracket at `pos`, or no partner was found. */
bool syntax_match(struct syntax *s, const struct text *t, size_t pos, size_t reach, size_t *ret);

/* ---- a piece of text by itself ---- */

/* The kinds of the bytes of code[0..n), in one call. Code that takes too long stays SYNTAX_TEXT. `l`
 * NULL: all of it does. */
void syntax_highlight(const struct syntax_language *l, const char *code, size_t n, uint8_t *kinds);

#endif
