/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_STATUS_H
#define TUI_CMD_STATUS_H

/* How `doctor` and `backends` show the results of their checks. */

#include <terrarium/doctor.h>

const char *status_word(enum trm_check_status status);
/* Print the status in seven columns, with its color if colors are allowed. `note` replaces TRM_CHECK_NOTE. */
void status_print(enum trm_check_status status, const char *note);
/* Print the rest of a line from column `indent` on, wrapped if stdout is a terminal. */
void status_print_text(const char *text, int indent);

#endif
