/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_COLLECT_H
#define TUI_CMD_COLLECT_H

/* Collects files that a run has written into the working directory: files that match a pattern and are new
 * or changed.
 *
 * Theory of operation. The directory is listed before and after the run. Files that differ are fetched one
 * after the other and become displays. Size and number are limited, and skipped files are reported. */

#include <stdbool.h>
#include <stddef.h>

struct trm_display;
struct trm_sandbox;

struct collect_cb {
	void (*listed)(void *user); /* collect_begin() has finished */
	/* collect_end() has finished. The caller frees the displays and their texts. */
	void (*collected)(void *user, struct trm_display *displays, size_t n);
	void (*note)(void *user, const char *text); /* a file was skipped, and why */
};
struct collect;

/* 0, or CMD_FAILED after a message: these are not valid patterns. */
int collect_check(const char *globs);
/* NULL: out of memory. Everything is borrowed. */
struct collect *collect_create(const char *globs, const struct collect_cb *cb, void *user);
/* Accepts NULL. Do not call it from a callback, or while an operation in an open sandbox is in progress. */
void collect_destroy(struct collect *collect);

/* List the files before a run. `listed` is called later, also if listing has failed. */
void collect_begin(struct collect *collect, struct trm_sandbox *sandbox);
/* Fetch the new files. `collected` is called later, exactly once. */
void collect_end(struct collect *collect, struct trm_sandbox *sandbox);

#endif
