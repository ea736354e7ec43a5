/* SPDX-License-Identifier: MIT */
#include "term/frame.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "term/sgr_dedup.h"
#include "term/term_internal.h"

#define BIG_FRAME 1024 /* bytes */

void frame_init(struct frame *f)
{
	*f = (struct frame){.tty_fd = fcntl(1, F_DUPFD_CLOEXEC, 3),
			.caught_fd = memfd_create("frame", MFD_CLOEXEC)};
}

void frame_finish(struct frame *f)
{
	close(f->tty_fd);
	close(f->caught_fd);
	free(f->bytes);
}

bool frame_catch(const struct frame *f)
{
	return f->caught_fd >= 0 && f->tty_fd >= 0 && dup2(f->caught_fd, 1) == 1;
}

static void grow_frame(struct frame *f, size_t n)
{
	while (n > f->cap) {
		size_t cap = f->cap ? f->cap * 2 : 4096;
		char *bytes = realloc(f->bytes, cap);
		if (!bytes)
			return;
		f->bytes = bytes;
		f->cap = cap;
	}
}

void frame_send(struct frame *f, bool has_sync)
{
	static const char begin[] = "\033[?2026h", end[] = "\033[?2026l";
	off_t n = lseek(f->caught_fd, 0, SEEK_CUR);
	bool is_held = n >= BIG_FRAME && has_sync;
	dup2(f->tty_fd, 1);
	grow_frame(f, n > 0 ? (size_t)n : 0);
	if (is_held)
		term_write(begin, sizeof(begin) - 1);
	/* Without memory the frame is sent in parts. */
	for (off_t at = 0; at < n && f->cap;) {
		size_t want = (size_t)(n - at);
		ssize_t part = pread(f->caught_fd, f->bytes, want < f->cap ? want : f->cap, at);
		if (part <= 0)
			break;
		term_write(f->bytes, part == n ? sgr_dedup(f->bytes, (size_t)part) : (size_t)part);
		at += part;
	}
	if (is_held)
		term_write(end, sizeof(end) - 1);
	lseek(f->caught_fd, 0, SEEK_SET);
}
