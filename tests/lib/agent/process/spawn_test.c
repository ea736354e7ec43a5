/* SPDX-License-Identifier: MIT */
#include "lib/agent/rig.h"

static void test_exit_code_and_both_outputs(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	tape_init(&tape, 7);
	link_shell(&link, 7, "echo out; echo err >&2; exit 3", 0, BIG_WINDOW);
	const struct frame *started = link_until(&link, &tape, FRAME_STARTED);
	struct unpack fields = {.at = started->payload, .left = started->len};
	assert_true(unpack_u32(&fields) > 1);
	assert_int_equal(unpack_u8(&fields), 0);
	struct exited_msg status = link_exit(&link, &tape);
	assert_int_equal(status.exit_code, 3);
	assert_int_equal(status.signal, 0);
	assert_true(status.max_rss_bytes > 0);
	assert_string_equal(tape_text(&tape, CHANNEL_STDOUT), "out\n");
	assert_string_equal(tape_text(&tape, CHANNEL_STDERR), "err\n");
	tape_finish(&tape);
	link_close(&link);
}

static void test_killed_by_its_own_signal(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	tape_init(&tape, 1);
	link_shell(&link, 1, "kill -SEGV $$", 0, BIG_WINDOW);
	struct exited_msg status = link_exit(&link, &tape);
	assert_int_equal(status.exit_code, -1);
	assert_int_equal(status.signal, SIGSEGV);
	tape_finish(&tape);
	link_close(&link);
}

static void test_environment_directory_and_descriptors(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	char **argv = STRV("sh", "-c",
			"echo $COLOR; pwd; ls /proc/self/fd | tr '\\n' ' '; env | grep -c ^HOME=");
	char **env = STRV("COLOR=green", "HOME");
	tape_init(&tape, 1);
	setenv("HOME", "/", 1);
	link_spawn(&link, 1,
			(struct spawn_msg){.window = BIG_WINDOW,
					.argv = argv,
					.env = env,
					.cwd = (char *)(uintptr_t) "/usr"});
	link_exit(&link, &tape);
	/* 3 is the directory that ls reads; HOME was taken away. */
	assert_string_equal(tape_text(&tape, CHANNEL_STDOUT), "green\n/usr\n0 1 2 3 0\n");
	tape_finish(&tape);
	link_close(&link);
}

static void test_signal_dispositions_are_fresh(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	tape_init(&tape, 1);
	link_shell(&link, 1, "grep -E '^Sig(Ign|Blk)' /proc/self/status | tr -d '\\t\\n'", 0, BIG_WINDOW);
	link_exit(&link, &tape);
	unsigned long long blocked, ignored;
	assert_int_equal(sscanf(tape_text(&tape, CHANNEL_STDOUT), "SigBlk:%llxSigIgn:%llx", &blocked,
					 &ignored),
			2);
	assert_true(blocked == 0);
	assert_int_equal(ignored & 0x7fffffff, 0); /* 32 and 33 belong to the C library */
	tape_finish(&tape);
	link_close(&link);
}

static void expect_failure(
		struct rig *rig, const char *program, const char *cwd, int code, const char *sentence)
{
	struct link link = link_open(rig);
	struct trm_error error;
	char **argv = STRV(program);
	link_spawn(&link, 5,
			(struct spawn_msg){
					.window = BIG_WINDOW, .argv = argv, .cwd = (char *)(uintptr_t)cwd});
	assert_int_equal(link_error(&link, 5, &error), code);
	assert_string_equal(error.msg, sentence);
	/* The id is free again, and the connection lives. */
	struct tape tape;
	tape_init(&tape, 5);
	link_shell(&link, 5, "exit 0", 0, BIG_WINDOW);
	assert_int_equal(link_exit(&link, &tape).exit_code, 0);
	tape_finish(&tape);
	link_close(&link);
}

/* The program, with the path of its loader changed to one that is not there. */
static void copy_with_another_loader(const char *from, const char *to)
{
	static char bytes[1 << 20];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	ssize_t n = read(in, bytes, sizeof bytes);
	assert_true(in >= 0 && out >= 0 && n > 0);
	char *loader = memmem(bytes, (size_t)n, "/ld-linux", 9);
	assert_non_null(loader);
	loader[1] = 'X';
	assert_true(write(out, bytes, (size_t)n) == n);
	close(in);
	close(out);
}

