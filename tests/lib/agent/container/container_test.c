/* SPDX-License-Identifier: MIT */
/* What the agent is in containers, tried outside of any: doors, keys, bridges, users. */
#include "lib/agent/rig.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "wire/fd_handoff.h"

enum { MAX_ARGS = 24 };

/* Under a sanitizer the agent needs libraries. */
#ifdef __SANITIZE_ADDRESS__
enum { IS_STATIC = false };
#else
enum { IS_STATIC = true };
#endif

static char key[48];

static int new_key(void **state)
{
	(void)state;
	snprintf(key, sizeof key, "%d%llu", (int)getpid(), (unsigned long long)rig_now_ns());
	return 0;
}

static bool limits_are_refused; /* to the agents that are launched */

/* As a profile of a container may do. */
static void refuse_limits(void)
{
	struct sock_filter code[] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 1),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {sizeof code / sizeof *code, code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
			|| prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
		_exit(126);
}

/* The agent with those words; descriptors 0 and 1 are to be these (-1: as they are). */
static pid_t launch(int in, int out, char **words)
{
	char *argv[MAX_ARGS] = {(char *)"terrarium-agent"};
	pid_t pid = fork();
	if (pid)
		return pid;
	for (int i = 0; words[i]; i++)
		argv[i + 1] = words[i];
	if (in >= 0)
		dup2(in, 0);
	if (out >= 0)
		dup2(out, 1);
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	if (limits_are_refused)
		refuse_limits();
	execv(AGENT_PROGRAM, argv);
	_exit(126);
}

static int exit_code(pid_t pid)
{
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static struct link link_of(int fd)
{
	struct link link = {.fd = fd};
	buf_init(&link.in, 2 * (FRAME_HEADER + FRAME_MAX_PAYLOAD));
	return link;
}

static struct rig key_rig(void)
{
	struct rig rig = {.address = {.sun_family = AF_UNIX}};
	int n = snprintf(rig.address.sun_path + 1, 80, "terrarium-%s", key);
	rig.address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	return rig;
}

/* Does anybody listen at the key? */
static bool is_up(void)
{
	struct rig rig = key_rig();
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	bool is = connect(fd, (struct sockaddr *)&rig.address, rig.address_len) == 0;
	close(fd);
	return is;
}

/* HELLO; what WELCOME reports. False: the connection ended instead. */
static bool greet(struct link *to, struct link *from, struct handoff_report *ret)
{
	struct welcome_msg msg;
	link_pack(to, 0, FRAME_HELLO, "uuu", FRAME_MAGIC, (uint32_t)FRAME_VERSION, (uint32_t)0);
	const struct frame *frame = link_next(from, DEADLINE_MS, NULL);
	if (!frame)
		return false;
	assert_int_equal(welcome_msg_get(frame, &msg), 0);
	assert_non_null(msg.report);
	assert_int_equal(handoff_report_get(msg.report, msg.report_len, ret), 0);
	return true;
}

static void expect_output(struct link *link, const char *command, const char *text)
{
	struct tape tape;
	tape_init(&tape, 1);
	link_shell(link, 1, command, 0, BIG_WINDOW);
	link_exit(link, &tape);
	assert_string_equal(tape_text(&tape, CHANNEL_STDOUT), text);
	tape_finish(&tape);
}

/* ---- the door ---------------------------------------------------------------------------------- */

struct handoff {
	int handoff, listener;
	struct rig rig; /* of the listener */
	char path[64];
};

static int listen_at(struct sockaddr_un *address, socklen_t n, int type)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)address, n), 0);
	assert_int_equal(listen(fd, 8), 0);
	return fd;
}

static struct handoff handoff_make(void)
{
	struct handoff handoff = {.rig = key_rig()};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(handoff.path, sizeof handoff.path, "/tmp/terrarium-door-%.30s", key);
	strcpy(address.sun_path, handoff.path);
	handoff.handoff = listen_at(&address, sizeof address, SOCK_SEQPACKET);
	handoff.listener = listen_at(&handoff.rig.address, handoff.rig.address_len, SOCK_STREAM);
	return handoff;
}

/* Let the agent in; the line to it. */
static int handoff_open(struct handoff *handoff, struct handoff_report *ret)
{
	char packet[HANDOFF_REPORT_MAX];
	struct pollfd ready = {.fd = handoff->handoff, .events = POLLIN};
	assert_int_equal(poll(&ready, 1, DEADLINE_MS), 1);
	int fd = accept(handoff->handoff, NULL, NULL);
	assert_true(fd >= 0);
	assert_int_equal(handoff_hand(fd, handoff->listener), 0);
	ready.fd = fd;
	assert_int_equal(poll(&ready, 1, DEADLINE_MS), 1);
	ssize_t n = recv(fd, packet, sizeof packet, 0);
	assert_true(n > 0);
	assert_int_equal(handoff_report_get(packet, (size_t)n, ret), 0);
	close(handoff->handoff);
	close(handoff->listener);
	unlink(handoff->path);
	return fd;
}

