/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_CRASH_RESTORE_H
#define TUI_TERM_CRASH_RESTORE_H

#include <stddef.h>
#include <termios.h>

/* What term_emergency_restore() needs, laid down while nothing burns. */

/* From now on a rescue writes `bytes` to fd 1 and sets `shell_mode` on fd 0. What does not fit is
 * left out (there is room for 512 bytes). */
void crash_restore_arm(const char *bytes, size_t n, const struct termios *shell_mode);
void crash_restore_disarm(void);

#endif
