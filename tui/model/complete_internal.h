/* SPDX-License-Identifier: MIT */
#ifndef TUI_COMPLETE_INTERNAL_H
#define TUI_COMPLETE_INTERNAL_H

/* Shared by the files of completion: complete.c (asking, filtering, putting in), complete_keys.c (keys,
 * mouse, place), complete_words.c (what can be offered without a kernel). */

#include <stdbool.h>
#include <stddef.h>

#include "model/complete.h"

struct syntax;
struct text;

/* ---- complete.c ---- */

/* Ask for what may go on here. `is_auto`: it was not the person who asked; `is_eager`: put in what is
 * certain. */
void complete_begin(struct model *m, bool is_auto, bool is_eager, struct effects *out);
/* Put in the one that is marked. */
void complete_accept(struct model *m, struct effects *out);
/* It merely says what stands there. */
bool complete_is_exact(const struct model *m);
/* What stands between the start of the word and the cursor. False: the cursor is not in it any more. */
bool complete_typed_so_far(const struct model *m, char out[CANDIDATE_BYTES]);

/* ---- complete_words.c ---- */

/* Can the byte be part of a name? Everything beyond ASCII can. */
bool is_word_byte(unsigned char c);

/* Start of the word that ends at `pos`. */
size_t word_start(const struct text *t, size_t pos);

/* What a word of the text is, at one of the places near `pos` where it stands: "function", "word". */
const char *word_kind(struct syntax *s, const struct text *t, size_t pos, const char *word);

/* Words near `pos` that begin with `prefix` and are longer, each once, in alphabetical order; not the one at
 * `pos`. A vector of malloc'd strings, both to be freed by the caller; NULL when out of memory, or none. */
char **words_near(const struct text *t, size_t pos, const char *prefix, size_t *ret_n);

#endif