static void test_failures_have_a_sentence(void **state)
{
	char script[] = "/tmp/terrarium-test-XXXXXX";
	int fd = mkstemp(script);
	char sentence[200];
	assert_true(write(fd, "#!/no/such/interpreter\n", 23) == 23);
	assert_int_equal(fchmod(fd, 0755), 0);
	close(fd);
	expect_failure(*state, "python3-is-not-here", NULL, TRM_ENOENT,
			"python3-is-not-here: not found in the sandbox");
	expect_failure(*state, "/etc/passwd", NULL, TRM_EPERM,
			"/etc/passwd: not an executable file, or not permitted in the sandbox");
	expect_failure(*state, "sh", "/no/such/place", TRM_ENOENT,
			"sh: the directory to start it in cannot be entered: No such file or directory");
	snprintf(sentence, sizeof sentence,
			"%s: the interpreter named in its first line is not found in the sandbox", script);
	expect_failure(*state, script, NULL, TRM_ENOENT, sentence);
	unlink(script);
	copy_with_another_loader("/bin/true", script);
	snprintf(sentence, sizeof sentence,
			"%s: made for another C library: the loader that it names is not found in the sandbox",
			script);
	expect_failure(*state, script, NULL, TRM_ENOENT, sentence);
	unlink(script);
}

static void test_signal_reaches_the_group(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	tape_init(&tape, 1);
	link_shell(&link, 1, "trap 'echo got it; exit 9' INT; echo ready; while :; do sleep 0.01; done", 0,
			BIG_WINDOW);
	link_until_text(&link, &tape, CHANNEL_STDOUT, "ready");
	link_pack(&link, 1, FRAME_SIGNAL, "ub", (uint32_t)SIGINT, 0);
	assert_int_equal(link_exit(&link, &tape).exit_code, 9);
	assert_string_equal(tape_text(&tape, CHANNEL_STDOUT), "ready\ngot it\n");
	tape_finish(&tape);
	link_close(&link);
}

