/* SPDX-License-Identifier: MIT */
#include "stream/external_editor.h"

#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const char *command_of_person(void)
{
	const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");

	if (visual && *visual)
		return visual;
	if (editor && *editor)
		return editor;
	if (access("/usr/bin/editor", X_OK) == 0)
		return "editor";
	return access("/usr/bin/nano", X_OK) == 0 ? "nano" : "vi";
}

/* Does the editor accept +LINE before the file? */
static bool takes_line(const char *command)
{
	static const char *const known[] = {"editor", "vi", "vim", "nvim", "nano", "micro", "emacs",
			"emacsclient", "joe", "mcedit", "kak", "ne"};
	size_t n = strcspn(command, " \t");
	const char *name = command + n;

	while (name > command && name[-1] != '/')
		name--;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i]) == (size_t)(command + n - name)
				&& memcmp(known[i], name, strlen(known[i])) == 0)
			return true;
	return false;
}

int external_editor_start(const char *path, size_t line_number, pid_t *ret)
{
	const char *command = command_of_person();
	char shell[1024], line[32];
	const char *const argv[] = {"sh", "-c", shell, "sh", path, line, NULL};
	posix_spawnattr_t attr;
	sigset_t none, all;

	snprintf(line, sizeof line, "+%zu", line_number);
	snprintf(shell, sizeof shell, "exec %.900s %s\"$1\"", command, takes_line(command) ? "\"$2\" " : "");
	sigemptyset(&none);
	sigfillset(&all);
	sigdelset(&all, SIGKILL);
	sigdelset(&all, SIGSTOP);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	int err = posix_spawn(ret, "/bin/sh", NULL, &attr, (char *const *)(uintptr_t)argv, environ);
	posix_spawnattr_destroy(&attr);
	return -err;
}
