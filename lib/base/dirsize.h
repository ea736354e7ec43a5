/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_DIRSIZE_H
#define TRM_BASE_DIRSIZE_H

/* How much a directory holds, where no file system of its own counts that. */

#include <stdbool.h>
#include <stdint.h>

struct dirsize {
	int fd;              /* of the directory; -1: none */
	bool unlocks;        /* directories that their owner has locked are opened for a moment */
	uint64_t bytes;      /* what its files take on the disk, when it was last walked */
	bool is_whole;       /* nothing lay where the walk could not look */
	uint64_t free_bytes; /* of the file system then */
	uint64_t free_files;
	uint64_t next_ns; /* not walked again before */
};

/* Takes no descriptor: the caller keeps it. */
void dirsize_init(struct dirsize *d, int fd);

/* Walk it again, if the file system's free space has changed and the last walk was long enough ago: walking
 * may take a twentieth of the time. True: ret_bytes is known. False: something lay in directories that the
 * caller cannot read, or more than 256 deep. Each entry counts as 4 KiB at least. Files that have been
 * deleted and are still open are not counted. */
bool dirsize_look(struct dirsize *d, uint64_t now_ns, uint64_t *ret_bytes);

#endif
