/* SPDX-License-Identifier: MIT */
#include "isolation/attack/attack.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 60 };

/* ---- verdicts ------------------------------------------------------------------- */

enum verdict say(struct found *f, enum verdict v, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(f->how, sizeof f->how, fmt, args);
	va_end(args);
	return v;
}

enum verdict of_call(struct found *f, long r)
{
	int error = errno;
	if (r >= 0)
		return say(f, OPEN, "it succeeded");
	if (error == ENOSYS || error == EAFNOSUPPORT || error == EPROTONOSUPPORT || error == ESOCKTNOSUPPORT)
		return say(f, LACKING, "%s", strerror(error));
	return say(f, error == EPERM || error == EACCES || error == EROFS ? SHUT : OPEN, "%s",
			strerror(error));
}

enum verdict of_open(struct found *f, const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return say(f, errno == ENOENT ? LACKING : SHUT, "%s: %s", path, strerror(errno));
	close(fd);
	return say(f, OPEN, "%s was opened", path);
}

bool file_has(const char *path, const char *text)
{
	static char bytes[64 * 1024 + 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof bytes - 1);
	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i < n; i++)
		bytes[i] = bytes[i] ? bytes[i] : ' ';
	bytes[n > 0 ? n : 0] = '\0';
	return strstr(bytes, text) != NULL;
}

bool has_cap(int cap)
{
	char line[256];
	unsigned long long mask = 0;
	FILE *status = fopen("/proc/self/status", "re");
	while (status && fgets(line, sizeof line, status))
		if (sscanf(line, "CapEff: %llx", &mask) == 1)
			break;
	if (status)
		fclose(status);
	return mask >> cap & 1;
}

/* ---- one attempt ------------------------------------------------------------------ */

/* A process of our own for an attempt to attack: it dies with us. */
static pid_t make_victim(void)
{
	pid_t parent = getpid(), pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	_exit(0);
}

static _Noreturn void run(const struct attempt *a, struct target t, int out)
{
	static const char *const words[] = {[SHUT] = "shut", [OPEN] = "open", [LACKING] = "none"};
	struct found f = {""};
	pid_t own = t.victim ? 0 : make_victim();
	t.victim = own ? own : t.victim;
	alarm(TIMEOUT_S);
	enum verdict v = a->try(&t, &f);
	if (v == SHUT && a->needs && !has_cap(a->needs))
		v = say(&f, LACKING, "capability %d is missing", a->needs);
	if (own)
		kill(own, SIGKILL);
	dprintf(out, "%s %s %s: %s\n", words[v], a->category, a->name, f.how);
	_exit(0);
}

/* Who is killed, or hangs, has been stopped. */
static void try(const struct attempt *a, const struct target *t)
{
	int status = 0;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		run(a, *t, STDOUT_FILENO);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		printf("open %s %s: cannot be tried: %s\n", a->category, a->name, strerror(errno));
	else if (WIFSIGNALED(status))
		printf("shut %s %s: signal %d\n", a->category, a->name, WTERMSIG(status));
	fflush(stdout);
}

/* ---- arguments --------------------------------------------------------------------- */

static const char *value_of(char **argv, const char *key)
{
	size_t n = strlen(key);
	for (; *argv; argv++)
		if (!strncmp(*argv, key, n) && (*argv)[n] == '=')
			return *argv + n + 1;
	return "";
}

int main(int argc, char **argv)
{
	const struct target t = {
			.victim = atoi(value_of(argv, "victim")),
			.bait = atoi(value_of(argv, "bait")),
			.word = value_of(argv, "word"),
			.dir = value_of(argv, "dir"),
			.port4 = atoi(value_of(argv, "port4")),
			.port6 = atoi(value_of(argv, "port6")),
			.host = value_of(argv, "host"),
			.spaces = value_of(argv, "spaces"),
			.key = atoi(value_of(argv, "key")),
			.spares = atoi(value_of(argv, "spares")),
	};
	const struct attempts all[] = {attempts_files(), attempts_processes(), attempts_network(),
			attempts_calls(), attempts_rights()};
	size_t n = 0;
	const char *only = value_of(argv, "only");
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (size_t k = 0; k < all[i].n; k++, n++)
			if (!*only || strstr(all[i].list[k].name, only))
				try(&all[i].list[k], &t);
	printf("all %zu\n", n);
	return argc > 1 ? 0 : 2;
}
