/* SPDX-License-Identifier: MIT */
/* The pools that programs of this user keep. */
#include <terrarium/registry.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/supervised/found.h"
#include "base/err.h"
#include "sweep/sweep.h"
#include "wire/pool_note.h"

enum { POOLS_MAX = 256 };

static bool read_pool_note(int run_fd, const char *name, struct trm_pool_entry *ret)
{
	enum { TRIES = 5 };
	char note[POOL_NOTE_BYTES];
	int fd = openat(run_fd, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC), r = TRM_EPROTO;
	for (int i = 0; i < TRIES && fd >= 0 && r < 0; i++) {
		ssize_t n = pread(fd, note, sizeof note, 0);
		r = n > 0 ? pool_note_get(note, (size_t)n, ret) : TRM_EPROTO;
	}
	if (fd >= 0)
		close(fd);
	return r == 0;
}

static int compare_pools(const void *a, const void *b)
{
	const struct trm_pool_entry *x = a, *y = b;
	int order = strcmp(x->group, y->group);
	order = order ? order : strcmp(x->name, y->name);
	return order ? order : (x->pid > y->pid) - (x->pid < y->pid);
}

static struct trm_pool_entry *read_pools(DIR *dir, size_t *ret_n)
{
	struct trm_pool_entry *pools = NULL, *more;
	const struct dirent *entry;
	while (*ret_n < POOLS_MAX && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, POOL_NOTE_PREFIX, strlen(POOL_NOTE_PREFIX)) != 0)
			continue;
		more = realloc(pools, (*ret_n + 1) * sizeof *pools);
		if (!more)
			break;
		pools = more;
		*ret_n += read_pool_note(dirfd(dir), entry->d_name, &pools[*ret_n]);
	}
	if (*ret_n)
		qsort(pools, *ret_n, sizeof *pools, compare_pools);
	return pools;
}

int trm_registry_pools(struct trm_pool_entry **ret_pools, size_t *ret_n, struct trm_error *reterr)
{
	struct trm_error why;
	*ret_pools = NULL;
	*ret_n = 0;
	int fd = found_open_dir(&why);
	if (fd < 0)
		return why.code == TRM_ENOENT ? 0 : trm_error_set(reterr, why.code, "%s", why.msg);
	sweep_pool_notes(fd);
	DIR *dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory for the list of pools");
	}
	*ret_pools = read_pools(dir, ret_n);
	closedir(dir);
	return 0;
}
