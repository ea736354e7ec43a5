/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_SERVE_IPC_H
#define TRM_AGENT_SERVE_IPC_H

/* System V message queues, semaphores and shared memory outlive their creators. If the kernel has killed
 * those for lack of memory, the objects would hold the memory for ever, and each new process would be
 * killed, too. */

/* Remove all such objects of the sandbox that no process has attached. Only for an agent with its own IPC
 * namespace. */
void ipc_clear(void);

#endif
