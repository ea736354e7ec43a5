/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_DIRSIZE_H
#define TRM_BASE_DIRSIZE_H

/* The size of a directory that has no file system of its own to count it. */

#include <stdbool.h>
#include <stdint.h>

struct dirsize {
	int fd;              /* of the directory; -1: none */
	bool unlocks;        /* make directories that their owner has locked readable for a moment */
	uint64_t bytes;      /* disk space of its files at the last walk */
	bool is_whole;       /* the walk could read everything */
	uint64_t free_bytes; /* of the file system at the last walk */
	uint64_t free_files;
	uint64_t next_ns; /* not walked again before this time */
};

/* The caller keeps the descriptor and closes it. */
void dirsize_init(struct dirsize *d, int fd);

/* Walk the directory again if the file system's free space has changed and the last walk was long enough
 * ago: walks may take a twentieth of the time. True: *ret_bytes is known. False: something lay in
 * directories that the caller cannot read, or more than 256 deep. Each entry counts as at least 4 KiB.
 * Files that are deleted but still open do not count. */
bool dirsize_poll(struct dirsize *d, uint64_t now_ns, uint64_t *ret_bytes);

#endif
