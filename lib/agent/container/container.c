/* SPDX-License-Identifier: MIT */
#include "agent/container/container.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/container/probe_net.h"
#include "agent/core/agent.h"
#include "base/sysfile.h"
#include "wire/fd_handoff.h"
#include "wire/message.h"

enum {
	EXIT_FAILED = 125,
	BACKLOG = 64,
	START_MS = 10000,
	PAUSE_MS = 5,
	STOP_MS = 10000,
	REAP_MS = 2000,
	DEFAULT_LINGER_S = 30
};

static int fail(const char *sentence)
{
	fprintf(stderr, "terrarium-agent: %s\n", sentence);
	return EXIT_FAILED;
}

static int fail_errno(const char *what, int error)
{
	fprintf(stderr, "terrarium-agent: %s: %s\n", what, strerror(error));
	return EXIT_FAILED;
}

/* ---- options ---------------------------------------------------------------------------- */

static const struct option {
	const char *name;
	size_t offset;
	bool is_number;
} options[] = {
		{"--door", offsetof(struct container_opts, handoff), false},
		{"--key", offsetof(struct container_opts, key), false},
		{"--linger", offsetof(struct container_opts, linger_s), true},
		{"--user", offsetof(struct container_opts, container_setup.user), false},
		{"--workdir", offsetof(struct container_opts, container_setup.workdir), false},
		{"--nproc", offsetof(struct container_opts, container_setup.nproc), true},
		{"--files", offsetof(struct container_opts, container_setup.files), true},
		{"--file-mb", offsetof(struct container_opts, container_setup.file_mb), true},
};

static bool set_option(struct container_opts *opts, const struct option *option, const char *value)
{
	char *to = (char *)opts + option->offset, *end;
	if (!option->is_number) {
		memcpy(to, &value, sizeof value);
		return *value;
	}
	uint64_t number = strtoull(value, &end, 10);
	memcpy(to, &number, sizeof number);
	return value[0] >= '0' && value[0] <= '9' && !*end && number <= UINT32_MAX;
}

static bool set_flag(struct container_opts *opts, const char *word)
{
	bool is_start = strcmp(word, "--start") == 0 || strcmp(word, "--") == 0;
	bool is_remove = strcmp(word, "--remove") == 0;
	bool is_stay = strcmp(word, "--stay") == 0;
	bool is_probe = strcmp(word, "--probe-net") == 0;
	bool is_await = strcmp(word, "--await-cut") == 0;
	opts->awaits_cut |= is_await;
	opts->probes_net |= is_probe;
	opts->is_start |= is_start;
	opts->is_remove |= is_remove;
	opts->container_setup.is_visit |= is_stay;
	return is_start || is_remove || is_stay || is_probe || is_await;
}

static bool is_key(const char *key)
{
	size_t n = strspn(key, "0123456789abcdefghijklmnopqrstuvwxyz");
	return n && n <= 64 && !key[n];
}

/* Returns false, with a message on standard error, if the arguments are wrong. */
static bool parse(char **args, struct container_opts *ret)
{
	*ret = (struct container_opts){0};
	for (; *args; args++) {
		const struct option *option = NULL;
		if (set_flag(ret, *args))
			continue;
		for (size_t i = 0; i < sizeof options / sizeof *options; i++)
			if (strcmp(*args, options[i].name) == 0)
				option = &options[i];
		if (!option || !args[1] || !set_option(ret, option, args[1])) {
			fprintf(stderr, "terrarium-agent: the option %s %s\n", *args,
					option ? "has an invalid value" : "is unknown");
			return false;
		}
		args++;
	}
	if (ret->container_setup.workdir && ret->container_setup.workdir[0] != '/') {
		fail("--workdir is not an absolute path");
		return false;
	}
	if ((ret->handoff && ret->key) || (!ret->handoff && !ret->key) || (ret->key && !is_key(ret->key))) {
		fail("give either --door PATH or --key K; K is at most 64 lowercase letters and digits");
		return false;
	}
	return true;
}

/* ---- sockets ----------------------------------------------------------------------------- */

static socklen_t key_address(const char *key, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	int n = snprintf(ret->sun_path + 1, sizeof ret->sun_path - 1, "terrarium-%s", key);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* Returns the descriptor or -errno. */
static int key_listen(const char *key)
{
	struct sockaddr_un address;
	socklen_t n = key_address(key, &address);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, n) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	int error = errno;
	if (fd >= 0)
		close(fd);
	return -error;
}

static int connect_to(const struct sockaddr_un *address, socklen_t n, int type)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)address, n) == 0)
		return fd;
	int error = errno;
	if (fd >= 0)
		close(fd);
	return -error;
}

