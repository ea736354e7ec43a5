/* SPDX-License-Identifier: MIT */
#include "front/hand.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "terrarium-full"

/* There is one command line and one signal mask in a process; functions that have no other argument hand
 * over. */
static char **words;
static sigset_t mask;
static bool is_kept;

void hand_init(char **argv)
{
	words = argv;
	sigprocmask(SIG_SETMASK, NULL, &mask);
}

void hand_keep(void)
{
	is_kept = true;
}

bool hand_is_kept(void)
{
	return is_kept;
}

/* Whoever can put a file beside this program may not thereby be started by others. */
static bool is_as_trusted(const char *path, const struct stat *own)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_uid == own->st_uid || st.st_uid == 0);
}

/* Returns if it is not there. */
static void start_beside(void)
{
	/* In the build folder, and as installed: relative, so that an installation may be moved. */
	static const char *const places[] = {"%s/" NAME, "%s/../" FRONT_LIBEXEC "/" NAME};
	char own[PATH_MAX], path[PATH_MAX + 64];
	struct stat st;
	ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);

	own[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(own, '/');
	if (!slash || stat("/proc/self/exe", &st) < 0)
		return;
	*slash = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(path, sizeof path, places[i], own);
		if (is_as_trusted(path, &st))
			execv(path, words);
	}
}

_Noreturn void hand_over(void)
{
	sigprocmask(SIG_SETMASK, &mask, NULL);
	start_beside();
	/* Somebody has copied this program alone: slower by a millisecond, but it works. */
	int fd = full_open();
	if (fd >= 0)
		fexecve(fd, words, environ);
	fprintf(stderr, "terrarium: the program behind this one cannot be started: %s\n", strerror(errno));
	_exit(125);
}
