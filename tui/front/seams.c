/* SPDX-License-Identifier: MIT */
/* Where `run` and `exec` turn to something that the front has not: the full program takes over. */
#include <stdarg.h>

#include "cmd/boxes.h"
#include "cmd/camel.h"
#include "cmd/cmd.h"
#include "cmd/confirm.h"
#include "front/hand.h"

struct backend_ops;
struct trm_error;
int backend_find(const char *name, const struct backend_ops **ret, struct trm_error *reterr);

/* A new sandbox is to be started, as there is none of that name. */
int backend_find(const char *name, const struct backend_ops **ret, struct trm_error *reterr)
{
	(void)name, (void)ret, (void)reterr;
	hand_over();
}

enum confirm_answer confirm_runs(const struct trm_config *config, const struct source *sources, size_t n)
{
	(void)config, (void)sources, (void)n;
	hand_over();
}

int camel(const struct camel_opts *opts, bool *ret_is_pipe_broken)
{
	(void)opts, (void)ret_is_pipe_broken;
	hand_over();
}

void boxes_note_running(const struct options *o, const struct trm_config *config)
{
	(void)o, (void)config;
	hand_over();
}

int cmd_print_help(const struct cmd *cmd)
{
	(void)cmd;
	hand_over();
}

/* The sandbox is found, and what follows is sent to it. (One that runs already says nothing of its network.)
 */
void cmd_note_hints(const struct trm_sandbox *sandbox)
{
	(void)sandbox;
	hand_keep();
}

/* What fails before that is the full program's to tell: its C library has other words. */
int cmd_fail(const char *fmt, ...)
{
	va_list args;

	if (!hand_is_kept())
		hand_over();
	va_start(args, fmt);
	int code = cmd_vfail(fmt, args);
	va_end(args);
	return code;
}
