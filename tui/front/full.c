/* SPDX-License-Identifier: MIT */
#include "front/hand.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/* The full program's file, between two labels. */
__asm__(".section .embedded,\"a\"\n.balign 16\n.globl front_full\n.hidden front_full\nfront_full:\n.incbin \"" FRONT_FULL
	"\"\n.globl front_full_end\n.hidden front_full_end\nfront_full_end:\n.byte 0\n.previous\n");
extern const char front_full[], front_full_end[];

int full_open(void)
{
	/* Two labels of one section, which the compiler cannot know. */
	/* cppcheck-suppress comparePointers */
	size_t n = (size_t)(front_full_end - front_full);
	int fd = memfd_create("terrarium", MFD_CLOEXEC);

	for (size_t at = 0; fd >= 0 && at < n;) {
		ssize_t part = write(fd, front_full + at, n - at);
		if (part < 0 && errno != EINTR) {
			int error = errno;
			close(fd);
			errno = error;
			return -1;
		}
		at += part > 0 ? (size_t)part : 0;
	}
	return fd;
}
