/* SPDX-License-Identifier: MIT */
/* serve-stdio: one client on descriptors 0 and 1, as container carriers have it. */
#include "lib/agent/rig.h"

static pid_t start(int sides[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sides), 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(sides[1], 0);
		dup2(sides[1], 1);
		setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
		execl(AGENT_PROGRAM, "terrarium-agent", "serve-stdio", (char *)NULL);
		_exit(125);
	}
	close(sides[1]);
	return pid;
}

static void test_serves_and_ends_with_its_client(void **state)
{
	int sides[2], status, child = 0;
	pid_t agent = start(sides);
	struct link link = {.fd = sides[0]};
	struct tape tape;
	(void)state;
	buf_init(&link.in, 2 * (FRAME_HEADER + FRAME_MAX_PAYLOAD));
	tape_init(&tape, 1);
	link_pack(&link, 0, FRAME_HELLO, "uuu", FRAME_MAGIC, (uint32_t)FRAME_VERSION, (uint32_t)0);
	assert_int_equal(link_next(&link, DEADLINE_MS, NULL)->type, FRAME_WELCOME);
	link_shell(&link, 1, "setsid sleep 1000 & echo $!; cat; wait", SPAWN_STDIN_OPEN | SPAWN_KEEP,
			BIG_WINDOW);
	link_send(&link, 1, FRAME_INPUT, CHANNEL_STDIN, "through\n", 8);
	link_until_text(&link, &tape, CHANNEL_STDOUT, "through\n");
	assert_int_equal(sscanf(tape_text(&tape, CHANNEL_STDOUT), "%d", &child), 1);
	link_close(&link);
	assert_int_equal(waitpid(agent, &status, 0), agent);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	AWAIT(is_gone(child));
	tape_finish(&tape);
}

static void test_usage(void **state)
{
	static const char *const lines[] = {
			"", "serve", "serve x", "serve 99", "serve 0", "serve 3x", "nonsense"};
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char command[4200];
		snprintf(command, sizeof command, "%s %s </dev/null >/dev/null 2>&1", AGENT_PROGRAM,
				lines[i]);
		int status = system(command);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 125);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_serves_and_ends_with_its_client),
			cmocka_unit_test(test_usage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
