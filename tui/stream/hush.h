/* SPDX-License-Identifier: MIT */
#ifndef TUI_HUSH_H
#define TUI_HUSH_H

/* No echo on the terminal while a password is typed. */

#include <stdbool.h>
#include <termios.h>

struct hush {
	bool is_on;
	int fd;
	struct termios before;
};

/* Does nothing if `fd` is no terminal. */
void hush_begin(struct hush *hush, int fd);
void hush_end(struct hush *hush); /* takes a zeroed object */

#endif
