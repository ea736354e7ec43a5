/* SPDX-License-Identifier: MIT */
/* The snapshots that there are. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/registry.h>

#include "base/err.h"
#include "snapshot/snapshot.h"

int trm_snapshot_find(const char *tag, struct trm_snapshot_info *ret, struct trm_error *reterr)
{
	struct store_about about;
	int fd, r = snapstore_open(tag, &about, &fd, reterr);
	if (r < 0)
		return r;
	close(fd);
	*ret = about.info;
	ret->is_used = snapstore_is_used(tag);
	return 0;
}

struct listing {
	trm_snapshot_fn *fn;
	void *user;
};

static void list_one(void *user, const struct store_about *about)
{
	const struct listing *listing = user;
	listing->fn(listing->user, &about->info);
}

int trm_snapshot_list(trm_snapshot_fn *fn, void *user, struct trm_error *reterr)
{
	struct listing listing = {fn, user};
	return snapstore_walk(list_one, &listing, reterr);
}

/* ---- removing ---------------------------------------------------------------------------------- */

/* "a, b": the sandboxes that were started from it. */
static void find_users(const char *tag, char *out, size_t cap)
{
	struct trm_requested requested;
	struct trm_registry *registry;
	const struct trm_entry *entries;
	size_t n = 0, used = 0;
	*out = '\0';
	if (trm_registry_create(&registry, NULL) < 0)
		return;
	if (trm_registry_list(registry, &entries, &n, NULL) < 0)
		n = 0;
	for (size_t i = 0; i < n && used + sizeof entries[i].name + 4 < cap; i++)
		if (!entries[i].is_stale && trm_registry_requested(entries[i].name, &requested, NULL) == 0
				&& strcmp(requested.from, tag) == 0)
			used += (size_t)snprintf(
					out + used, cap - used, "%s%s", used ? ", " : "", entries[i].name);
	trm_registry_destroy(registry);
}

static int refuse_removal(const char *tag, struct trm_error *reterr)
{
	char users[300];
	find_users(tag, users, sizeof users);
	return trm_error_set(reterr, TRM_EBUSY,
			"the snapshot '%s' is in use by %s, and is not removed: stop what uses it first", tag,
			*users ? users : "a sandbox that starts or ends");
}

struct removal {
	struct trm_error why;
	bool is_over;
};

static void on_image_removed(void *user, const struct trm_error *why)
{
	struct removal *removal = user;
	removal->why = *why;
	removal->is_over = true;
}

static int remove_image(const struct trm_snapshot_info *info, const char *config, struct trm_error *reterr)
{
	struct removal removal = {0};
	struct image_job *job;
	struct trm_loop *loop;
	int r = trm_loop_create(&loop, reterr);
	if (r < 0)
		return r;
	r = image_remove(loop, info->backend, config, info->image, on_image_removed, &removal, &job, reterr);
	while (r == 0 && !removal.is_over)
		trm_loop_step(loop, -1);
	trm_loop_destroy(loop);
	return r < 0 || !removal.why.code ? r
					  : trm_error_set(reterr, removal.why.code, "%s", removal.why.msg);
}

int trm_snapshot_remove(const char *tag, const char *config, struct trm_error *reterr)
{
	struct trm_snapshot_info info;
	int r = trm_snapshot_find(tag, &info, reterr);
	if (r == TRM_EPROTO) /* a damaged one can only go */
		return snapstore_remove(tag, reterr);
	if (r == 0 && info.is_used)
		r = refuse_removal(tag, reterr);
	if (r == 0 && *info.image)
		r = remove_image(&info, config, reterr);
	if (r == 0 && (r = snapstore_remove(tag, reterr)) == TRM_EBUSY)
		r = refuse_removal(tag, reterr);
	return r;
}
