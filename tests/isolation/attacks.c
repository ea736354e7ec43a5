/* SPDX-License-Identifier: MIT */

/* All of isolation/attack from inside sandboxes, where nothing may be open; and in none at all, where each
 * that the machine gives to anybody must be: an attempt that can only fail says nothing. */

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "isolation/bait.h"
#include "isolation/cases.h"
#include "isolation/exceptions.h"
#include "isolation/inside.h"
#include "support/namespaces.h"

static struct bait bait;
static struct outcome o;

static int lay(void **state)
{
	(void)state;
	bait_lay(&bait);
	return 0;
}

static int clear(void **state)
{
	(void)state;
	bait_remove(&bait);
	return 0;
}

/* ---- reports ---------------------------------------------------------------------------- */

/* All lines that begin with the word. */
static void collect(const char *text, const char *word, char *out, size_t cap)
{
	size_t n = 0;
	assert_non_null(strstr(text, "\nall ")); /* it has come to its end */
	out[0] = '\0';
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		int len = (int)strcspn(at, "\n");
		if (strncmp(at, word, strlen(word)) == 0 && n < cap)
			n += (size_t)snprintf(out + n, cap - n, "%.*s\n", len, at);
	}
}

static void expect_nothing_open(const char *name)
{
	char found[8192];
	collect(o.text, "open", found, sizeof found);
	exceptions_check(name, found);
}

/* ---- in sandboxes ------------------------------------------------------------------------ */

static void on_put(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	(void)size;
	(void)mode;
	if (why->code)
		fail_msg("%s", why->msg);
	*(bool *)user = true;
}

static int attack_fd = -1; /* the program */

void attacks_open(void)
{
	attack_fd = open(ATTACK_PROGRAM, O_RDONLY | O_CLOEXEC);
}

static void bring_program(struct inside *in)
{
	static const struct trm_transfer_cb cb = {.done = on_put};
	static char bytes[4 << 20];
	bool is_done = false;
	struct trm_error e;
	ssize_t n = pread(attack_fd, bytes, sizeof bytes, 0);
	assert_true(n > 0 && (size_t)n < sizeof bytes);
	if (trm_file_put(in->sandbox, "/workspace/attack", 0755, bytes, (size_t)n, &cb, &is_done, &e) < 0)
		fail_msg("%s", e.msg);
	inside_wait(in, &is_done);
}

static void attack_inside(struct inside *in)
{
	const char *argv[BAIT_ARGS + 4];
	char victim[32];
	bool has_pid_space = inside_isolation == TRM_ISOLATION_NAMESPACES;
	bring_program(in);
	snprintf(victim, sizeof victim, "victim=%d", has_pid_space ? 1 : (int)host_agent(host_supervisor()));
	bait_command(&bait, "./attack", victim, argv);
	if (!inside_contains_signals())
		argv[BAIT_ARGS + 2] = "spares=1";
	argv[BAIT_ARGS + 3] = NULL;
	inside_run(in, argv, &o);
	if (o.exit.exit_code != 0)
		fail_msg("exit %d, signal %d: %s", o.exit.exit_code, o.exit.signal, o.why.msg);
	/* The agent has been attacked, and answers. */
	assert_string_equal(o.text + o.n - 1, "\n");
}

static void nothing_is_open_inside(void **state)
{
	struct inside in;
	(void)state;
	/* Something open, and not close-on-exec, as many a host program has it. */
	int fd = open("/", O_RDONLY | O_DIRECTORY);
	inside_open(&in, NULL);
	attack_inside(&in);
	inside_close(&in);
	close(fd);
	expect_nothing_open("nothing_is_open_inside");
}

/* A network comes with a folder for packages, whose path mountinfo tells: one that goes with the test. */
static char cache_dir[] = "/tmp/isolation-cache-XXXXXX";

