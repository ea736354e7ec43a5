/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_SERVE_IPC_H
#define TRM_AGENT_SERVE_IPC_H

/* System V message queues, semaphores and shared memory outlive whoever made them. Where the kernel has
 * killed for want of memory they would hold it for ever, and everything that is started later would be
 * killed, too. */

/* Remove all of the sandbox's that nobody has attached. Only for an agent with an IPC namespace of its own.
 */
void ipc_clear(void);

#endif
