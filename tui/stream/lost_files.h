/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_LOST_FILES_H
#define TUI_STREAM_LOST_FILES_H

/* What code has written into a folder of a sandbox, and what a sandbox that is about to end takes along. The
 * folder is listed before the code runs. What is new or different later, the code has written. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trm_error;
struct trm_file;
struct trm_sandbox;

enum { LOST_NAMES = 120 };

struct lost_files {
	/* The folder was listed; TRM_OK, or why it could not be. NULL: nobody waits. */
	void (*begun)(void *user, const struct trm_error *why);
	void (*looked)(void *user); /* the sandbox was looked at again; count is set */
	/* Has this not been written by code, although it is new? May be NULL. */
	bool (*is_ours)(void *user, const struct trm_file *file);
	void *user;
	const char *folder; /* NULL: the working directory */

	bool is_known; /* the folder was listed, so that it can be told what is new */
	size_t count;  /* of files and folders; what is in a new folder does not count */
	bool has_files, has_folders;
	char names[LOST_NAMES]; /* of the first ones */
	struct trm_sandbox *sandbox;
	struct seen_item *before; /* sorted by path once all are known */
	size_t n_before, cap_before, bytes_before;
	char *new_folder; /* the last one, for its content; may be NULL */
	/* Of what was found at the last look, and of what was named to a person: sums of path and state. */
	struct file_sums {
		uint64_t *of;
		size_t n, cap;
	} found, named;
};

/* List what is there. `begun` is called later, unless an error is returned: TRM_EINVAL, the folder is a part
 * of this machine, where nothing gets lost. */
int lost_files_begin(struct lost_files *lost, struct trm_sandbox *sandbox, struct trm_error *reterr);
/* Count what is new, but for what tools leave by the way. The sandbox must stay open until `looked` is
 * called, later and once. */
void lost_files_look(struct lost_files *lost);
/* Did the last look find something that is new or different since files were named to the person? */
bool lost_files_has_news(const struct lost_files *lost);
/* The files that the last look has found were named. */
void lost_files_note_named(struct lost_files *lost);
void lost_files_finish(struct lost_files *lost); /* accepts a zeroed object */

/* Has code written this? Its name is the path in the folder. */
bool lost_files_is_new(const struct lost_files *lost, const struct trm_file *file);
/* Is the folder a part of this machine, where nothing gets lost? */
bool lost_files_is_mounted(const struct lost_files *lost);
/* Write what is lost: "2 files that were written in the sandbox (a.csv, plot.png) are gone with it". */
void lost_files_describe(const struct lost_files *lost, char *out, size_t cap);

#endif
