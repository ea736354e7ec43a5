/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "cmocka_all.h"
#include "wire/fd_handoff.h"

static void a_listener_passes_the_door(void **state)
{
	int handoff[2], yes = 0;
	socklen_t n = sizeof yes;
	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, handoff), 0);
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(handoff_hand(handoff[0], listener), 0);
	int taken = handoff_take(handoff[1]);
	assert_true(taken >= 0);
	assert_true(fcntl(taken, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(getsockopt(taken, SOL_SOCKET, SO_TYPE, &yes, &n), 0);
	assert_int_equal(yes, SOCK_STREAM);
	close(taken);
	close(listener);
	close(handoff[0]);
	close(handoff[1]);
}

static void what_is_no_listener_is_refused(void **state)
{
	int handoff[2];
	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, handoff), 0);
	assert_int_equal(send(handoff[0], "L", 1, 0), 1);
	assert_int_equal(handoff_take(handoff[1]), -EPROTO);
	close(handoff[0]);
	assert_int_equal(handoff_take(handoff[1]), -EPROTO);
	assert_int_equal(handoff_hand(handoff[1], 0), -EPIPE);
	close(handoff[1]);
}

/* A byte of another meaning, rights of another kind, a descriptor that is no socket. */
static void other_packets_are_refused(void **state)
{
	int handoff[2], yes = 1;
	char byte = 'x';
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} rights = {.bytes = {0}};
	struct iovec part = {&byte, 1};
	struct msghdr msg = {.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = rights.bytes,
			.msg_controllen = sizeof rights.bytes};
	struct cmsghdr *head = CMSG_FIRSTHDR(&msg);

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, handoff), 0);
	*head = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(head), &handoff[0], sizeof(int));
	assert_int_equal(sendmsg(handoff[0], &msg, 0), 1);
	assert_int_equal(handoff_take(handoff[1]), -EPROTO);
	assert_int_equal(setsockopt(handoff[1], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes), 0);
	assert_int_equal(send(handoff[0], "L", 1, 0), 1);
	assert_int_equal(handoff_take(handoff[1]), -EPROTO);
	assert_int_equal(handoff_take(-1), -EBADF);
	assert_int_equal(handoff_hand(-1, 0), -EBADF);
	close(handoff[0]);
	close(handoff[1]);
}

static void on_user_signal(int signo)
{
	(void)signo;
}

/* The parent is signaled until it has taken the descriptor. */
static void a_signal_does_not_disturb(void **state)
{
	struct sigaction action = {.sa_handler = on_user_signal}, before;
	int handoff[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, handoff), 0);
	sigaction(SIGUSR1, &action, &before);
	pid_t child = fork();
	if (child == 0) {
		for (int i = 0; i < 200; i++) {
			kill(getppid(), SIGUSR1);
			sched_yield();
		}
		_exit(handoff_hand(handoff[0], handoff[0]) != 0);
	}
	assert_true(child > 0);
	int fd = handoff_take(handoff[1]), status;
	assert_true(fd >= 0);
	while (waitpid(child, &status, 0) < 0)
		assert_int_equal(errno, EINTR);
	assert_int_equal(status, 0);
	sigaction(SIGUSR1, &before, NULL);
	close(fd);
	close(handoff[0]);
	close(handoff[1]);
}

static void a_report_comes_through_cleaned(void **state)
{
	struct buf b;
	struct handoff_report r;
	const struct handoff_report sent = {.is_init = true,
			.uid = 1000,
			.gid = 100,
			.user = (char *)"worker",
			.workdir = (char *)"/workspace",
			.words = (char *)"a\033[31mb\nc"};
	(void)state;
	buf_init(&b, HANDOFF_REPORT_MAX);
	assert_int_equal(handoff_report_put(&b, &sent), 0);
	assert_int_equal(handoff_report_get(buf_at(&b), b.len, &r), 0);
	assert_true(r.is_init);
	assert_int_equal(r.uid, 1000);
	assert_int_equal(r.gid, 100);
	assert_string_equal(r.user, "worker");
	assert_string_equal(r.workdir, "/workspace");
	assert_null(strchr(r.words, '\033'));
	assert_null(strchr(r.words, '\n'));
	assert_string_equal(r.error, "");
	handoff_report_finish(&r);
	for (size_t n = 0; n < b.len; n++)
		assert_int_equal(handoff_report_get(buf_at(&b), n, &r), TRM_EPROTO);
	buf_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_listener_passes_the_door),
			cmocka_unit_test(what_is_no_listener_is_refused),
			cmocka_unit_test(other_packets_are_refused),
			cmocka_unit_test(a_signal_does_not_disturb),
			cmocka_unit_test(a_report_comes_through_cleaned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
