/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_CRASH_RESTORE_H
#define TUI_TERM_CRASH_RESTORE_H

#include <stddef.h>
#include <termios.h>

/* Data for term_emergency_restore(), prepared in advance. */

/* From now on a crash writes `bytes` to fd 1 and sets `shell_mode` on fd 0. Bytes beyond 512 are left
 * out. */
void crash_restore_arm(const char *bytes, size_t n, const struct termios *shell_mode);
void crash_restore_disarm(void);

#endif
