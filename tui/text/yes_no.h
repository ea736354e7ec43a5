/* SPDX-License-Identifier: MIT */
#ifndef TUI_TEXT_YES_NO_H
#define TUI_TEXT_YES_NO_H

/* The answer of a person to "Run this?". */

enum yes_no { YES_NO_UNCLEAR, YES_NO_SILENT, YES_NO_YES, YES_NO_NO, YES_NO_ALWAYS };

/* "yes", "no" and "always", each as a whole word or its first letter, in any case and with blanks around it.
 * Silent: the line is empty, and the question says what that means. Everything else is unclear and is asked
 * again: code that was typed ahead, such as `y = 6`, is no consent. */
enum yes_no yes_no_of(const char *line);

#endif
