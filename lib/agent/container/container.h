/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CONTAINER_H
#define TRM_AGENT_CONTAINER_H

/* The agent in a container (or any other place that its program was put to).
 *
 *   container --door PATH OPTIONS         its listening socket comes through the door: wire/fd_handoff.h
 *   container --key K [--linger S] OPTIONS  it listens at the abstract socket "terrarium-K"; with --linger it
 *                                         ends when nobody has been connected for that long
 *   connect --key K [-- OPTIONS]          a bridge between standard input and output and that socket. Where
 * no agent is there: with OPTIONS (or --start OPTIONS) it starts one that outlives it, else it waits for one,
 * 10 seconds at most. With --stay it ends no sooner than the agent that it has started, and reaps it: the
 * first process of an existing container may reap nobody
 *   stop --key K [--remove]               end that agent, and what it has started; with
 * --remove the program file too, if it is called "agent"
 *
 * OPTIONS are --user USER[:GROUP], --workdir DIR, --nproc N, --files N, --file-mb N (see container_setup.h);
 * behind
 * -- --linger too. Exit code 125: it could not, and has said why in a sentence on standard error.
 *
 * An abstract name is there for everybody in the network namespace, the code in the sandbox first of all. So
 * an agent with a key talks only to processes of the user who started it (or root's) that do not descend from
 * the agent itself. */

#include <stdbool.h>
#include <stdint.h>

#include "agent/container/container_setup.h"

struct container_opts {
	const char *handoff, *key;
	uint64_t linger_s; /* 0: no limit */
	bool is_start;     /* of "connect": -- or --start was there */
	bool is_remove;    /* of "stop" */
	struct container_setup_opts container_setup;
};

int agent_container(char **args);
int agent_connect(char **args);
int agent_stop(char **args);

/* Copy bytes both ways between standard input and output and a connected socket, which is taken over, until
 * the socket or standard output ends. The end of standard input is passed on. Returns true if the socket
 * sent anything. */
bool bridge(int socket_fd);

#endif
