/* SPDX-License-Identifier: MIT */
#include "run_code.h"

#include <stdio.h>
#include <string.h>

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	(void)user;
	(void)run;
	fwrite(bytes, 1, n, stream == TRM_STDERR ? stderr : stdout);
	fflush(stdout);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct run_code *r = user;
	(void)run;
	r->exit_code = result->exit_code;
	trm_sandbox_close(r->sandbox); /* the session goes with it */
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct run_code *r = user;
	(void)sandbox;
	if (why->code)
		fprintf(stderr, "embed: %s\n", why->msg);
	trm_session_close(r->session);
	r->is_closed = true;
}

int run_code(struct trm_loop *loop, const char *backend, const char *code, struct run_code *ret)
{
	static const struct trm_sandbox_cb sandbox_cb = {.closed = on_closed};
	static const struct trm_run_cb run_cb = {.output = on_output, .done = on_done};
	struct trm_sandbox_opts opts;
	struct trm_run_opts run;
	struct trm_error why;
	*ret = (struct run_code){.exit_code = 1};
	trm_sandbox_opts_default(&opts);
	trm_run_opts_default(&run);
	opts.backend = backend;
	run.lang = trm_lang_default();
	run.code = code;
	run.code_len = strlen(code);
	if (trm_sandbox_open(loop, &opts, &sandbox_cb, ret, &ret->sandbox, &why) == 0
			&& trm_session_open(ret->sandbox, NULL, NULL, NULL, &ret->session, &why) == 0
			&& trm_session_run(ret->session, &run, &run_cb, ret, NULL, &why) == 0)
		return 0;
	fprintf(stderr, "embed: %s\n", why.msg);
	return -1;
}
