/* SPDX-License-Identifier: MIT */
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "base/cachedir.h"
#include "install/install.h"
#include "store/store.h"

/* Beyond CACHE_MAX the files that came first go, until CACHE_AFTER is left. */
static const uint64_t CACHE_MAX = 4096ull << 20, CACHE_AFTER = 3072ull << 20;

struct found {
	char *path;
	time_t came;
	uint64_t bytes;
};

struct crowd {
	struct found *all;
	size_t n, cap;
	uint64_t bytes;
};

/* Snapshots refer to sets; all files of one set come in a row. */
struct pin {
	char set[SET_NAME];
	bool is_needed;
};

static bool is_pinned(struct pin *pin, const char *path)
{
	static const char folder[] = "/sets/";
	const char *at = strstr(path, folder), *set = at ? at + strlen(folder) : "";
	if (strcspn(set, "/") != SET_NAME - 1)
		return false;
	if (memcmp(pin->set, set, SET_NAME - 1) != 0) {
		memcpy(pin->set, set, SET_NAME - 1);
		pin->is_needed = snapstore_needs_set(pin->set);
	}
	return pin->is_needed;
}

static int by_age(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	return (x->came > y->came) - (x->came < y->came);
}

static void add(struct crowd *c, const FTSENT *entry)
{
	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 256;
		struct found *grown = realloc(c->all, cap * sizeof *grown);
		if (!grown)
			return;
		c->all = grown;
		c->cap = cap;
	}
	struct found *found = &c->all[c->n];
	*found = (struct found){strdup(entry->fts_path), entry->fts_statp->st_mtime,
			(uint64_t)entry->fts_statp->st_size};
	if (!found->path)
		return;
	c->n++;
	c->bytes += (uint64_t)entry->fts_statp->st_size;
}

void cache_prune(void)
{
	char path[CACHEDIR_PATH];
	char *const roots[] = {path, NULL};
	struct crowd crowd = {0};
	struct pin pin = {0};
	struct trm_error why;
	int fd = cachedir_open("packages", path, &why);
	if (fd < 0)
		return;
	close(fd);
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	for (FTSENT *entry; walk && (entry = fts_read(walk));)
		if (entry->fts_info == FTS_F && !is_pinned(&pin, entry->fts_path))
			add(&crowd, entry);
	if (walk)
		fts_close(walk);
	if (crowd.bytes > CACHE_MAX) {
		qsort(crowd.all, crowd.n, sizeof *crowd.all, by_age);
		for (size_t i = 0; i < crowd.n && crowd.bytes > CACHE_AFTER; i++)
			if (unlink(crowd.all[i].path) == 0)
				crowd.bytes -= crowd.all[i].bytes;
	}
	for (size_t i = 0; i < crowd.n; i++)
		free(crowd.all[i].path);
	free(crowd.all);
}
