/* SPDX-License-Identifier: MIT */
#ifndef TUI_TTY_H
#define TUI_TTY_H

/* The program's own terminal, for code that passes it on to a process in the sandbox. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <termios.h>

/* The size in cells from stdout; 24 by 80 if unknown. */
void tty_size(struct winsize *ret);
/* "TERM=…" like ours, if it is a sensible name (the terminfo database is the same inside); otherwise
 * TERM=dumb. Returns out. */
const char *tty_name(char *out, size_t cap);
/* stdin passes every key on unchanged. `cooked`: the previous modes. */
void tty_raw(const struct termios *cooked);
/* stdin returns typed bytes one by one without echo. Keys for signals keep working. */
void tty_quiet(const struct termios *cooked);
/* The modes that readline is to find and restore: as tty_quiet(), but with echo, because readline shows
 * nothing otherwise. In cooked mode, Enter and Ctrl-R typed in between would have other meanings. */
void tty_poise(const struct termios *cooked);
/* Does the terminal show Ctrl-C by itself? */
bool tty_shows_interrupt(void);
/* In the background, or after the terminal has hung up, this changes nothing and does not stop us. */
void tty_restore(const struct termios *cooked);

#endif
