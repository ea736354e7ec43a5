/* SPDX-License-Identifier: MIT */
#ifndef TRM_TREE_FILE_H
#define TRM_TREE_FILE_H

/* A file that is being written. It appears only when it is complete. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/entry.h"

struct tree_file {
	int fd;        /* -1: none */
	int dir_fd;    /* borrowed */
	char temp[48]; /* its temporary name; "": it has none */
	uint64_t size;
	bool ends_in_hole;
};

/* All return 0 or an errno. `unnamed`: files without a name may work here; cleared if they do not. */
int tree_file_open(struct tree_file *file, int dir_fd, bool *unnamed);
int tree_file_write(struct tree_file *file, const char *bytes, size_t n);
int tree_file_skip(struct tree_file *file, uint64_t n); /* zeros */
/* Give it its mode, time and name. EISDIR: a directory has that name; EEXIST: something that is neither
 * file nor link has it. The file is closed in any case. */
int tree_file_finish(struct tree_file *file, const struct entry *entry);
void tree_file_drop(struct tree_file *file); /* accepts one that is closed */

/* Make a link; it replaces a file or link of its name. Errors as above. */
int tree_link_make(int dir_fd, const struct entry *entry);
/* May a file or link be put at that name? 0, EISDIR or EEXIST. */
int tree_place_check(int dir_fd, const char *name);

#endif
