/* SPDX-License-Identifier: MIT */
#ifndef TRM_SANDBOX_TREE_H
#define TRM_SANDBOX_TREE_H

/* The host's end of TREE_GET and TREE_PUT: a stream that carries a tree. Order and limits of an incoming
 * tree are checked before a callback sees it. */

#include <terrarium/files.h>

#include "sandbox/sandbox.h"
#include "wire/entry.h"

/* Credit of a GET. */
#define TREE_WINDOW (4u * SANDBOX_WINDOW)

struct tree;

struct tree_cb {
	/* GET. An error ends the tree: `done` follows at once with that error. More comes only after
	 * tree_consume(). */
	int (*entry)(void *user, const struct entry *entry, struct trm_error *why);
	int (*data)(void *user, const void *bytes, size_t n, struct trm_error *why);
	/* PUT: the agent has not accepted something. */
	void (*refused)(void *user, const struct trm_error *why);
	/* PUT: there is room. Append frames to tree_out() until it is full. An error ends the tree with
	 * that error. */
	int (*pump)(void *user, struct trm_error *why);
	/* Exactly once, unless tree_close() came before. `sum`: the agent's; NULL if the error is not the
	 * agent's. */
	void (*done)(void *user, const struct trm_error *why, const struct tree_sum *sum);
};

/* `type`: FRAME_TREE_GET or FRAME_TREE_PUT; `msg->window` is filled in. */
int tree_open(struct trm_sandbox *sandbox, enum frame_type type, const struct tree_msg *msg,
		const struct tree_cb *cb, void *user, struct tree **ret, struct trm_error *reterr);
/* Forget the tree: no callback follows. Not from inside its own callbacks. Accepts NULL. */
void tree_close(struct tree *tree);

/* GET. Everything that has come is consumed. */
void tree_consume(struct tree *tree);

/* PUT. Frames go onto this buffer, for tree_id(). */
struct buf *tree_out(struct tree *tree);
uint32_t tree_id(const struct tree *tree);
bool tree_is_full(const struct tree *tree);
/* Call pump() when there is room, which may be at once. */
void tree_wants_pump(struct tree *tree);

/* The path of an entry in its tree: "a", then "a/b" behind the directory a. */
void tree_path_init(struct buf *path);
int tree_path_enter(struct buf *path, const char *name, struct trm_error *why);
void tree_path_leave(struct buf *path);
/* A node as the user sees it. Borrows both. */
struct trm_file tree_describe(const struct entry *entry, const char *name);

#endif
