/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "install/install.h"
#include "sandbox/sandbox.h"

enum { LIST_MAX = 1024 * 1024 };

struct harvest {
	struct trm_sandbox *sandbox;
	const struct recipe *recipe;
	harvest_done_fn *done;
	void *user;
	struct trm_proc *lister;
	struct trm_transfer *transfer;
	struct buf list; /* names, each ended by a newline; they are taken from the front */
	struct cache_file file;
	uint64_t taken;
	char group[GROUP_SIZE];
	bool is_broken; /* the file being taken */
	bool has_missed;
	bool is_stopped;
};

static void take_next(struct harvest *h);

static void end(struct harvest *h)
{
	harvest_done_fn *done = h->done;
	void *user = h->user;
	char group[GROUP_SIZE] = "";
	if (!h->has_missed && !h->is_stopped && !h->list.len)
		memcpy(group, h->group, sizeof group);
	cache_file_end(&h->file, false, NULL);
	buf_finish(&h->list);
	free(h);
	done(user, group);
}

static void on_data(void *user, const void *bytes, size_t n)
{
	struct harvest *h = user;
	struct trm_error why = {0};
	h->taken += n;
	if (h->taken > h->recipe->total_max)
		h->is_broken = true;
	if (!h->is_broken && cache_file_write(&h->file, bytes, n, &why) < 0) {
		log_write(LOG_WARNING, "%s", why.msg);
		h->is_broken = true;
	}
}

static void on_done(void *user, const struct trm_error *failed, uint64_t size, uint32_t mode)
{
	struct harvest *h = user;
	struct trm_error why = {0};
	(void)size;
	(void)mode;
	bool is_whole = failed->code == TRM_OK && !h->is_broken;
	h->transfer = NULL;
	if (cache_file_end(&h->file, is_whole, &why) < 0) {
		log_write(LOG_WARNING, "%s", why.msg);
		is_whole = false;
	}
	h->has_missed |= !is_whole;
	take_next(h);
}

static const struct trm_transfer_cb transfer_cb = {.data = on_data, .done = on_done};

/* False: it is not taken, and nothing will follow. */
static bool take(struct harvest *h, const char *name)
{
	char inside[512];
	struct trm_error why = {0};
	/* What a downloader has fetched anew is better than what is there: that did not have the index's sum.
	 */
	if (!h->recipe->is_name(name) || (!h->recipe->has_fetcher && cache_has(h->recipe->folder, name))
			|| cache_file_begin(&h->file, h->recipe->folder, name, &why) < 0)
		return false;
	const char *own = h->recipe->has_group ? strchr(name, '/') + 1 : name;
	snprintf(inside, sizeof inside, "%s/%s", h->recipe->inside, own);
	h->is_broken = false;
	if (trm_file_get(h->sandbox, inside, h->recipe->file_max, &transfer_cb, h, &why) == 0)
		return true;
	cache_file_end(&h->file, false, NULL);
	return false;
}

static void take_next(struct harvest *h)
{
	while (!h->is_stopped && h->list.len && h->taken < h->recipe->total_max) {
		char name[256] = "", *line = buf_at(&h->list), *newline = memchr(line, '\n', h->list.len);
		size_t n = newline ? (size_t)(newline - line) : h->list.len;
		if (newline && n < sizeof name && !memchr(line, '\0', n))
			memcpy(name, line, n);
		name[n < sizeof name ? n : 0] = '\0';
		buf_take(&h->list, n + !!newline);
		if (take(h, name))
			return;
		h->has_missed = true;
	}
	if (h->taken)
		cache_prune();
	end(h);
}

static void on_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct harvest *h = user;
	(void)proc;
	if (channel == TRM_STDOUT)
		buf_append(&h->list, bytes,
				n); /* what is too much is not taken: the next install will see it again */
}

/* The first line of the list: hexadecimal digits and a slash. */
static void take_group(struct harvest *h)
{
	enum { DIGITS = GROUP_SIZE - 1 };
	const char *line = buf_at(&h->list);
	bool is_group = h->list.len >= DIGITS + 2 && memcmp(line + DIGITS, "/\n", 2) == 0;
	for (size_t i = 0; is_group && i < DIGITS; i++)
		is_group = isxdigit((unsigned char)line[i]);
	if (!is_group)
		return;
	memcpy(h->group, line, DIGITS);
	buf_take(&h->list, DIGITS + 2);
}

static void on_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *exit, const struct trm_error *why)
{
	struct harvest *h = user;
	(void)proc;
	(void)why;
	h->lister = NULL;
	if (!exit || exit->exit_code != 0)
		buf_clear(&h->list);
	else if (h->recipe->has_group)
		take_group(h);
	take_next(h);
}

int harvest_start(struct trm_sandbox *sandbox, const struct recipe *recipe, harvest_done_fn *done, void *user,
		struct harvest **ret, struct trm_error *reterr)
{
	static const struct trm_proc_cb cb = {.output = on_output, .exited = on_exited};
	struct harvest *h = calloc(1, sizeof *h);
	if (!h)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*h = (struct harvest){.sandbox = sandbox,
			.recipe = recipe,
			.done = done,
			.user = user,
			.file = {.dir_fd = -1, .fd = -1}};
	buf_init(&h->list, LIST_MAX);
	const char *argv[] = {sandbox_program(sandbox, recipe->program), recipe->option,
			recipe->script().bytes, "list", NULL};
	const struct trm_proc_opts opts = {
			.size = sizeof(struct trm_proc_opts), .argv = argv, .label = "what was fetched"};
	int r = trm_proc_spawn(sandbox, &opts, &cb, h, &h->lister, reterr);
	if (r < 0) {
		free(h);
		return r;
	}
	*ret = h;
	return 0;
}

void harvest_stop(struct harvest *h)
{
	h->is_stopped = true;
	if (h->lister)
		trm_proc_close(h->lister);
}
