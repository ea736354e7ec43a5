/* SPDX-License-Identifier: MIT */

/* reaper COMMAND…: run it and pass its exit code on. Whatever it leaves running, daemons
 * included, becomes our child, because we are its subreaper: what is still there thirty
 * seconds after the command's end is named ("left behind: process PID NAME") and killed.
 *
 * Podman's own one is none of that: whoever asks it anything without being root has a "podman pause" from
 * then on, which holds a user namespace for the next time. */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DEADLINE_S = 30 };

static int exit_code_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static pid_t start(char **argv)
{
	pid_t pid = fork();
	if (pid)
		return pid;
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(argv[0], argv);
	fprintf(stderr, "reaper: cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Reap until the command has ended; its exit code. */
static int wait_for(pid_t command)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, 0);
		if (pid == command)
			return exit_code_of(status);
		if (pid < 0 && errno != EINTR)
			return 127;
	}
}

static void read_name(long pid, char *out, size_t cap)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%ld/comm", pid);
	FILE *f = fopen(path, "r");
	*out = '\0';
	if (!f)
		return;
	if (fgets(out, (int)cap, f))
		out[strcspn(out, "\n")] = 0;
	fclose(f);
}

static void end_podmans(long pid)
{
	char name[64];
	read_name(pid, name, sizeof name);
	if (strcmp(name, "podman pause") == 0)
		kill((pid_t)pid, SIGKILL);
}

/* Its command line, by which the test that left it is found. */
static void print_command(long pid)
{
	char path[64];
	int c, n = 0;
	snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
	FILE *f = fopen(path, "r");
	while (f && (c = fgetc(f)) != EOF && n++ < 300)
		putchar(c >= ' ' && c < 127 ? c : ' ');
	if (f)
		fclose(f);
}

static void name_and_kill(long pid)
{
	char name[64];
	read_name(pid, name, sizeof name);
	printf("left behind: process %ld %s: ", pid, name);
	print_command(pid);
	putchar('\n');
	kill((pid_t)pid, SIGKILL);
}

static void for_each_child(void (*fn)(long pid))
{
	char path[64];
	long pid;
	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	FILE *f = fopen(path, "r");
	while (f && fscanf(f, "%ld", &pid) == 1)
		fn(pid);
	if (f)
		fclose(f);
}

/* Reap until there is no child left (true), or until the deadline. */
static bool wait_for_rest(const sigset_t *sigchld)
{
	struct timespec start, now, step = {.tv_nsec = 50000000};
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		pid_t pid;
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0 && errno == ECHILD)
			return true;
		for_each_child(end_podmans);
		sigtimedwait(sigchld, NULL, &step); /* woken by the end of the next one */
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - start.tv_sec < DEADLINE_S);
	return false;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	sigset_t sigchld;
	sigemptyset(&sigchld);
	sigaddset(&sigchld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &sigchld, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	int code = wait_for(start(argv + 1));
	if (wait_for_rest(&sigchld))
		return code;
	for_each_child(name_and_kill);
	return code ? code : 1;
}
