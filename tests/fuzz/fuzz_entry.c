/* SPDX-License-Identifier: MIT */
/* A tree of files as a sandbox may send it, whatever it says, into a directory: nothing may appear beside it,
 * and nothing in it may lead out. */
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "tree/sink.h"

enum { BYTES_MAX = 1 << 16, FILES_MAX = 64, TOP_MAX = 64 };

static char top[TOP_MAX]; /* holds "outside", and the target "in" */
static bool is_all_seen;

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status, (void)kind, (void)at;
	return remove(path);
}

/* Directories are opened for us, in case that we are not root: what cannot be seen before is seen in the next
 * pass. */
static int check_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	char target[5000];
	if (kind == FTW_NS || kind == FTW_DNR)
		is_all_seen = false;
	if (kind == FTW_NS)
		return 0;
	if (!S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode) && !S_ISLNK(status->st_mode))
		abort();
	if (status->st_mode & 07000)
		abort();
	if (S_ISDIR(status->st_mode) && chmod(path, 0700) < 0)
		abort();
	if (!S_ISLNK(status->st_mode))
		return 0;
	ssize_t n = readlink(path, target, sizeof target - 1);
	target[n > 0 ? n : 0] = '\0';
	/* in/t is the root: what lies in it has level 2, and may climb to level 1. */
	if (!entry_link_is_inside(target, (unsigned)at->level - 2))
		abort();
	return 0;
}

static void prepare(char *in, size_t cap)
{
	if (!top[0]) {
		snprintf(top, sizeof top, "/tmp/terrarium-fuzz-XXXXXX");
		if (!mkdtemp(top))
			abort();
	}
	snprintf(in, cap, "%s/in", top);
	if (mkdir(in, 0700) < 0)
		abort();
}

/* Nothing but the target is in the folder around it. */
static void check_surroundings(const char *in)
{
	struct stat status;
	if (stat(top, &status) < 0 || status.st_nlink != 3)
		abort();
	do {
		is_all_seen = true;
		nftw(in, check_one, 64, FTW_PHYS);
	} while (!is_all_seen);
}

static int take(struct sink *sink, const struct frame *f, struct trm_error *why)
{
	struct entry entry;
	if (f->type == FRAME_DATA)
		return sink_data(sink, f->payload, f->len, why);
	int r = entry_get(f, &entry, why);
	return r < 0 ? r : sink_entry(sink, &entry, why);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char in[TOP_MAX + 8], path[TOP_MAX + 16];
	struct trm_error why;
	struct sink *sink;
	struct buf buf;
	struct frame f;
	prepare(in, sizeof in);
	snprintf(path, sizeof path, "%s/t", in);
	const struct sink_opts opts = {
			.path = path, .base = "t", .max_bytes = BYTES_MAX, .max_files = FILES_MAX};
	if (sink_create(&opts, &sink, &why) < 0)
		abort();
	buf_init(&buf, 1 << 20);
	buf_append(&buf, bytes, n < 1 << 19 ? n : 1 << 19);
	while (frame_next(&buf, &f) == 1 && take(sink, &f, &why) == 0)
		frame_done(&buf, &f);
	buf_finish(&buf);
	sink_destroy(sink);
	check_surroundings(in);
	nftw(in, remove_one, 64, FTW_PHYS | FTW_DEPTH);
	rmdir(top);
	top[0] = '\0';
	return 0;
}

/* ENTRY frames of stream 1. */
#define HEAD(len) len "\0\0\0\1\0\0\0\x42\0\0\0"
#define TAIL "\xed\1\0\0\1\0\0\0\0\0\0\0\2\0\0\0"
#define SIZE0 "\0\0\0\0\0\0\0\0"
#define ROOT HEAD("\x21") "\1\0\0\0\0" TAIL SIZE0 "\0\0\0\0"
#define UP HEAD("\1") "\2"
const struct fuzz_seed fuzz_seeds[] = {
		SEED(ROOT UP),
		/* a file of three bytes */
		SEED(ROOT HEAD("\x22") "\3\1\0\0\0a" TAIL "\3\0\0\0\0\0\0\0"
				       "\0\0\0\0"
				       "\3\0\0\0\1\0\0\0\x40\0\0\0xyz" HEAD("\x09") "\5\3\0\0\0\0\0\0\0" UP),
		/* a directory, a link out of it that stays inside, a hole */
		SEED(ROOT HEAD("\x22") "\1\1\0\0\0d" TAIL SIZE0 "\0\0\0\0" HEAD(
				"\x26") "\6\1\0\0\0l" TAIL SIZE0 "\4\0\0\0../x" UP
						HEAD("\x22") "\3\1\0\0\0h" TAIL SIZE0
							     "\0\0\0\0" HEAD("\x09") "\4\0\1\0\0\0\0\0\0" HEAD(
									     "\x09") "\5\0\1\0\0\0\0\0\0" UP),
		/* what must not be */
		SEED(ROOT HEAD("\x25") "\3\4\0\0\0../x" TAIL SIZE0 "\0\0\0\0"),
		SEED(ROOT HEAD("\x24") "\6\1\0\0\0l" TAIL SIZE0
				       "\2\0\0\0.." HEAD("\x22") "\1\1\0\0\0l" TAIL SIZE0 "\0\0\0\0"),
		{NULL, 0},
};
