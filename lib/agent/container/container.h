/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CONTAINER_H
#define TRM_AGENT_CONTAINER_H

/* The agent in a container, or in any other place to which its program was copied.
 *
 *     container --door PATH OPTIONS
 *         Receive the listening socket over the handoff socket PATH (wire/fd_handoff.h).
 *     container --key K [--linger S] OPTIONS
 *         Listen at the abstract socket "terrarium-K". With --linger the agent ends when nobody has been
 *         connected for S seconds.
 *     connect --key K [-- OPTIONS]
 *         Bridge standard input and output to that socket. If there is no agent, then with OPTIONS (or
 *         --start OPTIONS) start one that outlives the bridge; otherwise wait for one for at most
 *         10 seconds. With --stay the bridge does not end before the agent that it has started, and reaps
 *         that agent: the first process of an existing container may reap nobody.
 *     stop --key K [--remove]
 *         End that agent and everything that it has started. With --remove also delete the program file if
 *         its name is "agent".
 *
 * "container" also has --await-cut and --probe-net: see probe_net.h.
 *
 * OPTIONS are --user USER[:GROUP], --workdir DIR, --nproc N, --files N, --file-mb N (see
 * container_setup.h), and after -- also --linger. Exit code 125 means failure, with the reason as a
 * sentence on standard error.
 *
 * Everybody in the network namespace can reach an abstract socket, above all the code in the sandbox. So
 * an agent with a key talks only to processes that belong to root or to the user who started the agent,
 * and that do not descend from the agent. */

#include <stdbool.h>
#include <stdint.h>

#include "agent/container/container_setup.h"

struct container_opts {
	const char *handoff, *key;
	uint64_t linger_s; /* 0: no limit */
	bool is_start;     /* "connect": -- or --start was given */
	bool is_remove;    /* "stop": --remove was given */
	bool awaits_cut;   /* --await-cut was given: nobody is served before the network is cut */
	bool probes_net;   /* --probe-net was given: look whether there is a network, and report it */
	struct container_setup_opts container_setup;
};

int agent_container(char **args);
int agent_connect(char **args);
int agent_stop(char **args);

/* Copy bytes in both directions between standard input and output and a connected socket, until the
 * socket or standard output ends. Takes ownership of the socket. Passes on the end of standard input.
 * Returns true if the socket has sent anything. */
bool bridge(int socket_fd);

#endif