static void remove_cache(void)
{
	static const char *const dirs[] = {"/terrarium/packages", "/terrarium", ""};
	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		char path[128];
		snprintf(path, sizeof path, "%s%s", cache_dir, dirs[i]);
		rmdir(path);
	}
	unsetenv("XDG_CACHE_HOME");
}

static void a_network_opens_nothing_else(void **state)
{
	struct inside in;
	struct trm_limits limits;
	(void)state;
	trm_limits_default(&limits);
	limits.net = true;
	assert_non_null(mkdtemp(cache_dir));
	setenv("XDG_CACHE_HOME", cache_dir, 1);
	int r = inside_try_open(&in, NULL, &limits);
	if (r < 0) {
		remove_cache();
		printf("no network here: %s\n", in.why.msg);
		skip();
	}
	attack_inside(&in);
	inside_close(&in);
	remove_cache();
	expect_nothing_open("a_network_opens_nothing_else");
}

/* The kernel counts them per user of the host, who has 128. Without namespaces there are none. */
static void an_ordinary_users_share_is_spared(void **state)
{
	struct inside in;
	(void)state;
	if (geteuid() == 0)
		skip();
	inside_open(&in, NULL);
	inside_python(&in,
			"import ctypes\n"
			"c = ctypes.CDLL(None)\n"
			"n = 0\n"
			"while n < 200 and c.inotify_init() >= 0: n += 1\n"
			"print(n)\n",
			&o);
	inside_close(&in);
	assert_in_range(atoi(o.text), inside_isolation == TRM_ISOLATION_NAMESPACES, 32);
}

/* ---- in none ------------------------------------------------------------------------------- */

static void take_terminal(void)
{
	int unlock = 0, master = posix_openpt(O_RDWR | O_NOCTTY);
	setsid();
	if (ioctl(master, TIOCSPTLCK, &unlock) == 0)
		ioctl(ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY), TIOCSCTTY, 0);
}

/* All that a sandbox takes care not to hand on. */
static _Noreturn void attack_outside(int out)
{
	const char *argv[BAIT_ARGS + 3];
	char path[128];
	take_terminal();
	if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
			&& mount(bait.dir, bait.dir, NULL, MS_BIND, NULL) < 0)
		_exit(126);
	snprintf(path, sizeof path, "%s/bait", bait.dir);
	dup2(open(path, O_RDWR), STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (open("/", O_RDONLY | O_DIRECTORY) < 0)
		_exit(126);
	bait_command(&bait, ATTACK_PROGRAM, "victim=0", argv);
	fexecve(attack_fd, (char **)(uintptr_t)argv, environ);
	_exit(127);
}

static void whatever_can_be_open_is_seen_open(void **state)
{
	int fds[2], status;
	char shut[8192];
	ssize_t n;
	(void)state;
	if (!namespaces_work()) /* a container's filter shuts much of it, too */
		skip();
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (!pid)
		attack_outside(fds[1]);
	close(fds[1]);
	o.n = 0;
	while ((n = read(fds[0], o.text + o.n, sizeof o.text - 1 - o.n)) > 0)
		o.n += (size_t)n;
	o.text[o.n] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	collect(o.text, "shut", shut, sizeof shut);
	assert_string_equal(shut, "");
	printf("What this machine gives to nobody of this user:\n");
	for (const char *at = o.text; at && *at; at = strchr(at, '\n'), at += at != NULL)
		if (!strncmp(at, "none ", 5))
			printf("  %.*s\n", (int)strcspn(at, "\n") - 5, at + 5);
}

int cases_attacks(void)
{
	const struct CMUnitTest cases[] = {
			cmocka_unit_test(whatever_can_be_open_is_seen_open),
			cmocka_unit_test(nothing_is_open_inside),
			cmocka_unit_test(a_network_opens_nothing_else),
			cmocka_unit_test(an_ordinary_users_share_is_spared),
	};
	return EXCEPTIONS_RUN("attacks", cases, lay, clear);
}
