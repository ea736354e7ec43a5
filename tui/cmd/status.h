/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_STATUS_H
#define TUI_CMD_STATUS_H

/* How `doctor` and `backends` show what they have tried. */

#include <terrarium/doctor.h>

const char *status_word(enum trm_check_status status);
/* In seven columns; with its color where there may be colors. `note` stands for TRM_CHECK_NOTE. */
void status_print(enum trm_check_status status, const char *note);
/* The rest of a line, from column `indent` on; wrapped there on a terminal. */
void status_print_text(const char *text, int indent);

#endif
