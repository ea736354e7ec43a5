/* SPDX-License-Identifier: MIT */

/* A supervisor asks for a scope: against a manager that is made here, good and bad ones. */

#include "supervisor/limits/systemd_scope.c"

#include <stdlib.h>
#include <sys/wait.h>

#include "cmocka_all.h"

static char dir[64], path[96];
static bool is_moved_now;

static bool is_moved(pid_t pid)
{
	(void)pid;
	return is_moved_now;
}

enum manner { GOOD, REJECTS, FAILS, SILENT, HANGS_UP, LIES, CHATTERS };

static uint32_t number_at(const char *bytes)
{
	uint32_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

static bool says(const char *bytes, size_t n, const char *text)
{
	return memmem(bytes, n, text, strlen(text) + 1) != NULL;
}

static void expect(bool holds)
{
	if (!holds)
		_exit(1);
}

/* The message is whole, and asks for what it should. */
static void hear_call(int fd)
{
	char bytes[4096];
	ssize_t n = recv(fd, bytes, HEADER_BYTES, MSG_WAITALL);
	expect(n == HEADER_BYTES && bytes[0] == byte_order() && bytes[1] == CALL);
	size_t fields = (number_at(bytes + 12) + 7) / 8 * 8, rest = fields + number_at(bytes + 4);
	expect(rest < sizeof bytes - HEADER_BYTES);
	expect(recv(fd, bytes + HEADER_BYTES, rest, MSG_WAITALL) == (ssize_t)rest);
	n = (ssize_t)(HEADER_BYTES + rest);
	expect(says(bytes, (size_t)n, "StartTransientUnit")
			&& says(bytes, (size_t)n, "terrarium-4711.scope"));
	expect(says(bytes, (size_t)n, "Delegate") && says(bytes, (size_t)n, "PIDs"));
	/* Body: name, mode, the properties' length; the last of them is the process. */
	const char *body = bytes + HEADER_BYTES + fields;
	size_t at = (4 + number_at(body) + 1 + 3) / 4 * 4;
	at = (at + 4 + number_at(body + at) + 1 + 3) / 4 * 4;
	size_t length = number_at(body + at);
	at = (at + 4 + 7) / 8 * 8;
	expect(number_at(body + at + length - 4) == 4711);
	expect((size_t)(bytes + n - body) == (at + length + 4 + 7) / 8 * 8);
}

static void answer(int fd, int type, uint32_t fields)
{
	char bytes[HEADER_BYTES + 8] = {byte_order(), (char)type, 0, 1};
	memcpy(bytes + 12, &fields, sizeof fields);
	expect(send(fd, bytes, sizeof bytes, MSG_NOSIGNAL) > 0);
}

static void be_manager(int listener, enum manner manner)
{
	char words[96];
	alarm(60);
	int fd = accept(listener, NULL, NULL);
	if (manner == SILENT)
		pause();
	if (manner == HANGS_UP)
		_exit(0);
	size_t n = 0;
	do
		expect(recv(fd, words + n, 1, 0) == 1);
	while (words[n++] != '\n');
	words[n] = '\0';
	expect(!words[0] && !strncmp(words + 1, "AUTH EXTERNAL 3", 15));
	if (manner == REJECTS) {
		send(fd, "REJECTED EXTERNAL\r\n", 19, MSG_NOSIGNAL);
		pause();
	}
	send(fd, "OK 0123456789abcdef\r\n", 21, MSG_NOSIGNAL);
	expect(recv(fd, words, 7, MSG_WAITALL) == 7 && !memcmp(words, "BEGIN\r\n", 7));
	hear_call(fd);
	answer(fd, 4, manner == LIES ? UINT32_MAX : 7); /* a signal comes first */
	for (;;)
		if (manner != CHATTERS)
			break;
		else if (send(fd, words, 1, MSG_NOSIGNAL) <= 0)
			_exit(0);
	answer(fd, manner == FAILS ? ERROR : RETURN, 0);
	recv(fd, words, 1, 0);
	_exit(0);
}

static bool ask(enum manner manner, unsigned timeout_ms)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unlink(path);
	assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(listen(listener, 1), 0);
	pid_t pid = fork();
	if (!pid)
		be_manager(listener, manner);
	close(listener);
	bool is_in = scope_ask(path, 4711, is_moved, timeout_ms);
	int status = 0;
	if (manner != GOOD)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	if (is_in) /* otherwise the time may have been over before it could answer */
		assert_int_equal(status, 0);
	return is_in;
}

static void a_manager_that_works(void **state)
{
	(void)state;
	is_moved_now = true;
	assert_true(ask(GOOD, 60000));
}

static void a_move_that_never_comes(void **state)
{
	(void)state;
	is_moved_now = false;
	uint64_t start = clock_ms();
	assert_false(ask(GOOD, 100));
	assert_true(clock_ms() - start >= 100);
}

static void managers_that_do_not(void **state)
{
	static const enum manner manners[] = {REJECTS, FAILS, SILENT, HANGS_UP, LIES, CHATTERS};
	(void)state;
	is_moved_now = true;
	for (size_t i = 0; i < sizeof manners / sizeof *manners; i++) {
		assert_false(ask(manners[i], 200));
	}
}

static void without_a_manager_it_takes_no_time(void **state)
{
	enum { LONG_MS = 60000 };
	char nowhere[128];
	(void)state;
	unlink(path);
	uint64_t start = clock_ms();
	assert_false(scope_ask(path, 4711, is_moved, LONG_MS));
	memset(nowhere, 'x', sizeof nowhere);
	nowhere[sizeof nowhere - 1] = '\0';
	assert_false(scope_ask(nowhere, 4711, is_moved, LONG_MS));
	assert_false(scope_enter(dir)); /* no memory controller in that "tree" */
	assert_true(clock_ms() - start < LONG_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_manager_that_works),
			cmocka_unit_test(a_move_that_never_comes),
			cmocka_unit_test(managers_that_do_not),
			cmocka_unit_test(without_a_manager_it_takes_no_time),
	};
	snprintf(dir, sizeof dir, "/tmp/scope-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof path, "%s/private", dir);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	rmdir(dir);
	return failed;
}
