/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/copy.h>

#include "base/err.h"
#include "install/install.h"
#include "sandbox/sandbox.h"

/* Where the verb "unpack" has left it, and its name beside it. */
#define SET_INSIDE "/workspace/.terrarium-set"

struct take {
	struct trm_sandbox *sandbox;
	take_done_fn *done;
	void *user;
	struct trm_copy *copy;
	char name[SET_NAME + 1]; /* and a newline */
	size_t name_len;
	char folder[CACHEDIR_PATH]; /* "": nothing was begun */
	bool is_stopped;
};

static void end_take(struct take *t, int r, const struct trm_error *why)
{
	take_done_fn *done = t->done;
	void *user = t->user;
	struct trm_error none = {0};
	char name[SET_NAME] = "";
	if (r == 0)
		memcpy(name, t->name, sizeof name);
	else if (*t->folder)
		set_remove(t->folder);
	free(t);
	done(user, name, r == 0 ? &none : why);
}

static void on_copied(void *user, const struct trm_error *failed, const struct trm_copy_progress *progress)
{
	struct take *t = user;
	struct trm_error why = *failed;
	(void)progress;
	t->copy = NULL;
	int r = why.code;
	if (r < 0 && r != TRM_ECANCELED)
		err_wrap(&why, r, "the packages cannot be put into the cache");
	if (r == TRM_OK) {
		r = set_end(t->folder, t->name, &why);
		t->folder[0] = '\0';
		cache_prune();
	}
	end_take(t, r, &why);
}

static int begin_copy(struct take *t, struct trm_error *reterr)
{
	static const struct trm_copy_cb cb = {.done = on_copied};
	static const char *const sources[] = {":" SET_INSIDE "/files/.", NULL};
	int r = set_begin(t->folder, reterr);
	if (r < 0) {
		t->folder[0] = '\0';
		return r;
	}
	const struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = sources,
			.target = t->folder,
			.own = t->sandbox,
			.in_fd = -1,
			.out_fd = -1};
	return trm_copy_start(t->sandbox->loop, &opts, &cb, t, &t->copy, reterr);
}

static void on_name(void *user, const void *bytes, size_t n)
{
	struct take *t = user;
	size_t room = sizeof t->name - t->name_len;
	n = n < room ? n : room;
	memcpy(t->name + t->name_len, bytes, n);
	t->name_len += n;
}

static void on_named(void *user, const struct trm_error *failed, uint64_t size, uint32_t mode)
{
	struct take *t = user;
	struct trm_error why = *failed;
	(void)size;
	(void)mode;
	int r = why.code;
	if (r == TRM_OK && t->is_stopped)
		r = trm_error_set(&why, TRM_ECANCELED, "interrupted");
	t->name[SET_NAME - 1] = '\0';
	if (r == TRM_OK && (t->name_len < SET_NAME - 1 || !set_is_name(t->name)))
		r = trm_error_set(&why, TRM_EPROTO, "the downloader did not say what it has unpacked");
	bool is_there = r == TRM_OK && set_is_whole(t->name);
	if (r == TRM_OK && !is_there)
		r = begin_copy(t, &why);
	if (r < 0 || is_there)
		end_take(t, r, &why);
}

int take_start(struct trm_sandbox *sandbox, take_done_fn *done, void *user, struct take **ret,
		struct trm_error *reterr)
{
	static const struct trm_transfer_cb cb = {.data = on_name, .done = on_named};
	struct take *t = calloc(1, sizeof *t);
	if (!t)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*t = (struct take){.sandbox = sandbox, .done = done, .user = user};
	int r = trm_file_get(sandbox, SET_INSIDE "/name", SET_NAME, &cb, t, reterr);
	if (r < 0) {
		free(t);
		return r;
	}
	*ret = t;
	return 0;
}

void take_stop(struct take *t)
{
	t->is_stopped = true;
	if (t->copy)
		trm_copy_cancel(t->copy);
}
