/* SPDX-License-Identifier: MIT */
/* Where `run` and `exec` turn to something that the front has not: the full program takes over. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/boxes.h"
#include "cmd/camel.h"
#include "cmd/cmd.h"
#include "cmd/confirm.h"
#include "front/hand.h"
#include "stream/gate.h"

struct backend_ops;
struct trm_error;
int backend_find(const char *name, const struct backend_ops **ret, struct trm_error *reterr);

/* A new sandbox is to be started, as there is none of that name. */
int backend_find(const char *name, const struct backend_ops **ret, struct trm_error *reterr)
{
	(void)name, (void)ret, (void)reterr;
	hand_over();
}

/* Advice is for those who are asked; whatever else a policy may want, or another machine's sandboxes, is not
 * the front's business. */
int gate_open(struct gate *gate, const struct trm_config *config, const char *config_path,
		struct trm_error *reterr)
{
	(void)config_path, (void)reterr;
	*gate = (struct gate){0};
	if (strcmp(config->policy_mode, "advise") != 0 || strcmp(config->policy, "development") != 0
			|| strcmp(config->backend, "local") != 0)
		hand_over();
	return 0;
}

void gate_close(struct gate *gate)
{
	(void)gate;
}

struct trm_policy *gate_enforced(const struct gate *gate)
{
	(void)gate;
	return NULL;
}

int trm_policy_scan(struct trm_policy *policy, const struct trm_lang *lang, const char *code, size_t n,
		struct trm_findings *ret, struct trm_error *reterr)
{
	(void)policy, (void)lang, (void)code, (void)n, (void)ret, (void)reterr;
	hand_over();
}

int trm_policy_scan_command(struct trm_policy *policy, const char *const *argv, struct trm_findings *ret,
		struct trm_error *reterr)
{
	(void)policy, (void)argv, (void)ret, (void)reterr;
	hand_over();
}

int trm_policy_refusal(const struct trm_policy *policy, const struct trm_findings *findings,
		struct trm_error *reterr)
{
	(void)policy, (void)findings, (void)reterr;
	hand_over();
}

void trm_findings_finish(struct trm_findings *findings)
{
	(void)findings;
}

int confirm_findings(const struct gate *gate, const struct trm_findings *findings)
{
	(void)gate, (void)findings;
	return CMD_OK;
}

int confirm_if_wanted(const struct trm_config *config, const struct gate *gate, const struct source *sources,
		size_t n)
{
	(void)gate, (void)sources, (void)n;
	if (config->confirm)
		hand_over();
	return CMD_OK;
}

int camel(const struct camel_opts *opts, bool *ret_is_pipe_broken)
{
	(void)opts, (void)ret_is_pipe_broken;
	hand_over();
}

bool boxes_runs(const char *name, struct trm_entry *ret)
{
	(void)name, (void)ret;
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

void cmd_leave(int code)
{
	fflush(NULL);
	_exit(code);
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
