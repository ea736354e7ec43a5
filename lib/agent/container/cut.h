/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CONTAINER_CUT_H
#define TRM_AGENT_CONTAINER_CUT_H

/* `terrarium-agent cut`: the program of a pod's init container. Takes all network devices except the loopback
 * device down. Exit code 125 means failure, with the reason on standard error. */
int agent_cut(char **args);

#endif
