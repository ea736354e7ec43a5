/* SPDX-License-Identifier: MIT */
#include "fuzz/old/names.h"
#include "wire/fd_handoff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <terrarium/error.h>

#include "base/utf8.h"

enum { MAX_NAME = 256, MAX_PATH = 4096, MAX_WORDS = 2048 };

/* One descriptor beside one byte. */
union rights {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int handoff_hand(int handoff_fd, int listen_fd)
{
	char byte = HANDOFF_LISTENER;
	union rights rights = {.bytes = {0}};
	struct iovec part = {&byte, 1};
	struct msghdr msg = {.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = rights.bytes,
			.msg_controllen = sizeof rights.bytes};
	struct cmsghdr *head = CMSG_FIRSTHDR(&msg);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof listen_fd);
	memcpy(CMSG_DATA(head), &listen_fd, sizeof listen_fd);
	return sendmsg(handoff_fd, &msg, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

int handoff_take(int handoff_fd)
{
	char byte = 0;
	int fd = -1;
	union rights rights;
	struct iovec part = {&byte, 1};
	struct msghdr msg = {.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = rights.bytes,
			.msg_controllen = sizeof rights.bytes};
	ssize_t n;
	do
		n = recvmsg(handoff_fd, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	const struct cmsghdr *head = CMSG_FIRSTHDR(&msg);
	if (n != 1 || byte != HANDOFF_LISTENER || !head || head->cmsg_type != SCM_RIGHTS)
		return -EPROTO;
	memcpy(&fd, CMSG_DATA(head), sizeof fd);
	return fd;
}

void handoff_report_pack(struct pack *p, const struct handoff_report *r)
{
	pack_u8(p, r->is_init);
	pack_u32(p, r->uid);
	pack_u32(p, r->gid);
	pack_u8(p, (uint8_t)r->net);
	pack_str(p, r->user);
	pack_str(p, r->workdir);
	pack_str(p, r->words);
	pack_str(p, r->error);
}

/* These strings come from inside the sandbox and are displayed: remove control characters and incomplete
 * characters. */
static char *unpack_line(struct unpack *u, size_t max)
{
	char *raw = unpack_str(u, max), *clean = raw ? malloc(max + 1) : NULL;
	if (clean)
		trm_text_clean_line(clean, max + 1, raw, strlen(raw));
	u->lacks_memory |= raw && !clean;
	u->bad |= !clean;
	free(raw);
	return clean;
}

void handoff_report_unpack(struct unpack *u, struct handoff_report *ret)
{
	struct handoff_report r = {.is_init = unpack_u8(u) != 0};
	r.uid = unpack_u32(u);
	r.gid = unpack_u32(u);
	r.net = unpack_u8(u);
	r.user = unpack_line(u, MAX_NAME);
	r.workdir = unpack_line(u, MAX_PATH);
	r.words = unpack_line(u, MAX_WORDS);
	r.error = unpack_line(u, MAX_WORDS);
	if (r.net >= NET_SEEN_END)
		u->bad = true;
	if (u->bad)
		handoff_report_finish(&r);
	*ret = r;
}

int handoff_report_put(struct buf *out, const struct handoff_report *report)
{
	struct pack p = {.to = out};
	handoff_report_pack(&p, report);
	return p.error;
}

int handoff_report_get(const void *packet, size_t n, struct handoff_report *ret)
{
	struct unpack u = {.at = packet, .left = n};
	handoff_report_unpack(&u, ret);
	return u.bad ? unpack_failure(&u) : 0;
}

void handoff_report_finish(struct handoff_report *r)
{
	free(r->user);
	free(r->workdir);
	free(r->words);
	free(r->error);
	*r = (struct handoff_report){0};
}