static void the_door_is_a_lifeline(void **state)
{
	struct handoff handoff = handoff_make();
	struct handoff_report report, again;
	struct tape tape;
	int child = 0;
	(void)state;
	pid_t agent = launch(-1, -1, STRV("container", "--door", handoff.path, "--workdir", "/tmp"));
	int line = handoff_open(&handoff, &report);
	assert_string_equal(report.error, "");
	assert_string_equal(report.words, "");
	assert_string_equal(report.workdir, "/tmp");
	assert_false(report.is_init);
	assert_int_equal(report.uid, geteuid());
	struct link link = link_connect(&handoff.rig);
	assert_true(greet(&link, &link, &again));
	assert_string_equal(again.workdir, report.workdir);
	tape_init(&tape, 1);
	link_shell(&link, 1, "pwd; setsid sleep 1000 & echo $!; wait", SPAWN_KEEP, BIG_WINDOW);
	link_until_text(&link, &tape, CHANNEL_STDOUT, "\n");
	while (sscanf(tape_text(&tape, CHANNEL_STDOUT), "/tmp\n%d\n", &child) != 1)
		link_until(&link, &tape, FRAME_OUTPUT);
	close(line);
	assert_int_equal(exit_code(agent), 0);
	AWAIT(is_gone(child));
	tape_finish(&tape);
	link_close(&link);
	handoff_report_finish(&report);
	handoff_report_finish(&again);
}

/* The reason that the agent gives, when it is started with those words and fails. */
static void expect_refusal(const char *option, const char *value, const char *sentence)
{
	struct handoff handoff = handoff_make();
	struct handoff_report report;
	int null = open("/dev/null", O_WRONLY);
	fflush(NULL);
	int words = dup(2);
	dup2(null, 2);
	pid_t agent = launch(-1, -1, STRV("container", "--door", handoff.path, option, value));
	dup2(words, 2);
	int line = handoff_open(&handoff, &report);
	assert_non_null(strstr(report.error, sentence));
	assert_int_equal(exit_code(agent), 125);
	handoff_report_finish(&report);
	close(line);
	close(null);
	close(words);
}

static void what_cannot_be_is_reported_through_the_door(void **state)
{
	(void)state;
	expect_refusal("--user", "no-such-user", "there is no user 'no-such-user'");
}

/* They are promised, so it does not start without them. */
static void limits_that_cannot_be_set_are_reported(void **state)
{
	(void)state;
	limits_are_refused = true;
	expect_refusal("--files", "123", "the agent cannot set resource limits (prlimit64) in the container");
	limits_are_refused = false;
}

static void a_working_directory_that_cannot_be_is_replaced(void **state)
{
	struct handoff handoff = handoff_make();
	struct handoff_report report, again;
	(void)state;
	pid_t agent = launch(-1, -1,
			STRV("container", "--door", handoff.path, "--workdir", "/proc/no/such/place"));
	int line = handoff_open(&handoff, &report);
	assert_string_equal(report.error, "");
	assert_non_null(strstr(report.words, "there is no working directory /proc/no/such/place"));
	assert_string_not_equal(report.workdir, "/proc/no/such/place");
	/* Who says to start there starts in the other. */
	struct link link = link_connect(&handoff.rig);
	struct tape tape;
	char text[4200];
	assert_true(greet(&link, &link, &again));
	tape_init(&tape, 1);
	link_spawn(&link, 1,
			(struct spawn_msg){.window = BIG_WINDOW,
					.argv = STRV("pwd"),
					.cwd = (char *)"/proc/no/such/place"});
	assert_int_equal(link_exit(&link, &tape).exit_code, 0);
	snprintf(text, sizeof text, "%s\n", report.workdir);
	assert_string_equal(tape_text(&tape, CHANNEL_STDOUT), text);
	tape_finish(&tape);
	link_close(&link);
	handoff_report_finish(&again);
	close(line);
	assert_int_equal(exit_code(agent), 0);
	handoff_report_finish(&report);
}

/* ---- the key ------------------------------------------------------------------------------------- */

