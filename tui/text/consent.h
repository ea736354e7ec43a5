/* SPDX-License-Identifier: MIT */
#ifndef TUI_CONSENT_H
#define TUI_CONSENT_H

/* What a person answers to "Run this?". */

enum consent { CONSENT_UNCLEAR, CONSENT_SILENT, CONSENT_YES, CONSENT_NO, CONSENT_ALWAYS };

/* "yes", "no" and "always", each as a whole word or its first letter, whatever their case and the blanks
 * around them. Silent: there is nothing on the line, which means what the question says it does. All else is
 * unclear, and to be asked about again: code that was typed ahead, such as `y = 6`, agrees to nothing. */
enum consent consent_of(const char *line);

#endif
