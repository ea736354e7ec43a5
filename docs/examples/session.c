/* SPDX-License-Identifier: MIT */
/* with SandboxSession(lang="python", image=, keep_template=, verbose=) as session:
 *     result = session.run(code)
 *     print(result.stdout, result.stderr, result.exit_code)
 *
 * Arguments: a backend ("local", "docker" ...) and, for containers, an image. */
#include <stdio.h>

#include <terrarium/terrarium.h>

static int run(struct trm_sync *session, const char *code)
{
	struct trm_execution result;
	struct trm_error why;
	int r = trm_sync_run(session, code, &result, &why);
	if (r < 0)
		fprintf(stderr, "%s\n", why.msg);
	else
		printf("stdout [%s] stderr [%s] exit code %d\n", result.output, result.error,
				result.exit_code);
	trm_execution_finish(&result);
	return r;
}

int main(int argc, char **argv)
{
	struct trm_sync_opts opts;
	struct trm_sync *session = NULL;
	struct trm_error why;
	trm_sync_opts_default(&opts);
	opts.sandbox.backend = argc > 1 ? argv[1] : "local";
	opts.sandbox.container.image = argc > 2 ? argv[2] : NULL; /* NULL: a small one for the language */
	opts.sandbox.container.keep_image = true;                 /* keep_template */
	if (trm_sync_create(&opts, &session, &why) < 0 || trm_sync_start(session, &why) < 0) {
		fprintf(stderr, "%s\n", why.msg);
		trm_sync_destroy(session);
		return 1;
	}
	/* Unlike llm-sandbox's, a session keeps its variables from run to run. */
	int r = run(session, "x = 40\nprint('Hello, World!')");
	r = r < 0 ? r : run(session, "import sys\nprint(x + 2, file=sys.stderr)\nsys.exit(3)");
	trm_sync_destroy(session);
	return r < 0;
}
