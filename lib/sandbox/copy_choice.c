/* SPDX-License-Identifier: MIT */
/* Leaves out what the user does not want. A directory is held back until something in it is wanted, so that
 * no empty ones are made. */
#include <stdlib.h>

#include "base/err.h"
#include "sandbox/copy.h"

static int hold_back(struct copy_choice *c, const struct entry *entry, struct trm_error *why)
{
	if (c->n_held == c->cap_held) {
		size_t cap = c->cap_held ? 2 * c->cap_held : 4;
		struct entry *held = realloc(c->held, cap * sizeof *held);
		if (!held)
			return trm_error_set(why, TRM_ENOMEM, "out of memory");
		c->held = held;
		c->cap_held = cap;
	}
	c->held[c->n_held++] = *entry;
	return 0;
}

static int put_wanted(struct trm_copy *copy, const struct entry *entry, struct trm_error *why)
{
	struct copy_choice *c = &copy->job.choice;
	int r = 0;
	for (size_t i = 0; r == 0 && i < c->n_held; i++)
		r = job_put_entry(copy, &c->held[i], why);
	c->n_held = 0;
	return r < 0 ? r : job_put_entry(copy, entry, why);
}

static int take_node(struct trm_copy *copy, const struct entry *entry, struct trm_error *why)
{
	struct copy_choice *c = &copy->job.choice;
	int r = tree_path_enter(&c->path, entry->name, why);
	if (r < 0)
		return r;
	const struct trm_file file = tree_describe(entry, buf_at(&c->path));
	bool is_wanted = copy->opts.wants(copy->user, &file);
	if (entry->kind != ENTRY_DIR)
		tree_path_leave(&c->path);
	c->is_in_file = entry->kind == ENTRY_FILE;
	c->skips_file = c->is_in_file && !is_wanted;
	if (is_wanted)
		return put_wanted(copy, entry, why);
	return entry->kind == ENTRY_DIR ? hold_back(c, entry, why) : 0;
}

/* A hole, or the end. */
static int in_file(struct trm_copy *copy, const struct entry *entry, struct trm_error *why)
{
	struct copy_choice *c = &copy->job.choice;
	bool is_skipped = c->skips_file;
	c->is_in_file = entry->kind == ENTRY_HOLE;
	c->skips_file &= c->is_in_file;
	return is_skipped ? 0 : job_put_entry(copy, entry, why);
}

int copy_choice_entry(struct trm_copy *copy, const struct entry *entry, struct trm_error *why)
{
	struct copy_choice *c = &copy->job.choice;
	if (c->is_in_file)
		return in_file(copy, entry, why);
	if (entry->kind != ENTRY_UP && entry->kind != ENTRY_TOTAL && entry->name[0])
		return take_node(copy, entry, why);
	c->is_in_file = entry->kind == ENTRY_FILE; /* the root */
	if (entry->kind == ENTRY_UP)
		tree_path_leave(&c->path);
	if (entry->kind != ENTRY_UP || !c->n_held)
		return job_put_entry(copy, entry, why);
	c->n_held--;
	return 0;
}

void copy_choice_finish(struct copy_choice *choice)
{
	buf_finish(&choice->path);
	free(choice->held);
}