static void a_key_lets_nobody_in_from_inside(void **state)
{
	char command[4400];
	struct rig rig = key_rig();
	struct handoff_report report;
	(void)state;
	pid_t agent = launch(-1, -1, STRV("container", "--key", key));
	AWAIT(is_up());
	struct link link = link_connect(&rig);
	assert_true(greet(&link, &link, &report));
	snprintf(command, sizeof command, "%s connect --key %s; echo $?; setsid %s connect --key %s; echo $?",
			AGENT_PROGRAM, key, AGENT_PROGRAM, key);
	expect_output(&link, command, "125\n125\n");
	link_close(&link);
	handoff_report_finish(&report);
	assert_int_equal(exit_code(launch(-1, -1, STRV("stop", "--key", key))), 0);
	assert_int_equal(exit_code(agent), 0);
	assert_false(is_up());
	assert_int_equal(exit_code(launch(-1, -1, STRV("stop", "--key", key))), 0);
}

static void without_clients_it_lingers_and_ends(void **state)
{
	struct rig rig = key_rig();
	struct handoff_report report;
	(void)state;
	pid_t agent = launch(-1, -1, STRV("container", "--key", key, "--linger", "1"));
	AWAIT(is_up());
	struct link link = link_connect(&rig);
	assert_true(greet(&link, &link, &report));
	expect_output(&link, "sleep 1.5; echo there", "there\n");
	link_close(&link);
	assert_int_equal(exit_code(agent), 0);
	handoff_report_finish(&report);
}

/* ---- bridges --------------------------------------------------------------------------------------- */

struct bridge {
	pid_t pid;
	struct link to, from;
};

/* Over a socket pair, or with `has_pipe` with a pipe for what comes out. */
static struct bridge bridge_open(bool has_pipe)
{
	int sides[2], fds[2] = {-1, -1};
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sides), 0);
	assert_int_equal(has_pipe ? pipe2(fds, O_CLOEXEC) : 0, 0);
	struct bridge b = {.to = link_of(sides[0]),
			.from = link_of(has_pipe ? fds[0] : fcntl(sides[0], F_DUPFD_CLOEXEC, 0))};
	b.pid = launch(sides[1], has_pipe ? fds[1] : sides[1],
			STRV("connect", "--key", key, "--", "--linger", "1"));
	close(sides[1]);
	close(fds[1]);
	return b;
}

static void bridge_close(struct bridge *b)
{
	link_close(&b->to);
	link_close(&b->from);
}

static void a_bridge_starts_one_agent_for_all(void **state)
{
	struct bridge bridges[4];
	struct handoff_report report;
	struct tape tape;
	char pids[4][32];
	(void)state;
	for (int i = 0; i < 4; i++)
		bridges[i] = bridge_open(i % 2);
	for (int i = 0; i < 4; i++) {
		assert_true(greet(&bridges[i].to, &bridges[i].from, &report));
		handoff_report_finish(&report);
		tape_init(&tape, 1);
		link_shell(&bridges[i].to, 1, "echo $PPID", 0, BIG_WINDOW);
		link_exit(&bridges[i].from, &tape);
		snprintf(pids[i], sizeof pids[i], "%s", tape_text(&tape, CHANNEL_STDOUT));
		tape_finish(&tape);
		assert_string_equal(pids[i], pids[0]);
	}
	for (int i = 0; i < 4; i++) {
		bridge_close(&bridges[i]);
		assert_int_equal(exit_code(bridges[i].pid), 0);
	}
	AWAIT(is_gone(atoi(pids[0])));
}

static void a_bridge_carries_a_flood_and_then_its_end(void **state)
{
	(void)state;
	for (int has_pipe = 0; has_pipe < 2; has_pipe++) {
		struct bridge b = bridge_open(has_pipe);
		struct handoff_report report;
		struct tape tape;
		bool has_ended;
		assert_true(greet(&b.to, &b.from, &report));
		handoff_report_finish(&report);
		tape_init(&tape, 1);
		link_shell(&b.to, 1, "head -c 33554432 /dev/zero; echo end", 0, BIG_WINDOW);
		assert_int_equal(link_exit(&b.from, &tape).exit_code, 0);
		assert_int_equal(tape.bytes, 33554432 + 4);
		/* The end of its input is passed on, and the agent's answer to that is not lost. */
		assert_int_equal(shutdown(b.to.fd, SHUT_WR), 0);
		while (link_next(&b.from, DEADLINE_MS, &has_ended))
			;
		assert_true(has_ended);
		assert_int_equal(exit_code(b.pid), 0);
		bridge_close(&b);
		tape_finish(&tape);
	}
}

