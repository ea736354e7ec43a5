/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "sync/sync.h"

struct waiting {
	struct buf bytes;
	struct trm_error why;
	bool is_out_of_memory, is_done;
};

static void on_data(void *user, const void *bytes, size_t n)
{
	struct waiting *w = user;
	if (buf_append(&w->bytes, bytes, n) < 0)
		w->is_out_of_memory = true;
}

static void on_done(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	struct waiting *w = user;
	(void)size;
	(void)mode;
	w->why = *why;
	w->is_done = true;
}

static const struct trm_transfer_cb cb = {.data = on_data, .done = on_done};

/* A transfer cannot be canceled, and its callbacks use the caller's stack. So we wait until it has ended,
 * and if it is too slow, we close the sandbox. */
static int finish_transfer(struct trm_sync *s, struct waiting *w, struct trm_error *reterr)
{
	enum { TIMEOUT_MS = 5000 };
	int r = sync_wait(s, &w->is_done, s->opts.timeout_ms ? (int64_t)s->opts.timeout_ms : -1, reterr);
	if (r < 0 && !sync_wait_out(s, &w->is_done, TIMEOUT_MS) && s->sandbox) {
		trm_sandbox_close(s->sandbox);
		sync_wait_out(s, &w->is_done, -1);
	}
	if (r == 0 && w->why.code)
		r = trm_error_set(reterr, w->why.code, "%s", w->why.msg);
	if (r == 0 && w->is_out_of_memory)
		r = trm_error_set(reterr, TRM_ENOMEM, "out of memory for the file's bytes");
	return r;
}

int trm_sync_put(struct trm_sync *s, const char *path, uint32_t mode, const void *bytes, size_t n,
		struct trm_error *reterr)
{
	struct waiting w = {0};
	int r = sync_need_started(s, reterr);
	if (r == 0)
		r = trm_file_put(s->sandbox, path, mode, bytes, n, &cb, &w, reterr);
	return r < 0 ? r : finish_transfer(s, &w, reterr);
}

int trm_sync_get(struct trm_sync *s, const char *path, uint64_t max_bytes, char **ret_bytes, size_t *ret_n,
		struct trm_error *reterr)
{
	struct waiting w = {0};
	buf_init(&w.bytes, SIZE_MAX / 4);
	int r = sync_need_started(s, reterr);
	if (r == 0)
		r = trm_file_get(s->sandbox, path, max_bytes, &cb, &w, reterr);
	if (r == 0)
		r = finish_transfer(s, &w, reterr);
	char *copy = r == 0 ? malloc(w.bytes.len + 1) : NULL;
	if (r == 0 && !copy)
		r = trm_error_set(reterr, TRM_ENOMEM, "out of memory for the file's bytes");
	if (copy) {
		if (w.bytes.len)
			memcpy(copy, buf_at(&w.bytes), w.bytes.len);
		copy[w.bytes.len] = '\0';
		*ret_n = w.bytes.len;
		*ret_bytes = copy;
	}
	buf_finish(&w.bytes);
	return r;
}
