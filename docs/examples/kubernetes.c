/* SPDX-License-Identifier: MIT */
/* with SandboxSession(backend="kubernetes", lang="python", image=, kube_namespace=, pod_manifest=) as
 * session: result = session.run("import socket; print(socket.gethostname())") session.execute_command("cat
 * /etc/hostname")
 *
 * Arguments: the image and, if you like, a namespace and a file with a manifest of a Pod ("" for none).
 * kubectl finds the cluster (KUBECONFIG, its context). The pod is removed at the end, however that comes. */
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

static const char *argument(int argc, char **argv, int i)
{
	return i < argc && *argv[i] ? argv[i] : NULL;
}

/* A pod has one name outside and inside. */
static int use(struct trm_sync *session, struct trm_error *why)
{
	struct trm_execution result;
	struct trm_command_execution command = {0};
	int r = trm_sync_run(session, "import socket; print(socket.gethostname())", &result, why);
	if (r == 0)
		r = trm_sync_command(session, "cat", (const char *const[]){"/etc/hostname", NULL}, 10000,
				&command, why);
	if (r == 0)
		printf("%s\n", !strcmp(result.output, command.output) ? "Hello from a pod!" : "two pods?");
	trm_command_execution_finish(&command);
	trm_execution_finish(&result);
	return r;
}

int main(int argc, char **argv)
{
	struct trm_sync_opts opts;
	struct trm_sync *session = NULL;
	struct trm_error why;
	trm_sync_opts_default(&opts);
	opts.sandbox.backend = "kubernetes";
	opts.sandbox.container.image = argument(argc, argv, 1);
	opts.sandbox.container.kube.space = argument(argc, argv, 2);
	opts.sandbox.container.kube.manifest = argument(argc, argv, 3);
	bool is_good = trm_sync_create(&opts, &session, &why) == 0 && trm_sync_start(session, &why) == 0
		       && use(session, &why) == 0;
	if (!is_good)
		fprintf(stderr, "%s\n", why.msg);
	trm_sync_destroy(session);
	return !is_good;
}
