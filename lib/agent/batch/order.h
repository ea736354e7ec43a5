/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_ORDER_H
#define TRM_AGENT_ORDER_H

/* A request of the kernel protocol (kernel/kernel.h), for the batch driver. */

#include <stdbool.h>
#include <stddef.h>

enum { ORDER_ARGS = 256 };

/* Missing texts are "". */
struct order {
	const char *op, *id, *code, *file;
	size_t code_len, cursor;
	bool is_program;
	const char *args[ORDER_ARGS + 1]; /* NULL-terminated, as the next */
	const char *env[ORDER_ARGS + 1];  /* "NAME=value" */
	const char *cwd;
};

/* Read one line of JSON, which is modified and holds the texts. False: it is no request. */
bool order_read(char *line, size_t n, struct order *ret);

#endif
