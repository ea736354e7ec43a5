/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FAULT_WALK_H
#define TESTS_FAULT_WALK_H

/* Each path is walked again and again: the first time its first allocation is refused, then its second, until
 * it gets to its end without meeting a refusal; and once more with all that follow refused as well. However
 * far it gets, it fails with an error of its own or succeeds, ends in time, and leaves nothing allocated. */

#include <stdbool.h>

#include <terrarium/error.h>

/* What a path comes to: 0, or a negative code. */
typedef int path_fn(void);

/* To be called first. Some libraries cannot be refused anything, and cJSON's allocations shall be met too. */
void walk_begin(void);
/* Walk it so. Returns how many allocations there are, or a few less. */
unsigned walk_all(path_fn *path, const char *name);

/* Fails the test, with the place of the refusal in front. */
void walk_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* An error that is told has a code and a sentence. Returns `r`. */
int reported(int r, const struct trm_error *why);
/* For paths on which nothing but memory can be missing. Returns `r`. */
int want_nomem(int r);
/* Waits until *flag, or *other (may be NULL), turning the loop; fails if that does not come. */
struct trm_loop;
void walk_until(struct trm_loop *loop, const bool *flag, const bool *other);

#endif
