/* SPDX-License-Identifier: MIT */
#include "supervisor/net/addr_watch.h"

#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervisor/net/netlink.h"

/* linux/rtnetlink.h */
enum { GROUP_V4_ADDRESSES = 0x10, GROUP_V6_ADDRESSES = 0x100 };

void addr_watch_begin(struct addr_watch *r)
{
	const struct {
		uint16_t family, pad;
		uint32_t pid, groups;
	} news = {.family = AF_NETLINK, .groups = GROUP_V4_ADDRESSES | GROUP_V6_ADDRESSES};
	r->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_OF_ROUTES);
	if (r->fd >= 0 && bind(r->fd, (const struct sockaddr *)&news, sizeof news) < 0) {
		close(r->fd);
		r->fd = -1;
	}
	/* Addresses that change after this point are reported, even those that the list already has. */
	net_find_own(&r->own);
}

static void set_again(struct addr_watch *r, const struct spec_msg *spec, const struct net_ends *ends)
{
	static struct net_own now;
	if (!net_find_own(&now) || net_own_equal(&now, &r->own))
		return;
	r->pid = fork(); /* the child enters the namespaces and cannot return */
	if (!r->pid)
		_exit(net_set_again(spec, ends, &now) ? 0 : 1);
	if (r->pid > 0)
		r->own = now;
	else
		r->pid = 0;
}

void addr_watch_poll(struct addr_watch *r, const struct spec_msg *spec, const struct net_ends *ends)
{
	char news[8192];
	while (recv(r->fd, news, sizeof news, 0) > 0)
		continue; /* read and ignore: the list of addresses is read anew */
	r->is_late = r->pid > 0;
	if (!r->is_late)
		set_again(r, spec, ends);
}

void addr_watch_note_end(
		struct addr_watch *r, pid_t pid, const struct spec_msg *spec, const struct net_ends *ends)
{
	if (pid != r->pid)
		return;
	r->pid = 0;
	if (r->is_late)
		set_again(r, spec, ends);
	r->is_late = false;
}
