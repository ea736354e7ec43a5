/* SPDX-License-Identifier: MIT */

/* The supervisor is a program of its own, so its parts are built into this test. */

#include "supervisor/core/clients.c"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "cmocka_all.h"

static struct clients clients;
static struct sockaddr_un handoff;
static char heard[256];

static void on_said(void *user, const struct client *client, enum client_word word)
{
	static const char *const words[] = {[CLIENT_GONE] = "gone ",
			[CLIENT_KEEP] = "keep ",
			[CLIENT_KEEP_OFF] = "keep-off ",
			[CLIENT_STOP] = "stop ",
			[CLIENT_OBSERVE] = "look ",
			[CLIENT_GROUP] = "group "};
	(void)user;
	(void)client;
	strncat(heard, words[word], sizeof heard - strlen(heard) - 1);
}

/* What is heard until nothing more comes at once. */
static const char *hear(void)
{
	struct pollfd fds[CLIENTS_POLLS];
	heard[0] = '\0';
	for (int rounds = 0; rounds < 100; rounds++) {
		size_t n = clients_poll(&clients, fds);
		if (poll(fds, n, 20) <= 0)
			break;
		clients_handle(&clients, fds, on_said, NULL);
		if (fds[0].revents)
			clients_let_in(&clients);
	}
	return heard;
}

static int come(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&handoff, sizeof handoff), 0);
	return fd;
}

static int begin(void **state)
{
	static unsigned count; /* a name may be held for a moment longer, by a child */
	(void)state;
	handoff = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(handoff.sun_path + 1, sizeof handoff.sun_path - 1, "clients-test-%ld-%u", (long)getpid(),
			++count);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (bind(fd, (struct sockaddr *)&handoff, sizeof handoff) < 0 || listen(fd, 200) < 0)
		return -1;
	clients_init(&clients, fd);
	return 0;
}

static int end(void **state)
{
	(void)state;
	while (clients.n)
		close_client(&clients.of[--clients.n]);
	close(clients.handoff_fd);
	return 0;
}

static void who_comes_counts_until_the_line_closes(void **state)
{
	(void)state;
	int a = come(), b = come();
	assert_string_equal(hear(), "");
	assert_int_equal(clients.n, 2);
	assert_int_equal(clients.of[0].pid, getpid());
	assert_string_equal(clients.of[0].command, "");
	close(a);
	assert_string_equal(hear(), "gone ");
	assert_int_equal(clients.n, 1);
	close(b);
	assert_string_equal(hear(), "gone ");
	assert_int_equal(clients.n, 0);
}

static void requests_are_heard(void **state)
{
	struct buf keep, off, stop, group;
	(void)state;
	buf_init(&group, 64);
	control_put(&group, &(struct control_msg){.type = CONTROL_GROUP, .group = "serve:5555/lab"});
	buf_init(&keep, 64);
	buf_init(&off, 64);
	buf_init(&stop, 64);
	control_put(&keep, &(struct control_msg){.type = CONTROL_KEEP, .is_kept = true});
	control_put(&off, &(struct control_msg){.type = CONTROL_KEEP, .is_kept = false});
	control_put(&stop, &(struct control_msg){.type = CONTROL_STOP});
	int a = come();
	send(a, buf_at(&keep), keep.len, 0);
	assert_string_equal(hear(), "keep ");
	assert_non_null(strstr(clients.of[0].command, "clients"));
	send(a, buf_at(&keep), keep.len, 0);
	send(a, "nonsense", 8, 0);
	send(a, buf_at(&off), off.len, 0);
	send(a, buf_at(&group), group.len, 0);
	send(a, buf_at(&stop), stop.len, 0);
	close(a);
	assert_string_equal(hear(), "keep keep-off group stop gone ");
	assert_string_equal(clients.group, "serve:5555/lab");
	buf_finish(&group);
	buf_finish(&keep);
	buf_finish(&off);
	buf_finish(&stop);
}

static size_t n_when_closed;

static void on_said_while_open(void *user, const struct client *client, enum client_word word)
{
	char byte;
	(void)client;
	if (word == CLIENT_GONE && recv(*(int *)user, &byte, 1, MSG_DONTWAIT) == 0)
		n_when_closed = clients.n + 1;
}

