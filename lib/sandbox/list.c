/* SPDX-License-Identifier: MIT */
/* Lists files, makes directories, removes: <terrarium/files.h>. */
#include <terrarium/files.h>

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "sandbox/tree.h"

struct list {
	const struct trm_list_cb *cb;
	void *user;
	struct tree *tree;
	bool is_stat;
	unsigned depth;
};

static void report_entry(struct list *list, const struct entry *entry)
{
	static const enum trm_file_kind kinds[] = {
			[ENTRY_DIR] = TRM_FILE_DIR,
			[ENTRY_FILE] = TRM_FILE_REGULAR,
			[ENTRY_LINK] = TRM_FILE_LINK,
			[ENTRY_OTHER] = TRM_FILE_OTHER,
	};
	const struct trm_file file = {.name = entry->name,
			.kind = kinds[entry->kind],
			.mode = entry->mode,
			.size = entry->kind == ENTRY_FILE ? entry->size : 0,
			.mtime_s = entry->mtime_s,
			.mtime_ns = entry->mtime_ns,
			.target = entry->kind == ENTRY_LINK ? entry->text : ""};
	if (list->cb->file)
		list->cb->file(list->user, &file);
}

/* Collect the contents of a directory, or else the file itself. */
static int on_entry(void *user, const struct entry *entry, struct trm_error *why)
{
	struct list *list = user;
	bool is_root = !entry->name[0];
	tree_consume(list->tree);
	switch (entry->kind) {
	case ENTRY_FAIL: return is_root ? trm_error_set(why, entry->code, "%s", entry->text) : 0;
	case ENTRY_DIR:
	case ENTRY_FILE:
	case ENTRY_LINK:
	case ENTRY_OTHER:
		if (list->depth < 2 && (!is_root || entry->kind != ENTRY_DIR || list->is_stat))
			report_entry(list, entry);
		break;
	default: break;
	}
	list->depth += entry->kind == ENTRY_DIR;
	list->depth -= entry->kind == ENTRY_UP;
	return 0;
}

static int on_data(void *user, const void *bytes, size_t n, struct trm_error *why)
{
	(void)user, (void)bytes, (void)n;
	return trm_error_set(why, TRM_EPROTO, "the agent in the sandbox sent data that was not requested");
}

static void on_done(void *user, const struct trm_error *why, const struct tree_sum *sum)
{
	struct list *list = user;
	(void)sum;
	if (list->cb->done)
		list->cb->done(list->user, why);
	free(list);
}

static const struct tree_cb TREE_CB = {.entry = on_entry, .data = on_data, .done = on_done};

static int start_listing(struct trm_sandbox *sandbox, const struct tree_msg *msg,
		const struct trm_list_cb *cb, void *user, struct trm_error *reterr)
{
	struct list *list = calloc(1, sizeof *list);
	if (!list)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*list = (struct list){.cb = cb, .user = user, .is_stat = !msg->depth};
	int r = tree_open(sandbox, FRAME_TREE_GET, msg, &TREE_CB, list, &list->tree, reterr);
	if (r < 0)
		free(list);
	return r;
}

int trm_file_list(struct trm_sandbox *sandbox, const char *path, uint64_t max_files,
		const struct trm_list_cb *cb, void *user, struct trm_error *reterr)
{
	const struct tree_msg msg = {.path = (char *)path,
			.flags = TREE_LIST,
			.depth = 1,
			.max_files = max_files < UINT64_MAX ? max_files + 1 : max_files};
	return start_listing(sandbox, &msg, cb, user, reterr);
}

int trm_file_stat(struct trm_sandbox *sandbox, const char *path, const struct trm_list_cb *cb, void *user,
		struct trm_error *reterr)
{
	const struct tree_msg msg = {
			.path = (char *)path, .flags = TREE_LIST | TREE_NO_FOLLOW, .max_files = 1};
	return start_listing(sandbox, &msg, cb, user, reterr);
}

static int send_op(struct trm_sandbox *sandbox, enum file_op op, const char *path, uint32_t mode,
		trm_done_fn *fn, void *user, struct trm_error *reterr)
{
	enum { PATH_BYTES = 4096 };
	char bytes[PATH_BYTES + 32];
	struct buf payload = {.mem = bytes, .cap = sizeof bytes, .max = sizeof bytes};
	struct pack p = {.to = &payload};
	if (!*path || strlen(path) >= PATH_BYTES)
		return trm_error_set(reterr, TRM_EINVAL, "a path has 1 to %d bytes", PATH_BYTES - 1);
	pack_u8(&p, (uint8_t)op);
	pack_str(&p, path);
	pack_u32(&p, mode);
	return errand_send(sandbox, FRAME_FILE_OP, &payload, fn, user, reterr);
}

int trm_file_mkdir(struct trm_sandbox *sandbox, const char *path, uint32_t mode, trm_done_fn *fn, void *user,
		struct trm_error *reterr)
{
	return send_op(sandbox, FILE_OP_MKDIR, path, mode, fn, user, reterr);
}

int trm_file_remove(struct trm_sandbox *sandbox, const char *path, bool has_tree, trm_done_fn *fn, void *user,
		struct trm_error *reterr)
{
	return send_op(sandbox, has_tree ? FILE_OP_REMOVE_TREE : FILE_OP_REMOVE, path, 0, fn, user, reterr);
}
