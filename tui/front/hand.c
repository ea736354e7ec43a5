/* SPDX-License-Identifier: MIT */
#include "front/hand.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

_Noreturn void hand_over(void)
{
	/* In the build folder, and as installed: relative, so that an installation may be moved. */
	static const char *const places[] = {"%s/" NAME, "%s/../" FRONT_LIBEXEC "/" NAME};
	char own[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);

	own[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(own, '/');
	if (slash)
		*slash = '\0';
	sigprocmask(SIG_SETMASK, &mask, NULL);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(path, sizeof path, places[i], own);
		execv(path, words);
		if (errno != ENOENT && errno != ENOTDIR)
			break;
	}
	fprintf(stderr, "terrarium: %s, the program behind this one, cannot be started: %s\n", path,
			strerror(errno));
	_exit(125);
}
