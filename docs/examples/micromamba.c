/* SPDX-License-Identifier: MIT */
/* with MicromambaSession(image="mambaorg/micromamba:latest", environment="base", lang="python") as session:
 *     session.install(["numpy"])
 *     session.run("import sys; print(sys.prefix)")
 *
 * Arguments: an image with micromamba, one of its environments and, if you like, packages, which need a
 * network. Code, commands and installations all use that environment. */
#include <stdio.h>

#include <terrarium/terrarium.h>

static int use(struct trm_sync *session, const char *const *packages, struct trm_error *why)
{
	struct trm_execution result = {0};
	int r = *packages ? trm_sync_install(session, packages, why) : 0;
	if (r == 0)
		r = trm_sync_run(session, "import os; print(os.environ['CONDA_DEFAULT_ENV'])", &result, why);
	if (r == 0)
		puts(result.output);
	trm_execution_finish(&result);
	return r;
}

int main(int argc, char **argv)
{
	struct trm_sync_opts opts;
	struct trm_sync *session = NULL;
	struct trm_error why;
	if (argc < 3)
		return 2;
	trm_sync_opts_default(&opts);
	opts.sandbox.backend = "micromamba";
	opts.sandbox.container.image = argv[1];
	opts.sandbox.container.environment = argv[2];
	opts.sandbox.limits.net = argc > 3;
	bool is_good = trm_sync_create(&opts, &session, &why) == 0 && trm_sync_start(session, &why) == 0
		       && use(session, (const char *const *)argv + 3, &why) == 0;
	if (!is_good)
		fprintf(stderr, "%s\n", why.msg);
	trm_sync_destroy(session);
	return !is_good;
}
