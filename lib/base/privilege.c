/* SPDX-License-Identifier: MIT */
#include "base/privilege.h"

#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void privilege_drop_bounds(void)
{
	enum { LAST_POSSIBLE = 63 };
	for (unsigned long cap = 0; cap <= LAST_POSSIBLE; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			break;
}

void privilege_drop_capabilities(void)
{
	enum {
		VERSION_3 = 0x20080522,
		AMBIENT = 47,
		AMBIENT_CLEAR_ALL = 4
	}; /* linux/capability.h, prctl.h */
	struct {
		uint32_t version;
		int pid;
	} head = {.version = VERSION_3};
	struct {
		uint32_t effective, permitted, inheritable;
	} none[2] = {{0}};
	prctl(AMBIENT, AMBIENT_CLEAR_ALL, 0, 0, 0);
	syscall(SYS_capset, &head, none);
}
