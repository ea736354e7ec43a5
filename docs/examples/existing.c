/* SPDX-License-Identifier: MIT */
/* with SandboxSession(container_id="web", backend="docker", lang="python") as session:
 *     session.run("print('Hello from existing container!')")
 *     session.execute_command("ls -la")
 *     session.copy_to_runtime("script.py", "/tmp/deep/script.py")
 *
 * Arguments: "docker" or "podman", the script, and the container. That is not stopped or removed at the end.
 */
#include <stdio.h>

#include <terrarium/terrarium.h>

static int use(struct trm_sync *session, const char *script, struct trm_error *why)
{
	struct trm_execution result;
	struct trm_command_execution command;
	int r = trm_sync_run(session, "print('Hello from existing container!')", &result, why);
	if (r == 0)
		puts(result.output);
	trm_execution_finish(&result);
	if (r < 0)
		return r;
	r = trm_sync_put_tree(session, script, "/tmp/deep/script.py", why); /* makes the folders above it */
	if (r < 0)
		return r;
	r = trm_sync_command(session, "python3", (const char *const[]){"/tmp/deep/script.py", NULL}, 10000,
			&command, why);
	if (r == 0)
		puts(command.output);
	trm_command_execution_finish(&command);
	return r;
}

int main(int argc, char **argv)
{
	struct trm_sync_opts opts;
	struct trm_sync *session = NULL;
	struct trm_error why;
	if (argc != 4)
		return 2;
	trm_sync_opts_default(&opts);
	opts.sandbox.backend = argv[1];
	opts.sandbox.container.container = argv[3];
	bool is_good = trm_sync_create(&opts, &session, &why) == 0 && trm_sync_start(session, &why) == 0
		       && use(session, argv[2], &why) == 0;
	if (!is_good)
		fprintf(stderr, "%s\n", why.msg);
	trm_sync_destroy(session);
	return !is_good;
}
