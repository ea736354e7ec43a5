/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "cmocka_all.h"
#include "wire/door.h"

static void a_listener_passes_the_door(void **state)
{
	int door[2], yes = 0;
	socklen_t n = sizeof yes;
	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, door), 0);
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(door_hand(door[0], listener), 0);
	int taken = door_take(door[1]);
	assert_true(taken >= 0);
	assert_true(fcntl(taken, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(getsockopt(taken, SOL_SOCKET, SO_TYPE, &yes, &n), 0);
	assert_int_equal(yes, SOCK_STREAM);
	close(taken);
	close(listener);
	close(door[0]);
	close(door[1]);
}

static void what_is_no_listener_is_refused(void **state)
{
	int door[2];
	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, door), 0);
	assert_int_equal(send(door[0], "L", 1, 0), 1);
	assert_int_equal(door_take(door[1]), -EPROTO);
	close(door[0]);
	assert_int_equal(door_take(door[1]), -EPROTO);
	assert_int_equal(door_hand(door[1], 0), -EPIPE);
	close(door[1]);
}

static void a_report_comes_through_cleaned(void **state)
{
	struct buf b;
	struct door_report r;
	const struct door_report sent = {.is_init = true,
			.uid = 1000,
			.gid = 100,
			.user = (char *)"worker",
			.workdir = (char *)"/workspace",
			.words = (char *)"a\033[31mb\nc"};
	(void)state;
	buf_init(&b, DOOR_REPORT_MAX);
	assert_int_equal(door_report_put(&b, &sent), 0);
	assert_int_equal(door_report_get(buf_at(&b), b.len, &r), 0);
	assert_true(r.is_init);
	assert_int_equal(r.uid, 1000);
	assert_int_equal(r.gid, 100);
	assert_string_equal(r.user, "worker");
	assert_string_equal(r.workdir, "/workspace");
	assert_null(strchr(r.words, '\033'));
	assert_null(strchr(r.words, '\n'));
	assert_string_equal(r.error, "");
	door_report_finish(&r);
	for (size_t n = 0; n < b.len; n++)
		assert_int_equal(door_report_get(buf_at(&b), n, &r), TRM_EPROTO);
	buf_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_listener_passes_the_door),
			cmocka_unit_test(what_is_no_listener_is_refused),
			cmocka_unit_test(a_report_comes_through_cleaned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