static int key_connect(const char *key)
{
	struct sockaddr_un address;
	socklen_t n = key_address(key, &address);
	return connect_to(&address, n, SOCK_STREAM);
}

static int handoff_connect(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof address.sun_path)
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	return connect_to(&address, sizeof address, SOCK_SEQPACKET);
}

/* ---- container ---------------------------------------------------------------------------- */

static int make_report(struct buf *out, const struct container_identity *container_identity,
		enum net_seen net, const char *error)
{
	const struct handoff_report report = {.is_init = getpid() == 1,
			.net = net,
			.uid = container_identity->passwd.uid,
			.gid = container_identity->passwd.gid,
			.user = (char *)container_identity->passwd.name,
			.workdir = (char *)container_identity->workdir,
			.words = (char *)container_identity->words,
			.error = (char *)error};
	buf_init(out, HANDOFF_REPORT_MAX);
	return handoff_report_put(out, &report);
}

/* Returns the listening socket that the supervisor hands over, or -errno. */
static int pass_handoff(int handoff_fd, const struct buf *report)
{
	int listen_fd = handoff_take(handoff_fd);
	if (listen_fd >= 0 && send(handoff_fd, buf_at(report), report->len, MSG_NOSIGNAL) < 0)
		return -errno;
	return listen_fd;
}

/* Ends with the agent. The sockets of its clients are open then, but the former standard input and output
 * are not. */
static int run_container(const struct container_opts *opts, int listen_fd, int handoff_fd)
{
	struct container_identity container_identity;
	struct trm_error error = {.msg = ""};
	struct buf report;
	uint32_t owner = geteuid();
	int r = container_setup(&opts->container_setup, &container_identity, &error);
	enum net_seen net = opts->probes_net ? probe_net() : NET_NOT_SEEN;
	if (make_report(&report, &container_identity, net, error.msg) < 0)
		return fail("out of memory");
	if (handoff_fd >= 0 && (listen_fd = pass_handoff(handoff_fd, &report)) < 0)
		return fail_errno("no connection came from the handoff socket", -listen_fd);
	if (r < 0)
		return fail(error.msg);
	if (opts->is_start)
		close(2); /* nothing more is written there; its number is used again later */
	const struct agent_way way = {.listen_fd = listen_fd,
			.handoff_fd = handoff_fd,
			.rules_fd = -1,
			.is_container = true,
			.is_keyed = opts->key,
			.owner = owner,
			.linger_ms = opts->linger_s * 1000,
			.workdir = opts->container_setup.workdir,
			.report = buf_at(&report),
			.report_len = report.len};
	return agent_serve(&way);
}

int agent_container(char **args)
{
	struct container_opts opts;
	if (!parse(args, &opts))
		return EXIT_FAILED;
	if (opts.is_start || opts.is_remove)
		return fail("-- is for connect, and --remove for stop");
	if (opts.awaits_cut && !await_cut())
		return fail("the network devices of the pod are still up after 10 s: no container has taken them down");
	int fd = opts.handoff ? handoff_connect(opts.handoff) : key_listen(opts.key);
	if (fd < 0)
		return fail_errno(opts.handoff ? "the handoff socket cannot be reached"
					       : "the key's socket cannot be made",
				-fd);
	return opts.handoff ? run_container(&opts, -1, fd) : run_container(&opts, fd, -1);
}

/* ---- connect and stop ------------------------------------------------------------------------ */

static bool parse_key(char **args, struct container_opts *ret)
{
	bool is_right = parse(args, ret);
	if (is_right && !ret->key)
		fail("connect and stop need --key");
	return is_right && ret->key;
}

/* Close the descriptors of the bridge in the agent: otherwise a program that waits for their end would wait
 * for the agent. */
static void leave_behind(int keep_fd)
{
	enum { GUESS = 256 };
	for (int fd = 3; fd < GUESS; fd++)
		if (fd != keep_fd)
			close(fd);
	setsid();
}

/* Start the agent in a process of its own. It keeps standard error for messages until it serves. Returns the
 * pid or -errno. */
static pid_t start(struct container_opts opts, int listen_fd)
{
	prctl(PR_SET_CHILD_SUBREAPER, opts.container_setup.is_visit, 0, 0, 0);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
		leave_behind(listen_fd);
		close(0);
		close(1);
		if (!opts.linger_s)
			opts.linger_s = DEFAULT_LINGER_S;
		_exit(run_container(&opts, listen_fd, -1));
	}
	return pid < 0 ? -errno : pid;
}

/* The first process of an existing container may reap nobody. So we stay until the agent that we have started
 * has ended, and reap it with what it leaves; the engine reaps us. */