static void a_bridge_waits_for_an_agent_that_it_may_not_start(void **state)
{
	int sides[2];
	struct handoff_report report;
	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sides), 0);
	pid_t bridge = launch(sides[1], sides[1], STRV("connect", "--key", key));
	close(sides[1]);
	struct link link = link_of(sides[0]);
	pid_t agent = launch(-1, -1, STRV("container", "--key", key, "--linger", "1"));
	assert_true(greet(&link, &link, &report));
	link_close(&link);
	assert_int_equal(exit_code(bridge), 0);
	assert_int_equal(exit_code(agent), 0);
	handoff_report_finish(&report);
}

static void what_was_put_is_removed(void **state)
{
	char dir[96], command[8400];
	(void)state;
	snprintf(dir, sizeof dir, "/tmp/terrarium-put-%.30s", key);
	snprintf(command, sizeof command,
			"mkdir %s && cp %s %s/agent && %s/agent stop --key %s --remove && test ! -e %s", dir,
			AGENT_PROGRAM, dir, dir, key, dir);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof command, "! %s stop --key %s --remove 2>/dev/null && test -x %s",
			AGENT_PROGRAM, key, AGENT_PROGRAM);
	assert_int_equal(system(command), 0);
}

static void a_bridge_ends_with_its_agent(void **state)
{
	struct bridge b = bridge_open(true);
	struct handoff_report report;
	(void)state;
	assert_true(greet(&b.to, &b.from, &report));
	assert_int_equal(exit_code(launch(-1, -1, STRV("stop", "--key", key))), 0);
	assert_int_equal(exit_code(b.pid), 0);
	bridge_close(&b);
	handoff_report_finish(&report);
}

/* ---- users ----------------------------------------------------------------------------------------- */

static void root_becomes_a_user(void **state)
{
	struct handoff handoff = handoff_make();
	struct handoff_report report, again;
	struct stat st;
	char dir[96], parent[96], text[600];
	(void)state;
	if (geteuid() != 0)
		skip();
	snprintf(parent, sizeof parent, "/tmp/terrarium-work-%.30s", key);
	snprintf(dir, sizeof dir, "%.80s/of/it", parent);
	setenv("HOME", "/root", 1);
	pid_t agent = launch(-1, -1,
			STRV("container", "--door", handoff.path, "--user", "12345:54321", "--workdir", dir,
					"--files", "123"));
	int line = handoff_open(&handoff, &report);
	assert_string_equal(report.error, "");
	assert_string_equal(report.user, "12345");
	assert_int_equal(report.uid, 12345);
	assert_int_equal(report.gid, 54321);
	assert_string_equal(report.workdir, dir);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_uid, 12345);
	assert_int_equal(st.st_gid, 54321);
	assert_int_equal(stat(parent, &st), 0);
	assert_int_equal(st.st_uid, 0);
	struct link link = link_connect(&handoff.rig);
	assert_true(greet(&link, &link, &again));
	snprintf(text, sizeof text, "12345 54321 54321\n%s\n%s 12345\n123\n", dir, dir);
	expect_output(&link, "echo $(id -u) $(id -g) $(id -G); pwd; echo $HOME $USER; ulimit -n", text);
	expect_output(&link, "grep -cE '^Cap(Inh|Prm|Eff|Bnd|Amb):.0{16}$|^NoNewPrivs:.1$' /proc/self/status",
			"6\n");
	link_close(&link);
	close(line);
	assert_int_equal(exit_code(agent), 0);
	handoff_report_finish(&report);
	handoff_report_finish(&again);
	rmdir(dir);
	*strrchr(dir, '/') = '\0';
	rmdir(dir);
	rmdir(parent);
}

static bool can_mount(void)
{
	int status = 1;
	pid_t pid = fork();
	if (pid == 0)
		_exit(unshare(CLONE_NEWNS) < 0);
	waitpid(pid, &status, 0);
	return status == 0;
}

static void a_folder_of_the_host_stays_whose_it_is(void **state)
{
	struct handoff handoff = handoff_make();
	struct handoff_report report;
	struct stat st;
	char dir[96];
	(void)state;
	if (geteuid() != 0 || !can_mount())
		skip();
	snprintf(dir, sizeof dir, "/tmp/terrarium-host-%.30s", key);
	assert_int_equal(mkdir(dir, 0755), 0);
	pid_t agent = fork();
	if (agent == 0) {
		setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
		if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0
				|| mount(dir, dir, NULL, MS_BIND, NULL) < 0)
			_exit(77);
		execl(AGENT_PROGRAM, "terrarium-agent", "container", "--door", handoff.path, "--user",
				"12345", "--workdir", dir, (char *)NULL);
		_exit(126);
	}
	int line = handoff_open(&handoff, &report);
	assert_string_equal(report.workdir, dir);
	assert_non_null(strstr(report.words, "cannot be written to by user 12345"));
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_uid, 0);
	close(line);
	assert_int_equal(exit_code(agent), 0);
	handoff_report_finish(&report);
	rmdir(dir);
}

