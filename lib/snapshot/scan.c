/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "snapshot/snapshot.h"

#define HEX "0123456789abcdef"
#define SETS "/sets/"
/* install/pip.py writes it. */
#define PATH_FILE "terrarium.pth"
enum { PATH_FILE_MAX = 64 * 1024 };

static int add_set(struct store_about *about, const char *set, struct trm_error *reterr)
{
	for (size_t i = 0; i < about->n_sets; i++)
		if (memcmp(about->sets[i], set, STORE_SET - 1) == 0)
			return 0;
	if (about->n_sets == STORE_SETS)
		return trm_error_set(reterr, TRM_ETOOBIG,
				"the sandbox has got packages of the cache more than %d times: install them all at once, in "
				"a new one",
				STORE_SETS);
	memcpy(about->sets[about->n_sets], set, STORE_SET - 1);
	about->sets[about->n_sets++][STORE_SET - 1] = '\0';
	return 0;
}

/* "…/sets/0123456789abcdef0123456789abcdef/…", any number of times. */
static int find_sets(struct store_about *about, const char *text, struct trm_error *reterr)
{
	int r = 0;
	for (const char *at = text; r == 0 && (at = strstr(at, SETS)); at++) {
		const char *set = at + strlen(SETS);
		if (strspn(set, HEX) == STORE_SET - 1)
			r = add_set(about, set, reterr);
	}
	return r;
}

static int look_at_link(struct store_about *about, const char *path, struct trm_error *reterr)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof target - 1);
	target[n > 0 ? n : 0] = '\0';
	return find_sets(about, target, reterr);
}

static int look_at_path_file(struct store_about *about, const char *path, struct trm_error *reterr)
{
	char text[PATH_FILE_MAX];
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return find_sets(about, text, reterr);
}

static int look_at(struct store_about *about, const FTSENT *entry, struct trm_error *reterr)
{
	if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS)
		return trm_error_set_errno(reterr, entry->fts_errno, "cannot read the copied files");
	if (entry->fts_info == FTS_DP)
		return 0;
	about->info.bytes += (uint64_t)entry->fts_statp->st_blocks * 512;
	about->info.files += entry->fts_info != FTS_D;
	if (entry->fts_info == FTS_SL || entry->fts_info == FTS_SLNONE)
		return look_at_link(about, entry->fts_accpath, reterr);
	bool is_path_file = entry->fts_info == FTS_F && strcmp(entry->fts_name, PATH_FILE) == 0;
	return is_path_file ? look_at_path_file(about, entry->fts_accpath, reterr) : 0;
}

int scan_files(const char *path, struct store_about *about, struct trm_error *reterr)
{
	char *const roots[] = {(char *)path, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	int r = walk ? 0 : trm_error_set_errno(reterr, errno, "cannot read the copied files");
	for (FTSENT *entry; r == 0 && (entry = fts_read(walk));)
		r = look_at(about, entry, reterr);
	if (walk)
		fts_close(walk);
	about->info.has_size = r == 0;
	return r;
}
