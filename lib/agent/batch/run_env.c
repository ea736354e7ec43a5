/* SPDX-License-Identifier: MIT */
#include "agent/batch/run_env.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/batch/order.h"

/* Of "NAME=value"; NULL: out of memory. */
static char *variable_name(const char *text)
{
	return strndup(text, strcspn(text, "="));
}

static void set_variables(struct run_env *e)
{
	const char *const *env = e->order->env;
	for (size_t i = 0; env[i]; i++) {
		char *name = variable_name(env[i]);
		const char *old = name ? getenv(name) : NULL;
		e->before[i] = old ? strdup(old) : NULL;
		if (name && strchr(env[i], '='))
			setenv(name, strchr(env[i], '=') + 1, 1);
		free(name);
	}
}

void run_env_begin(struct run_env *e, const struct order *o)
{
	*e = (struct run_env){.order = o, .cwd_fd = -1};
	if (o->env[0] && (e->before = calloc(ORDER_ARGS, sizeof *e->before)))
		set_variables(e);
	if (!*o->cwd)
		return;
	e->cwd_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (chdir(o->cwd) < 0)
		dprintf(STDERR_FILENO, "cannot change to the directory %s: %s\n", o->cwd, strerror(errno));
}

void run_env_end(struct run_env *e)
{
	/* The last first: one that was given twice had its first value from us. */
	size_t n = 0;
	while (e->before && e->order->env[n])
		n++;
	while (n-- > 0) {
		char *name = variable_name(e->order->env[n]);
		if (name && e->before[n])
			setenv(name, e->before[n], 1);
		else if (name)
			unsetenv(name);
		free(e->before[n]);
		free(name);
	}
	free(e->before);
	if (e->cwd_fd >= 0) {
		if (fchdir(e->cwd_fd) < 0)
			dprintf(STDERR_FILENO, "cannot change back to the working directory: %s\n",
					strerror(errno));
		close(e->cwd_fd);
	}
}
