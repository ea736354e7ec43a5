/* SPDX-License-Identifier: MIT */
#include "base/idle_memory.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void idle_memory_drop(char *bytes, size_t n)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), before = -(uintptr_t)bytes & (page - 1);
	if (n > before)
		madvise(bytes + before, (n - before) & ~(page - 1), MADV_DONTNEED);
}

void idle_memory_drop_stack(void)
{
	enum { KEPT = 8 << 10, DEPTH = 256 << 10 }; /* kept: for what this function calls */
	idle_memory_drop((char *)((uintptr_t)__builtin_frame_address(0) - KEPT - DEPTH), DEPTH);
}