static void reap_agent(pid_t agent)
{
	pid_t pid = agent;
	if (agent <= 0)
		return;
	while (waitpid(agent, NULL, 0) < 0 && errno == EINTR)
		;
	/* What it has killed at its end becomes ours, and is dead in a moment. */
	for (int waited_ms = 0; pid >= 0 && waited_ms < REAP_MS;) {
		pid = waitpid(-1, NULL, WNOHANG);
		if (pid == 0 && poll(NULL, 0, PAUSE_MS) == 0)
			waited_ms += PAUSE_MS;
	}
}

/* Nobody listens at the key, so start an agent. If several callers try, one of them gets the name, and the
 * others wait for it. Returns 0, with the agent's pid if we have started it, or -errno. */
static int start_or_wait(const struct container_opts *opts, pid_t *ret_agent)
{
	int listen_fd = opts->is_start ? key_listen(opts->key) : -EADDRINUSE;
	if (listen_fd == -EADDRINUSE)
		poll(NULL, 0, PAUSE_MS);
	if (listen_fd < 0)
		return listen_fd == -EADDRINUSE ? 0 : listen_fd;
	pid_t pid = start(*opts, listen_fd);
	close(listen_fd);
	if (pid > 0 && opts->container_setup.is_visit)
		*ret_agent = pid;
	return pid < 0 ? pid : 0;
}

static int find_or_start(const struct container_opts *opts, pid_t *ret_agent)
{
	int fd = key_connect(opts->key);
	for (int waited_ms = 0; fd == -ECONNREFUSED && waited_ms < START_MS; waited_ms += PAUSE_MS) {
		int r = start_or_wait(opts, ret_agent);
		fd = r < 0 ? r : key_connect(opts->key);
	}
	return fd;
}

int agent_connect(char **args)
{
	struct container_opts opts;
	pid_t agent = 0;
	if (!parse_key(args, &opts))
		return EXIT_FAILED;
	int fd = find_or_start(&opts, &agent);
	bool has_moved = fd >= 0 && bridge(fd);
	if (fd >= 0) {
		close(fd);
		close(0);
		close(1);
	}
	reap_agent(agent);
	if (fd == -ECONNREFUSED)
		return fail("there is no agent with that key");
	if (fd < 0)
		return fail_errno("the agent cannot be reached or started", -fd);
	return has_moved ? 0 : EXIT_FAILED;
}

/* Remove the directories that were made for the sandbox, the last one first, if they are empty. */
static void remove_made(const char *folder)
{
	char file[PATH_MAX + 8], text[PATH_MAX + 1];
	snprintf(file, sizeof file, "%s/" SETUP_MADE_FILE, folder);
	ssize_t n = sysfile_read(file, text, sizeof text);
	unlink(file);
	for (char *newline; n > 0 && (newline = strrchr(text, '\n'));) {
		*newline = '\0';
		char *before = strrchr(text, '\n'), *path = before ? before + 1 : text;
		if (*path != '/' || rmdir(path) < 0)
			return;
		path[0] = '\0';
	}
}

/* Remove the program file and the directory that was made for it. */
static int remove_program(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	char *name = strrchr(path, '/');
	if (!name || strcmp(name, "/agent") != 0)
		return fail("the program file cannot be found, or is not called agent: it is left where it is");
	if (unlink(path) < 0)
		return fail_errno("the program file cannot be removed", errno);
	*name = '\0';
	remove_made(path);
	rmdir(path);
	return 0;
}

static int stop_agent(const char *key)
{
	struct buf out;
	char answer[4096];
	int fd = key_connect(key);
	if (fd == -ECONNREFUSED)
		return 0; /* it has ended */
	if (fd < 0)
		return fail_errno("the agent cannot be reached", -fd);
	buf_init(&out, FRAME_MAX_PAYLOAD);
	if (hello_msg_put(&out, 0, HELLO_OBSERVER, 0) < 0
			|| frame_put(&out, 0, FRAME_SHUTDOWN, 0, NULL, 0) < 0
			|| send(fd, buf_at(&out), out.len, MSG_NOSIGNAL) < 0)
		return fail_errno("cannot tell the agent to stop", errno);
	struct pollfd end = {.fd = fd, .events = POLLIN};
	while (poll(&end, 1, STOP_MS) > 0)
		if (read(fd, answer, sizeof answer) <= 0)
			return 0;
	return fail("the agent does not end");
}

int agent_stop(char **args)
{
	struct container_opts opts;
	if (!parse_key(args, &opts))
		return EXIT_FAILED;
	int r = stop_agent(opts.key);
	return r == 0 && opts.is_remove ? remove_program() : r;
}
