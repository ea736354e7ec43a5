/* SPDX-License-Identifier: MIT */
/* with SandboxSession(lang="python", dockerfile="env/Dockerfile", commit_container=True) as session:
 *     session.run("...")
 *
 * Arguments: "docker" or "podman", a Dockerfile or its folder, and the name of the image that is made at the
 * end. That is never the image that it began with. */
#include <stdio.h>

#include <terrarium/terrarium.h>

static int run(const char *backend, const char *image, const char *dockerfile, const char *tag,
		const char *code)
{
	struct trm_sync_opts opts = TRM_SYNC_OPTS_INIT;
	struct trm_sync *session = NULL;
	struct trm_execution result = {0};
	struct trm_error why;
	opts.sandbox.backend = backend;
	opts.sandbox.container.image = image;
	opts.sandbox.container.dockerfile = dockerfile; /* built first; removed again at the end */
	opts.sandbox.container.commit_tag = tag;
	int r = trm_sync_create(&opts, &session, &why);
	if (r == 0)
		r = trm_sync_start(session, &why);
	if (r == 0)
		r = trm_sync_run(session, code, &result, &why);
	puts(r < 0 ? why.msg : result.has_error ? result.error : result.output);
	r = r < 0 || result.has_error ? -1 : 0;
	trm_execution_finish(&result);
	trm_sync_destroy(session); /* waits until the image is there */
	return r;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	int r = run(argv[1], NULL, argv[2], argv[3], "print('built', open('/opt/made', 'w').write('x'))");
	return (r < 0 ? r : run(argv[1], argv[3], NULL, NULL, "print('saved', open('/opt/made').read())"))
	       < 0;
}