/* All three come and go before the supervisor looks, and it hears the last one first. */
static void a_line_ends_when_those_before_it_are_noted(void **state)
{
	struct pollfd fds[CLIENTS_POLLS];
	struct buf look;
	char byte;
	(void)state;
	buf_init(&look, 64);
	control_put(&look, &(struct control_msg){.type = CONTROL_OBSERVE});
	int a = come(), b = come(), last = come();
	send(last, buf_at(&look), look.len, 0);
	shutdown(last, SHUT_WR);
	close(a);
	close(b);
	clients_let_in(&clients);
	assert_int_equal(clients.n, 3);
	assert_int_equal(clients_count(&clients), 2);
	size_t n = clients_poll(&clients, fds);
	assert_int_equal(poll(fds, n, 1000), 3);
	n_when_closed = 0;
	clients_handle(&clients, fds, on_said_while_open, &last);
	assert_int_equal(n_when_closed, 0);
	assert_int_equal(clients.n, 0);
	assert_int_equal(recv(last, &byte, 1, MSG_DONTWAIT), 0);
	close(last);
	buf_finish(&look);
}

/* A copy of the line lives on in a child: the death of the client itself counts. */
static void a_dead_client_is_gone(void **state)
{
	int words[2];
	char byte;
	(void)state;
	assert_int_equal(pipe(words), 0);
	pid_t pid = fork();
	if (!pid) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
		if (connect(fd, (struct sockaddr *)&handoff, sizeof handoff) < 0)
			_exit(1);
		if (!fork()) {
			pause();
			_exit(0);
		}
		byte = write(words[1], "x", 1) == 1;
		pause();
		_exit(0);
	}
	assert_int_equal(read(words[0], &byte, 1), 1);
	assert_string_equal(hear(), "");
	assert_int_equal(clients.n, 1);
	/* Its child holds the line, too, and is to be ended in the end. */
	char path[64], text[64] = "";
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	FILE *f = fopen(path, "r");
	assert_non_null(fgets(text, sizeof text, f));
	fclose(f);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_string_equal(hear(), "gone ");
	assert_int_equal(clients.n, 0);
	kill((pid_t)atoi(text), SIGKILL);
	close(words[0]);
	close(words[1]);
}

static void all_are_reported_and_none_is_waited_for(void **state)
{
	struct buf b;
	char packet[64];
	(void)state;
	int a = come(), deaf = come(), c = come();
	hear();
	buf_init(&b, 64);
	control_put(&b, &(struct control_msg){.type = CONTROL_OOM, .oom_kills = 3});
	for (int i = 0; i < 5000; i++) { /* far more than a socket holds */
		clients_publish(&clients, &b);
		assert_true(recv(a, packet, sizeof packet, 0) > 0);
		assert_true(recv(c, packet, sizeof packet, 0) > 0);
	}
	buf_finish(&b);
	close(a);
	close(deaf);
	close(c);
}

static void too_many_are_reported_so(void **state)
{
	int fds[CLIENTS_MAX + 1];
	char packet[256];
	struct control_msg msg;
	(void)state;
	for (int i = 0; i <= CLIENTS_MAX; i++) {
		fds[i] = come();
		clients_let_in(&clients);
	}
	assert_int_equal(clients.n, CLIENTS_MAX);
	ssize_t n = recv(fds[CLIENTS_MAX], packet, sizeof packet, 0);
	assert_true(n > 0);
	assert_int_equal(control_get(packet, (size_t)n, &msg), 0);
	assert_int_equal(msg.type, CONTROL_GONE);
	assert_int_equal(msg.gone.cause, GONE_FULL);
	control_finish(&msg);
	assert_int_equal(recv(fds[CLIENTS_MAX], packet, sizeof packet, 0), 0);
	for (int i = 0; i <= CLIENTS_MAX; i++)
		close(fds[i]);
	hear();
	assert_int_equal(clients.n, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(who_comes_counts_until_the_line_closes),
			TEST(requests_are_heard),
			TEST(a_line_ends_when_those_before_it_are_noted),
			TEST(a_dead_client_is_gone),
			TEST(all_are_reported_and_none_is_waited_for),
			TEST(too_many_are_reported_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
