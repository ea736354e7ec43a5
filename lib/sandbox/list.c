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
	bool has_paths; /* all levels are reported, with their paths */
	unsigned depth;
	struct buf path; /* with has_paths */
};

static void report_entry(struct list *list, const struct entry *entry)
{
	const struct trm_file file =
			tree_describe(entry, list->has_paths ? buf_at(&list->path) : entry->name);
	if (list->cb->file)
		list->cb->file(list->user, &file);
}

static bool is_reported(const struct list *list, const struct entry *entry)
{
	bool is_root = !entry->name[0];
	switch (entry->kind) {
	case ENTRY_FAIL: return list->has_paths;
	case ENTRY_DIR:
	case ENTRY_FILE:
	case ENTRY_LINK:
	case ENTRY_OTHER:
		return (list->depth < 2 || list->has_paths)
		       && (!is_root || entry->kind != ENTRY_DIR || list->is_stat);
	default: return false;
	}
}

/* Collect the contents of a directory, or else the file itself. */
static int on_entry(void *user, const struct entry *entry, struct trm_error *why)
{
	struct list *list = user;
	bool is_up = entry->kind == ENTRY_UP;
	int r = 0;
	tree_consume(list->tree);
	if (entry->kind == ENTRY_TOTAL)
		return 0;
	if (entry->kind == ENTRY_FAIL && !entry->name[0])
		return trm_error_set(why, entry->code, "%s", entry->text);
	if (list->has_paths && !is_up)
		r = tree_path_enter(&list->path, entry->name, why);
	if (r == 0 && is_reported(list, entry))
		report_entry(list, entry);
	if (list->has_paths && entry->kind != ENTRY_DIR)
		tree_path_leave(&list->path);
	list->depth += entry->kind == ENTRY_DIR;
	list->depth -= is_up;
	return r;
}

static int on_data(void *user, const void *bytes, size_t n, struct trm_error *why)
{
	(void)user, (void)bytes, (void)n;
	return trm_error_set(why, TRM_EPROTO, "the agent in the sandbox sent data that was not requested");
}

static void free_list(struct list *list)
{
	buf_finish(&list->path);
	free(list);
}

static void on_done(void *user, const struct trm_error *why, const struct tree_sum *sum)
{
	struct list *list = user;
	(void)sum;
	if (list->cb->done)
		list->cb->done(list->user, why);
	free_list(list);
}

static const struct tree_cb TREE_CB = {.entry = on_entry, .data = on_data, .done = on_done};

static int start_listing(struct trm_sandbox *sandbox, const struct tree_msg *msg,
		const struct trm_list_cb *cb, void *user, struct trm_error *reterr)
{
	struct list *list = calloc(1, sizeof *list);
	if (!list)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*list = (struct list){.cb = cb, .user = user, .is_stat = !msg->depth, .has_paths = msg->depth > 1};
	tree_path_init(&list->path);
	int r = tree_open(sandbox, FRAME_TREE_GET, msg, &TREE_CB, list, &list->tree, reterr);
	if (r < 0)
		free_list(list);
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

int trm_file_list_tree(struct trm_sandbox *sandbox, const char *path, uint64_t max_files,
		const struct trm_list_cb *cb, void *user, struct trm_error *reterr)
{
	const struct tree_msg msg = {.path = (char *)path,
			.flags = TREE_LIST | TREE_ONE_SYSTEM,
			.depth = ENTRY_DEPTH_MAX,
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
