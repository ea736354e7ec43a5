/* SPDX-License-Identifier: MIT */
/* The keeper of a proxy: see proxy.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/text.h>

#include "base/fds.h"
#include "kube/proxy.h"

enum { USERS_MAX = 1000 };

struct keeper {
	const struct proxy_files *files;
	int listen_fd, words_fd; /* words_fd: what kubectl prints; -1: nothing more */
	pid_t kubectl;
	bool is_ready, has_failed;
	char words[2048]; /* printed by kubectl so far */
	size_t n_words;
	size_t n_users;
	int users[USERS_MAX];
};

/* ---- kubectl ------------------------------------------------------------------------------------------- */

static _Noreturn void be_kubectl(const struct proxy_files *files, int words_fd, pid_t keeper,
		const char *program, const char *context, char *const *env)
{
	char socket_option[160];
	const char *argv[8] = {program, "proxy", socket_option, "--reject-paths=^$", "--append-server-path"};
	sigset_t none;
	snprintf(socket_option, sizeof socket_option, "--unix-socket=%s", files->api);
	if (context) {
		argv[5] = "--context";
		argv[6] = context;
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	umask(0077);
	if (getppid() != keeper || dup2(words_fd, 1) < 0 || dup2(words_fd, 2) < 0)
		_exit(127);
	environ = (char **)env;
	/* Its heap may grow by this percentage before it is collected: streams leave much garbage behind. */
	setenv("GOGC", "30", 0);
	execvp(program, (char *const *)argv);
	fprintf(stderr, "cannot run %s: %s\n", program, strerror(errno));
	_exit(127);
}

static void start_kubectl(struct keeper *k, const char *program, const char *context, char *const *env)
{
	const pid_t keeper = getpid();
	int words[2];
	if (pipe2(words, O_CLOEXEC) < 0)
		return;
	k->kubectl = fork();
	if (k->kubectl == 0)
		be_kubectl(k->files, words[1], keeper, program, context, env);
	close(words[1]);
	k->words_fd = words[0];
	fcntl(k->words_fd, F_SETFL, O_NONBLOCK);
}

/* ---- users --------------------------------------------------------------------------------------------- */

/* Users of a proxy that has served and died get no line: the end of the connection tells them to look for
 * another keeper. */
static void greet(struct keeper *k, int fd)
{
	char line[PROXY_WORDS] = "+\n";
	if (k->is_ready && k->has_failed)
		return;
	if (k->has_failed) {
		char clean[PROXY_WORDS - 3];
		trm_text_clean_line(clean, sizeof clean, k->words, k->n_words);
		snprintf(line, sizeof line, "-%s\n", *clean ? clean : "kubectl proxy ends without a reason");
	}
	send(fd, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void greet_all(struct keeper *k)
{
	for (size_t i = 0; i < k->n_users; i++)
		greet(k, k->users[i]);
}

static bool admit_user(struct keeper *k)
{
	int fd = accept4(k->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return false;
	if (k->n_users == USERS_MAX) {
		close(fd);
		return true;
	}
	k->users[k->n_users++] = fd;
	if (k->is_ready || k->has_failed)
		greet(k, fd);
	return true;
}

/* ---- what kubectl says ------------------------------------------------------------------------- */

static void hear_kubectl(struct keeper *k)
{
	char bytes[512];
	ssize_t n = read(k->words_fd, bytes, sizeof bytes);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close(k->words_fd);
		k->words_fd = -1;
		k->has_failed = true;
		greet_all(k);
		return;
	}
	if (k->is_ready)
		return; /* it complains of single connections */
	const size_t room = sizeof k->words - k->n_words, take = (size_t)n < room ? (size_t)n : room;
	memcpy(k->words + k->n_words, bytes, take);
	k->n_words += take;
	static const char sign[] = "Starting to serve on";
	if (memmem(k->words, k->n_words, sign, sizeof sign - 1)) {
		chmod(k->files->api, 0600);
		k->is_ready = true;
		greet_all(k);
	}
}

/* ---- life -------------------------------------------------------------------------------------- */

static void remove_files(const struct proxy_files *files)
{
	char dir[sizeof files->lock];
	unlink(files->keeper);
	unlink(files->api);
	unlink(files->lock);
	snprintf(dir, sizeof dir, "%s", files->lock);
	*strrchr(dir, '/') = '\0';
	rmdir(dir); /* if nothing else is in it */
}

static _Noreturn void end_keeper(const struct keeper *k)
{
	if (k->kubectl > 0)
		kill(k->kubectl, SIGKILL);
	_exit(0);
}

/* Unless somebody has just come to a proxy that works. While we have the lock nobody puts other files in
 * place of ours. */
static void end_if_unused(struct keeper *k)
{
	int lock_fd = proxy_lock(k->files);
	if (lock_fd < 0)
		end_keeper(k);
	if (k->has_failed || !admit_user(k)) {
		remove_files(k->files);
		end_keeper(k);
	}
	close(lock_fd);
}

static void drop_users(struct keeper *k, const struct pollfd *fds, size_t n)
{
	char byte;
	for (size_t i = n; i-- > 0;) {
		if (!fds[i].revents || recv(k->users[i], &byte, 1, MSG_DONTWAIT) > 0)
			continue;
		close(k->users[i]);
		k->users[i] = k->users[--k->n_users];
	}
}

/* Wait for events once. Returns false if nothing happened. */
static bool take_turn(struct keeper *k)
{
	static struct pollfd fds[2 + USERS_MAX];
	const size_t n = k->n_users;
	fds[0] = (struct pollfd){.fd = k->words_fd, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = k->listen_fd, .events = POLLIN};
	for (size_t i = 0; i < n; i++)
		fds[2 + i] = (struct pollfd){.fd = k->users[i], .events = POLLIN};
	const int happened = poll(fds, 2 + n, n ? -1 : PROXY_IDLE_MS);
	if (happened <= 0)
		return happened < 0;
	drop_users(k, fds + 2, n);
	if (fds[0].revents)
		hear_kubectl(k);
	if (fds[1].revents)
		admit_user(k);
	return true;
}

/* Keep nothing of whoever has started us. */
static void leave_everything(int *listen_fd)
{
	int null = open("/dev/null", O_RDWR);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	*listen_fd = dup2(*listen_fd, 3);
	fds_close_from(4);
	fcntl(*listen_fd, F_SETFD, FD_CLOEXEC);
	fcntl(*listen_fd, F_SETFL, O_NONBLOCK);
	setsid();
	(void)!chdir("/");
	prctl(PR_SET_PDEATHSIG, 0);
	prctl(PR_SET_NAME, "terrarium-proxy");
}

_Noreturn void proxy_keep(const struct proxy_files *files, int listen_fd, const char *program,
		const char *context, char *const *env)
{
	static struct keeper k;
	leave_everything(&listen_fd);
	k = (struct keeper){.files = files, .listen_fd = listen_fd, .words_fd = -1};
	signal(SIGPIPE, SIG_IGN);
	start_kubectl(&k, program, context, env);
	k.has_failed = k.kubectl <= 0;
	for (;;) {
		/* When a proxy that has served dies, its users see their connections end, and whoever needs
		 * one starts another. That one cannot be started is remembered for a moment, so that not
		 * everybody tries. */
		if (!take_turn(&k) || (k.is_ready && k.has_failed))
			end_if_unused(&k);
	}
}
