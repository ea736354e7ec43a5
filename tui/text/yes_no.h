/* SPDX-License-Identifier: MIT */
#ifndef TUI_TEXT_YES_NO_H
#define TUI_TEXT_YES_NO_H

/* What a person answers to "Run this?". */

enum yes_no { YES_NO_UNCLEAR, YES_NO_SILENT, YES_NO_YES, YES_NO_NO, YES_NO_ALWAYS };

/* "yes", "no" and "always", each as a whole word or its first letter, whatever their case and the blanks
 * around them. Silent: there is nothing on the line, which means what the question says it does. All else is
 * unclear, and to be asked about again: code that was typed ahead, such as `y = 6`, agrees to nothing. */
enum yes_no yes_no_of(const char *line);

#endif
