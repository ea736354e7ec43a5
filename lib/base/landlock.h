/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_LANDLOCK_H
#define TRM_BASE_LANDLOCK_H

/* Landlock's system calls and rights, from linux/landlock.h, which a musl toolchain may lack. The numbers
 * are the same on all architectures. The kernel's Documentation/userspace-api/landlock.rst says what each
 * version of the interface (ABI) added. */

#include <stdbool.h>
#include <stdint.h>

enum landlock_abi {
	LANDLOCK_ABI_REFER = 2,
	LANDLOCK_ABI_TRUNCATE,
	LANDLOCK_ABI_TCP,
	LANDLOCK_ABI_IOCTL,
	LANDLOCK_ABI_SCOPES
};

enum landlock_right {
	LANDLOCK_EXECUTE = 1,
	LANDLOCK_WRITE_FILE = 1 << 1,
	LANDLOCK_READ_FILE = 1 << 2,
	LANDLOCK_READ_DIR = 1 << 3,
	LANDLOCK_REMOVE_DIR = 1 << 4,
	LANDLOCK_REMOVE_FILE = 1 << 5,
	LANDLOCK_MAKE_CHAR = 1 << 6,
	LANDLOCK_MAKE_DIR = 1 << 7,
	LANDLOCK_MAKE_REG = 1 << 8,
	LANDLOCK_MAKE_SOCK = 1 << 9,
	LANDLOCK_MAKE_FIFO = 1 << 10,
	LANDLOCK_MAKE_BLOCK = 1 << 11,
	LANDLOCK_MAKE_SYM = 1 << 12,
	LANDLOCK_REFER = 1 << 13,
	LANDLOCK_TRUNCATE = 1 << 14,
	LANDLOCK_IOCTL_DEV = 1 << 15,
};

/* The kernel's version of the interface; 0: no Landlock. */
uint32_t landlock_abi(void);

/* Make a ruleset that only blocks signals to processes outside of it; -1 if the kernel cannot. */
int landlock_create_scopes(void);

/* Make a ruleset that handles every right of the ABI; TCP only with `refuses_tcp`. The descriptor, close on
 * exec, or -1 with errno. */
int landlock_create(uint32_t abi, bool refuses_tcp);

/* Make a ruleset that only handles reading, writing and moving files: to narrow what others allow. */
int landlock_create_narrow(uint32_t abi);
#define LANDLOCK_NARROW (LANDLOCK_READ_FILE | LANDLOCK_READ_DIR | LANDLOCK_WRITE_FILE | LANDLOCK_REFER)

/* Allow rights for `fd` (O_PATH) and everything below. Rights that the ABI does not know are left out;
 * for a file also those that only apply to directories. 0, or -1 with errno. */
int landlock_allow(int ruleset_fd, uint32_t abi, int fd, uint64_t rights);

/* Put the caller and all its future children under these rules. The caller must have no_new_privs. 0, or
 * -1. */
int landlock_enter(int ruleset_fd);

#endif
