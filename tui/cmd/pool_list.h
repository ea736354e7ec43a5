/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_POOL_LIST_H
#define TUI_CMD_POOL_LIST_H

/* The pools of servers and other programs, which `ps` lists after the sandboxes. */

#include <stddef.h>

struct trm_pool_entry;

/* Prints nothing if there are no pools. */
void pool_list_print(const struct trm_pool_entry *pools, size_t n);
/* A list of objects. Returns an exit code. */
int pool_list_print_json(const struct trm_pool_entry *pools, size_t n);

#endif