/* A root with nothing in it but the agent and a list of users: no /proc, no /dev, no shell. */
static void make_root(const char *root)
{
	char command[8400];
	snprintf(command, sizeof command,
			"mkdir -p %s/etc %s/home/worker && cp %s %s/agent && chown 4321 %s/home/worker && "
			"printf 'root:x:0:0::/root:/bin/sh\\nbroken\\nworker:x:4321:77::/home/worker:/no/shell\\n' "
			">%s/etc/passwd && printf 'wheel:x:99:\\n' >%s/etc/group",
			root, root, AGENT_PROGRAM, root, root, root, root);
	assert_int_equal(system(command), 0);
}

static pid_t launch_in(const char *root, char **words)
{
	char *argv[MAX_ARGS] = {(char *)"terrarium-agent"}, *env[] = {(char *)"HOME=/root", NULL};
	pid_t pid = fork();
	if (pid)
		return pid;
	for (int i = 0; words[i]; i++)
		argv[i + 1] = words[i];
	if (chroot(root) == 0 && chdir("/") == 0)
		execve("/agent", argv, env);
	_exit(126);
}

static void nothing_but_the_agent_will_do(void **state)
{
	struct rig rig = key_rig();
	struct handoff_report report;
	struct tape tape;
	char root[96], command[128];
	(void)state;
	if (geteuid() != 0 || !IS_STATIC)
		skip();
	snprintf(root, sizeof root, "/tmp/terrarium-root-%.30s", key);
	make_root(root);
	pid_t agent = launch_in(root,
			STRV("container", "--key", key, "--user", "worker:wheel", "--workdir", "/work"));
	AWAIT(is_up());
	struct link link = link_connect(&rig);
	assert_true(greet(&link, &link, &report));
	assert_string_equal(report.user, "worker");
	assert_int_equal(report.uid, 4321);
	assert_int_equal(report.gid, 99);
	assert_string_equal(report.workdir, "/work");
	assert_string_equal(report.words, "");
	tape_init(&tape, 1);
	link_spawn(&link, 1, (struct spawn_msg){.window = BIG_WINDOW, .argv = STRV("/agent", "version")});
	assert_int_equal(link_exit(&link, &tape).exit_code, 0);
	assert_true(tape.bytes > 1);
	tape_finish(&tape);
	link_pack(&link, 0, FRAME_SHUTDOWN, "");
	assert_int_equal(exit_code(agent), 0);
	link_close(&link);
	handoff_report_finish(&report);
	snprintf(command, sizeof command, "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

/* ---- words ------------------------------------------------------------------------------------------ */

static void wrong_words_are_refused(void **state)
{
	static const char *const lines[] = {"container", "container --key", "container --key A/b",
			"container --key a --door /x", "container --nonsense",
			"container --door /no/such/door", "container --key a --linger x",
			"container --key a --workdir here", "container --key a --start", "connect",
			"connect --door /x", "connect --key nobody-has", "stop", "stop --key ''"};
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char command[4200];
		snprintf(command, sizeof command,
				"%s %s </dev/null 2>&1 | grep -q '^terrarium-agent: ..* ..*'", AGENT_PROGRAM,
				lines[i]);
		assert_int_equal(system(command), 0);
		snprintf(command, sizeof command, "%s %s </dev/null >/dev/null 2>&1", AGENT_PROGRAM,
				lines[i]);
		int status = system(command);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 125);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, new_key)
	const struct CMUnitTest tests[] = {
			T(the_door_is_a_lifeline),
			T(what_cannot_be_is_reported_through_the_door),
			T(limits_that_cannot_be_set_are_reported),
			T(a_working_directory_that_cannot_be_is_replaced),
			T(a_key_lets_nobody_in_from_inside),
			T(without_clients_it_lingers_and_ends),
			T(a_bridge_starts_one_agent_for_all),
			T(a_bridge_carries_a_flood_and_then_its_end),
			T(a_bridge_waits_for_an_agent_that_it_may_not_start),
			T(a_bridge_ends_with_its_agent),
			T(what_was_put_is_removed),
			T(root_becomes_a_user),
			T(a_folder_of_the_host_stays_whose_it_is),
			T(nothing_but_the_agent_will_do),
			T(wrong_words_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
