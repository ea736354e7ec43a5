/* SPDX-License-Identifier: MIT */
/* Takes the network devices of a pod down, before anything else runs in it. Nothing in the pod may take them
 * up again, because nothing else has the capability NET_ADMIN. */
#include "agent/container/cut.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EXIT_FAILED = 125 };

/* Returns 0, or -errno with the device in `request`. */
static int take_down(int fd, struct ifreq *request)
{
	if (ioctl(fd, SIOCGIFFLAGS, request) < 0)
		return -errno;
	if (request->ifr_flags & IFF_LOOPBACK || !(request->ifr_flags & IFF_UP))
		return 0;
	request->ifr_flags = (short)(request->ifr_flags & ~IFF_UP);
	return ioctl(fd, SIOCSIFFLAGS, request) < 0 ? -errno : 0;
}

int agent_cut(char **args)
{
	struct if_nameindex *all = if_nameindex();
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), r = all && fd >= 0 ? 0 : -errno;
	struct ifreq request;
	(void)args;
	for (const struct if_nameindex *at = all; r == 0 && at && at->if_index; at++) {
		request = (struct ifreq){0};
		snprintf(request.ifr_name, sizeof request.ifr_name, "%s", at->if_name);
		r = take_down(fd, &request);
		if (r < 0)
			fprintf(stderr, "terrarium-agent: cannot take the network device %s down: %s\n",
					at->if_name, strerror(-r));
	}
	if (fd >= 0)
		close(fd);
	if_freenameindex(all);
	return r < 0 ? EXIT_FAILED : 0;
}
