/* SPDX-License-Identifier: MIT */
#include "text/chunk.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

static void sum_up(struct chunk *c)
{
	c->bytes = bytes_of(c->left) + c->len + bytes_of(c->right);
	c->lines = lines_of(c->left) + c->newlines + lines_of(c->right);
}

/* Copy bytes into the chunk, which has its own memory. */
static void chunk_fill(struct chunk *c, const char *bytes, size_t n)
{
	memcpy(c->own, bytes, n);
	c->data = c->own;
	c->len = (uint32_t)n;
	c->newlines = chunk_newlines(bytes, n);
	sum_up(c);
}

/* Point to bytes that stay in place. */
static void chunk_point(struct chunk *c, const char *bytes, size_t n)
{
	free(c->own);
	c->own = NULL;
	c->data = bytes;
	c->len = (uint32_t)n;
	c->newlines = chunk_newlines(bytes, n);
	sum_up(c);
}

/* Prepare the bytes for a change: move them to the chunk's own memory. False: no memory. */
static bool chunk_own(struct chunk *c)
{
	if (c->own)
		return true;
	c->own = malloc(TEXT_CHUNK);
	if (!c->own)
		return false;
	memcpy(c->own, c->data, c->len);
	c->data = c->own;
	return true;
}

static void chunk_destroy(struct chunk *c)
{
	if (!c)
		return;
	free(c->own);
	free(c);
}

/* Make an empty chunk, with or without its own memory. */
static struct chunk *chunk_create(struct text *t, bool has_room)
{
	struct chunk *c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	if (has_room && !(c->own = malloc(TEXT_CHUNK))) {
		free(c);
		return NULL;
	}
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 17;
	t->seed ^= t->seed << 5;
	c->rank = t->seed;
	c->data = c->own;
	return c;
}

static void tree_destroy(struct chunk *c)
{
	while (c) {
		struct chunk *right = c->right;
		tree_destroy(c->left);
		chunk_destroy(c);
		c = right;
	}
}

/* Everything in `a` comes before everything in `b`. */
static struct chunk *merge(struct chunk *a, struct chunk *b)
{
	if (!a || !b)
		return a ? a : b;
	if (a->rank >= b->rank) {
		a->right = merge(a->right, b);
		sum_up(a);
		return a;
	}
	b->left = merge(a, b->left);
	sum_up(b);
	return b;
}

/* Split a tree at `pos`. If that is inside a chunk, *tail gets the chunk's end and belongs between the
 * two trees. */
static void part_chunk(struct chunk *c, size_t pos, struct chunk **ret_left, struct chunk **ret_right,
		struct chunk *tail)
{
	if (!c) {
		*ret_left = *ret_right = NULL;
		return;
	}
	size_t before = bytes_of(c->left);
	if (pos <= before) {
		part_chunk(c->left, pos, ret_left, &c->left, tail);
		*ret_right = c;
	} else if (pos >= before + c->len) {
		part_chunk(c->right, pos - before - c->len, &c->right, ret_right, tail);
		*ret_left = c;
	} else {
		size_t at = pos - before;
		if (c->own)
			chunk_fill(tail, c->data + at, c->len - at);
		else
			chunk_point(tail, c->data + at, c->len - at);
		*ret_right = c->right;
		c->right = NULL;
		c->len = (uint32_t)at;
		c->newlines -= tail->newlines;
		*ret_left = c;
	}
	sum_up(c);
}

/* Split a tree in two. *spare is an empty chunk; it is NULL afterwards if it was used. */
static void split_chunk(struct chunk *c, size_t pos, struct chunk **ret_left, struct chunk **ret_right,
		struct chunk **spare)
{
	part_chunk(c, pos, ret_left, ret_right, *spare);
	if (!*spare || (*spare)->len == 0)
		return;
	*ret_right = merge(*spare, *ret_right);
	*spare = NULL;
}

struct text *text_create(void)
{
	struct text *t = calloc(1, sizeof(*t));
	if (t)
		t->seed = 0x9E3779B9u;
	return t;
}

void text_destroy(struct text *t)
{
	if (!t)
		return;
	tree_destroy(t->root);
	free(t->block);
	free(t);
}

uint64_t text_version(const struct text *t)
{
	return t->version;
}

/* The chunk that bytes inserted at `pos` would go into without splitting (one that ends there, or that
 * contains it), and the offset in it. */
static struct chunk *chunk_at(struct chunk *c, size_t pos, size_t *ret_at)
{
	while (c) {
		size_t before = bytes_of(c->left);
		if (pos <= before && c->left) {
			c = c->left;
		} else if (pos <= before + c->len || !c->right) {
			*ret_at = pos - before;
			return c;
		} else {
			pos -= before + c->len;
			c = c->right;
		}
	}
	return NULL;
}

/* Walk to the chunk that chunk_at() finds, and add to the sums on the way. */
static void add_on_path(struct chunk *c, size_t pos, const struct chunk *goal, size_t bytes, size_t lines)
{
	for (;;) {
		size_t before = bytes_of(c->left);
		c->bytes += bytes;
		c->lines += lines;
		if (c == goal)
			return;
		if (pos <= before && c->left) {
			c = c->left;
		} else {
			pos -= before + c->len;
			c = c->right;
		}
	}
}

/* Insert if everything fits into one chunk. False if it does not. */
static bool insert_in_place(struct chunk *root, size_t pos, const char *bytes, size_t n)
{
	size_t at;
	struct chunk *c = chunk_at(root, pos, &at);
	if (!c || n > TEXT_CHUNK - c->len || !chunk_own(c))
		return false;
	uint32_t newlines = chunk_newlines(bytes, n);
	add_on_path(root, pos, c, n, newlines);
	memmove(c->own + at + n, c->own + at, c->len - at);
	memcpy(c->own + at, bytes, n);
	c->len += (uint32_t)n;
	c->newlines += newlines;
	return true;
}

