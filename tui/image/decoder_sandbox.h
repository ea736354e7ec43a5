/* SPDX-License-Identifier: MIT */
#ifndef TUI_IMAGE_DECODER_SANDBOX_H
#define TUI_IMAGE_DECODER_SANDBOX_H

/* Shut the calling process, a child just forked, in for good: signals as at the beginning of a program, no
 * descriptor but `fd`, which becomes number `number`, little memory and time, few system calls. What cannot
 * be had (a kernel without seccomp) is done without. */
void decoder_sandbox_enter(int fd, int number);

#endif
