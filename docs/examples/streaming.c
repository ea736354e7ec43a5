/* SPDX-License-Identifier: MIT */
/* session.run(code, on_stdout=lambda chunk: ..., on_stderr=lambda chunk: ...)
 *
 * The exit code stays, and no character is cut or lost, whatever the chunks are. */
#include <stdio.h>

#include <terrarium/terrarium.h>

static void on_output(void *user, int stream, const void *bytes, size_t n)
{
	(void)user;
	printf("%s: %.*s", stream == TRM_STDERR ? "stderr" : "stdout", (int)n, (const char *)bytes);
	fflush(stdout);
}

int main(void)
{
	struct trm_sync_opts opts;
	struct trm_sync *session = NULL;
	struct trm_execution result = {0};
	struct trm_error why;
	int code = 1;
	trm_sync_opts_default(&opts);
	opts.output = on_output;
	if (trm_sync_create(&opts, &session, &why) < 0 || trm_sync_start(session, &why) < 0
			|| trm_sync_run(session,
					   "import sys, time\n"
					   "for i in range(3):\n"
					   "    print('step', i, flush=True)\n"
					   "    time.sleep(0.2)\n"
					   "print('done', file=sys.stderr)\n"
					   "sys.exit(3)",
					   &result, &why)
					   < 0) {
		fprintf(stderr, "%s\n", why.msg);
	} else {
		printf("exit code %d\n", result.exit_code);
		code = 0;
	}
	trm_execution_finish(&result);
	trm_sync_destroy(session);
	return code;
}
