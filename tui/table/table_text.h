/* SPDX-License-Identifier: MIT */
#ifndef TUI_TABLE_TEXT_H
#define TUI_TABLE_TEXT_H

/* A page of a table as lines of text. */

#include "table/table_pane.h"

enum { TABLE_TEXT_BYTES = 4096 };

enum table_text_line { TABLE_TEXT_NAMES, TABLE_TEXT_TYPES, TABLE_TEXT_ROW };

/* One line of the pane's window, at most p->cols wide. `row` is for TABLE_TEXT_ROW. Columns are complete,
 * unless the first one is too wide. */
void table_text_line(const struct table_pane *p, enum table_text_line line, uint64_t row,
		char out[TABLE_TEXT_BYTES]);

/* "rows 1 to 20 of 1000000, columns 1 to 4 of 4". */
void table_text_summary(const struct table_pane *p, char *out, size_t cap);

#endif
