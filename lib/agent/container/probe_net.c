/* SPDX-License-Identifier: MIT */
#include "agent/container/probe_net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_MS = 1000 };

static bool is_device_up(int fd, const char *name)
{
	struct ifreq request = {0};
	snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
	return ioctl(fd, SIOCGIFFLAGS, &request) == 0 && request.ifr_flags & IFF_UP
	       && !(request.ifr_flags & IFF_LOOPBACK);
}

/* Also true if the devices cannot be listed. */
static bool has_device(void)
{
	struct if_nameindex *all = if_nameindex();
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool is_any = !all || fd < 0;
	for (const struct if_nameindex *at = all; !is_any && at->if_index; at++)
		is_any = is_device_up(fd, at->if_name);
	if (fd >= 0)
		close(fd);
	if_freenameindex(all);
	return is_any;
}

/* Returns 0 if there is no such address. */
static socklen_t api_address(struct sockaddr_storage *ret)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST"), *port = getenv("KUBERNETES_SERVICE_PORT");
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;
	*ret = (struct sockaddr_storage){0};
	if (!host || !port)
		return 0;
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)atoi(port));
		return sizeof *v4;
	}
	if (inet_pton(AF_INET6, host, &v6->sin6_addr) != 1)
		return 0;
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons((uint16_t)atoi(port));
	return sizeof *v6;
}

/* A refusal is an answer, too. */
static bool answers(const struct sockaddr_storage *address, socklen_t n)
{
	int fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;
	socklen_t size = sizeof error;
	if (fd < 0)
		return false;
	struct pollfd end = {.fd = fd, .events = POLLOUT};
	if (connect(fd, (const struct sockaddr *)address, n) < 0 && errno != EINPROGRESS)
		error = errno;
	else if (poll(&end, 1, ANSWER_MS) <= 0)
		error = ETIMEDOUT;
	else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
		error = errno;
	close(fd);
	return error == 0 || error == ECONNREFUSED || error == ECONNRESET;
}

bool await_cut(void)
{
	enum { LONGEST_MS = 10 * 1000, BETWEEN_MS = 5 };
	for (int waited_ms = 0; has_device(); waited_ms += BETWEEN_MS) {
		if (waited_ms >= LONGEST_MS)
			return false;
		poll(NULL, 0, BETWEEN_MS);
	}
	return true;
}

enum net_seen probe_net(void)
{
	struct sockaddr_storage address;
	if (!has_device())
		return NET_SEEN_NONE;
	socklen_t n = api_address(&address);
	if (!n)
		return NET_NOT_SEEN;
	return answers(&address, n) ? NET_SEEN_OPEN : NET_SEEN_DEAF;
}
