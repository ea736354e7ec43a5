/* SPDX-License-Identifier: MIT */
/* terrarium-agent serve FD [FOLDER [RULES ROOTS]]
 *                                serve the clients of a listening unix socket, inherited as FD; without
 *                                namespaces in FOLDER, with a Landlock ruleset inherited as RULES, which
 *                                allows something in ROOTS (exec.h)
 * terrarium-agent serve-stdio    serve one client on standard input and output
 * terrarium-agent container …    in containers, as the next two: see container.h
 * terrarium-agent connect …
 * terrarium-agent stop …
 * terrarium-agent cut             in a pod's init container, see cut.h
 * terrarium-agent exec …         of the agent's own use, see exec.h
 * terrarium-agent version
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "agent/container/container.h"
#include "agent/container/cut.h"
#include "agent/core/agent.h"

enum { EXIT_USAGE = 125 };

/* -1: it is none. */
static int read_fd(const char *text)
{
	char *end;
	long fd = text ? strtol(text, &end, 10) : -1;
	return fd < 0 || *end || end == text ? -1 : (int)fd;
}

static int do_serve(char **args)
{
	const char *folder = args[0] ? args[1] : NULL;
	struct agent_way way = {
			.listen_fd = read_fd(args[0]), .handoff_fd = -1, .folder = folder, .rules_fd = -1};
	if (folder && args[2]) {
		way.rules_fd = read_fd(args[2]);
		way.roots = args[3];
		if (way.rules_fd < 0 || !way.roots)
			return EXIT_USAGE;
	}
	return way.listen_fd < 0 ? EXIT_USAGE : agent_serve(&way);
}

static int do_serve_stdio(char **args)
{
	(void)args;
	return agent_serve_stdio();
}

static int do_version(char **args)
{
	(void)args;
	puts(TERRARIUM_VERSION);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(char **args);
	bool is_guarded; /* holds what code in the sandbox must not read */
} personalities[] = {
		{"serve", do_serve, true},
		{"serve-stdio", do_serve_stdio, true},
		{"container", agent_container, true},
		{"connect", agent_connect, true},
		{"stop", agent_stop, true},
		{"cut", agent_cut, false},
		{"exec", agent_exec, false},
		{"version", do_version, false},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof personalities / sizeof *personalities; i++) {
		if (strcmp(argv[1], personalities[i].name) != 0)
			continue;
		if (personalities[i].is_guarded)
			prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
		return personalities[i].run(argv + 2);
	}
	fputs("usage: terrarium-agent serve FD | serve-stdio | container … | connect … | stop … | version\n",
			stderr);
	return EXIT_USAGE;
}
