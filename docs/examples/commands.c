/* SPDX-License-Identifier: MIT */
/* session.execute_command("ls -la", workdir="/tmp")
 * session.execute_commands(["mkdir project", ("touch main.py", "project")]) */
#include <stdio.h>

#include <terrarium/terrarium.h>

/* A command is a list of words on every backend: no shell reads it, unless it is the command. */
static const char *const LIST[] = {"ls", "-A", NULL};
static const char *const MAKE[] = {"mkdir", "project", NULL};
static const char *const FAIL[] = {"sh", "-c", "cd project && echo $((6 * 7)) && exit 3", NULL};
static const char *const NEVER[] = {"touch", "never", NULL};
static const char *const *const COMMANDS[] = {MAKE, FAIL, NEVER, NULL};

static int use(struct trm_sync *session, struct trm_error *why)
{
	struct trm_command_execution done[3], one;
	size_t n = 0;
	int r = trm_sync_commands(session, COMMANDS, true, -1, done, &n, why);
	for (size_t i = 0; i < n; i++) {
		printf("%s: exit code %d%s%s\n", done[i].command, done[i].exit_code,
				*done[i].output ? ", " : "", done[i].output);
		trm_command_execution_finish(&done[i]);
	}
	if (r < 0)
		return r;
	r = trm_sync_command(session, LIST[0], LIST + 1, 10000, &one, why);
	if (r == 0)
		printf("%s: %s\n", one.command, one.output);
	trm_command_execution_finish(&one);
	return r;
}

int main(void)
{
	struct trm_sync_opts opts;
	struct trm_sync *session = NULL;
	struct trm_error why;
	trm_sync_opts_default(&opts);
	bool is_good = trm_sync_create(&opts, &session, &why) == 0 && trm_sync_start(session, &why) == 0
		       && use(session, &why) == 0;
	if (!is_good)
		fprintf(stderr, "%s\n", why.msg);
	trm_sync_destroy(session);
	return !is_good;
}
