/* SPDX-License-Identifier: MIT */
#ifndef TUI_COMPLETE_INTERNAL_H
#define TUI_COMPLETE_INTERNAL_H

/* Shared by the files of completion: complete.c (requests, filter, insertion), complete_keys.c (keys, mouse,
 * position), complete_words.c (candidates without a kernel). */

#include <stdbool.h>
#include <stddef.h>

#include "model/complete.h"

struct syntax;
struct text;

/* ---- complete.c ---- */

/* Request completions at the cursor. `is_auto`: the person did not ask for them. `is_eager`: insert what is
 * certain. */
void complete_begin(struct model *m, bool is_auto, bool is_eager, struct effects *out);
/* Insert the selected candidate. */
void complete_accept(struct model *m, struct effects *out);
/* Is the candidate the same as the text that is there already? */
bool complete_is_exact(const struct model *m);

/* ---- complete_words.c ---- */

/* Can this byte be part of a name? All bytes beyond ASCII can. */
bool is_word_byte(unsigned char c);

/* The start of the word that ends at `pos`. */
size_t word_start(const struct text *t, size_t pos);

/* The kind of a word, judged by its occurrences near `pos`: "function", "word". */
const char *word_kind(struct syntax *s, const struct text *t, size_t pos, const char *word);

/* Words near `pos` that begin with `prefix` and are longer, each once, in alphabetical order, without the
 * word at `pos`. The caller frees the vector and its strings. NULL: out of memory, or there are none. */
char **words_near(const struct text *t, size_t pos, const char *prefix, size_t *ret_n);

#endif
