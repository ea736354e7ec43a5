/* SPDX-License-Identifier: MIT */
#include "stream/echo_off.h"

void echo_off_begin(struct echo_off *echo_off, int fd)
{
	if (echo_off->is_on || tcgetattr(fd, &echo_off->before) < 0)
		return;
	struct termios quiet = echo_off->before;
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	quiet.c_lflag |= ECHONL;
	echo_off->fd = fd;
	echo_off->is_on = tcsetattr(fd, TCSANOW, &quiet) == 0;
}

void echo_off_end(struct echo_off *echo_off)
{
	if (echo_off->is_on)
		tcsetattr(echo_off->fd, TCSANOW, &echo_off->before);
	echo_off->is_on = false;
}
