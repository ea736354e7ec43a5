/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_COLLECT_H
#define TUI_CMD_COLLECT_H

/* Files that a run has written into the working directory: those that match a pattern, and are new or not as
 * they were before the run.
 *
 * Theory of operation. The directory is listed before the run and after it. What differs is fetched, one
 * file after the other, and becomes displays. Sizes and numbers are limited, and what is left out is said. */

#include <stdbool.h>
#include <stddef.h>

struct trm_display;
struct trm_sandbox;

struct collect_cb {
	void (*listed)(void *user); /* collect_begin() has ended */
	/* collect_end() has ended: displays with their texts, for the caller to free. */
	void (*collected)(void *user, struct trm_display *displays, size_t n);
	void (*note)(void *user, const char *text); /* what is left out, and why */
};
struct collect;

/* 0, or CMD_FAILED after a sentence: these are no patterns. */
int collect_check(const char *globs);
/* NULL: out of memory. All is borrowed. */
struct collect *collect_create(const char *globs, const struct collect_cb *cb, void *user);
/* Takes NULL. Not from a callback; nothing may be under way in a sandbox that is still open. */
void collect_destroy(struct collect *collect);

/* See what is there before a run. `listed` comes later, also when nothing can be seen. */
void collect_begin(struct collect *collect, struct trm_sandbox *sandbox);
/* Fetch what is new. `collected` comes later, exactly once. */
void collect_end(struct collect *collect, struct trm_sandbox *sandbox);

#endif