/* A tree of new chunks; NULL: no memory. */
static struct chunk *build(struct text *t, const char *bytes, size_t n)
{
	struct chunk *root = NULL;
	while (n > 0) {
		size_t take = n < TEXT_CHUNK ? n : TEXT_CHUNK;
		struct chunk *c = chunk_create(t, true);
		if (!c) {
			tree_destroy(root);
			return NULL;
		}
		chunk_fill(c, bytes, take);
		root = merge(root, c);
		bytes += take;
		n -= take;
	}
	return root;
}

int text_insert(struct text *t, size_t pos, const char *bytes, size_t n)
{
	struct chunk *left, *right, *middle = NULL;
	pos = pos < text_len(t) ? pos : text_len(t);
	t->version += n > 0;
	if (n == 0 || insert_in_place(t->root, pos, bytes, n))
		return 0;

	struct chunk *spare = chunk_create(t, true);
	bool is_small = t->root && n <= TEXT_CHUNK / 2;
	if (spare && !is_small)
		middle = build(t, bytes, n);
	if (!spare || (!is_small && !middle)) {
		chunk_destroy(spare);
		return TRM_ENOMEM;
	}
	/* A chunk that is split leaves room in one of the halves. Between two full chunks a new one is
	 * needed. */
	struct chunk *more = is_small ? chunk_create(t, true) : NULL;
	if (is_small && !more) {
		chunk_destroy(spare);
		return TRM_ENOMEM;
	}
	split_chunk(t->root, pos, &left, &right, &spare);
	if (is_small && !insert_in_place(left, pos, bytes, n) && !insert_in_place(right, 0, bytes, n)) {
		chunk_fill(more, bytes, n);
		middle = more;
		more = NULL;
	}
	chunk_destroy(more);
	chunk_destroy(spare);
	t->root = merge(merge(left, middle), right);
	return 0;
}

int text_adopt(struct text *t, char *block, size_t n)
{
	struct chunk *root = NULL;
	for (size_t pos = 0, len; pos < n; pos += len) {
		struct chunk *c = chunk_create(t, false);
		if (!c) {
			tree_destroy(root);
			return TRM_ENOMEM;
		}
		len = n - pos < TEXT_CHUNK ? n - pos : TEXT_CHUNK;
		chunk_point(c, block + pos, len);
		root = merge(root, c);
	}
	t->root = root;
	t->block = block;
	t->version++;
	return 0;
}

/* Delete inside one chunk that keeps some bytes. False if that is not possible. */
static bool delete_in_place(struct chunk *root, size_t pos, size_t n)
{
	size_t at;
	/* Ask for the byte after `pos`, to exclude the chunk that ends at `pos`. */
	struct chunk *c = chunk_at(root, pos + 1, &at);
	if (!c || at == 0 || at - 1 + n > c->len || n == c->len || !chunk_own(c))
		return false;
	at--;
	uint32_t newlines = chunk_newlines(c->data + at, n);
	add_on_path(root, pos + 1, c, 0 - n, 0 - (size_t)newlines);
	memmove(c->own + at, c->own + at + n, c->len - at - n);
	c->len -= (uint32_t)n;
	c->newlines -= newlines;
	return true;
}

static const struct chunk *edge_chunk(const struct chunk *c, bool is_last)
{
	while (c && (is_last ? c->right : c->left))
		c = is_last ? c->right : c->left;
	return c;
}

/* Merge two trees. The chunks that meet become one if both are small. */
static struct chunk *merge_joined(struct chunk *left, struct chunk *right)
{
	const struct chunk *last = edge_chunk(left, true), *first = edge_chunk(right, false);
	if (last && first && last->len + first->len <= TEXT_CHUNK / 2) {
		struct chunk *joined, *none = NULL;
		split_chunk(right, first->len, &joined, &right, &none);
		if (insert_in_place(left, left->bytes, joined->data, joined->len))
			tree_destroy(joined);
		else
			left = merge(left, joined); /* without memory they stay two */
	}
	return merge(left, right);
}

int text_delete(struct text *t, size_t pos, size_t n)
{
	struct chunk *left, *middle, *right;
	size_t len = text_len(t);
	pos = pos < len ? pos : len;
	n = n < len - pos ? n : len - pos;
	t->version += n > 0;
	if (n == 0 || delete_in_place(t->root, pos, n))
		return 0;

	struct chunk *spare[2] = {chunk_create(t, true), chunk_create(t, true)};
	if (!spare[0] || !spare[1]) {
		chunk_destroy(spare[0]);
		chunk_destroy(spare[1]);
		return TRM_ENOMEM;
	}
	split_chunk(t->root, pos, &left, &right, &spare[0]);
	split_chunk(right, n, &middle, &right, &spare[1]);
	chunk_destroy(spare[0]);
	chunk_destroy(spare[1]);
	tree_destroy(middle);
	t->root = merge_joined(left, right);
	return 0;
}

static bool tree_is_sound(const struct chunk *c)
{
	if (!c)
		return true;
	struct chunk sums = {.left = c->left, .right = c->right, .len = c->len, .newlines = c->newlines};
	sum_up(&sums);
	return c->len > 0 && c->len <= TEXT_CHUNK && c->newlines == chunk_newlines(c->data, c->len)
	       && sums.bytes == c->bytes && sums.lines == c->lines && (!c->left || c->left->rank <= c->rank)
	       && (!c->right || c->right->rank <= c->rank) && tree_is_sound(c->left)
	       && tree_is_sound(c->right);
}

bool text_is_sound(const struct text *t)
{
	return tree_is_sound(t->root);
}