static void test_tree_includes_other_sessions(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	int pids[3];
	tape_init(&tape, 1);
	/* A child in a session of its own with a child; and an orphan that kept the session. */
	link_shell(&link, 1,
			"setsid sh -c 'sleep 1000 & echo $! $$; wait' & (sleep 1000 >/dev/null 2>&1 & echo "
			"$!); wait",
			0, BIG_WINDOW);
	while (sscanf(tape_text(&tape, CHANNEL_STDOUT), "%d %d %d\n", &pids[0], &pids[1], &pids[2]) != 3
			|| tape.out[0].len == 0 || buf_at(&tape.out[0])[tape.out[0].len - 1] != '\n')
		link_until(&link, &tape, FRAME_OUTPUT);
	link_pack(&link, 1, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
	assert_int_equal(link_exit(&link, &tape).signal, SIGKILL);
	for (int i = 0; i < 3; i++)
		AWAIT(is_gone(pids[i]));
	tape_finish(&tape);
	link_close(&link);
}

static void test_tree_includes_daemons(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	int pids[2];
	tape_init(&tape, 1);
	/* Forked twice, in a session of its own, and its parents gone. */
	link_shell(&link, 1, "setsid sh -c '(setsid sleep 1000 >/dev/null 2>&1 & echo $!)'; sleep 1000", 0,
			BIG_WINDOW);
	link_until_text(&link, &tape, CHANNEL_STDOUT, "\n");
	assert_int_equal(sscanf(tape_text(&tape, CHANNEL_STDOUT), "%d", &pids[0]), 1);
	link_pack(&link, 1, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
	assert_int_equal(link_exit(&link, &tape).signal, SIGKILL);
	AWAIT(is_gone(pids[0]));
	tape_finish(&tape);

	/* What another process has left behind lives on. */
	tape_init(&tape, 2);
	link_shell(&link, 2, "setsid sh -c '(setsid sleep 1000 >/dev/null 2>&1 & echo $!)'", 0, BIG_WINDOW);
	assert_int_equal(link_exit(&link, &tape).exit_code, 0);
	assert_int_equal(sscanf(tape_text(&tape, CHANNEL_STDOUT), "%d", &pids[1]), 1);
	tape_finish(&tape);
	tape_init(&tape, 3);
	link_shell(&link, 3, "echo up; sleep 1000", 0, BIG_WINDOW);
	link_until_text(&link, &tape, CHANNEL_STDOUT, "up\n");
	link_pack(&link, 3, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
	assert_int_equal(link_exit(&link, &tape).signal, SIGKILL);
	assert_false(is_gone(pids[1]));
	kill(pids[1], SIGKILL);
	tape_finish(&tape);
	link_close(&link);
}

static void test_exit_does_not_wait_for_background_children(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	tape_init(&tape, 1);
	/* Were the child waited for, the rig's deadline would pass. */
	link_shell(&link, 1, "sleep 1000 & seq 1 20000; echo end; exit 4", 0, BIG_WINDOW);
	assert_int_equal(link_exit(&link, &tape).exit_code, 4);
	assert_non_null(strstr(tape_text(&tape, CHANNEL_STDOUT), "20000\nend\n"));
	tape_finish(&tape);
	link_close(&link);
}

static void test_pty(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	char **argv = STRV("sh", "-c",
			"test -t 0 && test -t 2 && stty size; trap 'stty size; echo seen' WINCH;"
			"echo ready; while ! read line; do :; done; echo \"<$line>\"; cat; echo done");
	tape_init(&tape, 1);
	link_spawn(&link, 1,
			(struct spawn_msg){.flags = SPAWN_PTY | SPAWN_STDIN_OPEN,
					.rows = 33,
					.cols = 77,
					.window = BIG_WINDOW,
					.argv = argv});
	link_until_text(&link, &tape, CHANNEL_STDOUT, "33 77\r\nready\r\n");
	link_pack(&link, 1, FRAME_RESIZE, "hh", 40, 100);
	link_until_text(&link, &tape, CHANNEL_STDOUT, "40 100\r\nseen");
	link_send(&link, 1, FRAME_INPUT, CHANNEL_STDIN, "hello\n", 6);
	link_until_text(&link, &tape, CHANNEL_STDOUT, "<hello>\r\n");
	link_pack(&link, 1, FRAME_STDIN, "b", STDIN_EOF);
	assert_int_equal(link_exit(&link, &tape).exit_code, 0);
	assert_non_null(strstr(tape_text(&tape, CHANNEL_STDOUT), "done\r\n"));
	tape_finish(&tape);
	link_close(&link);
}

static void test_pty_forwards_everything_at_the_end(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	char **argv = STRV("seq", "1", "30000");
	tape_init(&tape, 1);
	link_spawn(&link, 1, (struct spawn_msg){.flags = SPAWN_PTY, .window = BIG_WINDOW, .argv = argv});
	link_exit(&link, &tape);
	assert_non_null(strstr(tape_text(&tape, CHANNEL_STDOUT), "\r\n29999\r\n30000\r\n"));
	tape_finish(&tape);
	link_close(&link);
}

static void test_process_limit(void **state)
{
	struct link link = link_open_limited(*state, 77);
	struct tape tape;
	char **argv = STRV("grep", "-o", "Max processes  *77  *77", "/proc/self/limits");
	tape_init(&tape, 1);
	link_spawn(&link, 1, (struct spawn_msg){.window = BIG_WINDOW, .argv = argv});
	link_exit(&link, &tape);
	assert_non_null(strstr(tape_text(&tape, CHANNEL_STDOUT), "77"));
	tape_finish(&tape);
	link_close(&link);
}

static size_t open_descriptors(pid_t pid)
{
	char command[80];
	size_t n = 0;
	snprintf(command, sizeof command, "ls /proc/%d/fd | wc -l", (int)pid);
	FILE *lines = popen(command, "r");
	assert_non_null(lines);
	assert_int_equal(fscanf(lines, "%zu", &n), 1);
	pclose(lines);
	return n;
}

static void test_many_processes_leave_nothing_open(void **state)
{
	struct rig *rig = *state;
	struct link link = link_open(rig);
	if (geteuid() != 0)
		skip(); /* the agent's descriptors are not for us to see */
	size_t before = open_descriptors(rig->agent);
	for (uint32_t round = 1; round <= 60; round++) {
		struct tape tape;
		tape_init(&tape, round);
		char **argv = STRV(round % 3 ? "true" : "not-there");
		link_spawn(&link, round,
				(struct spawn_msg){.flags = round % 2 ? SPAWN_CONTROL : SPAWN_PTY,
						.spare_sets = round % 5,
						.window = 4096,
						.argv = argv,
						.script = "x",
						.script_len = 1});
		if (round % 3) {
			assert_int_equal(link_exit(&link, &tape).exit_code, 0);
		} else {
			struct trm_error error;
			assert_int_equal(link_error(&link, round, &error), TRM_ENOENT);
		}
		tape_finish(&tape);
	}
	AWAIT(open_descriptors(rig->agent) == before);
	link_close(&link);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_exit_code_and_both_outputs),
			T(test_killed_by_its_own_signal),
			T(test_environment_directory_and_descriptors),
			T(test_signal_dispositions_are_fresh),
			T(test_failures_have_a_sentence),
			T(test_signal_reaches_the_group),
			T(test_tree_includes_other_sessions),
			T(test_tree_includes_daemons),
			T(test_exit_does_not_wait_for_background_children),
			T(test_pty),
			T(test_pty_forwards_everything_at_the_end),
			T(test_process_limit),
			T(test_many_processes_leave_nothing_open),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
