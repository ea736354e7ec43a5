/* SPDX-License-Identifier: MIT */
#include "backend/microsandbox/nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum entry_kind kind_of(char letter)
{
	return letter == 'd'   ? ENTRY_DIR
	       : letter == 'f' ? ENTRY_FILE
	       : letter == 'l' ? ENTRY_LINK
			       : ENTRY_OTHER;
}

/* The nanoseconds of ".5" and up to eight further digits. */
static uint32_t ns_of(const char *fraction)
{
	uint32_t ns = 0, weight = 100000000;
	for (const char *at = fraction + 1; weight && *fraction && *at >= '0' && *at <= '9';
			at++, weight /= 10)
		ns += weight * (uint32_t)(*at - '0');
	return ns;
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

const char *node_name(const struct node *node)
{
	return last_name(node->path);
}

/* False: not a node. */
static bool read_one(const char **at, const char *end, struct node *ret)
{
	const char *path = memchr(*at, '\0', (size_t)(end - *at));
	const char *target = path ? memchr(path + 1, '\0', (size_t)(end - path - 1)) : NULL;
	const char *stop = target ? memchr(target + 1, '\0', (size_t)(end - target - 1)) : NULL;
	unsigned long long size;
	long long seconds;
	char letter, fraction[32];
	if (!stop
			|| sscanf(*at, "%c %o %llu %lld%31[.0-9] %u", &letter, &ret->mode, &size, &seconds,
					   fraction, &ret->depth)
					   != 6)
		return false;
	const char *name = last_name(path + 1);
	if (strlen(name) > ENTRY_NAME_MAX || strlen(target + 1) > ENTRY_TARGET_MAX
			|| (ret->depth ? !entry_is_name(name) : *name != '\0'))
		return false;
	ret->kind = kind_of(letter);
	ret->mode &= ENTRY_MODE_MASK;
	ret->size = ret->kind == ENTRY_FILE ? size : 0;
	ret->mtime_s = seconds;
	ret->mtime_ns = ns_of(fraction);
	ret->path = malloc((size_t)(stop - path));
	if (!ret->path)
		return false;
	memcpy(ret->path, path + 1, (size_t)(stop - path));
	ret->target = ret->path + (target - path);
	*at = stop + 1;
	return true;
}

static bool append_node(struct node_list *list, const struct node *node)
{
	bool is_full = (list->n & (list->n + 1)) == 0;
	struct node *more = is_full ? realloc(list->at, (2 * list->n + 2) * sizeof *more) : list->at;
	if (!more)
		return false;
	list->at = more;
	list->at[list->n++] = *node;
	return true;
}

bool nodes_read(struct node_list *ret, const char *text, size_t n)
{
	unsigned deepest = 0;
	*ret = (struct node_list){0};
	for (const char *at = text; at < text + n;) {
		struct node node = {0};
		if (!read_one(&at, text + n, &node))
			return false;
		if ((ret->n == 0) != (node.depth == 0) || node.depth > deepest || node.depth > ENTRY_DEPTH_MAX
				|| !append_node(ret, &node)) {
			free(node.path);
			return false;
		}
		deepest = node.kind == ENTRY_DIR ? node.depth + 1 : node.depth;
	}
	return ret->n > 0;
}

void nodes_finish(struct node_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->at[i].path);
	free(list->at);
	*list = (struct node_list){0};
}
