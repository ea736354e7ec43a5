/* SPDX-License-Identifier: MIT */
#ifndef TRM_KERNEL_ROW_INTERNAL_H
#define TRM_KERNEL_ROW_INTERNAL_H

/* Private to the files that read a row of the language table. */

#include "kernel/row.h"

/* One key of one row. */
struct spot {
	struct row_text *text;
	size_t nth;
	const struct cJSON *item;
	struct row *row;
	struct trm_error *err;
};

/* A list of `n` pointers, which the text owns; NULL: no memory. */
void *row_new_list(const struct spot *s, size_t n);
/* Returns TRM_ENOMEM. */
int row_no_memory(const struct spot *s);

/* Fill in what the row does not give. A batch language gets the command and the source of the agent's driver.
 */
int row_complete(const struct spot *s);

#endif
