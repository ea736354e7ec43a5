/* SPDX-License-Identifier: MIT */
/* with SandboxSession(lang="python", libraries=["demo"]) as session:
 *     session.run("import demo ...", libraries=["other"])
 *     session.install(["one", "two"])
 *
 * Arguments: packages; the first one is imported. */
#include <stdio.h>

#include <terrarium/terrarium.h>

static int run_with(struct trm_sync *session, const char *const *libraries)
{
	char code[200];
	struct trm_run_opts run;
	struct trm_execution result;
	struct trm_error why;
	snprintf(code, sizeof code, "import %s as library\nprint(library.__name__)", libraries[0]);
	trm_run_opts_default(&run);
	run.code = code;
	run.libraries = libraries; /* installed first; the sandbox itself needs no network */
	int r = trm_sync_run_with(session, &run, &result, &why);
	if (r < 0)
		fprintf(stderr, "%s\n", why.msg);
	else
		printf("%s%s\n", result.output, result.error);
	r = r < 0 ? r : result.exit_code;
	trm_execution_finish(&result);
	return r;
}

int main(int argc, char **argv)
{
	static struct trm_config config;
	static struct trm_config_lists lists;
	struct trm_sync_opts opts;
	struct trm_sync *session = NULL;
	struct trm_error why;
	int r = 1;
	if (argc < 2)
		return 2;
	trm_sync_opts_default(&opts);
	if (trm_config_load(&config, NULL, &why)
			== 0) /* the user's settings, such as the addresses of an index */
		trm_config_sandbox_opts(&config, &lists, &opts.sandbox);
	if (trm_sync_create(&opts, &session, &why) < 0 || trm_sync_start(session, &why) < 0)
		fprintf(stderr, "%s\n", why.msg);
	else if ((r = run_with(session, (const char *const *)&argv[1])) == 0
			&& (r = trm_sync_install(session, (const char *const *)&argv[1], &why)) < 0)
		fprintf(stderr, "%s\n", why.msg);
	trm_sync_destroy(session);
	return r != 0;
}
