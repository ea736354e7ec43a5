/* SPDX-License-Identifier: MIT */
/* config = SessionConfig(execution_timeout=..., session_timeout=..., default_timeout=...)
 * with SandboxSession(lang="python", runtime_configs={"cpu_count": 2, "mem_limit": "512m"}, ...) as session:
 *     try: session.run(code, timeout=0.5)
 *     except SandboxTimeoutError as e: print(e.timeout_duration)
 *
 * A run that is too slow ends, with all that it has started; the session and its variables stay. */
#include <stdio.h>

#include <terrarium/terrarium.h>

static int run(struct trm_sync *session, const char *code, int64_t timeout_ms, struct trm_error *why)
{
	struct trm_execution result;
	int r = trm_sync_run_as(session, trm_lang_default(), code, timeout_ms, &result, why);
	if (r == 0)
		printf("%s: %s%s\n", result.status, result.output,
				result.result->reason ? result.result->reason : "");
	trm_execution_finish(&result);
	return r;
}

int main(void)
{
	struct trm_sync_opts opts;
	struct trm_sync *session = NULL;
	struct trm_error why;
	trm_sync_opts_default(&opts);
	opts.timeout_ms = 30000;                      /* execution_timeout, default_timeout */
	opts.sandbox.max_lifetime_ms = 300000;        /* session_timeout */
	opts.sandbox.limits_lifetime = true;          /* also of a sandbox that is not kept */
	opts.sandbox.limits.cpus = 2;                 /* runtime_configs: cpu_count */
	opts.sandbox.limits.mem_bytes = 512ull << 20; /* mem_limit */
	opts.sandbox.limits.disk_bytes = 64ull << 20; /* tmpfs size */
	opts.sandbox.limits.procs = 64;               /* pids_limit */
	bool is_good = trm_sync_create(&opts, &session, &why) == 0 && trm_sync_start(session, &why) == 0
		       && run(session, "x = 42", -1, &why) == 0
		       && run(session, "import time\ntime.sleep(60)", 500, &why) == 0
		       && run(session, "x", -1, &why) == 0;
	if (!is_good)
		fprintf(stderr, "%s\n", why.msg);
	trm_sync_destroy(session);
	return !is_good;
}
