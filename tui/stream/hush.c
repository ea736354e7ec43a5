/* SPDX-License-Identifier: MIT */
#include "stream/hush.h"

void hush_begin(struct hush *hush, int fd)
{
	if (hush->is_on || tcgetattr(fd, &hush->before) < 0)
		return;
	struct termios quiet = hush->before;
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	quiet.c_lflag |= ECHONL;
	hush->fd = fd;
	hush->is_on = tcsetattr(fd, TCSANOW, &quiet) == 0;
}

void hush_end(struct hush *hush)
{
	if (hush->is_on)
		tcsetattr(hush->fd, TCSANOW, &hush->before);
	hush->is_on = false;
}
