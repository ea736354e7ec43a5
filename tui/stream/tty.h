/* SPDX-License-Identifier: MIT */
#ifndef TUI_TTY_H
#define TUI_TTY_H

/* The program's own terminal, for those who pass it on to a process in the sandbox. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <termios.h>

/* In cells, as stdout knows it; 24 by 80 where it does not. */
void tty_size(struct winsize *ret);
/* "TERM=…", as ours, if it is a sensible name (the terminfo database is the same inside); else TERM=dumb.
 * Returns out. */
const char *tty_name(char *out, size_t cap);
/* stdin passes on every key as it is. `cooked`: how it was. */
void tty_raw(const struct termios *cooked);
/* stdin gives byte by byte what is typed, and nothing is echoed; signals stay with their keys. */
void tty_quiet(const struct termios *cooked);
/* What readline is to find, and gives back: as tty_quiet(), but with the echo, without which it would not
 * show anything. Were it cooked, Enter and Ctrl-R that come in between would be taken for something else. */
void tty_poise(const struct termios *cooked);
/* Ctrl-C is seen on it without our doing. */
bool tty_shows_interrupt(void);
/* In the background, or when the terminal has hung up, this changes nothing and does not stop us. */
void tty_restore(const struct termios *cooked);

#endif
