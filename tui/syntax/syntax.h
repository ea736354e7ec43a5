/* SPDX-License-Identifier: MIT */
#ifndef TUI_SYNTAX_H
#define TUI_SYNTAX_H

/* What the bytes of a text are: keywords, strings, comments. By tree-sitter, whose grammars are shared
 * objects that are loaded when a language is first met.
 *
 * Theory of operation. A text is parsed in segments of some KiB, each beginning with a statement of the top
 * level and having a tree of its own; only as far as somebody looks, and only trees near there are
 * kept. So a key costs the parse of one segment however big the file is, and memory has a bound.
 * An edit moves what is known of the text at once (colors stay with their words), is told to the
 * segment's tree, and syntax_work() parses that segment again, in slices, when there is nothing
 * better to do. Where statements stop being closed inside their segment (a quote was typed), everything
 * from there on is found anew.
 *
 * Nothing here does I/O but grammars_get(). */

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
	SYNTAX_EMBED,  /* what encloses code inside strings */
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

/* ---- grammars ---- */

struct syntax_language;
struct grammars;

struct grammars *grammars_create(void); /* loads nothing yet; NULL when out of memory */
/* Every struct syntax that uses one must be gone before. Takes NULL. */
void grammars_destroy(struct grammars *g);

/* The language of this name ("python", "javascript", "bash"), loaded if it is not yet; borrowed. Looked for
 * in the folder TERRARIUM_GRAMMARS, in grammars/ and the library folder beside the program, and where they
 * are installed. NULL and a sentence if it is not there or unusable; the sentence comes once, then *reterr is
 * untouched.
 */
const struct syntax_language *grammars_get(struct grammars *g, const char *name, struct trm_error *reterr);

/* The same if it is loaded already; else NULL. No I/O. */
const struct syntax_language *grammars_loaded(const struct grammars *g, const char *name);

/* ---- a text ---- */

struct syntax;

struct syntax *syntax_create(void);    /* of no language: plain; NULL when out of memory */
void syntax_destroy(struct syntax *s); /* takes NULL, as all below do */

/* Another language (NULL: plain), or another text: everything is forgotten. The same language: nothing
 * happens. */
void syntax_set_language(struct syntax *s, const struct syntax_language *l);
void syntax_reset(struct syntax *s);

/* The text has changed: a history_listener, `user` is the struct syntax. */
void syntax_edited(void *user, const struct text *after, const struct text_edit *edit);

/* Go on parsing what is needed to know bytes [from, to), for about budget_us. True: they may look different
 * now. */
bool syntax_work(struct syntax *s, const struct text *t, size_t from, size_t to, unsigned budget_us);
/* Would that do anything? */
bool syntax_is_behind(const struct syntax *s, const struct text *t, size_t from, size_t to);
/* The text is too long for anything to be known of these bytes. */
bool syntax_is_beyond(const struct syntax *s, size_t from);

/* Fill kinds[0 .. to-from) with the kinds of bytes [from, to), as far as known; else SYNTAX_TEXT. */
void syntax_paint(struct syntax *s, const struct text *t, size_t from, size_t to, uint8_t *kinds);

/* Is the byte at `pos` code, as opposed to part of a string or comment? Where nothing is known: yes. */
bool syntax_is_code(struct syntax *s, const struct text *t, size_t pos);

/* The bracket that belongs to the one at `pos`, among `reach` bytes behind or before it; strings and comments
 * do not fool it where they are known. False: there is no bracket at `pos`, or none found that belongs to it.
 */
bool syntax_match(struct syntax *s, const struct text *t, size_t pos, size_t reach, size_t *ret);

/* ---- a piece of text by itself ---- */

/* Kinds of the bytes of code[0..n), in one go; what takes long stays SYNTAX_TEXT. `l` NULL: all is. */
void syntax_highlight(const struct syntax_language *l, const char *code, size_t n, uint8_t *kinds);

#endif
