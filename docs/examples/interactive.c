/* SPDX-License-Identifier: MIT */
/* with InteractiveSandboxSession(lang="python", max_memory="1GB", timeout=300) as session:
 *     session.run("x = 40"); session.run("def add(n): return x + n")
 *     session.run("1 / 0"); session.run("!echo a command"); session.run("%who")
 *     print(session.run("add(2)").stdout)
 *
 * Every session is interactive: variables, functions and imports stay, also after an exception, and after a
 * cell whose time was up. Nothing is installed for it, and nothing polls. */
#include <stdio.h>

#include <terrarium/terrarium.h>

static const struct {
	const char *code;
	int64_t timeout_ms; /* -1: that of the session */
} cells[] = {
		{"x = 40", -1},
		{"def add(n): return x + n", -1},
		{"1 / 0", -1}, /* the traceback is stderr */
		{"!echo a command", -1},
		{"%who", -1},
		{"while True: pass", 500},
		{"add(2)", -1},
};

int main(void)
{
	struct trm_sync_opts opts;
	struct trm_sync *session = NULL;
	struct trm_error why;
	int r = 0;
	trm_sync_opts_default(&opts);
	opts.sandbox.limits.mem_bytes = UINT64_C(1) << 30; /* max_memory */
	opts.timeout_ms = 300000;
	if (trm_sync_create(&opts, &session, &why) < 0 || trm_sync_start(session, &why) < 0)
		r = -1;
	for (size_t i = 0; i < sizeof cells / sizeof *cells && r == 0; i++) {
		struct trm_execution result;
		r = trm_sync_run_as(session, trm_lang_default(), cells[i].code, cells[i].timeout_ms, &result,
				&why);
		if (r == 0)
			printf("[%zu] %s: %s\n", i + 1, result.status, result.output);
		trm_execution_finish(&result);
	}
	if (r < 0)
		fprintf(stderr, "%s\n", why.msg);
	trm_sync_destroy(session);
	return r < 0;
}
