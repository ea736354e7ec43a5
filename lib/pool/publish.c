/* SPDX-License-Identifier: MIT */
#include "pool/publish.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "backend/host/rundir.h"
#include "wire/pool_note.h"

/* The lock comes before the contents, so that a file with contents and without a lock is left behind. */
void publish_begin(struct trm_pool *pool)
{
	static unsigned n_pools;
	struct published *at = &pool->published;
	int run_fd = rundir_open(at->directory, NULL);
	at->fd = -1;
	if (run_fd < 0)
		return;
	snprintf(at->path, sizeof at->path, "%s/" POOL_NOTE_PREFIX "%d-%u", at->directory, (int)getpid(),
			++n_pools);
	at->fd = open(at->path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (at->fd >= 0 && flock(at->fd, LOCK_EX | LOCK_NB) < 0)
		publish_end(pool);
	close(run_fd);
	publish_stats(pool);
}

void publish_stats(struct trm_pool *pool)
{
	struct published *at = &pool->published;
	const struct trm_pool_opts *opts = &pool->opts;
	struct trm_pool_stats stats;
	char note[POOL_NOTE_BYTES];
	if (at->fd < 0)
		return;
	trm_pool_stats(pool, &stats);
	if (at->version && !memcmp(&stats, &at->stats, sizeof stats))
		return;
	at->stats = stats;
	struct trm_pool_entry entry = {
			.pid = (uint32_t)getpid(), .size = opts->min_idle, .max = opts->max, .stats = stats};
	snprintf(entry.name, sizeof entry.name, "%s", opts->sandbox.name ? opts->sandbox.name : "pool");
	snprintf(entry.backend, sizeof entry.backend, "%s",
			opts->sandbox.backend ? opts->sandbox.backend : "local");
	snprintf(entry.group, sizeof entry.group, "%s", opts->sandbox.group ? opts->sandbox.group : "");
	pool_note_put(note, ++at->version, &entry);
	if (pwrite(at->fd, note, sizeof note, 0) != sizeof note)
		publish_end(pool);
}

void publish_end(struct trm_pool *pool)
{
	struct published *at = &pool->published;
	if (at->fd < 0)
		return;
	unlink(at->path);
	rmdir(at->directory); /* if nothing else is in it */
	close(at->fd);
	at->fd = -1;
}
