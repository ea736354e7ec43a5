/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_LOST_FILES_H
#define TUI_STREAM_LOST_FILES_H

/* What a sandbox that is about to end takes along: files that code has written into its working directory. */

#include <stddef.h>

struct trm_sandbox;

enum { LOST_NAMES = 120 };

struct lost_files {
	/* The sandbox was looked at; count is set. */
	void (*looked)(void *user);
	void *user;
	const char *dir; /* folder that was copied into it; what is still as it is there is not lost. NULL:
			    none */
	size_t count;    /* of files and folders */
	char names[LOST_NAMES]; /* of the first ones */
	/* Sources for trm_copy_start(), NULL-terminated; NULL: none. Folders that were given are among them,
	 * because files in them may be new. */
	char **sources;
	size_t n_sources;
	struct trm_sandbox *sandbox;
};

/* Look at the sandbox, which must stay open until `looked` is called, later and once. `looked`, `user` and
 * `dir` are set. */
void lost_files_look(struct lost_files *lost, struct trm_sandbox *sandbox);
void lost_files_finish(struct lost_files *lost); /* accepts a zeroed object */
/* Write what is lost: "2 files that were written in the sandbox (a.csv, plot.png) are gone with it". */
void lost_files_describe(const struct lost_files *lost, char *out, size_t cap);

#endif
