/* SPDX-License-Identifier: MIT */
#include "wire/fd_handoff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <terrarium/error.h>

#include "base/utf8.h"
#include "wire/fields.h"

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

static const struct field report_rows[] = {
		{FIELD(struct handoff_report, is_init)},
		{FIELD(struct handoff_report, uid)},
		{FIELD(struct handoff_report, gid)},
		{ENUM(struct handoff_report, net, NET_SEEN_END - 1)},
		{TEXT(struct handoff_report, user, MAX_NAME)},
		{TEXT(struct handoff_report, workdir, MAX_PATH)},
		{TEXT(struct handoff_report, words, MAX_WORDS)},
		{TEXT(struct handoff_report, error, MAX_WORDS)},
};
static const struct fields REPORT = FIELDS(report_rows);

/* These strings come from inside the sandbox and are displayed: remove control characters and incomplete
 * characters. */
static void clean_text(struct unpack *u, char **text, size_t max)
{
	char *clean = *text ? malloc(max + 1) : NULL;
	if (clean)
		trm_text_clean_line(clean, max + 1, *text, strlen(*text));
	u->lacks_memory |= *text && !clean;
	u->bad |= !clean;
	free(*text);
	*text = clean;
}

int handoff_report_put(struct buf *out, const struct handoff_report *report)
{
	struct pack p = {.to = out};
	fields_pack(&p, &REPORT, report);
	return p.error;
}

int handoff_report_get(const void *packet, size_t n, struct handoff_report *ret)
{
	struct unpack u = {.at = packet, .left = n};
	struct handoff_report r = {0};
	fields_unpack(&u, &REPORT, &r);
	clean_text(&u, &r.user, MAX_NAME);
	clean_text(&u, &r.workdir, MAX_PATH);
	clean_text(&u, &r.words, MAX_WORDS);
	clean_text(&u, &r.error, MAX_WORDS);
	if (u.bad)
		handoff_report_finish(&r);
	*ret = r;
	return u.bad ? unpack_failure(&u) : 0;
}

void handoff_report_finish(struct handoff_report *r)
{
	fields_free(&REPORT, r);
	*r = (struct handoff_report){0};
}
