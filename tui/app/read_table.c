/* SPDX-License-Identifier: MIT */
/* Files of the sandbox that are shown as tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app_internal.h"

#define TABLE_FILE_MAX ((uint64_t)64 << 20)

struct table_file {
	struct app *app;
	char *path;
	char *bytes;
	size_t n, cap;
	bool is_short; /* there was no memory */
};

static void on_app_table_bytes(void *user, const void *bytes, size_t n)
{
	struct table_file *f = user;

	if (f->n + n > f->cap) {
		size_t cap = f->cap * 2 > f->n + n ? f->cap * 2 : f->n + n;
		char *grown = realloc(f->bytes, cap);
		f->is_short |= !grown;
		if (!grown)
			return;
		f->bytes = grown;
		f->cap = cap;
	}
	if (n)
		memcpy(f->bytes + f->n, bytes, n);
	f->n += n;
}

static void on_table_read(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	struct table_file *f = user;
	char sentence[600];
	struct msg msg = {.type = MSG_TABLE_FILE,
			.table_file.bytes = f->bytes ? f->bytes : "",
			.table_file.len = f->n,
			.table_file.name = f->path};

	(void)size;
	(void)mode;
	if (why->code != TRM_OK || f->is_short) {
		snprintf(sentence, sizeof sentence, "cannot read %.80s: %.480s", f->path,
				f->is_short                ? "out of memory"
				: why->code == TRM_ETOOBIG ? "files of more than 64 MiB are not shown"
							   : why->msg);
		msg.table_file.why = sentence;
	}
	app_send(f->app, &msg);
	free(f->bytes);
	free(f->path);
	free(f);
}

void app_read_table(struct app *a, const char *path)
{
	static const struct trm_transfer_cb cb = {.data = on_app_table_bytes, .done = on_table_read};
	struct trm_error why = {0};
	struct table_file *f = calloc(1, sizeof *f);
	char *copy = f ? strdup(path) : NULL;

	if (copy) {
		*f = (struct table_file){.app = a, .path = copy};
		if (a->sandbox && trm_file_get(a->sandbox, path, TABLE_FILE_MAX, &cb, f, &why) == 0)
			return;
		app_send(a, &(struct msg){.type = MSG_TABLE_FILE,
					    .table_file.name = copy,
					    .table_file.why = a->sandbox ? why.msg : "there is no sandbox"});
	}
	free(copy);
	free(f);
}
