/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_ECHO_OFF_H
#define TUI_STREAM_ECHO_OFF_H

/* No echo on the terminal while a password is typed. */

#include <stdbool.h>
#include <termios.h>

struct echo_off {
	bool is_on;
	int fd;
	struct termios before;
};

/* Does nothing if `fd` is no terminal. */
void echo_off_begin(struct echo_off *echo_off, int fd);
void echo_off_end(struct echo_off *echo_off); /* accepts a zeroed object */

#endif
