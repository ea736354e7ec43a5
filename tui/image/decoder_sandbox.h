/* SPDX-License-Identifier: MIT */
#ifndef TUI_IMAGE_DECODER_SANDBOX_H
#define TUI_IMAGE_DECODER_SANDBOX_H

/* Confine the calling process, a child just forked, for good: default signal handlers, no descriptor
 * except `fd`, which becomes number `number`, little memory and time, few system calls. Protection that
 * is not available (a kernel without seccomp) is skipped. */
void decoder_sandbox_enter(int fd, int number);

#endif
