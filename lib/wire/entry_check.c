/* SPDX-License-Identifier: MIT */
/* Checks the order and the size of a tree. */
#include "base/err.h"
#include "wire/entry.h"

static int out_of_order(struct trm_error *why, const char *what)
{
	return trm_error_set(why, TRM_EPROTO, "the file tree is out of order: %s", what);
}

static int check_bytes(struct entry_check *c, uint64_t n, struct trm_error *why)
{
	if (n > c->max_bytes - c->bytes)
		return trm_error_set(why, TRM_ETOOBIG,
				"there are more than the %llu MiB that may be copied (max_size)",
				(unsigned long long)(c->max_bytes >> 20));
	c->bytes += n;
	c->file_bytes += n;
	return 0;
}

static int check_in_file(struct entry_check *c, const struct entry *e, struct trm_error *why)
{
	switch (e->kind) {
	case ENTRY_HOLE: return check_bytes(c, e->size, why);
	case ENTRY_FAIL: break;
	case ENTRY_END:
		if (e->size != c->file_bytes)
			return out_of_order(why, "a file's size is not the number of its bytes");
		break;
	default: return out_of_order(why, "something else in the middle of a file");
	}
	c->is_in_file = false;
	c->is_over = c->depth == 0;
	return 0;
}

static int check_up(struct entry_check *c, struct trm_error *why)
{
	if (!c->depth)
		return out_of_order(why, "it leaves a directory that it is not in");
	c->is_over = --c->depth == 0;
	return 0;
}

static int check_node(struct entry_check *c, const struct entry *e, struct trm_error *why)
{
	if ((e->name[0] == '\0') != !c->has_root)
		return out_of_order(why, c->has_root ? "something without a name" : "the root has a name");
	if (c->files >= c->max_files && c->is_list)
		return trm_error_set(why, TRM_ETOOBIG,
				"there are more than the %llu files and directories that may be listed",
				/* the root does not count for the user */
				(unsigned long long)c->max_files - 1);
	if (c->files >= c->max_files)
		return trm_error_set(why, TRM_ETOOBIG,
				"there are more than the %llu files and directories that may be copied "
				"(max_files)",
				(unsigned long long)c->max_files);
	c->files++;
	c->has_root = true;
	if (e->kind == ENTRY_DIR && c->depth == ENTRY_DEPTH_MAX)
		return trm_error_set(
				why, TRM_ETOOBIG, "directories are nested deeper than %d", ENTRY_DEPTH_MAX);
	if (e->kind == ENTRY_FILE && !c->is_list) {
		if (e->size > c->max_bytes - c->bytes)
			return check_bytes(c, e->size, why);
		c->is_in_file = true;
		c->file_bytes = 0;
	}
	c->depth += e->kind == ENTRY_DIR;
	c->is_over = !c->depth && !c->is_in_file;
	return 0;
}

int entry_check(struct entry_check *check, const struct entry *entry, struct trm_error *why)
{
	if (check->is_over)
		return out_of_order(why, "something after its end");
	if (check->is_in_file)
		return check_in_file(check, entry, why);
	switch (entry->kind) {
	case ENTRY_UP: return check_up(check, why);
	case ENTRY_TOTAL: return check->has_root ? out_of_order(why, "a total in the middle") : 0;
	case ENTRY_OTHER:
		if (!check->is_list)
			return out_of_order(why, "something that is neither file, directory nor link");
		return check_node(check, entry, why);
	case ENTRY_LINK:
		if (!check->is_list && !check->has_root)
			return out_of_order(why, "a link for a root");
		return check_node(check, entry, why);
	case ENTRY_DIR:
	case ENTRY_FILE:
	case ENTRY_FAIL: return check_node(check, entry, why);
	default: return out_of_order(why, "bytes of a file outside of one");
	}
}

int entry_check_data(struct entry_check *check, size_t n, struct trm_error *why)
{
	if (!check->is_in_file)
		return out_of_order(why, "bytes of a file outside of one");
	return check_bytes(check, n, why);
}
