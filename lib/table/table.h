/* SPDX-License-Identifier: MIT */
#ifndef TRM_TABLE_TABLE_H
#define TRM_TABLE_TABLE_H

/* What the sources of pages share. */

#include <terrarium/table.h>

/* The text of a cell, a heading or a label, cut and made harmless; malloc'd; NULL: out of memory. */
char *table_text(const char *s, size_t n);
/* Room for n_rows * n_columns cells, all of them empty. TRM_ENOMEM. */
int table_reserve(struct trm_table *table, size_t n_rows, size_t n_columns);

#endif
